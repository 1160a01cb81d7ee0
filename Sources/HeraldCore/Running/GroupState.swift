internal import FCM

/// One change of a device group: one call, and the calls that its answer makes necessary. All of them may be repeated.
struct GroupState: DecidingStep {
    /// What the step does next.
    indirect enum Act {
        case call(Purpose)
        case read(RecipientSet, then: Act)
        case write([StateChange], then: Act)
        /// Adds the members. If the key is not known, it is asked for first.
        case join
        case accept
        case reject(Failure)
        /// FCM knows none of the members any more.
        case forget(Failure)
        case forgotten(Failure)
        /// A guard forbids it.
        case block(StopReason)
        case stop(StopReason)
        case end
    }

    /// What a call is for. A failure is that of an earlier attempt. It is reported if this call fails too.
    enum Purpose {
        /// The state knows no such group. Finds out whether others have one of that name.
        case look
        case create
        /// A group exists and counts as herald's. Gets its key.
        case adopt
        /// The state has no key. Gets it.
        case findKey
        case add(NotificationKey, again: Failure?)
        case remove(NotificationKey, again: Failure?)
        /// The recorded key belongs to another group. Gets the right one.
        case correctKey(Failure)
        /// FCM has forgotten the group. Creates it again with the members it had.
        case remake
        /// The group was created by a call whose answer was lost, or has existed all along under another key. Gets its
        /// key.
        case findRemade(Failure)
        case joinRemade(NotificationKey, Failure)
    }

    private enum Stage {
        case new
        case reading(then: Act)
        case writing([StateChange], then: Act)
        case calling(Purpose, GroupCall)
        /// Deletes the intent. If that fails, the next run asks FCM again.
        case undoing
    }

    let change: Plan.GroupChange
    /// The group as the state had it before the step, with the newest key.
    var group: RecordedGroup
    var report: StepReport
    /// Whether a request to stop the run ended the step.
    private(set) var isInterrupted = false
    private(set) var registrations: [RecipientID: Registration] = [:]
    /// Whether the state has an entry for the group. If so, the group is herald's, even without an answer.
    let isRecorded: Bool
    /// Whether a call that may have created the group, or made the members join, was sent and has no answer.
    private(set) var mayHaveJoined = false
    /// When something more urgent begins. What is left then is for the next run.
    private let leaveAt: Date?
    private var stage = Stage.new
    private var calls: PacedCalls
    private var news: [StepNews] = []
    private var began: Duration = .zero

    init(_ change: Plan.GroupChange, _ recorded: RecordedGroup?, leaveAt: Date?, report: StepReport) {
        self.change = change
        calls = PacedCalls(.memberships)
        self.leaveAt = leaveAt
        self.report = report
        group = recorded ?? RecordedGroup()
        isRecorded = recorded != nil
    }

    var isOurs: Bool { isRecorded || mayHaveJoined }

    mutating func takeNews() -> [StepNews] {
        defer { news = [] }
        return news
    }

    mutating func handle(_ event: StepEvent, at now: Moment, _ context: inout RunContext) -> StepEffect {
        switch (stage, event) {
        case (.new, _):
            began = now.elapsed
            return perform(.read(change.members, then: firstAct), now, &context)
        case (.reading(let next), .read(let found)):
            registrations.merge(found) { known, _ in known }
            return perform(next, now, &context)
        case (.writing(let changes, let next), .committed):
            context.recorded.apply(changes)
            return perform(next, now, &context)
        case (.undoing, .committed):
            context.recorded.apply([.drop(.group(change.group))])
            return end(now)
        case (.undoing, _): return end(now)
        case (_, .storeFailed(let reason)):
            context.giveUp(reason)
            report.stop(.fatal(reason))
            return end(now)
        case (.calling(let purpose, var call), _):
            let next = call.handle(event, at: now, &calls, &context)
            return goOn(with: call, for: purpose, next, now, &context)
        default: preconditionFailure("the event does not answer what was asked for")
        }
    }

