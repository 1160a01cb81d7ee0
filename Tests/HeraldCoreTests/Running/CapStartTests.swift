import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Whom a cap stops is decided by messages that started. `first` goes to ten people before `second`, and nobody may get
/// both.
struct CapStartTests: CapScene {
    let laboratory = Self.withoutRamp()

    private func sends(_ change: (inout Campaign) -> Void = { _ in }) -> [DesiredSend] {
        var first = campaign("first", priority: 9)
        change(&first)
        return [first, campaign("second")].map { DesiredSend(campaign: $0, members: Self.people) }
    }

    private func run(_ sends: [DesiredSend], _ sender: ScriptedSender = ScriptedSender()) async throws -> Report {
        try await laboratory.run(plan(sends), sender)
    }

    /// Refuses what these people get of `first`.
    private func refusing(_ people: RecipientSet) -> ScriptedSender {
        ScriptedSender { request, number in
            Self.title(request) == "first" && people.contains(request.recipient)
                ? .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH") : .accepted(request, number)
        }
    }

    private func ledger(of id: OccurrenceID) -> Ledger? { laboratory.memory.state().occurrences[id]?.ledger }

    @Test func `whoever got the first one is skipped for good`() async throws {
        let report = try await run(sends())
        #expect(report.steps.map(\.accepted) == [10, 0] && report.steps[1].skipped == 10)
        #expect(report.steps[1].leftOut.reasons == [.capped("all"): 10] && report.result == .ok)
        #expect(laboratory.memory.state().occurrences["second@once"]?.finished != nil)
    }

    @Test func `a plan knows whom only an earlier send of it stops`() throws {
        let start = MessageStart(until: laboratory.now - 60, tags: [])
        try laboratory.memory.commit([.started("news@once", [1, 2], start)])
        let sends = plan(sends()).sends
        #expect(sends.map(\.skipped.all) == [[1, 2], Self.people])
        #expect(sends.map(\.undecided) == [[], RecipientSet(3...10)])
    }

    @Test func `a message that halted at its first request stops nobody`() async throws {
        let sends = sends {
            $0.delivery.stages = Stages()
            $0.delivery.stages?.limits.rejectedPercent = 0
        }
        let report = try await run(sends, refusing(Self.people))
        #expect(report.steps[0].isHaltedStage && report.steps[0].rejected == 1)
        #expect(report.steps[1].parts == [0, 0, 0, 0, 0, 10] && report.steps[1].isStanding)
        #expect(report.steps[1].note?.contains("10 recipients wait") == true)
        #expect(laboratory.memory.state().occurrences["second@once"]?.finished == nil)
        let next = try await run(sends)
        #expect(next.steps.map(\.accepted).reduce(0, +) == 10)
        #expect(laboratory.memory.state().occurrences["second@once"]?.finished != nil)
    }

    @Test func `a message that a person pauses stops those who got it, and nobody else`() async throws {
        let memory = laboratory.memory
        let sends = sends { $0.delivery.rate = .limited(2) }
        let sender = ScriptedSender(capacity: 1) { request, number in
            if number == 3 { try? memory.commit([.pause("first")]) }
            return .accepted(request, number)
        }
        let report = try await run(sends, sender)
        let got = report.steps[0].accepted
        #expect((4..<10).contains(got) && report.steps[0].held == 10 - got)
        #expect(report.steps[1].parts == [0, 0, 0, got, 0, 10 - got] && report.result == .ok)
        #expect(ledger(of: "second@once")?[.skipped] == ledger(of: "first@once")?[.accepted])
        let next = try await run(sends, sender)
        #expect(next.steps.map(\.accepted).reduce(0, +) == 10 - got)
        #expect(Set(sender.recipients).count == 10 && sender.recipients.count == 10, "each gets one of the two")
        try memory.commit([.resume("first")])
        let last = try await run(sends, sender)
        #expect(last.steps.map(\.skipped) == [10 - got] && sender.recipients.count == 10)
    }

    @Test func `whom the first one was refused for gets the second one in the next run`() async throws {
        let sender = refusing([4])
        let report = try await run(sends(), sender)
        #expect(report.steps.map(\.parts) == [[9, 1, 0, 0, 0, 0], [0, 0, 0, 9, 0, 1]])
        let next = try await run(sends(), sender)
        #expect(next.steps.map(\.parts) == [[1, 0, 0, 0, 0, 0]])
        #expect(ledger(of: "second@once")?[.accepted] == [4])
    }

