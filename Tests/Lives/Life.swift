import ArgumentParser
import FCM
import HeraldStore
import HeraldTestSupport
import Synchronization

@testable import HeraldCommands
@testable import HeraldCore

/// What a promise would have to be broken for.
struct LifeProblem: Error {
    /// Which promise, in a few words.
    var promise: String
    var words: String
}

/// What a guard refused.
struct LifeRefusal: Hashable {
    var kind: Guard
    var name: String
    var subject: Plan.Subject?
}

/// One random life of a workspace: its author edits files and lists, installations come and go, clocks jump, runs fail
/// and die. FCM is a model, time is simulated, everything else is herald's own.
final class Life {
    /// One firing, as the author counts: a daily campaign's by its time, any other's by its revision.
    struct Key: Hashable {
        var line: Int
        var revision = 0
        var due: Date?
    }

    /// What is known about a line of campaigns.
    struct Line {
        var names: Set<String> = []
        /// The name under which a run last took it in.
        var seenName: String?
        /// Up to when its firings are judged.
        var mark: Date?
        /// Until when a run with a fast clock dealt with it.
        var silenced: Date?
        /// The last edit of its schedule.
        var edited: Date?
        /// Firings that were due and have neither begun nor been told as missed.
        var owed: Set<Date> = []
        /// Firings that need nothing more.
        var over: Set<Key> = []
        /// What fires until then is not asked about.
        mutating func pass(until date: Date) {
            mark = mark.map { max($0, date) }
            owed = owed.filter { $0 > date }
        }

        /// Firings that a person was promised to be sent to again, with the installations.
        var promised: [Key: Set<RecipientKey>] = [:]
    }

    /// Hands the model's questions to the run that goes on.
    final class CurrentRun: Sendable {
        private let content = Mutex<(run: LifeRun?, skew: Double)>((nil, 0))

        var run: LifeRun? { content.withLock(\.run) }
        func set(_ run: LifeRun, _ skew: Double) { content.withLock { $0 = (run, skew) } }

        func fault(_ request: Request, _ number: Int, at offset: Duration) -> ModelFCM.Fault? {
            let (run, skew) = content.withLock { $0 }
            return run?.fault(request, number, at: offset, Life.date(at: offset, skew))
        }
    }

    let seed: UInt64
    let time = SimulatedTime()
    let fcm: ModelFCM
    let currentRun = CurrentRun()
    let folder: LifeFolder
    /// The state as it is between runs.
    var known = LifeKnowledge()
    /// What it was read from, until something else works with the state.
    var looked: (any StateStore)? { didSet { plannedFrom = nil } }
    /// The same as commands know it, with the place that they are called in.
    var plannedFrom: (place: String, state: KnownState)?
    /// The files as plans last read them, with the place that commands are called in.
    var plannedFiles: (place: String, texts: [String: String], read: LoadedWorkspace, state: any StateLocation)?
    var places: [String: any StateLocation] = [:]
    /// Calls by their command lines.
    var parsedCalls: [[String]: any ParsableCommand] = [:]
    /// Of some lives, every call opens the state, as a process does. The others live faster.
    let pool: LifePool?
    /// Where the state is if it is not in the workspace.
    let server: LifeServer?
    /// Another path of a state in the workspace.
    var statePath: String?
    /// Where the state is, if a command is told so.
    var statePlace: String? { server?.address ?? statePath }
    /// The checkout that commands are called in.
    var isInOtherCheckout = false
    var currentFolder: String { isInOtherCheckout ? folder.checkout : folder.workspace }
    var settings = Settings(project: "p")
    var files = LifeFiles()
    /// Campaigns and topics whose files are gone and may come back.
    var deletedCampaigns: [LifeFiles.Campaign] = []
    var deletedTopics: [LifeFiles.Topic] = []
    var lastLine = 0
    var lines: [Int: Line] = [:]
    var topicNames: [Int: TopicName] = [:]
    /// How far the machine's clock is off.
    var skew: Double = 0
    /// The time of a clock that was fast. If nothing runs before, what fires until then is gone, and nothing can show it.
    var fastUntil: Date?
    /// Campaigns that a person has set back since.
    var rewound: Set<Int> = []
    var latency = Duration.zero
    let displaces: Bool
    /// Whether plans are held against what a snapshot shows. That takes longer than the rest of a life.
    var comparesForecasts: Bool { seed.isMultiple(of: 4) }
    let population: Int
    /// A group has no room for all members of long lists.
    var mayHaveGroups: Bool { population <= Group.maximumMembers }
    /// The last registration of each installation, and how many tokens it has had.
    var newest: [Int: Registration] = [:]
    var tokens: [Int: Int] = [:]
    /// Whether nobody knows any more what came of some firings.
    var hasPruned = false
    /// Whether a person let an older state go on, so that herald may repeat itself.
    var isForgiven = false
    var story: [String] = []
    /// Whether the story names each request.
    var isTraced = false
    /// Mishaps that do not happen.
    var spared: Set<LifeMishap> = []

    /// What somebody approved last, where the state requires that.
    var approved: Approved?
    var approvals: [Approved] = []

