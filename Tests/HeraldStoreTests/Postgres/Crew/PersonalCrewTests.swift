import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore
@testable import HeraldStore

/// Several processes send one personal campaign. Everybody gets what one process would send them.
@Suite(.enabled(if: PostgresTestServer.isInstalled)) struct PersonalCrewTests {
    @Test func `everybody gets once what a run alone sends them, and each text is accounted for`() async throws {
        let alone = try await CrewScene.personal(4000)
        let expected = try await alone.conduct()
        #expect(expected.result == .ok && alone.log.processes == [0])
        let scene = try await CrewScene.personal(4000)
        let (report, _) = try await conducted(scene, helpers: 2)
        #expect(report.result == .ok, "\(report.steps.map(\.stopped))")
        #expect(scene.log.processes == [0, 1, 2])
        #expect(scene.log.count == 3600 && scene.log.repeated.isEmpty)
        #expect(scene.messages == alone.messages)
        #expect(report.steps[0].accepted == 3600 && report.steps[0].pending == 0)
        #expect(report.steps[0].locales == expected.steps[0].locales)
        #expect(report.steps[0].variants == expected.steps[0].variants)
        #expect(report.steps[0].locales["it"]?.accepted == 1200)
        #expect(try await scene.leftovers() == 0)
    }

    @Test(arguments: ["RETURN NULL;", #"NEW.body := '\x0100'; RETURN NEW;"#])
    func `without rows that can be read helpers send to nobody, and the run sends to all`(_ change: String)
        async throws
    {
        let scene = try await CrewScene.personal(2000)
        // As a server that crashed right after each commit, or that damaged what it stored.
        try await scene.sql("CREATE FUNCTION @change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(change) END $$")
        try await scene.sql("CREATE TRIGGER change BEFORE INSERT ON @job_row FOR EACH ROW EXECUTE FUNCTION @change()")
        let (report, ends) = try await conducted(scene, helpers: 2)
        #expect(report.result == .ok, "\(report.steps.map(\.stopped))")
        #expect(report.steps[0].accepted == 1800 && report.steps[0].failures.isEmpty)
        #expect(scene.log.processes == [0] && scene.log.count == 1800)
        #expect(!ends.isEmpty)
        for end in ends {
            guard case .stopped(let reason) = end else { throw Unexpected(end: end) }
            #expect(reason.contains("the rows of the recipients"))
        }
        #expect(try await scene.leftovers() == 0)
    }

    @Test func `when rows disappear during a send, everybody still gets their message`() async throws {
        let scene = try await CrewScene.personal(4000)
        let over = Switch()
        async let help = scene.help(1) { over.isOn }
        try await scene.eventually { try await scene.helpers() == 1 }
        async let conducted = scene.conduct()
        try await scene.eventually { scene.log.processes.contains(1) }
        try await scene.sql("TRUNCATE @job_row")
        let report = try await conducted
        over.turnOn()
        _ = try await help
        #expect(report.result == .ok)
        #expect(report.steps[0].accepted == 3600 && report.steps[0].pending == 0)
        #expect(scene.log.count == 3600 && scene.log.repeated.isEmpty)
    }

    @Test func `a helper whose recipients FCM refuses in a row leaves that send, and stays`() async throws {
        var scene = try await CrewScene.personal(2000)
        scene.stopWhenRejectedPercent = 100
        let refusal = Array(
            """
            {"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid value 'Zoë'","details":[
            {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"},
            {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[
            {"field":"message.data[0].value","description":"Invalid value 'Zoë'"}]}]}}
            """.utf8)
        scene.log.answer { arrival, _ in
            arrival.process == 1 ? .response(Response(status: 400, body: refusal)) : nil
        }
        let (report, ends) = try await conducted(scene, helpers: 1)
        #expect(ends.count == 1)
        guard case .stopped(let reason)? = ends.first else { throw Unexpected(end: ends.first) }
        #expect(reason.contains("10 recipients in a row"))
        let step = report.steps[0]
        #expect(step.rejected == scene.log.arrivals.count { $0.process == 1 } && step.rejected >= 10)
        #expect(step.accepted + step.rejected == 1800 && step.pending == 0)
        #expect(step.locales.values.reduce(0) { $0 + $1.rejected } == step.rejected)
        #expect(step.failures.count == step.rejected)
        #expect(!step.failures.contains { $0.message.contains("Zoë") })
    }

    /// One run with helpers, and how their parts ended.
    private func conducted(
        _ scene: CrewScene, helpers: Int
    ) async throws -> (report: Report, ends: [WorkerRun<ContinuousClock>.End]) {
        let over = Switch()
        return try await withThrowingTaskGroup(of: [WorkerRun<ContinuousClock>.End].self) { group in
            for process in 1...helpers { group.addTask { try await scene.help(process) { over.isOn } } }
            try await scene.eventually { try await scene.helpers() == Int64(helpers) }
            let report = try await scene.conduct()
            over.turnOn()
            return (report, try await group.reduce(into: []) { $0 += $1 })
        }
    }
}

private struct Unexpected: Error {
    var end: WorkerRun<ContinuousClock>.End?
}
