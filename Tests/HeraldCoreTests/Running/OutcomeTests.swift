import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The table in docs/reference/outcomes.md#outcomes-and-retries, row by row.
@Suite struct OutcomeTests {
    /// One answer, and the outcome that it must lead to.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        /// The answer to the first request. Later ones are accepted.
        var answer: Exchange
        var ledger: LedgerEntry?
        var requests = 1
        var duplicates = 0
        var result: Report.Result
        var action: Report.Failure.Action?
        var testDescription: String { name }
    }

    private static let html = Exchange.json(404, "<html>Not Found</html>")
    private static func violation(_ field: String) -> Exchange {
        .json(
            400,
            #"{"error":{"code":400,"message":"Invalid value","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}]}}"#
        )
    }

    private static func retried(_ name: String, _ answer: Exchange, duplicates: Int = 0) -> Row {
        Row(name: name, answer: answer, ledger: .accepted, requests: 2, duplicates: duplicates, result: .ok)
    }
    private static func unknown(_ name: String, _ answer: Exchange) -> Row {
        Row(name: name, answer: answer, ledger: .unknown, result: .unknown, action: .held)
    }
    private static func rejected(
        _ name: String, _ answer: Exchange, _ action: Report.Failure.Action = .rejected
    ) -> Row {
        Row(name: name, answer: answer, ledger: .rejected, result: .failed, action: action)
    }
    private static func stopped(_ name: String, _ answer: Exchange) -> Row {
        Row(name: name, answer: answer, ledger: nil, result: .failed, action: .fixFirst)
    }

    /// Rows that hold for every kind of send.
    private static let anySend: [Row] = [
        Row(name: "200", answer: .json(200, #"{"name":"projects/p/messages/1"}"#), ledger: .accepted, result: .ok),
        retried("nothing was sent", .notSent(reason: "REFUSED_STREAM")),
        retried("429", .error(429, "RESOURCE_EXHAUSTED", fcm: "QUOTA_EXCEEDED")),
        retried("503", .error(503, "UNAVAILABLE", fcm: "UNAVAILABLE"), duplicates: 1),
        unknown("503 in HTML", .json(503, "<html>")),
        unknown("500 in another server's JSON", .json(500, #"{"message":"m"}"#)),
        unknown("502", .json(502, "<html>")),
        unknown("504", .json(504, "")),
        unknown("the connection was lost", .lost(reason: "reset")),
        unknown("an answer that cannot be read", .json(200, "{")),
        unknown("an answer without a name", .json(200, "{}")),
        // Tried once more with a new token. The sign-in tests show that a second refusal ends the step.
        retried("401", .error(401, "UNAUTHENTICATED")),
        stopped("403", .error(403, "PERMISSION_DENIED")),
        stopped("404 that is not FCM's", html),
        stopped("a field of the message is wrong", violation("message.data[0].value")),
    ]

    private static let toRegistration: [Row] =
        anySend + [
            retried("500", .error(500, "INTERNAL", fcm: "INTERNAL"), duplicates: 1),
            rejected("UNREGISTERED with no success to believe it by", .unregistered, .kept),
            rejected("the target field is wrong", violation("message.fid"), .kept),
            rejected("an argument is invalid", .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT")),
            rejected("SENDER_ID_MISMATCH", .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH")),
            rejected("THIRD_PARTY_AUTH_ERROR", .error(401, "UNAUTHENTICATED", fcm: "THIRD_PARTY_AUTH_ERROR")),
        ]

    private static let toTopic: [Row] =
        anySend + [
            unknown("500", .error(500, "INTERNAL", fcm: "INTERNAL")),
            stopped("an argument is invalid", .error(400, "INVALID_ARGUMENT", fcm: "INVALID_ARGUMENT")),
        ]

    @Test(arguments: toRegistration)
    func `a send to a registration ends as docs/reference/outcomes.md says`(_ row: Row) async throws {
        try await check(row, .sample([1]), recipient: 1)
    }

    @Test(arguments: toTopic)
    func `a send to a topic ends as docs/reference/outcomes.md says`(_ row: Row) async throws {
        try await check(row, .sample([0], target: .topic("tides")), recipient: 0)
    }

    private func check(_ row: Row, _ send: Plan.Send, recipient: RecipientID) async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(each: [row.answer])
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        let step = try #require(report.steps.first)
        let occurrence = try #require(laboratory.memory.state().occurrences["tide@once"])
        #expect(occurrence.byEntry == (row.ledger.map { [$0: [recipient]] } ?? [:]))
        #expect((occurrence.finished != nil) == (row.ledger != nil), "finished when nobody is left to be tried")
        #expect(step.accepted == (row.ledger == .accepted ? 1 : 0))
        #expect(step.rejected == (row.ledger == .rejected ? 1 : 0))
        #expect(step.unknown == (row.ledger == .unknown ? 1 : 0))
        #expect(step.pending == (row.ledger == nil ? 1 : 0))
        #expect(sender.requests.count == row.requests)
        #expect(step.retries == row.requests - 1)
        #expect(step.possibleDuplicates == row.duplicates)
        #expect(report.result == row.result)
        #expect(step.failures.first?.action == row.action)
    }

    @Test(arguments: [(500, LedgerEntry.unknown, 1), (503, .unknown, 1), (429, .accepted, 2)])
    func `with on_error: hold a failure of FCM itself is unknown, and a quota is waited for`(
        status: Int, outcome: LedgerEntry, requests: Int
    ) async throws {
        let laboratory = Laboratory()
        var send = Plan.Send.sample([1])
        send.delivery.onError = .hold
        let sender = ScriptedSender(each: [.error(status, "UNAVAILABLE")])
        let report = try await laboratory.run(laboratory.plan(.send(send)), sender)
        #expect(laboratory.memory.state().occurrences["tide@once"]?.byEntry == [outcome: [1]])
        #expect(sender.requests.count == requests)
        #expect(report.steps[0].possibleDuplicates == 0)
    }

    /// The first run gives up two of three: FCM fails for 2, and refuses 3. The second one may follow at once.
    @Test(arguments: [(Campaign.OnUnknown.hold, LedgerEntry.unknown), (.resend, .accepted)])
    func `with on_error: hold in the file by now, whom FCM failed for before is unknown`(
        onUnknown: Campaign.OnUnknown, outcome: LedgerEntry
    ) async throws {
        let laboratory = Laboratory(population: 3)
        var campaign = Campaign.tide(onUnknown: onUnknown)
        let people = RecipientSet(1...3)
        let failing = ScriptedSender { request, number in
            switch request.recipient {
            case 2: .error(503, "UNAVAILABLE", retryAfter: "9999")
            case 3: .error(429, "RESOURCE_EXHAUSTED", retryAfter: "9999")
            default: .accepted(request, number)
            }
        }
        let first = try await laboratory.run(
            laboratory.plan(sends: [DesiredSend(campaign: campaign, members: people)]), failing)
        #expect(first.steps.map(\.pending) == [2])
        campaign.delivery.onError = .hold
        let sends = [DesiredSend(campaign: campaign, members: people)]
        let sender = ScriptedSender()
        let second = try await laboratory.run(laboratory.plan(sends: sends), sender)
        let isHeld = onUnknown == .hold
        #expect(Set(sender.recipients) == (isHeld ? [3] : [2, 3]))
        #expect(second.result == (isHeld ? .unknown : .ok))
        let failures = second.steps.flatMap(\.failures)
        #expect(failures.map(\.action) == (isHeld ? [.held] : []))
        #expect(failures.allSatisfy { $0.code == "UNAVAILABLE" })
        let ledger = laboratory.memory.state().occurrences["tide@once"]?.ledger
        #expect(ledger?[outcome].contains(2) == true && ledger?[.accepted].contains(3) == true)
        #expect(laboratory.plan(sends: sends).sends.isEmpty)
    }

    @Test func `a repeat in a later run counts as a possible duplicate too`() async throws {
        let laboratory = Laboratory(population: 3)
        let sends = [DesiredSend(campaign: .tide(), members: RecipientSet(1...3))]
        // A longer wait than a run accepts.
        let refusing = ScriptedSender { $0 == 2 ? [.error(503, "UNAVAILABLE", retryAfter: "9999")] : [] }
        let first = try await laboratory.run(laboratory.plan(sends: sends), refusing)
        #expect(first.steps.map(\.possibleDuplicates) == [0])
        #expect(first.steps.map(\.pending) == [1])
        #expect(laboratory.memory.state().occurrences["tide@once"]?.deferred == [2])
        let second = try await laboratory.run(laboratory.plan(sends: sends), ScriptedSender())
        #expect(second.steps.map(\.possibleDuplicates) == [1])
        #expect(second.steps.map(\.retries) == [0])
        let outcomes = laboratory.memory.state().occurrences["tide@once"]?.byEntry
        #expect(outcomes == [.accepted: [1, 2, 3]])
    }

    @Test func `whose repeat is refused stays unknown`() async throws {
        let laboratory = Laboratory(population: 3)
        let sends = [DesiredSend(campaign: .tide(onUnknown: .resend), members: RecipientSet(1...3))]
        for answer in [Exchange.lost(reason: "cut"), .error(429, "RESOURCE_EXHAUSTED", retryAfter: "9999")] {
            _ = try await laboratory.run(laboratory.plan(sends: sends), ScriptedSender { $0 == 2 ? [answer] : [] })
            let outcomes = laboratory.memory.state().occurrences["tide@once"]?.byEntry
            #expect(outcomes == [.accepted: [1, 3], .unknown: [2]])
        }
    }

    // MARK: Memberships

    /// What one or two answers do to a subscription.
    struct Joining: Sendable, CustomTestStringConvertible {
        var name: String
        var answers: [Exchange]
        var membership: Membership?
        var result = Report.Result.ok
        var testDescription: String { name }
    }

    private static let exists = Exchange.error(409, "ALREADY_EXISTS")

    @Test(arguments: [
        Joining(name: "200", answers: [], membership: .managed),
        Joining(name: "409: somebody else subscribed it", answers: [exists], membership: .preexisting),
        Joining(name: "409 after a lost answer", answers: [.lost(reason: "cut"), exists], membership: .managed),
        Joining(name: "409 after a 504", answers: [.json(504, ""), exists], membership: .managed),
        Joining(name: "409 after a 500", answers: [.error(500, "INTERNAL"), exists], membership: .managed),
        Joining(name: "another 409", answers: [.error(409, "ABORTED")], membership: .managed),
        Joining(name: "409 after another 409", answers: [.error(409, "ABORTED"), exists], membership: .managed),
        Joining(name: "409 after a 503", answers: [.error(503, "UNAVAILABLE"), exists], membership: .managed),
        Joining(name: "409 after a 429", answers: [.json(429, ""), exists], membership: .preexisting),
        Joining(
            name: "409 after nothing was sent", answers: [.notSent(reason: "tls"), exists], membership: .preexisting),
        Joining(
            name: "409 after a lost answer and a 503",
            answers: [.lost(reason: "cut"), .error(503, "UNAVAILABLE"), exists],
            membership: .managed),
        Joining(name: "400", answers: [.error(400, "INVALID_ARGUMENT")], membership: nil, result: .failed),
        Joining(name: "403", answers: [.error(403, "PERMISSION_DENIED")], membership: nil, result: .failed),
        Joining(
            name: "too many topics", answers: [.error(429, "TOO_MANY_TOPICS")], membership: nil, result: .failed),
    ])
    func `a subscription ends as docs/reference/outcomes.md says`(_ row: Joining) async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(each: row.answers)
        let report = try await laboratory.run(laboratory.plan(.subscribe("tides", [1])), sender)
        let topic = try #require(laboratory.memory.state().topics["tides"])
        for membership in Membership.allCases {
            #expect(topic.recipients[membership] == (membership == row.membership ? [1] : []), "\(membership)")
        }
        #expect(report.result == row.result)
        #expect(report.steps[0].possibleDuplicates == 0, "a membership cannot be doubled")
    }

    @Test func `a subscription that an earlier run asked for is ours`() async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [1], .subscribing, at: Laboratory.start)])
        let laboratory = Laboratory(state: state)
        let report = try await laboratory.run(
            laboratory.plan(.subscribe("tides", [1, 2])), ScriptedSender { _, _ in Self.exists })
        let topic = try #require(laboratory.memory.state().topics["tides"])
        #expect(topic.managed == [1])
        #expect(topic.preexisting == [2])
        #expect(report.steps[0].accepted == 2)
        #expect(report.steps[0].preexisting == 1)
    }

    @Test(
        arguments: [
            ("200", [], true), ("a lost answer", [Exchange.lost(reason: "cut")], true),
            ("500", [.error(500, "INTERNAL")], true),
            ("503", [.error(503, "UNAVAILABLE")], true), ("429", [.json(429, "")], true),
            ("502", [.json(502, "")], true),
            ("nothing sent", [.notSent(reason: "tcp")], true), ("400", [.error(400, "INVALID_ARGUMENT")], false),
            ("403", [.error(403, "PERMISSION_DENIED")], false),
        ] as [(String, [Exchange], Bool)])
    func `an unsubscription ends as docs/reference/outcomes.md says`(
        _: String, answers: [Exchange], leaves: Bool
    ) async throws {
        var state = RecordedState.blank
        state.apply([.members("tides", [1], .managed, at: Laboratory.start)])
        let laboratory = Laboratory(state: state)
        let sender = ScriptedSender(each: answers)
        let report = try await laboratory.run(laboratory.plan(.unsubscribe("tides", [1])), sender)
        let topic = try #require(laboratory.memory.state().topics["tides"])
        #expect(topic.managed.union(topic.subscribing) == (leaves ? [] : [1]))
        #expect(report.result == (leaves ? .ok : .failed))
        #expect(sender.requests.count == answers.count + (leaves ? 1 : 0))
    }

    // MARK: Waits

    @Test(arguments: [
        (Exchange.error(503, "UNAVAILABLE"), 10.0...20.0), (.json(429, ""), 60...120),
        (.error(503, "UNAVAILABLE", retryAfter: "33"), 33...33),
        (.json(429, "", retryAfter: "Tue, 01 Dec 2026 08:00:45 GMT"), 45...45), (.notSent(reason: "tcp"), 0.25...0.5),
    ])
    func `a refused send is repeated no sooner than FCM asks`(answer: Exchange, window: ClosedRange<Double>)
        async throws
    {
        let laboratory = Laboratory()
        let clock = laboratory.clock
        let instants = Log<Duration>()
        let sender = ScriptedSender(isPrompt: true) { request, number in
            instants.append(clock.now.offset)
            return number == 0 ? answer : .accepted(request)
        }
        _ = try await laboratory.run(laboratory.plan(.send(.sample([1]))), sender)
        let gap = try #require(instants.entries.last) - instants.entries[0]
        // A wake-up may come 100 µs late.
        #expect((window.lowerBound...window.upperBound + 0.001).contains(gap.seconds))
    }

    @Test func `Retry-After pauses everybody on the budget`() async throws {
        let laboratory = Laboratory()
        let clock = laboratory.clock
        let instants = Log<Duration>()
        let sender = ScriptedSender(capacity: 1, isPrompt: true) { request, number in
            instants.append(clock.now.offset)
            return number == 2 ? .error(503, "UNAVAILABLE", retryAfter: "30") : .accepted(request)
        }
        let report = try await laboratory.run(laboratory.plan(.send(.sample(1...6))), sender)
        #expect(report.result == .ok)
        #expect(instants.entries.prefix(3).allSatisfy { $0 < .seconds(1) })
        #expect(instants.entries.dropFirst(3).allSatisfy { $0 >= .seconds(30) })
    }

    @Test func `a pause lasts into the next step`() async throws {
        let laboratory = Laboratory()
        let clock = laboratory.clock
        let next = Log<Duration>()
        let sender = ScriptedSender(capacity: 2) { request, _ in
            switch request.recipient {
            case 1: return .error(503, "UNAVAILABLE", retryAfter: "50")
            case 2: return .error(403, "PERMISSION_DENIED")
            default:
                next.append(clock.now.offset)
                return .accepted(request)
            }
        }
        _ = try await laboratory.run(
            laboratory.plan(.send(.sample([1, 2])), .send(.sample([3], campaign: "ebb"))), sender)
        #expect(next.entries.count == 1)
        #expect(next.entries.allSatisfy { $0 >= .seconds(50) })
    }

    @Test func `a step ends when FCM wants to be left alone for longer than an hour`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender(capacity: 4, each: [.json(429, "", retryAfter: "7200")])
        let plan = laboratory.plan(.send(.sample(1...50)), .send(.sample(51...60, campaign: "ebb")))
        let report = try await laboratory.run(plan, sender)
        #expect(report.steps.map(\.pending) == [50, 10])
        #expect(sender.requests.count <= 4, "nobody is asked after the pause was ordered")
        #expect(laboratory.clock.now.offset < .seconds(60), "and nobody waits for it")
        #expect(laboratory.memory.state().occurrences.values.allSatisfy { $0.tried.isEmpty })
    }

    @Test func `a send refused for an hour is left to the next run`() async throws {
        let laboratory = Laboratory()
        let sender = ScriptedSender { _, _ in .error(503, "UNAVAILABLE") }
        let report = try await laboratory.run(laboratory.plan(.send(.sample([1]))), sender)
        #expect(report.steps[0].pending == 1)
        #expect(report.steps[0].failures.map(\.action) == [.retryNextRun])
        #expect(report.steps[0].failures.first?.attempts == sender.requests.count)
        #expect(laboratory.clock.now.offset <= .seconds(3601))
        #expect(laboratory.memory.state().occurrences["tide@once"]?.byEntry == [.deferred: [1]])
    }
}

extension OccurrenceID: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}
