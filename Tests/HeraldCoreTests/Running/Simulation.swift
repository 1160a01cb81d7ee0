import FCM
import Foundation
import HeraldTestSupport

@testable import HeraldCore

/// A workspace that people edit, and herald called every five minutes: plan and apply, day after day.
struct Simulation {
    /// What was sent.
    struct Sending: Hashable, CustomStringConvertible {
        var occurrence: String
        var recipients: RecipientSet

        var description: String { "\(occurrence) to \(Array(recipients))" }
    }

    var desired = Desired()
    var settings = Settings(project: "p")
    var state: RecordedState { laboratory.memory.state() }
    /// Where commits go. A test that needs a crash puts another store here.
    var laboratory: Laboratory
    /// Whether runs leave out what guards refuse, as `run` does. Otherwise guards are ignored.
    var refusesGuarded = false
    /// All missed occurrences, in the order in which runs reported them.
    private(set) var missed: [String] = []
    /// All superseded occurrences, in the order in which runs reported them.
    private(set) var superseded: [String] = []
    private let start: Date
    private let log = Log<(step: String, name: String?)>()
    private let names: [String: RecipientID]

    /// - Parameter start: When the first run may be.
    init(_ start: Date, population: Int = 3) {
        laboratory = Laboratory(population: population, clock: ManualClock(), start: start)
        self.start = start
        settings.fcm = laboratory.fcm
        let fingerprints = Fingerprinter(key: laboratory.memory.fingerprintKey)
        names = Dictionary(
            uniqueKeysWithValues: (1...max(1, population)).map { (fingerprints.name(.fid($0)), RecipientID($0)) })
    }

    var now: Date { laboratory.now }

    // MARK: The files

    mutating func declare(_ campaign: Campaign, for members: RecipientSet = [1, 2]) {
        remove(campaign.name.value)
        let isOne = campaign.target.value.isOneRequest(campaign.delivery)
        desired.sends.append(DesiredSend(campaign: campaign, members: isOne ? .target : members))
    }

    mutating func remove(_ campaign: String) { desired.sends.removeAll { $0.campaign.name.value == campaign } }

    // MARK: Time

    /// Turns the machine off until then.
    func skip(to instant: Date) {
        laboratory.clock.advance(by: .seconds(max(0, instant.timeIntervalSince(now))))
    }

    /// Runs every five minutes from now on, through that instant.
    mutating func go(to instant: Date, _ sender: ScriptedSender = ScriptedSender()) async throws {
        while now <= instant {
            try await run(sender)
            skip(to: Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 300).rounded(.down) * 300 + 300))
        }
    }

    var plan: Plan { proposal.plan }
    var overview: PlanOverview { proposal.overview }

    private var proposal: Proposal {
        Planner.proposal(.init(desired: desired, state: state, settings: settings), at: now)
    }

    /// One run, now.
    @discardableResult
    mutating func run(_ sender: ScriptedSender = ScriptedSender()) async throws -> Report {
        var plan = plan
        if refusesGuarded { plan = plan.withholding(plan.refusals, in: Workspace(audiences: [])) }
        missed += plan.missed.map(\.occurrence.rawValue)
        superseded += plan.superseded.map(\.occurrence.rawValue)
        return try await laboratory.run(plan, sender, receive: { [log] in log.append(($0.step, $0.registration)) })
    }

    // MARK: Results

    /// In the order in which they began.
    var sent: [Sending] {
        var sent: [Sending] = []
        for (step, name) in log.entries {
            let occurrence = String(step.dropFirst("send:".count))
            let recipient = name.map { names[$0] ?? .max } ?? 0
            if let place = sent.firstIndex(where: { $0.occurrence == occurrence }) {
                sent[place].recipients.insert(recipient)
            } else {
                sent.append(Sending(occurrence: occurrence, recipients: [recipient]))
            }
        }
        return sent
    }

    /// The occurrences that sent anything.
    var occurrences: [String] { sent.map(\.occurrence) }

    /// How many requests FCM accepted.
    var accepted: Int { log.entries.count }
}

extension Campaign {
    /// A campaign to `all` that is due by a cron expression, by default in UTC.
    static func cron(
        _ text: String, _ name: String = "tide", to target: Target = .audience("all"), title: String = "High tide",
        revision: Int = 1, zone: String = "UTC", catchUp: Schedule.CatchUp = .latest,
        maxLateness: Duration = .seconds(7200)
    ) throws -> Campaign {
        var campaign = Campaign.tide(name, to: target, revision: revision, title: title)
        campaign.schedule = Schedule(
            .cron(try Cron(parsing: text), start: nil, end: nil), zone: try .known(zone),
            maxLateness: maxLateness, catchUp: catchUp)
        return campaign
    }

    func named(_ name: String, formerly previous: String...) -> Campaign {
        var copy = self
        copy.name = .init(name)
        copy.previousNames = previous.map { .init($0) }
        return copy
    }
}

extension Date {
    /// Reads `2026-12-07 09:30`, in UTC.
    static func utc(_ text: String) -> Date {
        guard let date = Date(rfc3339: text.replacing(" ", with: "T") + "Z") else {
            preconditionFailure("'\(text)' is no time")
        }
        return date
    }
}
