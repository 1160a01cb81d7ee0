import FCM
import Foundation
import HeraldTestSupport
import Testing

/// The list cache, through the built program.
struct UnchangedListTests {
    private static let kept = ["state.sqlite.cache", "state.sqlite.cache-numbers"]

    @Test func `an apply leaves what spares the next plan the lists, in digests and for its owner only`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 12))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        for name in Self.kept {
            let path = "\(sandbox.folder.path)/\(name)"
            let bytes = try #require(FileManager.default.contents(atPath: path))
            for number in 1...20 { #expect(bytes.firstRange(of: Data(Registration.fid(number).rawValue.utf8)) == nil) }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        await sandbox.end()
    }

    @Test func `a plan is the same with it, without it, with --rehash and with damage`() async throws {
        let sandbox = try Sandbox(Sandbox.small(count: 20, subscribers: 12))
        let (_, host) = try await sandbox.startEmulator()
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        // One recipient left one list, and another list has two new ones.
        let fids = (1...22).map { Registration.fid($0).rawValue }
        try sandbox.folder.write(fids.dropFirst().joined(separator: "\n"), to: "workspace/all.txt")
        let plan = { (options: [String]) in
            let arguments = ["-w", sandbox.workspace, "plan", "--at", "2026-12-01T09:00:00Z"] + options
            return try await HeraldProcess.run(arguments, environment: sandbox.environment(host))
        }
        let expected = try await plan(["--rehash"])
        #expect(expected.status == 0)
        #expect(try await plan([]).output == expected.output)
        for name in Self.kept.reversed() {
            let url = URL(filePath: "\(sandbox.folder.path)/\(name)")
            for damage in [Data(), Data("another".utf8), try Data(contentsOf: url).dropLast()] {
                try damage.write(to: url)
                let found = try await plan([])
                #expect(found.output == expected.output)
                #expect(found.errors == expected.errors)
            }
            try FileManager.default.removeItem(at: url)
            #expect(try await plan([]).output == expected.output)
        }
        #expect(try await sandbox.herald("apply", "--auto-approve", host: host).status == 0)
        #expect(try await sandbox.herald("run", "--rehash", host: host).status == 0)
        #expect(try await sandbox.herald("run", host: host).output.isEmpty)
        await sandbox.end()
    }
}