    // What happened, as the author counts.
    var delivered: [Key: [RecipientKey: Int]] = [:]
    var allowed: [Key: [RecipientKey: Int]] = [:]
    var excused: [Key: Set<RecipientKey>] = [:]
    var asked: Set<Key> = []
    /// When messages to one person started that count for caps, the last of each firing.
    var starts: [RecipientKey: [Key: Date]] = [:]
    /// The same for those that nobody knows of whether they started, because the run died, or whether herald forgot them,
    /// because a run had a later clock.
    var mayHaveStarted: [RecipientKey: [Key: Date]] = [:]
    /// The longest time that was the shortest of all caps before an edit. What was sent then counts a share of it longer.
    var earlierCap = Duration.zero
    /// Whom each firing is for, and when it began: who is listed later is no part of it.
    var begun: [Key: (members: Set<RecipientKey>?, at: Date)] = [:]
    /// Whom the state has a firing for that has tried nobody yet, where they get different texts, and with which message:
    /// it goes on with them. In local time these are only those whose clock had come to it.
    var opened: [Key: (members: Set<RecipientKey>, digest: String, isLocal: Bool)] = [:]
    /// Missed occurrences that a report told, unless a person has decided about them since.
    var toldMissed: Set<OccurrenceID> = []
    /// How far occurrences have opened.
    var openings: [OccurrenceID: LifeOpening] = [:]
    /// How many stages of occurrences had opened when the last run began.
    var openedBefore: [OccurrenceID: Int] = [:]
    /// When windows closed while runs were sending firings, by the clocks of the runs.
    var closings: [Key: [Date]] = [:]
    /// When runs found somebody of a firing waiting for a window, by their clocks.
    var waits: [Key: [Date]] = [:]
    /// When the last run started the first message of each firing.
    var firstStarts: [Key: Date] = [:]
    /// When messages of the last run started, by lines of campaigns.
    var sendOffsets: [Int: [Duration]] = [:]
    /// Occurrences that a report named as missed or superseded, unless a person has decided about them since.
    var givenUp: Set<OccurrenceID> = []
    /// The same by their firings, of campaigns that repeat at the same instant for all.
    var givenUpFirings: Set<Key> = []
    /// Whom runs have left out because it was too late for them.
    var leftOut: [Key: Set<RecipientKey>] = [:]
    /// What a person has paused.
    var paused: Set<Int> = []
    /// What was paused when the last run began.
    var pausedBefore: Set<Int> = []
    /// Whom a person had tried again, ever.
    var triedAgain: [Key: Set<RecipientKey>] = [:]
    /// What runs have seen of campaigns in local time.
    var clocks: [Int: Clocks] = [:]
    /// When the last run ended that could read the files.
    var lastCall = Date.distantPast
    /// When the last call ended since that dealt with one line alone.
    var lastCalls: [Int: Date] = [:]
    /// The files as the last call read them.
    var runFiles = LifeFiles()
    /// Who is told, once `notify` says so.
    var hooks: [Webhook] = []
    var receiver = LifeReceiver(SeededRandom(seed: 0), mishaps: 0, noted: "")
    var tellings = LifeTellings()
    /// What guards refused in the last run, as long as nobody changed anything since.
    var refused: Set<LifeRefusal> = []
    /// How many sends brought somebody a message again, how many of those reports counted, and how many a person or the
    /// campaign's policy asked for.
    var (extras, possibleDuplicates, resent) = (0, 0, 0)
    /// Whether a process died, so that its report may lack the end.
    var hasDied = false
    /// Installations that got a registration again that they had had.
    var returned: Set<RecipientKey> = []
    /// Registrations that the state took for dead when the last run began.
    var deadBefore: Set<Registration> = []
    /// Registrations that FCM called dead.
    var buried: Set<Registration> = []
    /// Registrations that a person had forgotten, although they live.
    var forgotten: Set<Registration> = []
    /// Those that were forgotten when the group they are in was deleted. FCM has that group still.
    var stranded: Set<Registration> = []
    /// Whether herald made the subscription.
    var owners: [TopicName: [Registration: Bool]] = [:]
    var kept: [Int: Set<Registration>] = [:]
    /// Who left a topic by themselves, and has not come back since (`noteBack`).
    var departed: [TopicName: Set<RecipientKey>] = [:]
    /// Whom herald may have adopted: they were listed when a topic said so.
    var adoptable: [TopicName: Set<RecipientKey>] = [:]
    /// Whom the state knew to have left when the last run began.
    var leftBefore: [TopicName: Set<RecipientKey>] = [:]
    /// Registrations whose answer died with a run. herald takes their subscriptions for its own.
    var unheard: [TopicName: Set<Registration>] = [:]
    /// The names of campaigns whose files were deleted since the last run.
    var freshlyDeleted: Set<String> = []

