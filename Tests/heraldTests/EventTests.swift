import FCM
import Foundation
import HeraldTestSupport
import Testing

/// `run --events`: what happens in a run, one line each.
@Suite(.timeLimit(.minutes(5))) struct EventTests {
    private static func events(_ text: String) throws -> [JSONValue] {
        let events = try text.split(separator: "\n").map { try JSONValue(strictly: Array($0.utf8), depth: 10) }
        #expect(events.allSatisfy { $0["schema"] == "herald.event/1" })
        // Runs that add to one file count for themselves.
        var last: [String: Int64] = [:]
        for event in events {
            let run = try #require(event["run"]?.string)
            #expect(event["number"]?.int == last[run, default: 0] + 1)
            last[run, default: 0] += 1
        }
        return events
    }

    private static func names(_ events: [JSONValue]) -> [String] { events.compactMap { $0["event"]?.string } }

    private static func figures(_ value: JSONValue) -> [Int64] {
        ["planned", "accepted", "rejected", "unknown", "skipped", "held", "pending"].compactMap { value[$0]?.int }
    }

    @Test func `a run tells its steps, their figures and its end, and names nobody`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 12))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let (file, report) = ("\(sandbox.folder.path)/events.ndjson", "\(sandbox.folder.path)/report.json")
        let arguments = ["run", "--events", file, "--report", report, "--reveal-registrations"]
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace] + arguments, environment: sandbox.environment(host))
        #expect(result.status == 0, "\(result.errors)")
        let text = try sandbox.folder.read("events.ndjson")
        #expect(!text.contains("cTEST") && !text.contains("Hello"))
        let events = try Self.events(text)
        #expect(Self.names(events).first == "planned" && Self.names(events).last == "finished")
        #expect(events.last?["exit_code"] == 0 && events.last?["result"] == "ok")
        for step in try #require(try sandbox.report()["steps"]?.array) {
            let id = try #require(step["id"])
            let own = events.filter { $0["step"] == id }
            #expect(Self.names(own).first == "started", "\(id)")
            let last = try #require(own.last { $0["event"] == "progress" })
            #expect(Self.figures(last) == Self.figures(step) && Self.figures(last).count == 7)
            #expect(events.first?["steps"]?.array?.contains { $0["id"] == id } == true)
        }
        // The next run adds to the file.
        #expect(try await sandbox.herald("run", "--events", file, host: host).status == 0)
        #expect(Self.names(try Self.events(sandbox.folder.read("events.ndjson")).suffix(2)) == ["planned", "finished"])
        await sandbox.end()
    }

    @Test func `whoever does not read events holds no run up`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 0))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let pipe = "\(sandbox.folder.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let unread = try await sandbox.herald("run", "--events", pipe, host: host)
        #expect(unread.status == 1 && unread.errors.contains("the events cannot be written to"), "\(unread.errors)")
        // Somebody has opened it, and reads nothing. It is full.
        let reader = open(pipe, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let block = [UInt8](repeating: 0x20, count: 4096)
        while write(reader, block, block.count) > 0 {}
        let run = try await sandbox.herald("run", "--events", pipe, host: host)
        #expect(run.status == 0 && run.errors.contains("nobody reads them"), "\(run.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect((1...5).allSatisfy { accepted[Registration.fid($0).rawValue] == 1 })
        await sandbox.end()
    }

    @Test func `progress comes each second, and figures only grow`() async throws {
        var files = Sandbox.small(count: 40, subscribers: 1)
        files["workspace/herald.yaml"] = "herald: 1\nproject: demo-project\nfcm: {rate: 10/s, ramp: 0s}\n"
        let sandbox = try Sandbox(files)
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let result = try await sandbox.herald("run", "--events", "-", host: host)
        #expect(result.status == 0, "\(result.errors)")
        // Nothing else is on standard output.
        let events = try Self.events(result.output)
        let accepted = events.filter { $0["event"] == "progress" && $0["step"] == "send:to-all@once" }
            .compactMap { $0["accepted"]?.int }
        #expect(accepted.count >= 3 && accepted == accepted.sorted() && accepted.last == 40, "\(accepted)")
        await sandbox.end()
    }

    @Test func `what stops and what is held is told`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 300, subscribers: 1))
        let (_, host) = try await sandbox.startEmulator()
        try await Control(host).put((1...300).map { Registration.fid($0) }, state: "other_sender")
        #expect(try await sandbox.herald("state", "init", host: host).status == 0)
        let first = try Self.events(try await sandbox.herald("run", "--events", "-", host: host).output)
        let halted = first.filter { $0["event"] == "halted" }
        #expect(halted.map { $0["step"] } == ["send:to-all@once"])
        #expect(halted.first?["reason"]?.string?.contains("were rejected") == true)
        #expect(first.last?["exit_code"] == 4)
        let second = try Self.events(try await sandbox.herald("run", "--events", "-", host: host).output)
        let held = second.filter { $0["event"] == "held" }
        #expect(held.map { $0["occurrence"] } == ["to-all@once"])
        #expect(held.first?["command"] == "herald state resolve to-all@once --continue")
        await sandbox.end()
    }

    @Test func `a run that cannot begin has only an end, and events that cannot be written stop it`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 5, subscribers: 2))
        let none = try await sandbox.herald("run", "--events", "-")
        #expect(none.status == 1)
        let events = try Self.events(none.output)
        #expect(Self.names(events) == ["finished"])
        #expect(events.first?["exit_code"] == 1 && events.first?["result"] == .null)
        let nowhere = try await sandbox.herald("run", "--events", "\(sandbox.folder.path)/nowhere/events")
        #expect(nowhere.status == 1 && nowhere.errors.contains("the events cannot be written"), "\(nowhere.errors)")
    }
}
