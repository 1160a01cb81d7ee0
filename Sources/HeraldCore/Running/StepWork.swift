internal import FCM

/// One step as the executor drives it: which request goes to whom, what its answer means, and what is written down
/// before and after. Pure; sends and the two ways of changing a topic's members differ here and nowhere else. Device
/// groups have `GroupState`.
struct StepWork {
    let work: Plan.Work
    let action: Plan.Action
    /// By which of FCM's APIs members are changed.
    private let api: TopicAPI
    private let addressing: Addressing
    /// Of a send: when it is to stop.
    let stopWhenRejectedPercent: Int?
    /// Absent for memberships.
    private var content: EncodedContent?
    /// When the message is worth nothing any more, where its author said so.
    private let expiry: Date?
    /// Who was being subscribed when an earlier run ended: FCM may have them through us.
    private let askedBefore: RecipientSet
    private let isDryRun: Bool

    init(
        _ work: Plan.Work, api: TopicAPI = .registrations, key: NotificationKey? = nil, askedBefore: RecipientSet = [],
        isDryRun: Bool, now: Date
    ) throws {
        self.work = work
        self.action = work.action
        self.api = api
        self.askedBefore = askedBefore
        self.isDryRun = isDryRun
        if case .send(let send) = work {
            expiry = send.expiresAfter.map { (send.due ?? now).adding($0) }
            addressing = Addressing(of: send, key: key)
            stopWhenRejectedPercent = send.stopWhenRejectedPercent
        } else {
            expiry = nil
            addressing = .each
            stopWhenRejectedPercent = nil
        }
        try encode(at: now)
    }

    /// Where requests of a send go.
    private enum Addressing {
        case each
        /// `nil`: there is no way to reach it.
        case whole(Address?)

        /// - Parameter key: where a send to a device group goes.
        init(of send: Plan.Send, key: NotificationKey?) {
            switch send.target {
            case .topic(let name): self = .whole(.topic(name))
            case .condition(let condition): self = .whole(.condition(condition))
            case .group where send.groupMembers == .key: self = .whole(key.map { .group($0) })
            case .group, .audience, .registrations: self = .each
            }
        }
    }

    private func address(_ registration: Registration?) -> Address? {
        switch addressing {
        case .each: registration.map { .registration($0) }
        case .whole(let address): address
        }
    }

    /// Tells the lifetime that its message still has.
    mutating func renew(at now: Date) throws {
        if expiry != nil { try encode(at: now) }
    }

    private mutating func encode(at now: Date) throws {
        guard case .send(let send) = work else { return }
        content = try EncodedContent(send.content, expiring: expiry, at: now, validateOnly: isDryRun)
    }

    var isSend: Bool { content != nil }

    private var send: Plan.Send? { if case .send(let send) = work { send } else { nil } }

    /// Nothing starts after it.
    var deadline: Date? { send?.deadline }

    /// Left by a crash between intent and outcome.
    var discovered: RecipientSet? { send?.discovered }

    /// Whom FCM refused in an earlier run.
    var deferredBefore: RecipientSet { send?.deferred ?? [] }

    /// How many recipients one request may be for.
    var batchSize: Int { !isSend && api == .iid ? Request.maximumBatch : 1 }

    /// The call for some recipients, no more than `batchSize`; `nil` when there is no way to reach them.
    func request(for addressees: ArraySlice<Addressee>) -> Request? {
        // To take the whole work apart for each recipient would be a good part of what one costs.
        if let content {
            guard let one = addressees.first else { return nil }
            return address(one.registration).map { .send(body: content.bytes(for: one.id, to: $0)) }
        }
        return switch work {
        case .subscribe(let topic, _): membership(.add, topic, addressees)
        case .unsubscribe(let topic, _): membership(.remove, topic, addressees)
        case .group, .send: nil
        }
    }

    private func membership(
        _ operation: BatchOperation, _ topic: TopicName, _ addressees: ArraySlice<Addressee>
    ) -> Request? {
        if api == .iid { return .batch(operation, topic, addressees.compactMap(\.registration)) }
        guard let registration = addressees.first?.registration else { return nil }
        return operation == .add ? .subscribe(registration, to: topic) : .unsubscribe(registration, from: topic)
    }