    private mutating func perform(_ act: Act, _ now: Moment, _ context: inout RunContext) -> StepEffect {
        switch act {
        case .call(let purpose):
            var call = GroupCall(operation(for: purpose), leaveAt: leaveAt, at: now)
            let next = call.begin(at: now, &calls, &context)
            return goOn(with: call, for: purpose, next, now, &context)
        case .read(let recipients, let next):
            stage = .reading(then: next)
            return .read(recipients)
        case .write(let changes, let next):
            stage = .writing(changes, then: next)
            return .commit(changes)
        case .join: return perform(joining, now, &context)
        case .accept:
            context.noteSuccess(on: .groups)
            report.accepted += change.members.count
            return end(now)
        case .reject(let failure):
            report.rejected += change.members.count
            note(failure, .rejected, context)
            return end(now)
        case .forget(let failure): return perform(forgetting(failure, now, context), now, &context)
        case .forgotten(let failure):
            report.forgotten += change.members.count
            note(failure, .forgotten, context)
            return end(now)
        case .block(let reason):
            context.wasBlocked = true
            report.held += report.pending
            return stop(reason, now, context)
        case .stop(let reason): return stop(reason, now, context)
        case .end: return end(now)
        }
    }

    private mutating func goOn(
        with call: GroupCall, for purpose: Purpose, _ next: GroupCall.Next, _ now: Moment,
        _ context: inout RunContext
    ) -> StepEffect {
        switch next {
        case .effect(let effect):
            stage = .calling(purpose, call)
            return effect
        case .ended(let result):
            report.retries += call.retries
            switch call.operation {
            case .create, .add: mayHaveJoined = mayHaveJoined || call.mayHaveTakenEffect
            case .remove, .retrieve: break
            }
            switch result {
            case .answered(.unauthenticated(let failure)):
                // No step has a better token.
                context.giveUp("\(failure.code): \(failure.message)")
                return stop(.fatal(context.fatal ?? ""), now, context)
            case .answered(.stop(let failure)), .gaveUp(let failure):
                return stop(.answered(failure), now, context)
            case .answered(let verdict): return perform(act(on: verdict, purpose, context), now, &context)
            case .interrupted:
                isInterrupted = true
                return stop(.interrupted, now, context)
            case .unreachable(let failure):
                context.giveUp("the endpoint cannot be reached: \(failure.message)", isUnreachable: true)
                return stop(.fatal(context.fatal ?? ""), now, context)
            }
        }
    }

    /// FCM knows none of the members any more. Wrong credentials make every registration look dead, too.
    private mutating func forgetting(_ failure: Failure, _ now: Moment, _ context: RunContext) -> Act {
        let members = change.members
        let dead = members.count
        if let refusal = context.refusalToForget(dead, of: dead, in: report.id, "all \(dead)") {
            return .block(refusal)
        }
        report.rejected += members.count
        if context.believesDead(on: .groups, in: report.id) {
            return .write([.forget(members, at: now.date)], then: .forgotten(failure))
        }
        report.doubted += members.count
        note(failure, .kept, context)
        return .end
    }

    private mutating func note(_ failure: Failure, _ action: Report.Failure.Action, _ context: RunContext) {
        for id in change.members {
            let addressee = Addressee(id: id, registration: registrations[id])
            let entry = context.entry(of: addressee, failure, attempts: 1, action)
            news.append(.failure(entry))
            report.add(entry)
        }
    }

    private mutating func stop(_ reason: StopReason, _ now: Moment, _ context: RunContext) -> StepEffect {
        report.stop(reason)
        let isIntended = context.recorded.groups[change.group] != nil
        guard change.action == .create, !isOurs, isIntended else { return end(now) }
        stage = .undoing
        return .commit([.drop(.group(change.group))])
    }

    private mutating func end(_ now: Moment) -> StepEffect {
        report.duration += now.elapsed - began
        return .finish
    }
}

extension StopReason {
    static func answered(_ failure: Failure) -> StopReason { .answered(code: failure.code, message: failure.message) }
}