    /// Beside the two a third one goes out for long, and after twenty seconds the run looks again.
    private func runLong(_ others: DesiredSend...) async throws -> Report {
        var long = campaign("third")
        (long.delivery.frequency.ignoresCaps, long.delivery.frequency.counts) = (true, false)
        long.delivery.rate = .limited(2)
        let all = sends() + [DesiredSend(campaign: long, members: RecipientSet(11...100))] + others
        var plan = plan(all)
        plan.nextDue = laboratory.now + 20
        return try await laboratory.run(
            plan, refusing([4]),
            lookAgain: { now, underWay in Planner.plan(input(all, underWay: underWay), at: now) })
    }

    /// The second one comes due while the first one, which is slow, still has to reach most of them.
    @Test(arguments: [[], [9]] as [RecipientSet])
    func `whom a slow message was to reach is decided about when it has`(_ refused: RecipientSet) async throws {
        var second = campaign("second")
        second.schedule.times = .at(laboratory.now + 2)
        let first = sends { $0.delivery.rate = .limited(2) }[0]
        let sends = [first, DesiredSend(campaign: second, members: Self.people)]
        let plan = plan(sends)
        #expect(plan.sends.map(\.campaign) == ["first"] && plan.nextDue == laboratory.now + 2)
        let report = try await laboratory.run(
            plan, refusing(refused),
            lookAgain: { now, underWay in Planner.plan(input(sends, underWay: underWay), at: now) })
        let (some, all) = (refused.count, Self.people.count)
        #expect(report.steps.map(\.parts) == [[all - some, some, 0, 0, 0, 0], [some, 0, 0, all - some, 0, 0]])
        #expect(laboratory.memory.state().occurrences.allSatisfy { $1.finished != nil })
    }

    @Test func `a message that waits for its group stops those whom it goes to in the same run`() async throws {
        let sends = sends {
            $0.target = Located(.group("chris"))
            $0.delivery.members = .each
        }
        var input = input(sends)
        input.desired.groups = [DesiredGroup(name: "chris", members: Self.people)]
        let report = try await laboratory.run(
            Planner.plan(input, at: laboratory.now), ModelFCM(),
            lookAgain: { [input, memory = laboratory.memory] now, underWay in
                var input = input
                (input.state, input.underWay) = (memory.snapshot(), underWay)
                return Planner.plan(input, at: now)
            })
        #expect(report.steps.map(\.action) == [.send, .group(.create), .send] && report.result == .ok)
        #expect(report.steps.map(\.parts) == [[0, 0, 0, 10, 0, 0], [10, 0, 0, 0, 0, 0], [10, 0, 0, 0, 0, 0]])
        input.state = laboratory.memory.snapshot()
        #expect(Planner.plan(input, at: laboratory.now).isEmpty, "the next run has nothing left to decide")
    }

    /// FCM has had enough of 4's device for more than an hour.
    @Test func `whom a run has given up it does not try again when it decides about caps`() async throws {
        let sends = sends()
        let sender = ScriptedSender { request, number in
            Self.title(request) == "first" && request.recipient == 4
                ? .error(429, "RESOURCE_EXHAUSTED", fcm: "QUOTA_EXCEEDED", retryAfter: "8000")
                : .accepted(request, number)
        }
        let report = try await laboratory.run(
            plan(sends), sender,
            lookAgain: { now, underWay in Planner.plan(input(sends, underWay: underWay), at: now) })
        let (first, second) = (report.steps[0], report.steps[1])
        #expect(first.planned == 10 && first.accepted + first.pending == 10 && first.pending > 0)
        #expect(second.planned == 10 && second.skipped == first.accepted && second.pending == first.pending)
        #expect(sender.recipients.filter { $0 == 4 }.count == 1)
    }

    @Test func `what came due meanwhile counts nobody twice`() async throws {
        let report = try await runLong()
        #expect(report.steps.map(\.parts) == [[9, 1, 0, 0, 0, 0], [1, 0, 0, 9, 0, 0], [90, 0, 0, 0, 0, 0]])
        #expect(laboratory.memory.state().occurrences["second@once"]?.finished != nil)
    }

