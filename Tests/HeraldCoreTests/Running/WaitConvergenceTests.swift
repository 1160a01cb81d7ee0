import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore

/// Runs that die while people wait: for their clock, for their window, for the soak of a stage. Wherever that is, later
/// runs go on, and everybody gets it once, at a time that suits them.
struct WaitConvergenceTests {
    private static let zones = ["Asia/Tokyo", "Europe/Rome", "America/New_York"]
    private static let population = 24
    private static let campaign = """
        kind: audience
        name: members
        source: {file: members.csv}
        fields: {zone: {type: timezone}}
        ---
        kind: campaign
        name: c
        target: {audience: members}
        message: {data: {text: hello}}
        schedule: {at: 2026-12-02T09:00, if_passed: skip, timezone: {field: zone, default: UTC}}
        delivery:
          stages: [20%, 60%, 100%]
          soak: SOAK
          halt_when: {unknown_percent: 100}
          window: {from: "09:30", to: "18:00", timezone: {field: zone, default: UTC}}
          expires_after: 3d

        """

    /// Somebody's number is their place in the list, and their zone goes by it.
    private static func zone(of person: Int) throws -> Zone { try #require(Zone(written: zones[person % zones.count])) }

    /// A run waits for a short soak, and ends before a long one.
    @Test(arguments: ["30s", "10m"])
    func `wherever a run dies, everybody gets it once, in their window, stage by stage`(_ soak: String) async throws {
        var (commit, waited) = (0, Set<String>())
        while true {
            let life = WaitLife(
                campaign: Self.campaign.replacing("SOAK", with: soak), zones: Self.zones, people: Self.population)
            let commits = try await life.live(dyingAt: commit)
            let place: Comment = "soak \(soak), commit \(commit)"
            let pushes = life.pushes
            #expect(pushes.values.allSatisfy { $0.count == 1 }, place)
            for (person, instants) in pushes {
                for instant in instants {
                    let local = try Self.zone(of: person).local(at: instant)
                    let minute = local.secondsAsUTC / 60 % 1440
                    #expect(minute >= 570 && minute < 1080, "\(person) at \(instant.rfc3339), \(place)")
                }
            }
            let state = life.laboratory.memory.state()
            let occurrence = try #require(state.occurrences.values.first, place)
            #expect(occurrence.finished != nil, place)
            let ledger = try #require(occurrence.ledger, place)
            // What left when the run died is unknown, and at most as many as may be under way.
            #expect(ledger[.accepted].count + ledger.uncertain.count == Self.population, place)
            #expect(ledger.uncertain.count <= (commit < commits ? 2 : 0), place)
            #expect(pushes.count >= ledger[.accepted].count, place)
            #expect(occurrence.stages.map(\.share.text) == ["20%", "60%", "100%"], place)
            waited.formUnion(life.reasons)
            if commits <= commit { break }
            commit += 1
        }
        #expect(commit > 20)
        // It has waited for all of these. A short soak is over when the next run comes.
        for words in ["the window is closed"] + (soak == "10m" ? ["soaks"] : []) {
            #expect(waited.contains { $0.contains(words) }, "\(waited)")
        }
    }
}

/// One campaign from the day before it is due until nothing is left to do.
private final class WaitLife: Sendable {
    let laboratory: Laboratory
    private let files: [String: String]
    private let sent = Mutex(Sent())

    private struct Sent {
        var pushes: [Int: [Date]] = [:]
        var reasons: Set<String> = []
    }

    var pushes: [Int: [Date]] { sent.withLock(\.pushes) }
    /// What plans waited for.
    var reasons: Set<String> { sent.withLock(\.reasons) }

    init(campaign: String, zones: [String], people: Int) {
        laboratory = Laboratory(population: 0, start: .utc("2026-12-01 20:00"))
        let rows = (0..<people).map { "\(Registration.fid($0).rawValue),\(zones[$0 % zones.count])\n" }
        files = ["members.csv": "fid,zone\n" + rows.joined(), "c.yaml": campaign]
    }

    /// Runs come when the plan says that something may start. Returns how many commits they made.
    ///
    /// - Parameter death: the commit that a run dies at.
    func live(dyingAt death: Int) async throws -> Int {
        var commits = 0
        let desired = try await desired()
        for _ in 0..<100 {
            let store = ProbedStore(laboratory.memory, refusesFrom: max(0, death - commits))
            let hasDied = commits > death
            let plan = try await run(desired, hasDied ? laboratory.memory : store)
            commits += hasDied ? 1 : store.commits
            if laboratory.memory.state().occurrences.values.first?.finished != nil { break }
            let now = laboratory.now
            // A run that sent something may have opened a stage, of which its plan knew nothing.
            let next = plan.steps.isEmpty ? max(now + 60, plan.nextDue ?? now + 600) : now + 600
            laboratory.clock.advance(by: .seconds(next.timeIntervalSince(now).rounded(.up)))
        }
        return commits
    }

    /// What the files ask for. They stay as they are.
    private func desired() async throws -> Desired {
        let loaded = try WorkspaceLoader.load(files: files)
        let workspace = try #require(loaded.workspace, "\(loaded.diagnostics)")
        let index = try #require(try loaded.recipientIndex?.get())
        let memory = laboratory.memory
        let wanted = try await Wanted(
            workspace, index, knownTo: memory, as: memory.snapshot(), noting: nil, keep: nil, sorted: { index })
        try await wanted.record(in: memory)
        return wanted.desiredOnceRecorded
    }

    private func run(_ desired: Desired, _ store: any StateStore) async throws -> Plan {
        let (memory, clock, start) = (laboratory.memory, laboratory.clock, laboratory.start)
        var settings = Settings(project: "p")
        settings.fcm = laboratory.fcm
        let plan = { @Sendable [settings] (now: Date, underWay: [Plan.Send]) in
            var input = Planner.Input(desired: desired, state: memory.snapshot(), settings: settings)
            input.underWay = underWay
            return Planner.plan(input, at: now)
        }
        let first = plan(laboratory.now, [])
        sent.withLock { $0.reasons.formUnion(first.waiting.map(\.reason)) }
        if first.steps.isEmpty {
            try? await store.commit(first.bookkeeping(at: laboratory.now))
            return first
        }
        var laboratory = laboratory
        laboratory.store = store
        let people = Dictionary(uniqueKeysWithValues: (0..<100).map { (Registration.fid($0).rawValue, $0) })
        let sender = ScriptedSender(capacity: 2) { [self] request, number in
            let fid = request.json["message"]?["fid"]?.string ?? ""
            sent.withLock { $0.pushes[people[fid] ?? -1, default: []].append(start.adding(clock.now.offset)) }
            return .accepted(request, number)
        }
        _ = try await laboratory.run(first, sender, lookAgain: { now, underWay in plan(now, underWay) })
        return first
    }
}
