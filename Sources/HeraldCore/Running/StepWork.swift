internal import FCM

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// One step as the executor drives it: which request goes to whom, what its answer means, and what is written down
/// before and after. Pure; the two kinds of work differ here and nowhere else.
struct StepWork {
    let work: Plan.Work
    /// Absent for memberships.
    private var body: MessageBody?
    /// When the message is worth nothing any more, where its author said so.
    private let expiry: Date?
    /// Who was being subscribed when an earlier run ended: FCM may have them through us.
    private let askedBefore: RecipientSet
    private let isDryRun: Bool

    init(
        _ work: Plan.Work, askedBefore: RecipientSet, isDryRun: Bool, now: Date
    ) throws {
        self.work = work
        self.askedBefore = askedBefore
        self.isDryRun = isDryRun
        if case .send(let send) = work {
            expiry = send.expiresAfter.map { (send.due ?? now).adding($0) }
        } else {
            expiry = nil
        }
        try writeBody(at: now)
    }

    /// The same with the lifetime that its message still has.
    func renewed(at now: Date) throws -> StepWork {
        guard expiry != nil else { return self }
        var copy = self
        try copy.writeBody(at: now)
        return copy
    }

    private mutating func writeBody(at now: Date) throws {
        guard case .send(let send) = work else { return }
        let message = expiry.map { send.message(expiring: $0, at: now) } ?? send.message
        body = try MessageBody(message: message, validateOnly: isDryRun)
    }

    var isSend: Bool { body != nil }

    /// Whom requests go to.
    var members: RecipientSet {
        switch work {
        case .subscribe(_, let members), .unsubscribe(_, let members): members
        case .send(let send): send.members
        }
    }

    /// The call for one recipient; `nil` when the record no longer knows how to reach it.
    func request(for id: RecipientID, _ registration: Registration?) -> Request? {
        switch work {
        case .subscribe(let topic, _): registration.map { .subscribe($0, to: topic) }
        case .unsubscribe(let topic, _): registration.map { .unsubscribe($0, from: topic) }
        case .send(let send):
            address(of: send, registration).flatMap { address in body.map { .send(body: $0.bytes(to: address)) } }
        }
    }

    func verdict(on exchange: Exchange, _ registration: Registration?) -> Verdict {
        switch work {
        case .subscribe, .unsubscribe: Verdict(membership: exchange)
        case .send(let send):
            if let address = address(of: send, registration) {
                Verdict(send: exchange, to: address).ofDryRun(isDryRun)
            } else {
                .stop(Failure(code: "NO_REGISTRATION", message: "the record knows no registration"))
            }
        }
    }

    private func address(of send: Plan.Send, _ registration: Registration?) -> Address? {
        switch send.target {
        case .topic(let name): .topic(name)
        case .audience, .registrations, .group: registration.map { .registration($0) }
        }
    }

    // MARK: What is written down

    /// Before the first request of the step.
    var opening: [RecordChange] {
        guard case .send(let send) = work else { return [] }
        if send.isResumed {
            return send.discovered.isEmpty ? [] : [.outcome(send.occurrence, send.discovered, .unknown)]
        }
        let occurrence = RecordedOccurrence(
            campaign: send.campaign, revision: send.revision, due: send.due, contentDigest: send.contentDigest,
            target: send.target.recordedText)
        return [.open(send.occurrence, occurrence)]
    }

    /// Before a request leaves. Unsubscribing needs no intent: until it is recorded as done, it is done again.
    func intent(_ members: RecipientSet, at now: Date) -> [RecordChange] {
        switch work {
        case .subscribe(let topic, _):
            let fresh = members.subtracting(askedBefore)
            return fresh.isEmpty ? [] : [.members(topic, fresh, .subscribing, at: now)]
        case .unsubscribe: return []
        case .send(let send): return [.outcome(send.occurrence, members, .intended)]
        }
    }