    @Test func `what came due meanwhile and goes first stops those of a send that goes on`() async throws {
        var sudden = campaign("sudden", priority: 9)
        sudden.schedule.times = .at(laboratory.now + 20)
        let report = try await runLong(DesiredSend(campaign: sudden, members: [4]))
        #expect(report.steps.map(\.accepted) == [9, 0, 90, 1])
        #expect(report.steps[1].parts == [0, 0, 0, 10, 0, 0] && report.steps[1].note == nil)
        #expect(laboratory.memory.state().occurrences["second@once"]?.finished != nil)
    }

    @Test func `a campaign that a guard stops for one of its occurrences stops nobody by another`() async throws {
        let hourly = try Schedule.cron("0 * * * *")
        let sends = sends { $0.schedule = hourly }
        // The hour before is half done, and goes to twenty people in all. The new hour goes first, and to ten.
        let due = laboratory.now - 3600
        let begun = OccurrenceID(campaign: "first", due: due, revision: 1)
        try laboratory.memory.commit([
            .open(begun, RecordedOccurrence(sends[0].campaign, due: due)),
            .assign(begun, Partition(disjoint: [MessageClass(): RecipientSet(1...20)])),
            .outcome(begun, RecipientSet(11...20), .accepted),
            .watermark("first", Watermark(at: due, schedule: hourly.text, next: nil)),
        ])
        var input = input(sends)
        (input.settings.guards.maxRecipients, input.policy) = (15, .leaveOut)
        let proposal = Planner.proposal(input, at: laboratory.now)
        let course = RunCourse(proposal, input.policy, in: input.workspace, sizes: [:])
        #expect(course.leftOut.map(\.actual) == [20])
        let report = try await laboratory.run(course.plan, ScriptedSender())
        #expect(report.steps.map(\.held) == [10, 10, 0] && report.steps.map(\.accepted) == [0, 0, 10])
        #expect(laboratory.memory.state().occurrences["second@once"]?.finished != nil)
    }

    /// `first` takes ten seconds and fills no cap. Whoever had the news is not sent `second`.
    private func slowSends(news: RecipientSet) throws -> [DesiredSend] {
        let start = MessageStart(until: laboratory.now - 60, tags: [])
        try laboratory.memory.commit([.started("news@once", news, start)])
        return sends { ($0.delivery.frequency.ignoresCaps, $0.delivery.frequency.counts) = (true, false) }
    }

    private func slowSender() -> ScriptedSender {
        let clock = laboratory.clock
        return ScriptedSender(capacity: 1) { request, number in
            try? await clock.sleep(for: .seconds(1))
            return .accepted(request, number)
        }
    }

    @Test(arguments: [false, true])
    func `whom a step that did not begin was to skip is counted by the run that begins it`(
        _ losesState: Bool
    ) async throws {
        let sends = try slowSends(news: [1, 2])
        let sender = slowSender()
        var ending = laboratory
        if losesState { ending.store = ProbedStore(laboratory.memory, refusesFrom: 4) }
        let report = try await ending.run(
            plan(sends), sender, stop: { !losesState && sender.requests.count > 2 ? .machine : nil })
        #expect((report.result == .interrupted) != losesState)
        #expect((report.steps[1].stopped != nil) == losesState)
        #expect(report.steps[1].parts == [0, 0, 0, 0, 0, 10] && report.steps[1].leftOut.reasons.isEmpty)
        let next = try await run(sends)
        let second = try #require(next.steps.first { $0.occurrence == "second@once" })
        #expect(second.parts == [8, 0, 0, 2, 0, 0] && second.leftOut.reasons == [.capped("all"): 2])
    }

    @Test func `a person who stops a run does not pause a campaign of which only skipped people are left`()
        async throws
    {
        let sends = try slowSends(news: Self.people)
        let sender = slowSender()
        let report = try await laboratory.run(
            plan(sends), sender, stop: { sender.requests.count > 2 ? .person : nil })
        #expect(report.result == .interrupted && report.steps[1].parts == [0, 0, 0, 0, 0, 10])
        #expect(laboratory.memory.pauses().campaigns == ["first"])
    }

    @Test func `a message whose outcome nobody knows stops those it went to`() async throws {
        let sender = ScriptedSender(answers: { $0 == 3 ? [.lost(reason: "the connection closed")] : [] })
        let report = try await run(sends(), sender)
        #expect(report.steps.map(\.parts) == [[9, 0, 1, 0, 0, 0], [0, 0, 0, 10, 0, 0]])
    }

