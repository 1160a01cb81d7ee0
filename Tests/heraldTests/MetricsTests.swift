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

    @Test func `a run is not well if a list could not be fetched`() async throws {
        let query = "VALUES ('\(FetchScene.fid(1))')"
        let sandbox = try Sandbox([
            "workspace/herald.yaml": Sandbox.settings, "workspace/app.sqlite": "",
            "workspace/files.yaml": "kind: audience\nname: members\nsource: {sqlite: app.sqlite, query: \"\(query)\", "
                + "columns: {fid: column1}, fetch: {every: 6h}}\n",
        ])
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let metrics = "\(sandbox.folder.path)/herald.prom"
        for (isBroken, status, isWell) in [(false, 0, 1), (true, 4, 0)] as [(Bool, Int32, Int)] {
            if isBroken {
                let note = "workspace/.herald/lists/members.json"
                let text = try sandbox.folder.read(note)
                let time = try #require(text.firstMatch(of: #/"fetched":"([^"]+)"/#)).output.1
                try sandbox.folder.write(text.replacing(time, with: "2020-01-01T00:00:00Z"), to: note)
                try sandbox.folder.write(String(repeating: "no database\n", count: 100), to: "workspace/app.sqlite")
            }
            let run = try await sandbox.herald("run", "--metrics", metrics, host: host)
            #expect(run.status == status, "\(run.errors)")
            let figures = try sandbox.folder.read("herald.prom")
            #expect(figures.contains("\nherald_run_ok{project=\"demo-project\"} \(isWell)\n"), "\(figures)")
        }
        await sandbox.end()
    }
}
