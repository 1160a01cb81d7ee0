import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// The order within a run: sends go as soon as they may, and memberships change while nothing may be sent.
@Suite struct PriorityTests {
    /// When the first and the last request of each kind left.
    private struct Times: Sendable {
        let clock: ManualClock
        private let log = Log<(name: String, at: Duration)>()

        init(_ clock: ManualClock) { self.clock = clock }

        func sender(capacity: Int = 8) -> ScriptedSender {
            ScriptedSender(capacity: capacity) { request, number in
                let name =
                    switch request {
                    case .send: request.json["message"]?["notification"]?["title"]?.string ?? ""
                    case .subscribe(_, let topic), .unsubscribe(_, let topic), .batch(_, let topic, _): topic.rawValue
                    case .group(let operation): operation.name.rawValue
                    case .read: "read"
                    }
                log.append((name, clock.now.offset))
                return .accepted(request, number)
            }
        }

        func all(_ name: String) -> [Double] { log.entries.filter { $0.name == name }.map(\.at.seconds) }
        func first(_ name: String) -> Double { all(name).min() ?? .infinity }
        func last(_ name: String) -> Double { all(name).max() ?? .infinity }
    }

    private static let due = Laboratory.start.adding(.seconds(20))
    private static let many = RecipientSet(1...600)

    private func campaign(_ name: String, to target: Campaign.Target = .audience("all")) -> DesiredSend {
        let campaign = Campaign.tide(name, to: target, at: Self.due, title: name)
        return DesiredSend(campaign: campaign, members: target == .audience("all") ? [1, 2] : .target)
    }

    private func laboratory() -> Laboratory {
        var laboratory = Laboratory(population: 1000)
        laboratory.fcm.subscriptionRate = .limited(10)
        laboratory.fcm.propagationDelay = .seconds(60)
        return laboratory
    }

    /// A run that looks again whenever something comes due.
    private func run(
        _ laboratory: Laboratory, _ sends: [DesiredSend], _ topics: [DesiredTopic], _ sender: ScriptedSender
    ) async throws -> Report {
        try await laboratory.run(
            laboratory.plan(sends: sends, topics: topics), sender,
            lookAgain: { _, _ in laboratory.plan(sends: sends, topics: topics) })
    }

    // MARK: Due during a run

    @Test func `what comes due during a long membership step goes out before the rest of it`() async throws {
        let laboratory = laboratory()
        let times = Times(laboratory.clock)
        let report = try await run(
            laboratory, [campaign("sudden")], [DesiredTopic(name: "tides", members: Self.many)], times.sender())
        #expect((20..<22).contains(times.first("sudden")))
        #expect(times.last("sudden") < 22)
        #expect(times.last("tides") > 55)
        #expect(laboratory.memory.state().topics["tides"]?.managed == Self.many)
        #expect(report.steps.map(\.accepted) == [600, 2])
        #expect(report.result == .ok)
    }

    @Test func `what comes due during a long send goes out before the rest of it`() async throws {
        var laboratory = laboratory()
        laboratory.fcm.rate = .limited(10)
        laboratory.fcm.ramp = .zero
        let times = Times(laboratory.clock)
        let long = DesiredSend(campaign: .tide("long", title: "long"), members: Self.many)
        let report = try await run(laboratory, [long, campaign("sudden")], [], times.sender())
        #expect((20..<22).contains(times.first("sudden")))
        #expect(times.last("sudden") < 22)
        #expect(times.last("long") > 55)
        #expect(times.all("long").count == 600)
        #expect(report.result == .ok)
    }

    @Test func `what comes due for a topic that is being changed waits for all of it and settles`() async throws {
        let laboratory = laboratory()
        let times = Times(laboratory.clock)
        _ = try await run(
            laboratory, [campaign("sudden", to: .topic("tides"))],
            [DesiredTopic(name: "tides", members: Self.many)], times.sender())
        #expect(times.all("sudden").count == 1)
        #expect(times.first("sudden") >= times.last("tides") + 60)
        #expect(times.first("sudden") < times.last("tides") + 63)
    }

    @Test func `a topic that something waits for is changed before all others`() async throws {
        let laboratory = laboratory()
        let times = Times(laboratory.clock)
        let topics = [
            DesiredTopic(name: "a", members: Self.many), DesiredTopic(name: "tides", members: RecipientSet(1...100)),
        ]
        let report = try await run(laboratory, [campaign("sudden", to: .topic("tides"))], topics, times.sender())
        // Seen at 20 s. Then 10 s of changes, and 60 s of propagation delay while the other topic is changed.
        #expect((20..<22).contains(times.first("tides")))
        #expect(times.last("tides") < 33)
        #expect((89..<93).contains(times.first("sudden")))
        #expect(times.last("a") < 75)
        #expect(report.result == .ok)
    }

    @Test func `after a look that saw nothing it looks again`() async throws {
        let laboratory = laboratory()
        let times = Times(laboratory.clock)
        let (sends, topics) = ([campaign("sudden")], [DesiredTopic(name: "tides", members: Self.many)])
        let looks = Log<Duration>()
        let clock = laboratory.clock
        _ = try await laboratory.run(
            laboratory.plan(sends: sends, topics: topics), times.sender(),
            lookAgain: { _, _ in
                looks.append(clock.now.offset)
                return looks.entries.count == 1 ? nil : laboratory.plan(sends: sends, topics: topics)
            })
        #expect((28..<33).contains(times.first("sudden")), "at least every ten seconds")
    }

