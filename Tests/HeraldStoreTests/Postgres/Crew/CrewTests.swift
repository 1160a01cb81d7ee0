import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore
@testable import HeraldStore

/// Several processes send for one run: nobody gets anything twice, nobody is left out, and all is accounted for.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct CrewTests {
    @Test func `a run alone shares nothing`() async throws {
        let scene = try await CrewScene(500)
        let report = try await scene.conduct()
        #expect(report.result == .ok)
        #expect(scene.log.count == 500)
        #expect(try await scene.leftovers() == 0)
    }

    @Test(arguments: [1, 3])
    func `all help, and everybody gets it once`(helpers: Int) async throws {
        let scene = try await CrewScene(4000)
        let over = Switch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for process in 1...helpers {
                group.addTask { _ = try await scene.help(process) { over.isOn } }
            }
            try await scene.eventually { try await scene.helpers() == helpers }
            let report = try await scene.conduct()
            over.turnOn()
            #expect(report.result == .ok, "\(report.steps.map(\.stopped))")
            #expect(report.steps[0].accepted == 4000 && report.steps[0].pending == 0)
            try await group.waitForAll()
        }
        #expect(scene.log.count == 4000 && scene.log.repeated.isEmpty)
        #expect(scene.log.processes == Set(0...helpers))
        let ledger = try await scene.ledger
        #expect(ledger[.accepted].count == 4000)
        #expect(try await scene.leftovers() == 0)
    }

    @Test func `a database without the characters of a message keeps nobody from helping`() async throws {
        let shared = try PostgresTestServer.newSchema()
        let latin = try await PostgresTestServer.newDatabase(encoding: "LATIN1").name
        let server = PostgresServer(
            name: "test", schema: shared.schema, parameters: shared.parameters.merging(["dbname": latin]) { $1 },
            times: shared.times)
        var started = try await CrewScene(1000, on: server)
        started.content = MessageContent(["notification": ["title": "Tide 🌊 水"]])
        let scene = started
        let refusal = """
            {"error":{"code":400,"message":"水","status":"INVALID_ARGUMENT","details":[
              {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}]}}
            """
        scene.log.answer { _, number in
            number % 50 == 7 ? .response(Response(status: 400, body: Array(refusal.utf8))) : nil
        }
        let over = Switch()
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        let report = try await scene.conduct()
        over.turnOn()
        _ = try await help
        let step = report.steps[0]
        #expect(step.accepted + step.rejected == 1000 && step.rejected > 0, "\(String(describing: step.stopped))")
        #expect(scene.log.processes == [0, 1] && scene.log.repeated.isEmpty)
    }

    @Test func `a quota that FCM tells a helper is remembered`() async throws {
        let scene = try await CrewScene(2000)
        let refusal = """
            {"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[
              {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED",
               "metadata":{"quota_limit_value":"750000","quota_unit":"1/min/{project}"}}]}}
            """
        let told = Switch()
        scene.log.answer { arrival, _ in
            guard arrival.process == 1, !told.isOn else { return nil }
            told.turnOn()
            return .response(Response(status: 429, retryAfter: "0", body: Array(refusal.utf8)))
        }
        let over = Switch()
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        let report = try await scene.conduct()
        over.turnOn()
        _ = try await help
        #expect(told.isOn, "the helper sent nothing")
        #expect(report.result == .ok && report.steps[0].accepted == 2000)
        #expect(try await PostgresStore.open(scene.server).snapshot().sendQuota?.perMinute == 750_000)
    }

    @Test func `a helper that is told to stop gives back what it did not send`() async throws {
        let scene = try await CrewScene(3000)
        let over = Switch()
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        async let conducted = scene.conduct()
        try await scene.eventually { scene.log.processes.contains(1) }
        over.turnOn()
        let report = try await conducted
        _ = try await help
        #expect(report.result == .ok)
        #expect(scene.log.count == 3000 && scene.log.repeated.isEmpty)
        #expect(try await scene.leftovers() == 0)
    }

    @Test func `a helper that is told to stop keeps nobody to whom it is to be sent again`() async throws {
        let scene = try await CrewScene(3000, onUnknown: .resend)
        let store = try await PostgresStore.open(scene.server)
        guard case .send(let send) = scene.plan(try await store.snapshot()).steps[0].work else {
            throw CancellationError()
        }
        let unknown = RecipientSet((1...1000).map { RecipientID(3 * $0) })
        try await store.commit([
            .open(send.occurrence, RecordedOccurrence(send)), .outcome(send.occurrence, unknown, .unknown),
        ])
        let (over, log) = (Switch(), scene.log)
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        async let conducted = scene.conduct()
        try await scene.eventually { log.processes.contains(1) }
        over.turnOn()
        let report = try await conducted
        _ = try await help
        #expect(report.result == .ok && report.steps[0].accepted == 3000)
        #expect(scene.log.count == 3000 && scene.log.repeated.isEmpty)
        #expect(try await scene.ledger[.accepted].count == 3000)
    }

    @Test func `what a helper in trouble had in flight is unknown, and the others send the rest`() async throws {
        let scene = try await CrewScene(3000)
        let proxy = try PostgresProxy()
        let cut = PostgresServer(
            name: "test", schema: scene.server.schema,
            parameters: scene.server.parameters.merging(["host": proxy.folder]) { $1 })
        let over = Switch()
        async let help = scene.help(1, through: cut, latency: .milliseconds(200)) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        async let conducted = scene.conduct()
        try await scene.eventually { scene.log.arrivals.count { $0.process == 1 } > 60 }
        proxy.refuse(true)
        proxy.endConnections()
        let report = try await conducted
        over.turnOn()
        _ = try? await help
        let step = report.steps[0]
        #expect(step.accepted + step.unknown == 3000 && step.pending == 0)
        #expect(step.unknown <= 50)
        #expect(report.result == (step.unknown > 0 ? .unknown : .ok))
        #expect(step.failures.count == step.unknown)
        #expect(scene.log.repeated.isEmpty)
        let ledger = try await scene.ledger
        #expect(ledger[.unknown].count == step.unknown && ledger[.intended].isEmpty)
        // Whoever is not in the log is unknown.
        #expect(scene.log.count >= 3000 - step.unknown)
        #expect(try await scene.leftovers() == 0)
    }

    @Test(arguments: [(403, "PERMISSION_DENIED"), (401, "UNAUTHENTICATED")])
    func `a helper whose credential is refused ends alone, and the others send what it had`(
        _ status: Int, _ word: String
    ) async throws {
        let scene = try await CrewScene(3000)
        let body = Array(#"{"error":{"code":\#(status),"status":"\#(word)","message":"no"}}"#.utf8)
        scene.log.answer { arrival, _ in arrival.process == 1 ? .response(Response(status: status, body: body)) : nil }
        let over = Switch()
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        let report = try await scene.conduct()
        over.turnOn()
        let ends = try await help
        guard case .refused(let reason)? = ends.first else { throw Unexpected(ends: ends) }
        #expect(reason.contains(word))
        #expect(report.result == .ok)
        #expect(report.steps[0].accepted == 3000)
        #expect(try await scene.ledger[.accepted].count == 3000)
    }

    @Test func `a run that is stopped waits for its helpers, and the next one goes on with them`() async throws {
        let scene = try await CrewScene(4000)
        let (over, stopped) = (Switch(), Switch())
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        async let conducted = scene.conduct(stop: { stopped.isOn ? .machine : nil })
        try await scene.eventually { scene.log.arrivals.count { $0.process == 1 } > 60 }
        stopped.turnOn()
        let first = try await conducted
        #expect(first.result == .interrupted)
        #expect(first.steps[0].unknown == 0 && first.steps[0].pending > 0)
        #expect(first.steps[0].accepted == scene.log.count)
        let before = scene.log.arrivals.count { $0.process == 1 }
        let second = try await scene.conduct(2)
        over.turnOn()
        _ = try await help
        #expect(second.result == .ok)
        #expect(scene.log.count == 4000 && scene.log.repeated.isEmpty)
        #expect(scene.log.arrivals.count { $0.process == 1 } > before)
    }

    @Test func `a conductor that is cut off loses its helpers to the next one`() async throws {
        let scene = try await CrewScene(6000)
        let proxy = try PostgresProxy()
        let cut = PostgresServer(
            name: "test", schema: scene.server.schema,
            parameters: scene.server.parameters.merging(["host": proxy.folder]) { $1 })
        let over = Switch()
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        async let lost = scene.conduct(through: cut)
        try await scene.eventually { scene.log.arrivals.count { $0.process == 1 } > 60 }
        proxy.refuse(true)
        proxy.endConnections()
        _ = try? await lost
        var next: Report?
        try await scene.eventually {
            next = try? await scene.conduct(2)
            return next != nil
        }
        over.turnOn()
        _ = try await help
        let step = try #require(next?.steps.first)
        #expect(step.pending == 0)
        #expect(scene.log.repeated.isEmpty)
        let ledger = try await scene.ledger
        #expect(ledger[.accepted].count + ledger[.unknown].count == 6000)
        #expect(ledger[.unknown].count <= 100)
        #expect(scene.log.count >= 6000 - ledger[.unknown].count)
        #expect(try await scene.leftovers() == 0)
    }
}

private struct Unexpected: Error {
    var ends: [WorkerRun<ContinuousClock>.End]
}

extension CrewScene {
    /// How many processes help.
    func helpers() async throws -> Int64 {
        let store = try await PostgresStore.open(server)
        return try await store.reading { transaction in
            try transaction.commit([
                PostgresStatement("SELECT count(*) FROM @worker WHERE NOT conducts AND ends > clock_timestamp()")
            ])[0].first?.int(0) ?? 0
        }
    }
}
