import FCM
import HeraldTestSupport
import Synchronization
import Testing

@testable import HeraldCore

/// Memberships through each of FCM's two services: one request for each pair, or batches.
@Suite struct TopicAPITests {
    private static let html = Exchange.json(404, "<html>Not Found</html>")
    private static let disabled = Exchange.json(
        403,
        #"{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED"}]}}"#
    )

    private func laboratory(_ api: TopicAPI, population: Int = 100) -> Laboratory {
        var laboratory = Laboratory(population: population)
        laboratory.fcm.topicAPI = api
        return laboratory
    }

    private func topics(_ members: RecipientSet, _ names: TopicName...) -> [DesiredTopic] {
        names.map { DesiredTopic(name: $0, members: members) }
    }

    /// Answers batches with a result for each registration: `{}` or an error.
    private func batches(_ error: @escaping @Sendable (RecipientID, _ attempt: Int) -> String?) -> ScriptedSender {
        let attempts = Attempts()
        return ScriptedSender { request, number in
            guard case .batch(_, _, let registrations) = request else { return .accepted(request, number) }
            let results = registrations.map { registration in
                let id = Request.batch(.add, "t", [registration]).recipient
                return error(id, attempts.next(of: id)).map { #"{"error":"\#($0)"}"# } ?? "{}"
            }
            return .json(200, #"{"results":[\#(results.joined(separator: ","))]}"#)
        }
    }

    // MARK: Batches

    @Test func `batches hold a thousand at most, in order`() async throws {
        let laboratory = laboratory(.iid, population: 2500)
        let sender = ScriptedSender(capacity: 1)
        let everybody = RecipientSet(1...2500)
        let report = try await laboratory.run(laboratory.plan(topics: topics(everybody, "tides")), sender)
        #expect(sender.requests.map(\.batch.count) == [1000, 1000, 500])
        #expect(sender.requests.flatMap(\.batch) == (1...2500).map { .fid($0) })
        #expect(report.steps.map(\.accepted) == [2500])
        #expect(laboratory.memory.state().topics["tides"]?.managed == everybody)
        _ = try await laboratory.run(laboratory.plan(topics: topics([1], "tides")), sender)
        #expect(sender.requests.dropFirst(3).map(\.batch.count) == [1000, 1000, 499])
        #expect(laboratory.memory.state().topics["tides"]?.managed == [1])
    }

    @Test func `a batch holds no more than may start in a second`() async throws {
        var laboratory = laboratory(.iid, population: 700)
        laboratory.fcm.subscriptionRate = .limited(300)
        let log = Log<(at: Duration, count: Int)>()
        let clock = laboratory.clock
        let sender = ScriptedSender { request, number in
            log.append((clock.now.offset, request.batch.count))
            return .accepted(request, number)
        }
        _ = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...700), "tides")), sender)
        #expect(log.entries.map(\.count) == [300, 300, 100])
        for (index, entry) in log.entries.enumerated() {
            let second = log.entries[index...].prefix { $0.at < entry.at + .seconds(1) }
            #expect(second.reduce(0) { $0 + $1.count } <= 300)
        }
        #expect(clock.now.offset >= .seconds(2) && clock.now.offset < .seconds(3))
    }

    @Test func `each index of an answer counts for its own registration`() async throws {
        let laboratory = laboratory(.iid)
        let sender = batches { id, attempt in
            switch id {
            case 3: "NOT_FOUND"
            case 5: "TOO_MANY_TOPICS"
            case 7, 8: attempt == 0 ? "RESOURCE_EXHAUSTED" : nil
            case 9: attempt == 0 ? "INTERNAL" : nil
            default: nil
            }
        }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...20), "tides")), sender)
        let step = try #require(report.steps.first)
        #expect(step.accepted == 18)
        #expect(step.rejected == 2)
        #expect(step.forgotten == 1)
        #expect(step.retries == 3)
        #expect(step.failures.map(\.code).sorted() == ["NOT_FOUND", "TOO_MANY_TOPICS"])
        #expect(
            sender.requests.dropFirst().flatMap(\.batch).map(\.rawValue).sorted()
                == [7, 8, 9].map { Registration.fid($0).rawValue })
        #expect(laboratory.clock.now.offset >= .seconds(60), "a minute before what was too much is asked for again")
        let state = laboratory.memory.state()
        #expect(state.dead == [3])
        #expect(state.topics["tides"]?.managed == RecipientSet(1...20).subtracting([3, 5]))
        #expect(state.topics["tides"]?.subscribing == [])
    }

    /// FCM refuses for good to subscribe 5. 20 is suppressed.
    @Test func `who is suppressed leaves a topic's earlier name, whoever cannot join the new one`() async throws {
        let laboratory = laboratory(.iid)
        let sender = batches { id, attempt in id == 5 && attempt > 0 ? "TOO_MANY_TOPICS" : nil }
        _ = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...20), "ebb")), sender)
        let renamed = DesiredTopic(name: "tides", members: RecipientSet(1...19), previousNames: ["ebb"])
        for left in [1, 0] {
            let plan = laboratory.plan(topics: [renamed], suppressed: [20])
            let report = try await laboratory.run(plan, sender)
            let leave = try #require(report.steps.first { $0.id == "unsubscribe:ebb" })
            #expect(leave.parts == [left, 0, 0, 0, 19, 0])
            #expect((leave.stopped?.words ?? leave.note) == "not everybody has joined topic 'tides' yet")
            #expect(report.result == .failed)
            #expect(laboratory.memory.state().topics["ebb"]?.managed == RecipientSet(1...19))
        }
        #expect(sender.requests.filter { $0.batch == [.fid(20)] }.count == 1)
    }

    @Test(arguments: [
        Exchange.json(200, #"{"error":"INTERNAL"}"#), .json(200, #"{"results":[{}]}"#), .json(200, "<html>"),
        .json(200, "{}"), .json(503, #"{"error":"UNAVAILABLE"}"#), .json(429, #"{"error":"RESOURCE_EXHAUSTED"}"#),
        .error(500, "INTERNAL"), .json(502, "<html>"), .lost(reason: "cut"), .notSent(reason: "REFUSED_STREAM"),
    ])
    func `a batch without a usable answer is repeated whole`(_ answer: Exchange) async throws {
        let laboratory = laboratory(.iid)
        let sender = ScriptedSender { request, number in number == 0 ? answer : .accepted(request, number) }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...20), "tides")), sender)
        #expect(sender.requests.map(\.batch.count) == [20, 20])
        #expect(report.steps[0].accepted == 20)
        #expect(report.result == .ok)
        #expect(laboratory.memory.state().topics["tides"]?.managed == RecipientSet(1...20))
    }

    @Test(arguments: [
        Exchange.json(400, #"{"error":"INVALID_ARGUMENT"}"#), .json(403, #"{"error":"PERMISSION_DENIED"}"#),
        .json(200, #"{"error":"Topic name format is invalid"}"#), .json(404, "<html>"), .json(501, ""),
    ])
    func `a batch that is refused ends the step and leaves no trace`(_ answer: Exchange) async throws {
        let laboratory = laboratory(.iid)
        let sender = ScriptedSender { _, _ in answer }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...20), "tides")), sender)
        #expect(sender.requests.count == 1)
        #expect(report.steps[0].pending == 20)
        #expect(report.result == .failed)
        #expect(laboratory.memory.state().topics["tides"]?.isEmpty == true)
    }

    // MARK: Choosing a service

    @Test func `'auto' asks about one registration before it asks about others`() async throws {
        let laboratory = laboratory(.auto)
        let underWay = Log<Int>()
        let clock = laboratory.clock
        let sender = ScriptedSender { request, number in
            underWay.append(number)
            if number == 0 {
                try? await clock.sleep(for: .seconds(2))
                #expect(underWay.entries == [0])
            }
            return .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...50), "tides")), sender)
        #expect(sender.requests.count == 50)
        #expect(report.notes.isEmpty)
        #expect(laboratory.memory.state().topicAPI?.api == .registrations)
    }

    @Test(arguments: [html, .json(404, ""), .json(501, "<html>"), .error(501, "UNIMPLEMENTED"), disabled])
    func `'auto' goes over to batches where there is no other service, and says so once`(_ answer: Exchange)
        async throws
    {
        let laboratory = laboratory(.auto)
        let sender = ScriptedSender { request, number in
            if case .batch = request { .accepted(request, number) } else { answer }
        }
        let plan = laboratory.plan(topics: topics(RecipientSet(1...50), "tides", "winds"))
        let report = try await laboratory.run(plan, sender)
        #expect(sender.requests.map(\.batch.count) == [1, 50, 50])
        #expect(sender.requests.map(\.isBatch) == [false, true, true])
        #expect(report.steps.map(\.accepted) == [50, 50])
        #expect(report.result == .ok)
        #expect(report.notes.count == 1)
        let state = laboratory.memory.state()
        #expect(state.topicAPI?.api == .iid)
        #expect(state.topics.values.allSatisfy { $0.managed == RecipientSet(1...50) && $0.subscribing.isEmpty })
    }

    @Test(arguments: [
        (Exchange.unregistered, 0), (.error(404, "NOT_FOUND"), 0), (.error(403, "PERMISSION_DENIED"), 50),
        (.error(400, "INVALID_ARGUMENT"), 0), (.error(409, "ALREADY_EXISTS"), 0),
    ])
    func `'auto' stays with an API that is there, whatever it answers`(_ answer: Exchange, _ pending: Int) async throws
    {
        let laboratory = laboratory(.auto)
        let sender = ScriptedSender { request, number in number == 0 ? answer : .accepted(request, number) }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...50), "tides")), sender)
        #expect(sender.requests.allSatisfy { !$0.isBatch })
        #expect(report.notes.isEmpty)
        #expect(report.steps[0].pending == pending)
        #expect(laboratory.memory.state().topicAPI?.api == (pending == 0 ? .registrations : nil))
    }

    @Test func `until an answer tells there is one request at a time`() async throws {
        let laboratory = laboratory(.auto)
        let sender = ScriptedSender { request, number in
            number < 2 ? .error(503, "UNAVAILABLE") : number == 2 ? Self.html : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...50), "tides")), sender)
        #expect(sender.requests.prefix(4).map(\.isBatch) == [false, false, false, true])
        #expect(sender.requests.dropFirst(3).reduce(0) { $0 + $1.batch.count } == 50)
        #expect(report.steps[0].accepted == 50)
    }

    @Test(arguments: [TopicAPI.iid, .registrations])
    func `a later run does not probe`(_ api: TopicAPI) async throws {
        let laboratory = laboratory(.auto)
        try laboratory.memory.commit([.topicAPI(api, at: Laboratory.start)])
        // A probe would be in flight alone. These requests need not wait for each other.
        let underWay = Mutex((now: 0, most: 0))
        let sender = ScriptedSender(capacity: 8) { request, number in
            underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            for _ in 0..<1000 { await Task.yield() }
            underWay.withLock { $0.now -= 1 }
            return .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...8), "tides")), sender)
        #expect((underWay.withLock(\.most) > 1) == (api == .registrations))
        #expect(sender.requests.allSatisfy { $0.isBatch == (api == .iid) })
        #expect(report.notes.isEmpty)
    }

    @Test(arguments: [(23, true), (24, false), (-1, false)])
    func `after a day it asks anew whether the project has the newer API`(_ hours: Int, _ isRemembered: Bool)
        async throws
    {
        let laboratory = laboratory(.auto)
        try laboratory.memory.commit([.topicAPI(.iid, at: Laboratory.start.adding(.seconds(-hours * 3600)))])
        let sender = ScriptedSender()
        _ = try await laboratory.run(laboratory.plan(topics: topics([1, 2], "tides")), sender)
        #expect(sender.requests.allSatisfy { $0.isBatch == isRemembered })
        #expect(laboratory.memory.state().topicAPI?.api == (isRemembered ? .iid : .registrations))
    }

    // MARK: After the end of a service

    /// Memberships, a group, sends to both, and a send that needs neither. FCM lacks the newer API if `isOld`.
    private func runAfterTheEnd(_ api: TopicAPI, at endpoint: EndpointKind, isOld: Bool = false) async throws
        -> (report: Report, requests: [Request])
    {
        var laboratory = Laboratory(start: EndOfService.begin)
        laboratory.fcm.topicAPI = api
        laboratory.endpoint = endpoint
        try laboratory.memory.commit([
            .topicAPI(.iid, at: EndOfService.begin), .groupKey("chris", NotificationKey(rawValue: "APA91bKey")),
            .groupMembers("chris", [1, 2], .member),
        ])
        var each = Plan.Send.sample([1, 2], campaign: "each", target: .group("chris"))
        each.delivery.members = .each
        let plan = laboratory.plan(
            .subscribe("tides", [1, 2]), .group(.init(group: "chris", action: .add, members: [3])),
            .send(.sample([0], campaign: "key", target: .group("chris"))), .send(each), .send(.sample([4, 5])))
        let sender = ScriptedSender { request, number in
            if isOld, case .subscribe = request { Self.html } else { .accepted(request, number) }
        }
        return (try await laboratory.run(plan, sender), sender.requests)
    }

    @Test func `after its end only the steps that need a service fail, without a request`() async throws {
        let (report, requests) = try await runAfterTheEnd(.iid, at: .fcm)
        #expect(report.steps.map(\.accepted) == [0, 0, 0, 2, 2])
        #expect(report.steps.map(\.pending) == [2, 1, 1, 0, 0])
        #expect(requests.allSatisfy { if case .send = $0 { true } else { false } })
        #expect(report.steps[0].stopped?.words == "the Instance ID service ended on 2027-09-29")
        #expect(report.steps[1].stopped?.words == "device groups ended on 2027-09-29")
        #expect(report.result == .failed)
    }

    @Test func `an emulator has the services for ever`() async throws {
        let (report, requests) = try await runAfterTheEnd(.iid, at: .emulator)
        #expect(report.steps[0].accepted == 2)
        #expect(requests.contains { $0.isBatch })
        #expect(report.steps[1...2].allSatisfy { $0.stopped?.words != "device groups ended on 2027-09-29" })
    }

    @Test(arguments: [false, true])
    func `after its end 'auto' does not fall back to it, whatever it remembers`(isOld: Bool) async throws {
        let (report, requests) = try await runAfterTheEnd(.auto, at: .fcm, isOld: isOld)
        #expect(!requests.contains { $0.isBatch })
        #expect(report.steps[0].accepted == (isOld ? 0 : 2))
        #expect(report.steps[4].accepted == 2)
    }

    @Test func `the setting goes before what the state remembers`() async throws {
        let laboratory = laboratory(.registrations)
        try laboratory.memory.commit([.topicAPI(.iid, at: Laboratory.start)])
        let sender = ScriptedSender()
        _ = try await laboratory.run(laboratory.plan(topics: topics([1, 2], "tides")), sender)
        #expect(sender.requests.allSatisfy { !$0.isBatch })
    }

    @Test func `a chosen API that is not there ends the step`() async throws {
        let laboratory = laboratory(.registrations)
        let sender = ScriptedSender(capacity: 1) { _, _ in Self.html }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...5), "tides")), sender)
        #expect(sender.requests.count == 1)
        #expect(report.steps[0].pending == 5)
        #expect(report.result == .failed)
        #expect(report.notes.isEmpty)
    }

    @Test func `a page that is not Google's does not change an API that has worked`() async throws {
        let laboratory = laboratory(.auto)
        let sender = ScriptedSender(capacity: 1) { request, number in
            number == 3 ? Self.html : .accepted(request, number)
        }
        let report = try await laboratory.run(laboratory.plan(topics: topics(RecipientSet(1...9), "tides")), sender)
        #expect(sender.requests.allSatisfy { !$0.isBatch })
        #expect(report.steps[0].accepted == 3)
        #expect(report.steps[0].pending == 6)
    }

    // MARK: Managed and pre-existing

    @Test func `a subscription that was there is never taken away`() async throws {
        let laboratory = laboratory(.auto)
        let fcm = ModelFCM()
        fcm.change { $0.topics["tides"] = [.fid(2), .fid(9)] }
        let report = try await laboratory.run(laboratory.plan(topics: topics([1, 2, 3], "tides")), fcm)
        #expect(report.steps[0].preexisting == 1)
        #expect(laboratory.memory.state().topics["tides"]?.preexisting == [2])
        _ = try await laboratory.run(laboratory.plan(topics: topics([3], "tides")), fcm)
        #expect(fcm.now.topics["tides"] == [.fid(2), .fid(3), .fid(9)])
        _ = try await laboratory.run(laboratory.plan(topics: []), fcm)
        #expect(fcm.now.topics["tides"] == [.fid(2), .fid(9)])
    }
}

extension Request {
    /// The registrations whose membership it changes.
    fileprivate var batch: [Registration] {
        switch self {
        case .batch(_, _, let registrations): registrations
        case .subscribe(let registration, _), .unsubscribe(let registration, _): [registration]
        case .send, .group, .read: []
        }
    }

    fileprivate var isBatch: Bool { if case .batch = self { true } else { false } }
}
