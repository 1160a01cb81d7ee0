internal import FCM

/// What the steps of a run share. The executor owns it and lends it to the step that is running. It has many parts,
/// because steps share what the project's rates and registrations are.
struct RunContext {
    let options: RunOptions
    let fingerprints: Fingerprinter
    /// Whether the caller wants to hear of each accepted send.
    let wantsReceipts: Bool
    /// Recipients that lists name by several living registrations.
    let withOthers: RecipientSet
    /// Recipients whose registration died in this run, and the one that they got instead. FCM took the dead one out of
    /// its topics.
    var reregistered: [RecipientID: Registration] = [:]
    /// The former numbers of recipients with a dead registration, by the registration that they stand for.
    private var formers: [RecipientID: [Registration: RecipientSet]] = [:]
    var window: Window
    var random: any RandomNumberGenerator & Sendable
    /// The API that changes memberships. `auto` until the first answer shows which one the project has.
    var topicAPI: TopicAPI
    /// Topics, groups and watermarks as the state has them. It holds no occurrences.
    var recorded: RecordedState
    /// What other processes do that send for the same run, as of the last event. `nil` if none can.
    var crew: CrewView?
    /// Who asked the run to stop, as of the last event.
    var stop: Stop?
    private(set) var fatal: String?
    /// Whether `fatal` means that the endpoint does not answer.
    private(set) var isUnreachable = false
    /// Whether a guard stopped anything.
    var wasBlocked = false

    /// The services that Google has ended.
    private let ended: APIs
    private(set) var sends: RateLimiter
    private var memberships: RateLimiter
    /// Of campaigns with a rate of their own. All steps of a campaign share one.
    private(set) var campaigns: [String: RateLimiter]
    /// Of which campaigns other processes have helped to send a job, and until when what they used of the campaign's own
    /// rate is not free. `nil` while they help.
    private var helped: [JobID: (campaign: String, until: Duration?)] = [:]
    private var succeeded: APIs = []

    /// FCM's APIs. A success on one does not show that another understands our credentials and project.
    struct APIs: OptionSet {
        let rawValue: UInt8

        static let send = APIs(rawValue: 1)
        static let registrations = APIs(rawValue: 2)
        static let iid = APIs(rawValue: 4)
        static let groups = APIs(rawValue: 8)
    }

    /// - Parameters:
    ///   - began: when the run began.
    ///   - sends: the limiter of all sends, if there is one already.
    ///   - campaigns: those of single campaigns that there are already.
    init(
        _ options: RunOptions, capacity: Int, random: any RandomNumberGenerator & Sendable,
        fingerprints: Fingerprinter, wantsReceipts: Bool = false, withOthers: RecipientSet = [],
        recorded state: RecordedState, endpoint: EndpointKind, began: Date,
        sends: RateLimiter? = nil, campaigns: [String: RateLimiter] = [:]
    ) {
        self.withOthers = withOthers
        self.options = options
        self.fingerprints = fingerprints
        self.wantsReceipts = wantsReceipts
        self.random = random
        window = Window(cap: capacity)
        ended = endpoint == .fcm && began >= EndOfService.begin ? [.iid, .groups] : []
        topicAPI = options.fcm.topicAPI
        if topicAPI == .auto, let found = state.topicAPI {
            // A project may get the Topic Subscription API on any day.
            let isRecent = (0..<86_400).contains(began.timeIntervalSince(found.at))
            if found.api != .iid || isRecent && ended.isEmpty { topicAPI = found.api }
        }
        recorded = RecordedState(identity: state.identity)
        (recorded.topics, recorded.formers) = (state.topics, state.formers)
        recorded.groups = state.groups
        recorded.watermarks = state.watermarks
        recorded.sendQuota = state.sendQuota
        self.sends = sends ?? RateLimiter(options.fcm.rate, ramp: options.fcm.ramp)
        memberships = RateLimiter(options.fcm.subscriptionRate)
        self.campaigns = campaigns
    }

    /// Whether nothing more starts in this run.
    var isEnding: Bool { stop != nil || fatal != nil }

    /// Ends the run. Nothing more starts.
    mutating func giveUp(_ reason: String, isUnreachable: Bool = false) {
        fatal = fatal ?? reason
        if isUnreachable { self.isUnreachable = true }
    }

    func api(of action: Plan.Action) -> APIs {
        switch action {
        case .send: .send
        case .group: .groups
        case .subscribe, .unsubscribe, .adoption: topics
        }
    }

    /// The API that topics are changed by and asked for.
    var topics: APIs { topicAPI == .iid ? .iid : .registrations }

    /// Why no request of the step can succeed any more. `nil` if they can.
    func whyEnded(_ work: Plan.Work) -> String? {
        var api = api(of: work.action)
        if case .send(let send) = work {
            guard case .group = send.target, send.delivery.members == .key, !send.members.isEmpty else { return nil }
            api = .groups
        }
        return whyEnded(api)
    }