    private static let deviceQuota = Exchange.json(
        429,
        """
        {"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[
          {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"subject":"device:1"}]}]}}
        """, retryAfter: "9999")

    @Test func `whom a send has given up waits for the next run, whatever comes due in this one`() async throws {
        let laboratory = laboratory()
        let news = DesiredSend(campaign: .tide("news", title: "news"), members: RecipientSet(3...10))
        let tries = Attempts()
        let sender = ScriptedSender { request, number in
            // FCM has had enough of the device for longer than a run is patient.
            request.recipient == 5 && request.json["message"] != nil && tries.next(of: 5) == 0
                ? Self.deviceQuota : .accepted(request, number)
        }
        let topics = [DesiredTopic(name: "tides", members: Self.many)]
        let report = try await run(laboratory, [news, campaign("sudden")], topics, sender)
        let step = try #require(report.steps.first { $0.id == .send("news@once") })
        #expect(step.parts == [7, 0, 0, 0, 0, 1])
        #expect(step.failures.map(\.action) == [.retryNextRun])
        #expect(report.result == .failed)
        let next = try await run(laboratory, [news], topics, sender)
        #expect(next.steps.map(\.parts) == [[1, 0, 0, 0, 0, 0]] && next.result == .ok)
        #expect(laboratory.memory.state().occurrences["news@once"]?.finished != nil)
    }

    @Test(arguments: [true, false])
    func `whom a pause held is counted once if the send goes on in the same run`(_ isHeldFromTheBeginning: Bool)
        async throws
    {
        var laboratory = laboratory()
        laboratory.fcm.ramp = .zero
        var campaign = Campaign.tide("news", title: "news")
        (campaign.delivery.rate, campaign.delivery.onUnknown) = (.limited(2), .resend)
        let news = DesiredSend(campaign: campaign, members: RecipientSet(3...12))
        let (clock, memory) = (laboratory.clock, laboratory.memory)
        var left = 10
        if isHeldFromTheBeginning {
            let sender = ScriptedSender()
            _ = try await laboratory.run(
                laboratory.plan(sends: [news]), sender, stop: { sender.requests.count > 2 ? .machine : nil })
            // Nobody knows any more what came of one of them.
            try memory.commit([.outcome("news@once", [3], .unknown), .pause("news")])
            left -= memory.state().occurrences["news@once"]?.ledger?[.accepted].count ?? 0
        }
        let tries = Attempts()
        let sender = ScriptedSender { request, number in
            let isNews = request.json["message"]?["notification"]?["title"]?.string == "news"
            if isNews, !isHeldFromTheBeginning, tries.next(of: 1) == 3 { try? memory.commit([.pause("news")]) }
            if clock.now.offset > .seconds(15) { try? memory.commit([.resume("news")]) }
            return .accepted(request, number)
        }
        let topics = [DesiredTopic(name: "tides", members: Self.many)]
        let report = try await run(laboratory, [news, self.campaign("sudden")], topics, sender)
        let step = try #require(report.steps.first { $0.id == .send("news@once") })
        #expect(step.planned == left && step.accepted == left && step.held == 0 && step.pending == 0)
        #expect(report.result == .ok)
        #expect(memory.state().occurrences["news@once"]?.finished != nil)
    }

    @Test func `what is missed or superseded is counted once, however often it is seen`() async throws {
        let laboratory = laboratory()
        let hourly = try Campaign.cron("0 * * * *", "hourly", to: .topic("tides"), maxLateness: .seconds(5400))
        let mark = Laboratory.start.adding(.seconds(-9000))
        try laboratory.memory.commit([
            .watermark("hourly", Watermark(at: mark, schedule: hourly.schedule.text, next: nil))
        ])
        let sends = [campaign("sudden"), DesiredSend(campaign: hourly, members: .target)]
        let report = try await run(
            laboratory, sends, [DesiredTopic(name: "tides", members: Self.many)], ScriptedSender())
        #expect(report.missedOccurrences.map(\.occurrence) == ["hourly@2026-12-01T06:00:00Z"])
        #expect(report.missed == 1)
        #expect(report.superseded.map(\.occurrence) == ["hourly@2026-12-01T07:00:00Z"])
        #expect(laboratory.plan(sends: sends).missed.isEmpty)
    }

    // MARK: Propagation delay

    @Test func `while one topic settles the others are changed, and the send goes before what is left`() async throws {
        let laboratory = laboratory()
        let times = Times(laboratory.clock)
        let send = DesiredSend(campaign: .tide("now", to: .topic("b"), title: "now"), members: .target)
        let topics = [
            DesiredTopic(name: "a", members: RecipientSet(1...1000)), DesiredTopic(name: "b", members: [1]),
        ]
        let report = try await run(laboratory, [send], topics, times.sender())
        #expect((60..<62).contains(times.first("now")))
        #expect((99..<105).contains(times.last("a")), "nothing waited for the settling")
        #expect(report.result == .ok)
    }

    @Test func `sends that wait for nothing go before all memberships`() async throws {
        let laboratory = laboratory()
        let times = Times(laboratory.clock)
        let send = DesiredSend(campaign: .tide("now", title: "now"), members: [1, 2])
        _ = try await run(laboratory, [send], [DesiredTopic(name: "a", members: [1, 2])], times.sender())
        #expect(times.last("now") <= times.first("a"))
    }
}
