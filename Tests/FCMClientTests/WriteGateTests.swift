import FCM
import Synchronization
import Testing

@testable import FCMClient

/// A client that may not send any more, from some moment on.
@Suite(.timeLimit(.minutes(5)))
struct WriteGateTests {
    /// Says yes this many times.
    private final class Gate: Sendable {
        private let rest: Mutex<Int>

        init(_ count: Int) { rest = Mutex(count) }

        func mayWrite() -> Bool {
            rest.withLock { rest in
                rest -= 1
                return rest >= 0
            }
        }
    }

    @Test(arguments: 0..<12)
    func `nothing leaves once it is closed, and what has not left is told so`(_ count: Int) async throws {
        let gate = Gate(count)
        let arrived = Mutex(0)
        try await PlainServer.with({ _ in
            arrived.withLock { $0 += 1 }
            return .reply()
        }) { server in
            try await FCMClient.with(server.endpoint, mayWrite: { gate.mayWrite() }) { client in
                let kind = await client.send().kind
                if arrived.withLock(\.self) == 0 {
                    #expect([.notSent, .lost].contains(kind))
                } else {
                    #expect([.response, .lost].contains(kind))
                }
                // The gate is closed for good in the end.
                while gate.mayWrite() {}
                let before = arrived.withLock(\.self)
                #expect(await client.send().kind == .notSent)
                #expect(arrived.withLock(\.self) == before)
            }
        }
        // Enough to know that it opens, too.
        if count > 8 { #expect(arrived.withLock(\.self) == 1) }
    }

    @Test func `bytes that wait on a secure connection do not leave after it`() async throws {
        let open = Mutex(true)
        let arrived = Mutex(0)
        try await SecureServer.with({ _, _ in
            arrived.withLock { $0 += 1 }
            return [.reply()]
        }) { server in
            try await FCMClient.with(
                server.endpoint, certificateAuthorities: server.certificate.certificatePath,
                mayWrite: { open.withLock(\.self) }
            ) { client in
                #expect(await client.send().kind == .response)
                open.withLock { $0 = false }
                #expect(await client.send().kind == .notSent)
                #expect(arrived.withLock(\.self) == 1)
            }
        }
    }
}
