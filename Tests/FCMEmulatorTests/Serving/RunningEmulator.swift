import FCMEmulator

/// Runs an emulator on a free port until the body returns.
func withEmulator(
    _ configuration: Emulator.Configuration = Emulator.Configuration(),
    now: Date = Date(timeIntervalSince1970: 1_796_112_000),
    _ body: @Sendable (Emulator.Endpoint) async throws -> Void
) async throws {
    try await withThrowingTaskGroup { group in
        let (endpoints, readiness) = AsyncStream<Emulator.Endpoint>.makeStream()
        group.addTask {
            defer { readiness.finish() }
            let emulator = Emulator(configuration, now: { now })
            try await emulator.run { readiness.yield($0) }
        }
        for await endpoint in endpoints {
            try await body(endpoint)
            group.cancelAll()
        }
        try await group.waitForAll()
    }
}
