import FCM
import Foundation
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore

/// Questions for subscriptions, in simulated time.
struct SurveyStateTests {
    var lab = Laboratory(population: 100)
    private var settle = Duration.seconds(60)

    init() {
        // Everybody follows news. 1 to 50 follow surf, too.
        for topic in ["news", "surf"] as [TopicName] {
            let members = RecipientSet(1..<(topic == "news" ? 101 : 51))
            try? lab.memory.commit([.members(topic, members, .managed, at: lab.now)])
        }
    }

    func survey(
        _ purpose: Survey.Purpose = .comparison(records: true), asking members: RecipientSet = RecipientSet(1..<101),
        limit: Int? = nil, time: Duration? = nil
    ) -> Survey {
        let state = lab.memory.snapshot()
        return Survey(
            purpose, ExpectedSubscriptions(of: ["news", "surf"], filled: ["news", "surf"], in: state),
            asking: members, limit: limit, time: time, in: Project(id: "p"), settle: settle,
            noted: RecordedState.observationTime(lab.now), after: state.observed)
    }

    func ask(
        _ survey: Survey, _ sender: any Sender, stop: @escaping @Sendable () -> Stop? = { nil },
        halt: @escaping @Sendable () async -> Void = Stop.never
    ) async throws -> SurveyReport {
        let (clock, start) = (lab.clock, lab.start)
        let surroundings = Executor<ManualClock>.Surroundings(
            store: lab.store, sender: sender, clock: clock, now: { start.adding(clock.now.offset) }, random: lab.random,
            fingerprints: Fingerprinter(key: lab.store.fingerprintKey), stop: stop, halt: halt)
        return try await Surveyor(RunOptions(fcm: lab.fcm, guards: lab.guards), at: lab.endpoint, in: surroundings)
            .carryOut(survey, from: try await lab.store.snapshot(), as: "s") { _ in }
    }

