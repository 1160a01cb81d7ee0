internal import FCM

/// What the steps of a run share. The executor owns it and lends it to whichever step is under way.
struct RunContext {
    let options: RunOptions
    let fingerprints: Fingerprinter
    /// Whether somebody wants to be told of each accepted send.
    let wantsReceipts: Bool
    var window: Window
    var random: any RandomNumberGenerator & Sendable
    /// What changes memberships; `auto` until the first answer tells.
    var topicAPI: TopicAPI
    /// Topics, groups and watermarks as the state has them; no occurrences.
    var recorded: RecordedState
    /// Who asked the run to end, as of the last event.
    var stop: Stop?
    private(set) var fatal: String?
    /// Whether `fatal` is that nobody answers.
    private(set) var isUnreachable = false
    /// Whether a guard stopped anything.
    var wasBlocked = false

    private var sends: RateLimiter
    private var memberships: RateLimiter
    private var succeeded: APIs = []

    /// FCM's APIs, which need not all hear us rightly.
    struct APIs: OptionSet {
        let rawValue: UInt8

        static let send = APIs(rawValue: 1)
        static let registrations = APIs(rawValue: 2)
        static let iid = APIs(rawValue: 4)
        static let groups = APIs(rawValue: 8)
    }

    init(
        _ options: RunOptions, capacity: Int, random: any RandomNumberGenerator & Sendable,
        fingerprints: Fingerprinter, wantsReceipts: Bool = false, recorded state: RecordedState
    ) {
        self.options = options
        self.fingerprints = fingerprints
        self.wantsReceipts = wantsReceipts
        self.random = random
        window = Window(cap: capacity)
        topicAPI = options.fcm.topicAPI == .auto ? state.topicAPI ?? .auto : options.fcm.topicAPI
        recorded = RecordedState(identity: state.identity)
        recorded.topics = state.topics
        recorded.groups = state.groups
        recorded.watermarks = state.watermarks
        sends = RateLimiter(options.fcm.rate, ramp: options.fcm.ramp)
        memberships = RateLimiter(options.fcm.subscriptionRate)
    }

    /// Ends the run: nothing more can be started.
    mutating func giveUp(_ reason: String, isUnreachable: Bool = false) {
        fatal = fatal ?? reason
        if isUnreachable { self.isUnreachable = true }
    }

    /// Which API carries out that work.
    func api(of action: Plan.Action) -> APIs {
        switch action {
        case .send: .send
        case .group: .groups
        case .subscribe, .unsubscribe: topicAPI == .iid ? .iid : .registrations
        }
    }

    /// Something was done: from now on FCM may be believed what it says of the dead.
    mutating func noteSuccess(on api: APIs) { succeeded.formUnion(api) }

    func hasSucceeded(on api: APIs) -> Bool { succeeded.contains(api) }

    // MARK: Rates

    /// The rate of the run that sends, or changes of memberships, share.
    func limiter(of action: Plan.Action) -> RateLimiter { action == .send ? sends : memberships }

    /// Changes that limiter in its place: it remembers its last starts, which are not to be copied for each block.
    mutating func withLimiter<Result>(of action: Plan.Action, _ body: (inout RateLimiter) -> Result) -> Result {
        action == .send ? body(&sends) : body(&memberships)
    }
}
