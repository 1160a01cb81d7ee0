internal import FCM

/// What `apply` needs from a saved plan: enough to plan again and see whether the result is the same.
package struct SavedPlan: Hashable, Sendable {
    package var id: String
    package var at: Date
    package var expires: Date
    package var digest: String
    /// The digest of what it does.
    package var workDigest: String
    /// The campaigns it is limited to; empty for all.
    package var campaigns: [String]
    /// How many days ahead it looks.
    package var days: Int

    /// Why a saved plan is not applied.
    package enum Problem: Error, Hashable, Sendable {
        /// The file is not a herald plan.
        case unreadable
        /// Its digest does not match its content.
        case altered
        /// It was made from a snapshot, so it does not say who is in it.
        case ofSnapshot
        case expired(at: Date)
        /// It is for an instant in the future.
        case early(until: Date)
        case used
        /// The files, the state or what is due have changed since, so that another plan takes its place.
        case stale
    }

    package init(reading bytes: [UInt8]) throws(Problem) {
        guard let members = (try? JSONValue(parsing: bytes))?.object, members["schema"]?.string == "herald.plan/1",
            let id = members["id"]?.string, !id.isEmpty,
            let at = members["at"]?.string.flatMap({ Date(rfc3339: $0) }),
            let expires = members["expires"]?.string.flatMap({ Date(rfc3339: $0) }),
            let digest = members["digest"]?.string
        else { throw .unreadable }
        guard PlanDocument.digest(of: members) == digest else { throw .altered }
        guard members["snapshot"] == nil else { throw .ofSnapshot }
        self.id = id
        self.at = at
        self.expires = expires
        self.digest = digest
        workDigest = PlanDocument.workDigest(of: members)
        days =
            members["days"].flatMap { if case .int(let days) = $0 { Int(exactly: days) } else { nil } }
            ?? PlanDocument.usualDays
        campaigns = (members["campaigns"]?.array ?? []).compactMap(\.string)
    }

    /// Compares the saved plan with the state, and with a new plan for the same instant.
    ///
    /// What readers see beside the work may differ: a run with nothing to do moves what is coming up.
    ///
    /// - Parameters:
    ///   - plan: the whole plan, as it would be saved now.
    ///   - mayBeEarly: Whether a plan for a future instant is accepted.
    package func check(
        against plan: PlanDocument, spent: Set<String>, now: Date, mayBeEarly: Bool = false
    ) throws(Problem) {
        if spent.contains(id) { throw .used }
        if now < at, !mayBeEarly { throw .early(until: at) }
        if now > expires { throw .expired(at: expires) }
        if plan.workDigest != workDigest { throw .stale }
    }
}
