internal import FCM

/// What `apply` needs of a plan that was saved: enough to work it out again and see whether it is still the same.
package struct SavedPlan: Hashable, Sendable {
    package var id: String
    package var at: Date
    package var expires: Date
    package var digest: String
    /// The campaigns it was limited to; empty for all.
    package var campaigns: [String]
    /// How many days ahead it looked.
    package var days: Int

    /// Why a saved plan is not applied.
    package enum Problem: Error, Hashable, Sendable {
        /// No plan of herald's at all.
        case unreadable
        /// Its digest is not that of its content.
        case altered
        case expired(at: Date)
        /// It was made for an instant that has not come.
        case early(until: Date)
        case used
        /// The files, the state or what is due changed since.
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
        self.id = id
        self.at = at
        self.expires = expires
        self.digest = digest
        days =
            members["days"].flatMap { if case .int(let days) = $0 { Int(exactly: days) } else { nil } }
            ?? PlanDocument.usualDays
        campaigns = (members["campaigns"]?.array ?? []).compactMap(\.string)
    }

    /// Holds it against the state and against the plan that was worked out anew for its instant.
    ///
    /// - Parameter mayBeEarly: whether an instant to come may be taken for now.
    package func check(
        against plan: PlanDocument, spent: Set<String>, now: Date, mayBeEarly: Bool = false
    ) throws(Problem) {
        if spent.contains(id) { throw .used }
        if now < at, !mayBeEarly { throw .early(until: at) }
        if now > expires { throw .expired(at: expires) }
        if plan.digest != digest { throw .stale }
    }
}