    init(seed: UInt64, server: LifeServer? = nil) throws {
        (self.seed, self.server) = (seed, server)
        pool = server != nil || seed / 4 % 8 == 1 ? nil : LifePool()
        var random = SeededRandom(seed: seed)
        // Some have lists so long that guards look at what they lose.
        population = seed.isMultiple(of: 20) ? 110 : .random(in: 2...12, using: &random)
        displaces = Int.random(in: 0..<4, using: &random) > 0
        folder = try LifeFolder(seed: seed)
        time.advance(by: Self.season(of: seed))
        let (time, currentRun) = (time, currentRun)
        fcm = ModelFCM { request, number in currentRun.fault(request, number, at: time.now.offset) }
        settings.workspace = server.map { _ in "life" }
        settings.fcm.rate = .unlimited
        settings.fcm.subscriptionRate = .unlimited
        settings.fcm.ramp = .zero
        settings.fcm.propagationDelay = Bool.random(using: &random) ? .zero : .seconds(60)
        settings.fcm.topicAPI = [.registrations, .registrations, .iid, .auto].randomElement(using: &random) ?? .auto
        if Int.random(in: 0..<4, using: &random) == 0 {
            settings.fcm.rate = .limited(.random(in: 1...6, using: &random))
            settings.fcm.subscriptionRate = .limited(.random(in: 1...6, using: &random))
        }
        if Bool.random(using: &random) { settings.guards.maxForgetPercent = 100 }
        if Int.random(in: 0..<3, using: &random) == 0 { latency = .milliseconds(.random(in: 1...900, using: &random)) }
        let hasTopicAPI = settings.fcm.topicAPI == .registrations || Bool.random(using: &random)
        fcm.change { $0.hasTopicAPI = hasTopicAPI }
        takeLimits()
        takeWebhooks()
        settle(&random)
    }

    var now: Date { Self.date(at: time.now.offset, skew) }

    static func date(at offset: Duration, _ skew: Double) -> Date {
        Date(timeIntervalSince1970: 1_796_112_000 + offset.seconds + skew)  // from 2026-12-01T08:00:00Z
    }

    /// How long after `date(at:_:)` a life begins. Of half of them, clocks are set forward two days later in Europe, or
    /// back a day later there and a week after that in America.
    private static func season(of seed: UInt64) -> Duration {
        switch seed / 32 % 4 {
        case 0: .seconds(115 * 86_400)
        case 1: .seconds(333 * 86_400)
        default: .zero
        }
    }

    func tell(_ words: String) { story.append("\(now.rfc3339.dropFirst(5).dropLast(4)) \(words)") }

    // MARK: Installations

    func alive(_ registrations: Set<Registration>) -> Set<Registration> {
        let dead = fcm.now.dead
        return registrations.subtracting(dead)
    }

    /// The app of that installation gets a registration that it did not have before, or the one it had long ago.
    func register(_ registration: Registration) {
        let (before, displaces) = (fcm.now.dead, displaces)
        if fcm.now.registered.contains(registration) { returned.insert(registration.recipientKey) }
        if before.contains(registration) { forgetOwner(of: registration) }
        fcm.change { $0.register(registration, displaces: displaces) }
        for old in fcm.now.dead.subtracting(before) { forgetOwner(of: old) }
    }

    private func forgetOwner(of registration: Registration) {
        for topic in owners.keys { owners[topic]?[registration] = nil }
        for line in kept.keys { kept[line]?.remove(registration) }
    }

    /// The installations with a registration on a list that lives and was never told dead.
    var reachable: Set<RecipientKey> {
        Set(alive(files.listed).subtracting(buried.union(forgotten)).map(\.recipientKey))
    }

    // MARK: The beginning

    private func settle(_ random: inout SeededRandom) {
        for number in 0..<population {
            let registration = Bool.random(using: &random) ? Registration.fid(number) : .token(number)
            newest[number] = registration
            register(registration)
            if Int.random(in: 0..<6, using: &random) > 0 {
                files.zones[registration.recipientKey] = LifeFiles.zoneNames.randomElement(using: &random)
            }
        }
        for number in 0..<Int.random(in: 1...4, using: &random) {
            var rows: [Registration] = []
            for installation in 0..<population where Int.random(in: 0..<3, using: &random) > 0 {
                rows.append(current(installation))
            }
            var audience = LifeFiles.Audience(name: "a\(number)", rows: rows)
            if number > 0, Int.random(in: 0..<4, using: &random) == 0 { audience.exclude = ["a0"] }
            files.audiences.append(audience)
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) { addTopic(&random) }
        for _ in 0..<Int.random(in: 0...1, using: &random) where mayHaveGroups {
            files.groups.append(.init(name: Self.groupName, audience: anyAudience(&random)))
        }
        for _ in 0..<Int.random(in: 1...3, using: &random) { addCampaign(&random) }
    }

    static let campaignNames = ["gala", "news", "sale", "tide"]
    static let topicNames: [TopicName] = ["east", "north", "south"]
    /// Named like a topic.
    static let groupName: GroupName = "north"

    /// The registration that the installation got last.
    func current(_ number: Int) -> Registration { newest[number] ?? .fid(number) }

    func anyAudience(_ random: inout SeededRandom) -> String {
        files.audiences.map(\.name).randomElement(using: &random) ?? "a0"
    }
}
