import HeraldTestSupport
import Testing

/// PostgreSQL's client library, which herald loads only for a state in PostgreSQL.
@Suite struct ClientLibraryTests {
    #if os(Linux)
        @Test func `without the client library, a state in a file works, and another one says what to install`()
            async throws
        {
            let folder = try TemporaryFolder(["libpq.so.5": "no library\n"])
            let address = "postgresql://nobody@/nothing?host=\(folder.path)"
            let (sandbox, _) = try await Sandbox.shared(
                Sandbox.small(count: 3, subscribers: 1), database: ("nothing", address))
            @Sendable func herald(_ arguments: String..., state: String, isBroken: Bool = true) async throws
                -> ChildProcess.Result
            {
                try await HeraldProcess.run(
                    ["-w", sandbox.workspace] + arguments,
                    environment: ["HERALD_STATE": state].merging(isBroken ? ["LD_LIBRARY_PATH": folder.path] : [:]) {
                        $1
                    })
            }

            let made = try await herald("state", "init", state: sandbox.statePath)
            #expect(made.status == 0, "\(made.errors)")
            let refused = try await herald("state", "show", state: address)
            #expect(refused.status == 1)
            #expect(
                refused.errors.contains("herald: PostgreSQL's client library cannot be loaded: "), "\(refused.errors)")
            #expect(refused.errors.contains("help: install libpq 14 or newer (Debian: libpq5; Homebrew: libpq)"))
            // With the library, the same address names a server that is not there.
            let unreachable = try await herald("state", "show", state: address, isBroken: false)
            #expect(unreachable.status == 1)
            #expect(!unreachable.errors.contains("client library"))
        }
    #endif
}
