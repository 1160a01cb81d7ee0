internal import FCM

/// The parts of a step that depend on its kind: which request goes to which recipient, what its answer means, and what
/// is written before and after. It does no I/O. Sends and the two ways of changing a topic's members differ only here.
/// Device groups have `GroupState`. It has many parts, because each kind of step needs its own.
struct StepWork {
    let work: Plan.Work
    let action: Plan.Action
    /// The FCM API that changes memberships.
    private let api: TopicAPI
    private let addressing: Addressing
    /// `nil` for memberships, which have no limits either.
    let delivery: Campaign.Delivery?
    let limits: TimeLimits
    /// Whether another process conducts the send. Then this one writes neither its beginning nor its end.
    let isPart: Bool
    /// `nil` for memberships.
    private var content: EncodedContent?
    /// The second that the message's lifetime was encoded for last.
    private var renewedSecond: Int?
    /// Recipients whose subscription an earlier request was to change, and its answer is not known. They may be
    /// subscribed because of herald.
    private var askedBefore: RecipientSet
    /// How the topic's members were recorded when the step began.
    private let before: Partition<Membership>
    /// Whether herald adopts those whom FCM has as subscribers already.
    private let adopts: Bool
    let isDryRun: Bool
    /// When the run began.
    private let begun: Date
    /// Whether what FCM may have delivered despite a 500 or 503 is not tried again. Asked for every answer.
    private let holdsErrors: Bool

    /// - Parameters:
    ///   - limits: those of a send that another process conducts.
    ///   - begun: when the run began.
    init(
        _ work: Plan.Work, api: TopicAPI = .registrations, key: NotificationKey? = nil, askedBefore: RecipientSet = [],
        before: Partition<Membership> = Partition(), adopts: Bool = false, isDryRun: Bool,
        partUntil limits: TimeLimits? = nil, begun: Date, now: Date
    ) throws {
        self.work = work
        self.action = work.action
        self.api = api
        self.askedBefore = askedBefore
        (self.before, self.adopts) = (before, adopts)
        self.isDryRun = isDryRun
        isPart = limits != nil
        self.begun = begun
        if case .send(let send) = work {
            delivery = send.delivery
            self.limits = limits ?? send.limits(begun: begun)
            addressing = Addressing(of: send, key: key)
        } else {
            delivery = nil
            self.limits = TimeLimits()
            addressing = .each
        }
        holdsErrors = delivery?.onError == .hold
        try encode(at: now)
    }

    /// What the requests of a send address.
    private enum Addressing {
        case each
        /// One address for the whole target. `nil` if it cannot be reached.
        case whole(Address?)