    /// Why no request to the API can succeed any more. `nil` if they can.
    func whyEnded(_ api: APIs) -> String? {
        guard ended.contains(api) else { return nil }
        return api == .groups
            ? "device groups ended on \(EndOfService.day)" : "the Instance ID service ended on \(EndOfService.day)"
    }

    /// Whether memberships may go to the Instance ID service because the project lacks the other API.
    var mayFallBack: Bool { options.fcm.topicAPI == .auto && !ended.contains(.iid) }

    func isOverridden(_ kind: Guard, for step: StepID) -> Bool {
        options.overrides.allow(kind, for: step.rawValue)
    }

    /// Whether to believe FCM when it says that a registration of the step is dead. A success on the same API shows
    /// that the credentials are right, or a person says so.
    func believesDead(on api: APIs, in step: StepID) -> Bool {
        hasSucceeded(on: api) || isOverridden(.maxForgetPercent, for: step)
    }

    mutating func noteSuccess(on api: APIs) { succeeded.formUnion(api) }

    func hasSucceeded(on api: APIs) -> Bool { succeeded.contains(api) }

    // MARK: Registrations

    /// - Parameter found: the registrations of former numbers.
    mutating func note(_ found: [RecipientID: Registration]) {
        for (former, registration) in found {
            guard let id = recorded.formers[former] else { continue }
            formers[id, default: [:]][registration, default: []].insert(former)
        }
    }

    /// The former numbers under which the state knows a registration of the recipient.
    func formers(of id: RecipientID, with registration: Registration?) -> RecipientSet {
        registration.flatMap { formers[id]?[$0] } ?? []
    }

    /// The recipients that changed in this run to a registration that herald subscribed to a topic before.
    ///
    /// - Parameter recipients: those of the topic.
    func returned(to recipients: Partition<Membership>) -> RecipientSet {
        RecipientSet(
            reregistered.filter { recipients.hasOwn(among: formers(of: $0.key, with: $0.value)) }.keys.sorted())
    }

    // MARK: Rates

    /// Takes over what the other processes leave of the rate.
    mutating func follow(_ view: CrewView, at now: Duration) {
        crew = view
        if let rate = view.share.of(options.fcm.rate) { sends.change(to: rate, at: now) }
        if view.quiet > .zero { sends.pause(until: now + view.quiet) }
        if view.beginning > .zero { memberships.pause(until: now + view.beginning) }
    }

    /// Which rate of the run holds.
    enum Pace: Hashable, Sendable {
        case sends
        /// For changes of topics and groups, and for questions about them.
        case memberships
    }

    /// From now on a campaign has that rate of its own.
    mutating func limit(_ campaign: String, to rate: Rate, at now: Duration) {
        if campaigns[campaign] == nil {
            // A worker meets campaigns for months.
            campaigns = campaigns.filter { !$0.value.isRested(at: now) }
            campaigns[campaign] = RateLimiter(rate)
        } else {
            campaigns[campaign]?.change(to: rate, at: now)
        }
    }

    /// Other processes help to send a job of that campaign from now on.
    mutating func noteHelp(in job: JobID, of campaign: String) { helped[job] = (campaign, nil) }

    /// They have left it.
    mutating func noteEndOfHelp(in job: JobID, at now: Duration) { helped[job]?.until = now + ShareBook.quarantine }

    /// Whether other processes go on with something, whatever this one does.
    var isHelped: Bool { helped.values.contains { $0.until == nil } }

    /// What this process may use of a campaign's own rate: the whole, unless other processes help with the campaign.
    /// `nil` if nothing may start.
    func part(of rate: Rate, of campaign: String, at now: Duration) -> Rate? {
        let isHelped = helped.values.contains { $0.campaign == campaign && $0.until.map { now < $0 } ?? true }
        guard isHelped, let crew else { return rate }
        return crew.share.of(rate)
    }

    /// How many starts are worth waiting for.
    func block(of pace: Pace, _ campaign: String?) -> Int {
        let shared = pace == .sends ? sends.block : memberships.block
        return min(shared, campaign.flatMap { campaigns[$0]?.block } ?? .max)
    }

    /// Changes the limiters of a step in place: the run's, and its campaign's if that has one. They remember their last
    /// starts, and copying them for each block would be slow.
    mutating func withLimiters<Result>(
        of pace: Pace, _ campaign: String?, _ body: (inout RateLimiter, inout RateLimiter?) -> Result
    ) -> Result {
        if pace == .sends, let campaign { return body(&sends, &campaigns[campaign]) }
        var none: RateLimiter?
        return pace == .sends ? body(&sends, &none) : body(&memberships, &none)
    }
}
