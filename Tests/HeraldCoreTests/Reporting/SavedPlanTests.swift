import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Plan files that are read back.
@Suite struct SavedPlanTests {
    private let document = DocumentSamples.planDocument
    private let now = DocumentSamples.now

    private func saved(_ document: PlanDocument) throws -> SavedPlan {
        try SavedPlan(reading: Array(document.json.prettyText.utf8))
    }

    private func problem(reading text: String) -> SavedPlan.Problem? {
        do throws(SavedPlan.Problem) {
            _ = try SavedPlan(reading: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    private func problem(
        of saved: SavedPlan, against document: PlanDocument, spent: Set<String> = [], now: Date,
        mayBeEarly: Bool = false
    ) -> SavedPlan.Problem? {
        do throws(SavedPlan.Problem) {
            try saved.check(against: document, spent: spent, now: now, mayBeEarly: mayBeEarly)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a saved plan that is still true passes`() throws {
        #expect(problem(of: try saved(document), against: document, now: now) == nil)
    }

    @Test func `it passes however the file is laid out`() throws {
        let compact = try document.json.bytes()
        #expect(try SavedPlan(reading: compact) == saved(document))
    }

    @Test func `id and time of making do not enter the digest`() {
        let other = PlanDocument(document.proposal, id: "other", created: now.adding(.seconds(500)))
        #expect(other.digest == document.digest)
    }

    /// Every field that the digest covers, which is all except `id`, `created` and the digest.
    @Test(arguments: [
        "expires", "at", "workspace_digest", "state", "summary", "steps", "upcoming", "missed", "held",
        "guards", "warnings",
    ])
    func `a field that was altered is noticed`(field: String) throws {
        var members = try #require(document.json.object)
        members[field] =
            switch try #require(members[field]) {
            case .string: "2026-12-01T09:00:00Z"
            case .array(let elements): .array(elements + [["occurrence": "x"]])
            case .object(var inner):
                {
                    inner["serial"] = 99
                    return .object(inner)
                }()
            case let other: other
            }
        #expect(problem(reading: JSONValue.object(members).prettyText) == .altered)
    }

    @Test(arguments: [
        "expires", "at", "workspace_digest", "state", "summary", "steps", "upcoming", "missed", "held",
        "guards", "warnings", "digest", "schema", "id",
    ])
    func `a field that was taken out is noticed`(field: String) throws {
        var members = try #require(document.json.object)
        members[field] = nil
        let problem = problem(reading: JSONValue.object(members).prettyText)
        #expect(problem == (["expires", "at", "digest", "schema", "id"].contains(field) ? .unreadable : .altered))
    }

    @Test func `a field that was put in is noticed`() throws {
        var members = try #require(document.json.object)
        members["approved"] = true
        #expect(problem(reading: JSONValue.object(members).prettyText) == .altered)
    }

    @Test func `a number deep in a step that was altered is noticed`() {
        let text = document.json.prettyText
        #expect(problem(reading: text.replacing("\"planned\" : 2", with: "\"planned\" : 3")) == .altered)
    }

    @Test(arguments: [
        "", " ", "{", "[]", "null", "42", "\"herald.plan/1\"", "{}", "{\"schema\":\"herald.plan/1\"}",
        "{\"schema\":\"herald.report/1\"}", "{\"schema\":7,\"id\":[],\"at\":{},\"expires\":null,\"digest\":1e999}",
        "{\"schema\":\"herald.plan/1\",\"id\":\"\",\"at\":\"2026-12-01T08:00:00Z\",\"expires\":\"2026-12-01T08:00:00Z\",\"digest\":\"\"}",
        String(repeating: "[", count: 100_000), "\u{FEFF}\u{0}\u{1}",
    ])
    func `what is no plan is unreadable`(text: String) {
        #expect(problem(reading: text) == .unreadable)
    }

    @Test func `bytes by chance never pass and never crash`() {
        let good = Array(document.json.prettyText.utf8)
        for seed in UInt64(0)..<300 {
            var random = SeededRandom(seed: seed)
            var bytes = good
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = UInt8.random(in: 0...255, using: &random)
            if seed % 3 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            guard let plan = try? SavedPlan(reading: bytes) else { continue }
            // If a changed file is accepted, it says the same, apart from `id`.
            #expect(plan.digest == document.digest, "seed \(seed)")
            #expect(plan.at == now, "seed \(seed)")
        }
    }

    // MARK: When it is no longer true

    @Test func `it is good until its earliest send would be too late`() throws {
        #expect(document.expires == now.adding(.seconds(7200)))
        let plan = try saved(document)
        #expect(problem(of: plan, against: document, now: now.adding(.seconds(7200))) == nil)
        let late = now.adding(.seconds(7201))
        #expect(problem(of: plan, against: document, now: late) == .expired(at: now.adding(.seconds(7200))))
    }

    @Test func `it is good for a day at most counted from its time`() {
        var proposal = DocumentSamples.proposal
        proposal.plan.steps[2].work = .send(DocumentSamples.send(lateness: .seconds(9 * 86_400)))
        let document = PlanDocument(proposal, id: "i", created: now.adding(.seconds(5000)))
        #expect(document.expires == now.adding(.seconds(86_400)))
    }

    @Test func `it is used once`() throws {
        #expect(problem(of: try saved(document), against: document, spent: [document.id], now: now) == .used)
    }

    @Test func `it waits for its instant, unless that may be taken for now`() throws {
        let plan = try saved(document)
        let early = now.adding(.seconds(-1))
        #expect(problem(of: plan, against: document, now: early) == .early(until: now))
        #expect(problem(of: plan, against: document, now: early, mayBeEarly: true) == nil)
    }

    @Test func `it knows the campaigns it was limited to`() throws {
        let limited = PlanDocument(document.proposal, id: "i", created: now, campaigns: ["tide"])
        #expect(try saved(limited).campaigns == ["tide"])
        #expect(try saved(document).campaigns.isEmpty)
        #expect(limited.digest != document.digest)
    }

    @Test func `spending a plan does not make another stale`() {
        var state = DocumentSamples.state
        let serial = state.serial
        state.apply([.spendPlan("x")])
        #expect(state.serial == serial)
    }

    @Test(
        arguments: [
            { $0.plan.state?.serial += 1 }, { $0.plan.state?.lineage = "other" }, { $0.plan.state = nil },
            { $0.plan.workspaceDigest = "sha256:00" }, { $0.plan.steps.removeLast() }, { $0.plan.steps.swapAt(0, 1) },
            { $0.plan.steps[0].work = .unsubscribe("tide-alerts", [1]) }, { $0.plan.missed = [] },
            { $0.plan.held = [] }, { $0.plan.refusals = [] },
            { $0.plan.unapproved = [.init(resource: .init(kind: .campaign, name: "news"), reason: "")] },
        ] as [@Sendable (inout Proposal) -> Void])
    func `it is stale when what it does has changed`(change: @Sendable (inout Proposal) -> Void) throws {
        var proposal = DocumentSamples.proposal
        change(&proposal)
        let anew = PlanDocument(proposal, id: document.id, created: document.created)
        #expect(problem(of: try saved(document), against: anew, now: now) == .stale)
    }

    @Test(
        arguments: [
            { $0.overview.upcoming = [] }, { $0.overview.upcomingOmitted += 1 }, { $0.overview.warnings = [] },
            { $0.overview.collapsed = 0 }, { $0.overview.deadListed = 0 },
        ] as [@Sendable (inout Proposal) -> Void])
    func `it is still true when only what readers see beside it has changed`(
        change: @Sendable (inout Proposal) -> Void
    ) throws {
        var proposal = DocumentSamples.proposal
        change(&proposal)
        let anew = PlanDocument(proposal, id: document.id, created: document.created)
        #expect(anew.digest != document.digest)
        #expect(problem(of: try saved(document), against: anew, now: now) == nil)
    }

    /// It is 08:00 in UTC. Whoever is in the first zone is in time until half an hour later, and the others longer.
    private func expiry(of campaign: Campaign, _ zones: [Int], _ mark: Watermark?) throws -> Date {
        var scenario = PlanScenario()
        scenario.want(campaign)
        scenario.desired.sends[0].zones = ["zone": [Zone(offset: zones[0]): [1], Zone(offset: zones[1]): [2, 3]]]
        scenario.state.watermarks["tide"] = mark
        let proposal = scenario.proposal()
        #expect(proposal.plan.sends.map(\.members) == [[1, 2, 3]])
        return PlanDocument(proposal, id: "id", created: PlanScenario.now).expires
    }

    @Test func `in local time it expires when the first wave is too late`() throws {
        var campaign = Campaign.tide()
        let daily = LocalSchedule(.cron(try Cron(parsing: "0 10 * * *"), start: nil, end: nil), field: "zone")
        campaign.schedule.times = .local(daily)
        campaign.schedule.maxLateness = .seconds(3600)
        campaign.zoneField = Located("zone")
        let mark = Watermark(
            at: .after(-3600), schedule: campaign.schedule.text, next: nil, first: .after(-86_400))
        // 10:00 was at 07:30 and at 07:40.
        #expect(try expiry(of: campaign, [9000, 8400], mark) == .after(1800))
    }

    @Test func `where windows open by a field of the list, it expires when the first of them is too late`() throws {
        var campaign = Campaign.tide(at: .after(-3600))
        campaign.delivery.window = SendWindow(
            hours: DailyHours(from: 9 * 60, to: 20 * 60), zone: .utc, field: Located("zone"), whenClosed: .wait)
        campaign.schedule.maxLateness = .seconds(5400)
        // It was due at 07:00. The window of the first was open, and that of the others opened at 07:30.
        #expect(try expiry(of: campaign, [7200, 5400], nil) == .after(1800))
    }
}
