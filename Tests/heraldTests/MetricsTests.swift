import Foundation
import HeraldStore
import HeraldTestSupport
import Testing

/// `run --metrics`, where no run comes to its end.
@Suite struct MetricsTests {
    @Test func `figures of a run that cannot do its work say so, and when one last did`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let metrics = "\(sandbox.folder.path)/herald.prom"
        func run() async throws -> (status: Int32, figures: [String]) {
            let run = try await sandbox.herald("run", "--metrics", metrics, host: host)
            return (run.status, try sandbox.folder.read("herald.prom").split(separator: "\n").map(String.init))
        }
        let well = try await run()
        #expect(well.status == 0 && well.figures.contains("herald_run_ok{project=\"demo-project\"} 1"))
        let success = try #require(well.figures.first { $0.hasPrefix("herald_run_last_success_timestamp_seconds{") })
        // Whoever has the lock writes how that run ended.
        let locked = try await RunLock(for: sandbox.statePath, run: "the-other-one").hold { try await run() }
        #expect(locked.status != 0 && locked.figures == well.figures)
        // A mistake in a file, and then no state.
        try sandbox.folder.write("kind: [\n", to: "workspace/more.yaml")
        for isMistaken in [true, false] {
            if !isMistaken {
                try sandbox.folder.write("", to: "workspace/more.yaml")
                try FileManager.default.removeItem(atPath: sandbox.statePath)
            }
            let failed = try await run()
            #expect(failed.status == 1 && failed.figures.contains("herald_run_ok{project=\"demo-project\"} 0"))
            #expect(failed.figures.contains(success), "\(failed.figures)")
            #expect(failed.figures.contains { $0.hasPrefix("herald_run_finished_timestamp_seconds{") })
            #expect(!failed.figures.contains { $0.hasPrefix("herald_run_accepted{") })
        }
        await sandbox.end()
    }
}
