internal import FCM

/// Asks for a device group's key before a send uses it, because FCM may have changed it. If FCM does not answer, the
/// recorded key is used.
struct GroupKeyRefresh: DecidingStep {
    let report: StepReport
    /// `nil` when there is no such group.
    private(set) var key: NotificationKey?
    private let name: GroupName
    private var call: GroupCall?
    private var calls = PacedCalls(.memberships)
    /// How long it waits for another try. Other sends wait meanwhile, and the recorded key stays valid.
    private static let patience = Duration.seconds(10)
    /// The changes that are being written.
    private var changes: [StateChange]?

    init(of name: GroupName, known key: NotificationKey, report: StepReport) {
        self.name = name
        self.key = key
        self.report = report
    }

    mutating func takeNews() -> [StepNews] { [] }

    mutating func handle(_ event: StepEvent, at now: Moment, _ context: inout RunContext) -> StepEffect {
        if changes != nil {
            if case .storeFailed(let reason) = event { context.giveUp(reason) }
            return .finish
        }
        let next: GroupCall.Next
        if var call {
            next = call.handle(event, at: now, &calls, &context)
            self.call = call
        } else {
            var call = GroupCall(.retrieve(name), leaveAt: now.date.adding(Self.patience), at: now)
            next = call.begin(at: now, &calls, &context)
            self.call = call
        }
        switch next {
        case .effect(let effect): return effect
        case .ended(.answered(.done(let key))):
            self.key = key
            return write([.groupKey(name, key)], &context)
        case .ended(.answered(.notFound)):
            key = nil
            return write([.drop(.group(name))], &context)
        case .ended: return .finish
        }
    }

    private mutating func write(_ changes: [StateChange], _ context: inout RunContext) -> StepEffect {
        context.recorded.apply(changes)
        self.changes = changes
        return .commit(context.options.mode.isDryRun ? [] : changes)
    }
}