    @Test func `what may have arrived stops people, also if a repeat is refused for good`() async throws {
        let sends = sends { $0.delivery.onUnknown = .resend }
        let earlier = Partition(disjoint: [MessageStart(until: laboratory.now - 3600, tags: []): [4] as RecipientSet])
        let begun = RecordedOccurrence(sends[0].campaign, due: nil)
        try laboratory.memory.commit([
            .open("first@once", begun), .assign("first@once", Partition(disjoint: [MessageClass(): [4]])),
            .outcome("first@once", [4], .unknown),
            .started("first@once", [4], MessageStart(until: laboratory.now - 3600, tags: [])),
        ])
        let report = try await run([sends[0], DesiredSend(campaign: sends[1].campaign, members: [4])], refusing([4]))
        #expect(report.steps.map(\.parts) == [[0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]])
        #expect(laboratory.memory.state().starts["first@once"] == earlier)
    }

    /// FCM's answers to what 4 gets of `first`. The last one comes again and again.
    private func answering(_ answers: [Exchange]) -> ScriptedSender {
        let tries = Attempts()
        return ScriptedSender { request, number in
            guard Self.title(request) == "first" else { return .accepted(request, number) }
            return answers[min(tries.next(of: 4), answers.count - 1)]
        }
    }

    /// A longer wait than a run accepts.
    private static let quota = Exchange.error(429, "RESOURCE_EXHAUSTED", fcm: "QUOTA_EXCEEDED", retryAfter: "8000")

    /// What each of three runs leaves of the starts of `first`, and what came of `second` after them.
    private func runThrice(_ sender: ScriptedSender) async throws -> (starts: [Partition<MessageStart>?], second: [Int])
    {
        let sends = sends { $0.delivery.onUnknown = .resend }
        var starts: [Partition<MessageStart>?] = []
        for _ in 1...3 {
            _ = try await run([DesiredSend(campaign: sends[0].campaign, members: [4])], sender)
            starts.append(laboratory.memory.state().starts["first@once"])
            laboratory.clock.advance(by: .seconds(600))
        }
        let report = try await run([DesiredSend(campaign: sends[1].campaign, members: [4])], sender)
        return (starts, report.steps[0].parts)
    }

    /// In the first case the repeat begins another span in the same run.
    @Test(arguments: [Exchange.error(503, "UNAVAILABLE", retryAfter: "3000"), .lost(reason: "cut")])
    func `what may have arrived counts from its start, however often a repeat is refused`(
        _ answer: Exchange
    ) async throws {
        // Not at the end of a span.
        laboratory.clock.advance(by: .seconds(60))
        let first = try #require(StartCounting(Frequency(), [Self.cap])).start(at: laboratory.now)
        let sender = answering([answer, Self.quota])
        let (starts, second) = try await runThrice(sender)
        #expect(sender.requests.count { Self.title($0) == "first" } >= 3)
        #expect(starts == Array(repeating: Partition(disjoint: [first: [4]]), count: 3))
        #expect(second == [0, 0, 0, 1, 0, 0])
    }

    @Test func `where nothing may have arrived, what was refused counts for nothing`() async throws {
        let (starts, second) = try await runThrice(answering([Self.quota]))
        #expect(starts == [nil, nil, nil] && second == [1, 0, 0, 0, 0, 0])
    }

    @Test func `whom FCM failed and then refused still may have it`() async throws {
        let sender = answering([.error(503, "UNAVAILABLE", retryAfter: "30"), Self.quota])
        _ = try await run([DesiredSend(campaign: sends()[0].campaign, members: [4])], sender)
        #expect(ledger(of: "first@once")?[.deferred] == [4])
        let next = try await run([DesiredSend(campaign: sends()[0].campaign, members: [4])])
        #expect(next.steps.map(\.possibleDuplicates) == [1])
    }

    @Test func `a dry run accounts for those whom the plan stops`() async throws {
        let report = try await laboratory.run(plan(sends()), ScriptedSender(), dryRunSample: 3)
        #expect(report.steps.map(\.parts) == [[3, 0, 0, 7, 0, 0], [0, 0, 0, 10, 0, 0]])
        #expect(report.steps[1].leftOut.reasons == [.capped("all"): 10])
    }
}