        /// - Parameter key: the key of the device group that the send goes to.
        init(of send: Plan.Send, key: NotificationKey?) {
            switch send.target {
            case .topic(let name): self = .whole(.topic(name))
            case .condition(let condition): self = .whole(.condition(condition))
            case .group where send.delivery.members == .key: self = .whole(key.map { .group($0) })
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

    /// Encodes the message again with the lifetime that is left, once a second. An error is ignored, because the message
    /// was encoded before.
    mutating func renew(at now: Date) {
        let second = Int(now.timeIntervalSince1970)
        guard limits.lifetime != nil, renewedSecond != second else { return }
        renewedSecond = second
        try? encode(at: now)
    }

    private mutating func encode(at now: Date) throws {
        guard case .send(let send) = work else { return }
        content = try EncodedContent(
            send.content, for: send.classes, expiring: isPart ? limits.lifetime : limits.expiry,
            closings: send.closings, at: now, validateOnly: isDryRun)
    }

    var isSend: Bool { content != nil }

    /// Whether recipients get different messages, which their rows are needed for.
    var isPersonal: Bool { content?.differsByRecipient == true }

    /// Which text of a personal campaign a recipient gets.
    func text(for id: RecipientID) -> Receipt.Text? {
        guard let send, let messages = send.content.personal, let recipients = send.classes.state(of: id) else {
            return nil
        }
        let locale = recipients.localeName(default: messages.content.defaultLocale)
        return Receipt.Text(locale: locale, variant: recipients.variant)
    }

    /// Whether everything is there that the messages to these recipients need.
    func canWrite(to claim: Claim) -> Bool {
        guard isPersonal, let send else { return true }
        return claim.members.subtracting(send.classes.all).isEmpty
            && claim.members.allSatisfy { claim.rows[$0] != nil }
    }

    var send: Plan.Send? { if case .send(let send) = work { send } else { nil } }

    /// What other processes must know to do a part of it. `nil` if nobody else can, because there is one address.
    func shared(ramped: Duration, _ options: RunOptions) -> SharedSend? {
        // Who helps does not know whose window closes when.
        guard case .each = addressing, let send, !isDryRun, !isPart, send.closings.states.count < 2 else { return nil }
        return SharedSend(send, within: limits, ramped: ramped, options)
    }

    /// The campaign's own rate.
    var rate: Rate? { delivery?.rate }

    /// For a send: stop when more than this share is rejected.
    var stopWhenRejectedPercent: Int? { delivery?.stopWhenRejectedPercent }

    /// Recipients that a crash left between intent and outcome.
    var discovered: RecipientSet? { send?.discovered }

    /// Recipients that FCM refused for now in an earlier run, and whom nobody tries again.
    var refused: RecipientSet { send?.refused ?? [] }

    /// What came of them. The state does not keep which of its codes for that FCM gave; this is the usual one.
    static let refusal = Failure(
        .unavailable, message: "FCM refused it for now in an earlier run, and it is not tried again")

    /// How many recipients one request may be for.
    var batchSize: Int { !isSend && api == .iid ? Request.maximumBatch : 1 }

    /// The request for up to `batchSize` recipients. `nil` if they cannot be reached.
    func request(for addressees: ArraySlice<Addressee>) -> Request? {
        // Tests `content` first: matching on the whole work for each recipient would be a large part of its cost.
        if let content {
            guard let one = addressees.first else { return nil }
            return address(one.registration).flatMap { address in
                content.bytes(for: one.id, one.values, to: address).map { .send(body: $0) }
            }
        }
        return switch work {
        case .subscribe(let topic, _): membership(.add, topic, addressees)
        case .unsubscribe(let topic, _): membership(.remove, topic, addressees)
        case .adopt, .group, .send: nil
        }
    }

    private func membership(
        _ operation: BatchOperation, _ topic: TopicName, _ addressees: ArraySlice<Addressee>
    ) -> Request? {
        if api == .iid { return .batch(operation, topic, addressees.compactMap(\.registration)) }
        guard let registration = addressees.first?.registration else { return nil }
        return operation == .add ? .subscribe(registration, to: topic) : .unsubscribe(registration, from: topic)
    }

    /// One verdict for each recipient of a request.
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
                let verdict = Verdict(send: exchange, to: $0, differsByRecipient: content.differsByRecipient)
                return .one(isDryRun ? verdict.ofDryRun : holdsErrors ? verdict.withoutRepeats : verdict)
            } ?? .each([])
        }
        return api == .iid
            ? .each(Verdict.verdicts(batch: exchange, for: addressees.compactMap(\.registration)))
            : .one(Verdict(membership: exchange, subscribes: action == .subscribe))
    }

    // MARK: Writing to the state

    /// Written before the step's first request.
    var opening: [StateChange] {
        guard case .send(let send) = work else { return [] }
        if send.isResumed {
            let discovered = send.discovered.union(send.refusedAndHeld)
            return (send.liftsHalt ? [.halt(send.occurrence, nil)] : [])
                + (discovered.isEmpty ? [] : [.outcome(send.occurrence, discovered, .unknown)]) + assigning(send)
                + skipping(send) + skippingBadRows(of: send)
        }
        return [.open(send.occurrence, RecordedOccurrence(send, begun: send.begun ?? begun))] + assigning(send)
            + skipping(send)
    }

    /// Whom the occurrence is for, and the stage that opens, where the state does not know it yet.
    private func assigning(_ send: Plan.Send) -> [StateChange] {
        var changes: [StateChange] = []
        if let assignment = send.assignment { changes.append(.assign(send.occurrence, assignment)) }
        if !send.returning.isEmpty { changes.append(.outcome(send.occurrence, send.returning, nil)) }
        if let waves = send.waves {
            if !waves.unrecorded.isEmpty {
                changes.append(.waves(send.occurrence, waves.unrecorded))
                if let mark = waves.nextMark { changes.append(.unseen(send.occurrence, since: mark)) }
            }
        }
        if let stages = send.stageNews { changes.append(.stages(send.occurrence, stages)) }
        return changes
    }

    /// Written before a request leaves. From then on nobody takes these recipients for subscribers: if this run dies,
    /// the next one subscribes them, should the files list them again.
    func intent(_ members: RecipientSet, at now: Date) -> [StateChange] {
        switch work {
        case .subscribe(let topic, _), .unsubscribe(let topic, _):
            let fresh = members.subtracting(askedBefore)
            return fresh.isEmpty ? [] : [.members(topic, fresh, .subscribing, at: now)]
        case .adopt, .group: return []
        case .send(let send):
            let counted = send.seeds.isEmpty ? members : members.subtracting(send.seeds)
            return [.outcome(send.occurrence, members, .intended)] + starting(counted, of: send.occurrence, at: now)
        }
    }