    static func answer(_ topics: some Sequence<String>, next: String = "") -> Exchange {
        let list = topics.map { #"{"topicName":"\#($0)"}"# }.joined(separator: ",")
        return .json(200, #"{"topicSubscriptions":[\#(list)],"nextPageToken":"\#(next)"}"#)
    }

    /// What FCM has if nothing drifted.
    static func truth(_ number: Int) -> [String] { number <= 50 ? ["news", "surf"] : ["news"] }

    static func number(_ request: Request) -> Int {
        guard case .read(let query) = request else { return 0 }
        return Int(query.registration.rawValue.suffix(17)) ?? 0
    }

    /// How often something has happened, of each number.
    private final class Times: Sendable {
        private let counts = Mutex<[Int: Int]>([:])

        /// Returns the number of times, with this one.
        func count(_ number: Int) -> Int {
            counts.withLock { counts in
                counts[number, default: 0] += 1
                return counts[number, default: 0]
            }
        }
    }

    func observed() -> RecipientSet { lab.memory.snapshot().observed.all }

    // MARK: What is found

    @Test func `where FCM is as the state has it, each registration is asked for once`() async throws {
        let sender = ScriptedSender { request, _ in Self.answer(Self.truth(Self.number(request))) }
        let report = try await ask(survey(), sender)
        #expect(report.requests == 100 && sender.requests.count == 100)
        #expect(report.figures["news"].same == 100 && report.figures["surf"].same == 50)
        #expect(report.figures.drifted == 0 && report.end == nil && report.pending == 0)
        #expect(observed() == RecipientSet(1..<101))
    }

    @Test func `a difference counts when it is still there after settling`() async throws {
        let asked = Times()
        let clock = lab.clock
        let sender = ScriptedSender { request, _ in
            let number = Self.number(request)
            let times = asked.count(number)
            switch number {
            case 1: return Self.answer(["news"])  // left surf
            case 2: return Self.answer(times == 1 ? [] : ["news", "surf"])  // a late answer
            case 60: return Self.answer(["news", "surf"])  // foreign
            default:
                #expect(times == 1 || clock.now.offset >= .seconds(60))
                return Self.answer(Self.truth(number))
            }
        }
        let report = try await ask(survey(), sender)
        #expect(report.figures["surf"].left == [1] && report.figures["news"].left == [])
        #expect(report.figures["surf"].foreign == [60])
        #expect(report.figures.drifted == 2)
        #expect(report.requests == 103 && report.askedAgain == 3)
        #expect(clock.now.offset >= .seconds(60))
        let surf = try #require(lab.memory.snapshot().topics["surf"])
        #expect(surf.left == [1])
        #expect(surf.changed == lab.start)
        #expect(!surf.recipients.all.contains(60))
    }

    @Test func `a difference that was not there before is asked for once more`() async throws {
        let asked = Times()
        let sender = ScriptedSender { request, _ in
            let number = Self.number(request)
            let times = asked.count(number)
            guard number == 1 else { return Self.answer(Self.truth(number)) }
            return Self.answer(times == 1 ? ["news"] : [])
        }
        let report = try await ask(survey(), sender)
        #expect(report.figures["surf"].left == [1] && report.figures["news"].left == [1])
        #expect(report.requests == 102)
    }

    @Test func `a registration that differs in another way each time is given up`() async throws {
        let sender = ScriptedSender { request, number in
            Self.number(request) == 1
                ? Self.answer(number.isMultiple(of: 2) ? ["news"] : ["surf"])
                : Self.answer(Self.truth(Self.number(request)))
        }
        let report = try await ask(survey(asking: [1]), sender)
        #expect(report.figures.failed == [1])
        #expect(report.requests == 4)
        #expect(observed().isEmpty)
    }

    @Test func `without recording only who was asked for is written`() async throws {
        let before = lab.memory.state()
        let sender = ScriptedSender { _, _ in Self.answer([]) }
        let report = try await ask(survey(.comparison(records: false)), sender)
        #expect(report.figures["news"].left.count == 100)
        var after = lab.memory.state()
        #expect(after.observed.all == RecipientSet(1..<101))
        after.observed = before.observed
        #expect(after == before)
    }

    // MARK: Pages

    @Test func `pages make one list`() async throws {
        let sender = ScriptedSender { request, _ in
            guard case .read(.subscriptions(_, let mark)) = request else { return .json(400, "{}") }
            switch mark?.rawValue {
            case nil: return Self.answer(["news"], next: "b")
            case "b": return Self.answer(["news"], next: "c")
            default: return Self.answer(["surf"])
            }
        }
        let report = try await ask(survey(asking: [1, 2]), sender)
        #expect(report.figures["surf"].same == 2 && report.figures.drifted == 0)
        #expect(report.requests == 6 && report.pages == 4)
    }

    @Test(arguments: [false, true])
    func `a list without an end is refused`(_ isNew: Bool) async throws {
        let sender = ScriptedSender { request, number in
            Self.number(request) == 1
                ? Self.answer(["news"], next: isNew ? "\(number)" : "a") : Self.answer(["news", "surf"])
        }
        let report = try await ask(survey(asking: [1, 2]), sender)
        #expect(report.figures.failed == [1] && report.figures["surf"].same == 1)
        #expect(report.figures.failures == ["UNREADABLE_RESPONSE": 1])
        #expect(sender.requests.count == (isNew ? 102 : 3))
        #expect(observed() == [2])
    }

    @Test func `after a failure the same page is asked for again`() async throws {
        let failed = Mutex(false)
        let sender = ScriptedSender { request, _ in
            guard case .read(.subscriptions(_, let mark)) = request else { return .json(400, "{}") }
            guard mark != nil else { return Self.answer(["news"], next: "b") }
            let isFirst = failed.withLock { failed in
                defer { failed = true }
                return !failed
            }
            return isFirst ? .error(503, "UNAVAILABLE") : Self.answer(["surf"])
        }
        let report = try await ask(survey(asking: [1]), sender)
        #expect(report.figures["surf"].same == 1 && report.requests == 3 && report.retries == 1)
    }

    // MARK: Failures

    @Test func `who is dead, and who cannot be asked for, is told apart`() async throws {
        let sender = ScriptedSender { request, _ in
            switch Self.number(request) {
            case 1: .unregistered
            case 2: .error(400, "INVALID_ARGUMENT")
            case 3: .error(403, "PERMISSION_DENIED", fcm: "SENDER_ID_MISMATCH")
            case let number: Self.answer(Self.truth(number))
            }
        }
        let report = try await ask(survey(), sender)
        #expect(report.figures.dead == [1])
        #expect(report.figures.failures == ["INVALID_ARGUMENT": 1, "SENDER_ID_MISMATCH": 1])
        #expect(report.figures["news"].dead == 1 && report.figures["news"].failed == 2)
        #expect(report.figures["news"].same == 97)
        #expect(observed() == RecipientSet(1..<101).subtracting([2, 3]))
    }

    @Test func `a wrong project, where everybody looks dead, ends it, and nobody is noted`() async throws {
        let sender = ScriptedSender { _, _ in .unregistered }
        let report = try await ask(survey(), sender)
        guard case .impossible = report.end else {
            Issue.record("\(String(describing: report.end))")
            return
        }
        #expect(report.figures.hasTooManyDead(limit: 10))
        #expect(observed().isEmpty)
    }

    @Test(arguments: [
        (Exchange.error(403, "PERMISSION_DENIED"), 1), (.error(401, "UNAUTHENTICATED"), 2),
        (.error(403, "PERMISSION_DENIED", message: "no"), 1),
    ])
    func `what holds for everybody ends it`(_ exchange: Exchange, _ requests: Int) async throws {
        let sender = ScriptedSender { _, _ in exchange }
        let report = try await ask(survey(), sender)
        guard case .impossible = report.end else {
            Issue.record("\(String(describing: report.end))")
            return
        }
        #expect(sender.requests.count == requests)
        #expect(report.pending == 100 && observed().isEmpty)
    }

    @Test func `FCM's wish to wait holds for all`() async throws {
        let clock = lab.clock
        let sender = ScriptedSender { request, number in
            if number == 10 { return .error(429, "RESOURCE_EXHAUSTED", retryAfter: "37") }
            return Self.answer(Self.truth(Self.number(request)))
        }
        let report = try await ask(survey(), sender)
        #expect(report.figures["news"].same == 100 && report.requests == 101)
        #expect(clock.now.offset >= .seconds(37))
    }

    @Test func `nothing is asked faster than the rate of memberships`() async throws {
        var copy = self
        copy.lab.fcm.subscriptionRate = .limited(10)
        let starts = Mutex<[Duration]>([])
        let clock = lab.clock
        let sender = ScriptedSender { request, _ in
            starts.withLock { $0.append(clock.now.offset) }
            return Self.answer(Self.truth(Self.number(request)))
        }
        _ = try await copy.ask(copy.survey(), sender)
        let times = starts.withLock(\.self)
        #expect(times.count == 100)
        // The clock may go on before a request is noted, so each is judged by itself: ten in each second.
        for (place, time) in times.sorted().enumerated() { #expect(time >= .seconds(place / 10)) }
    }

    // MARK: The Instance ID service

    @Test func `where the project lacks the API, the Instance ID service is asked`() async throws {
        var copy = self
        copy.lab.fcm.topicAPI = .auto
        let sender = ScriptedSender { request, _ in
            guard case .read(.information) = request else { return .json(404, "<html>Not Found</html>") }
            let topics = Self.truth(Self.number(request)).map { #""\#($0)":{"addDate":"2026-01-01"}"# }
            return .json(200, #"{"rel":{"topics":{\#(topics.joined(separator: ","))}}}"#)
        }
        let report = try await copy.ask(copy.survey(), sender)
        #expect(report.figures["news"].same == 100 && report.figures.drifted == 0)
        #expect(sender.requests.count == 101)
    }

    @Test func `after the service's end nothing is asked`() async throws {
        var copy = self
        copy.lab.fcm.topicAPI = .iid
        copy.lab.endpoint = .fcm
        copy.lab.clock.advance(by: .seconds(400 * 86_400))
        let sender = ScriptedSender()
        let report = try await copy.ask(copy.survey(), sender)
        #expect(report.end == .impossible("the Instance ID service ended on 2027-09-29"))
        #expect(sender.requests.isEmpty)
    }

    // MARK: Taking a topic in

    @Test func `who follows a topic is taken in, and nobody else changes`() async throws {
        let sender = ScriptedSender { request, _ in
            let number = Self.number(request)
            return Self.answer(number.isMultiple(of: 2) ? ["news", "old"] : ["news"])
        }
        let report = try await ask(survey(.taking("old", .importedAsPreexisting)), sender)
        #expect(report.requests == 100 && report.following.count == 50)
        let state = lab.memory.snapshot()
        #expect(state.topics["old"]?.preexisting == RecipientSet((1...50).map { $0 * 2 }))
        #expect(state.topics["old"]?.changed == nil)
        #expect(state.topics["surf"]?.managed.count == 50)
    }
}