    /// One for each recipient of a request.
    enum Verdicts {
        case one(Verdict)
        case each([Verdict])

        var count: Int { if case .each(let verdicts) = self { verdicts.count } else { 1 } }
        var first: Verdict? { count > 0 ? self[0] : nil }

        subscript(_ index: Int) -> Verdict {
            switch self {
            case .one(let verdict): verdict
            case .each(let verdicts): verdicts[index]
            }
        }
    }

    func verdicts(on exchange: Exchange, for addressees: ArraySlice<Addressee>) -> Verdicts {
        if let content {
            return address(addressees.first?.registration).map {
                .one(
                    Verdict(send: exchange, to: $0, differsByRecipient: content.differsByRecipient)
                        .ofDryRun(isDryRun))
            } ?? .each([])
        }
        return api == .iid
            ? .each(Verdict.verdicts(batch: exchange, for: addressees.compactMap(\.registration)))
            : .one(Verdict(membership: exchange))
    }

    // MARK: What is written down

    /// Before the first request of the step.
    var opening: [StateChange] {
        guard case .send(let send) = work else { return [] }
        if send.isResumed {
            return send.discovered.isEmpty ? [] : [.outcome(send.occurrence, send.discovered, .unknown)]
        }
        return [.open(send.occurrence, RecordedOccurrence(send))]
    }

    /// Before a request leaves. Unsubscribing needs no intent: until it is recorded as done, it is done again.
    func intent(_ members: RecipientSet, at now: Date) -> [StateChange] {
        switch work {
        case .subscribe(let topic, _):
            let fresh = members.subtracting(askedBefore)
            return fresh.isEmpty ? [] : [.members(topic, fresh, .subscribing, at: now)]
        case .unsubscribe, .group: return []
        case .send(let send): return [.outcome(send.occurrence, members, .intended)]
        }
    }

    /// After answers came back.
    func changes(_ settled: UnwrittenOutcomes, at now: Date) -> [StateChange] {
        var changes: [StateChange] = []
        switch work {
        case .subscribe(let topic, _):
            for (set, membership) in [
                (settled.accepted, Membership.managed as Membership?), (settled.preexisting, .preexisting),
                // Who was asked for before this run may be subscribed through us, whatever this run's attempt came to.
                (settled.everyRejected.union(settled.untried.subtracting(askedBefore)), nil),
            ] where !set.isEmpty {
                changes.append(.members(topic, set, membership, at: now))
            }
        case .unsubscribe(let topic, _):
            let gone = settled.accepted.union(settled.preexisting)
            if !gone.isEmpty { changes.append(.members(topic, gone, nil, at: now)) }
        case .send(let send):
            for (set, entry) in [
                (settled.accepted.union(settled.preexisting), LedgerEntry.accepted as LedgerEntry?),
                (settled.unknown, .unknown), (settled.untried, nil), (settled.deferred, .deferred),
            ] where !set.isEmpty {
                changes.append(.outcome(send.occurrence, set, entry))
            }
            for (code, set) in settled.rejected.sorted(by: { $0.key < $1.key }) where !set.isEmpty {
                changes.append(.reject(send.occurrence, set, code: code))
            }
        case .group: break
        }
        if !settled.forgotten.isEmpty { changes.append(.forget(settled.forgotten)) }
        return changes
    }

    /// When nobody is left to be tried.
    ///
    /// - Parameter unknown: how many of the step's outcomes are unknown.
    func closing(at now: Date, unknown: Int) -> [StateChange] {
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

extension RecordedOccurrence {
    init(_ send: Plan.Send) {
        self.init(
            campaign: send.campaign, revision: send.revision, due: send.due, contentDigest: send.contentDigest,
            target: send.target.recordedText)
    }
}

extension Verdict {
    /// What is only validated arrives nowhere: no answer is a failure then, and nothing to hold.
    fileprivate func ofDryRun(_ isDryRun: Bool) -> Verdict {
        guard isDryRun, case .unknown(let failure) = self else { return self }
        return .rejected(failure)
    }
}