    /// Written after answers came.
    ///
    /// - Parameter earlier: when messages started that may have arrived and that were sent again.
    func changes(
        _ settled: UnwrittenOutcomes, besides earlier: Partition<MessageStart>, at now: Date
    ) -> [StateChange] {
        var changes: [StateChange] = []
        // A dead registration leaves all topics before its recipient joins with another one.
        if !settled.forgotten.isEmpty { changes.append(.forget(settled.forgotten, at: now)) }
        if !settled.changed.isEmpty {
            changes += [.supersede(RecipientSet(settled.changed.keys.sorted())), .register(settled.changed)]
        }
        switch work {
        case .subscribe(let topic, _):
            // Recipients that an earlier request was to subscribe may be subscribed because of herald, whatever came of
            // the last one. Their state stays.
            let out = settled.everyRejected.union(settled.untried).subtracting(askedBefore)
            for (set, membership) in [
                (settled.accepted, Membership.managed as Membership?),
                (settled.preexisting, adopts ? .adopted : .preexisting),
                (out.intersection(before[.left]), .left), (out.subtracting(before[.left]), nil),
            ] where !set.isEmpty {
                changes.append(.members(topic, set, membership, at: now))
            }
        case .unsubscribe(let topic, _):
            if !settled.accepted.isEmpty { changes.append(.members(topic, settled.accepted, nil, at: now)) }
            // Who was refused may have left in an attempt before.
            let staying = settled.untried.subtracting(askedBefore)
            for (set, membership) in [
                (staying.intersection(before[.adopted]), Membership.adopted),
                (staying.subtracting(before[.adopted]), .managed),
            ] where !set.isEmpty {
                changes.append(.members(topic, set, membership, at: now))
            }
        case .send(let send):
            let again = settled.untried.intersection(send.again[.again])
            for (set, entry) in [
                (settled.accepted.union(settled.preexisting), LedgerEntry.accepted as LedgerEntry?),
                (settled.unknown, .unknown), (settled.untried.subtracting(again), nil), (settled.deferred, .deferred),
            ] where !set.isEmpty {
                changes.append(.outcome(send.occurrence, set, entry))
            }
            changes += send.again.keepingAgain(again, of: send.occurrence)
            for (code, set) in settled.rejected.sorted(by: { $0.key < $1.key }) where !set.isEmpty {
                changes.append(.reject(send.occurrence, set, code: code))
            }
            if send.counting != nil { changes += withdrawing(settled.unstarted, of: send.occurrence, earlier) }
        case .adopt, .group: break
        }
        if let quota = settled.quota { changes.append(.sendQuota(quota, at: now)) }
        return changes
    }

    /// What of the outcomes a report says, because the state could not be written to.
    func unrecorded(_ outcomes: UnwrittenOutcomes, besides earlier: Partition<MessageStart>) -> UnrecordedOutcomes? {
        UnrecordedOutcomes(outcomes, besides: earlier, resent: send?.again.resent ?? [])
    }

    /// Written when no recipient is left to be tried.
    ///
    /// - Parameter unknown: how many outcomes of the step are unknown.
    func closing(at now: Date, unknown: Int) -> [StateChange] {
        guard case .send(let send) = work, !isPart else { return [] }
        // With `resend`, an occurrence with unknown outcomes is not finished.
        if send.staysOpen || unknown > 0 && send.delivery.onUnknown == .resend { return [] }
        return [send.mayGrow ? .done(send.occurrence, true) : .finish(send.occurrence, at: now)]
    }

    /// Written when the step stopped itself.
    func halting(_ halt: RecordedOccurrence.Halt) -> [StateChange] {
        guard case .send(let send) = work, !isPart else { return [] }
        return [.halt(send.occurrence, halt)]
    }

    /// A request was to subscribe or unsubscribe the recipient, and its answer is not known.
    mutating func noteAsked(_ id: RecipientID) { askedBefore.insert(id) }

    /// The recipient has another registration now.
    ///
    /// - Parameter formers: the numbers under which the state knows that registration from before. Without one, no
    ///   earlier run subscribed or unsubscribed it.
    mutating func noteChange(of id: RecipientID, formers: RecipientSet) {
        if before.hasOwn(among: formers) { askedBefore.insert(id) } else { askedBefore.subtract([id]) }
    }

    /// Whether a subscription that existed already comes from an earlier request of herald whose answer was lost.
    func isOurs(_ id: RecipientID, mayHaveTakenEffect: Bool) -> Bool {
        mayHaveTakenEffect || askedBefore.contains(id)
    }
}

extension Verdict {
    /// A validated message arrives nowhere. So no answer means failure, and there is nothing to hold.
    fileprivate var ofDryRun: Verdict { if case .unknown(let failure) = self { .rejected(failure) } else { self } }

    /// The same verdict, but nothing is tried again that FCM may have delivered.
    fileprivate var withoutRepeats: Verdict {
        if case .again(let failure, let asked) = self, asked.effect == .deferred { .unknown(failure) } else { self }
    }
}