    /// After answers came back.
    func changes(_ settled: Settled, at now: Date) -> [RecordChange] {
        var changes: [RecordChange] = []
        switch work {
        case .subscribe(let topic, _):
            for (set, membership) in [
                (settled.accepted, Membership.owned as Membership?), (settled.found, .found),
                // Who was asked for before this run may be subscribed through us, whatever this run's attempt came to.
                (settled.rejected.union(settled.untried.subtracting(askedBefore)), nil),
            ] where !set.isEmpty {
                changes.append(.members(topic, set, membership, at: now))
            }
        case .unsubscribe(let topic, _):
            let gone = settled.accepted.union(settled.found)
            if !gone.isEmpty { changes.append(.members(topic, gone, nil, at: now)) }
        case .send(let send):
            for (set, entry) in [
                (settled.accepted.union(settled.found), LedgerEntry.accepted as LedgerEntry?),
                (settled.rejected, .rejected), (settled.unknown, .unknown), (settled.untried, nil),
            ] where !set.isEmpty {
                changes.append(.outcome(send.occurrence, set, entry))
            }
        }
        if !settled.forgotten.isEmpty { changes.append(.forget(settled.forgotten)) }
        return changes
    }

    /// When nobody is left to be tried.
    ///
    /// - Parameter unknown: how many of the step's outcomes are unknown.
    func closing(at now: Date, unknown: Int) -> [RecordChange] {
        guard case .send(let send) = work else { return [] }
        // Whose author wants unknown ones sent again is not done with them.
        if unknown > 0, send.onUnknown == .resend { return [] }
        return [.finish(send.occurrence, at: now)]
    }

    /// Whether a subscription that was there already is one of ours whose answer was lost.
    func isOurs(_ id: RecipientID, mayHaveTakenEffect: Bool) -> Bool {
        mayHaveTakenEffect || askedBefore.contains(id)
    }
}

extension Verdict {
    /// What is only validated arrives nowhere: no answer is a failure then, and nothing to hold.
    fileprivate func ofDryRun(_ isDryRun: Bool) -> Verdict {
        guard isDryRun, case .unknown(let failure) = self else { return self }
        return .rejected(failure)
    }
}

/// Recipients whose answers have come and are not written down yet.
struct Settled {
    var accepted: RecipientSet = []
    var found: RecipientSet = []
    var rejected: RecipientSet = []
    var unknown: RecipientSet = []
    /// Whose request had no effect, so that they count as not tried.
    var untried: RecipientSet = []
    /// To be buried, beside being rejected.
    var forgotten: RecipientSet = []

    var isEmpty: Bool { count == 0 && forgotten.isEmpty }

    /// The dead are among the rejected.
    var count: Int { accepted.count + found.count + rejected.count + unknown.count + untried.count }
}

extension Plan.Send {
    /// The message with what `expires_after` fills where its author left it unset.
    fileprivate func message(expiring expiry: Date, at now: Date) -> [String: JSONValue] {
        let left = Duration.seconds(max(0, Int64((expiry.timeIntervalSince1970 - now.timeIntervalSince1970).rounded())))
        let ttl = left.components.seconds
        var message = JSONValue.object(self.message)
        message.fill(["android", "ttl"], with: .string(left.protobufText))
        message.fill(
            ["apns", "headers", "apns-expiration"], with: .string(String(Int64(expiry.timeIntervalSince1970))))
        message.fill(["webpush", "headers", "TTL"], with: .string(String(ttl)))
        return message.object ?? self.message
    }
}

extension JSONValue {
    /// Puts a value at a path of object keys, unless there is one. Keys are compared as those of headers are, without
    /// regard to case.
    fileprivate mutating func fill(_ path: ArraySlice<String>, with value: JSONValue) {
        guard let key = path.first else { return }
        var members = object ?? [:]
        if path.count == 1 {
            let isSet = members.keys.contains { $0.lowercased() == key.lowercased() }
            if !isSet { members[key] = value }
        } else {
            var inner = members[key] ?? .object([:])
            inner.fill(path.dropFirst(), with: value)
            members[key] = inner
        }
        self = .object(members)
    }
}
