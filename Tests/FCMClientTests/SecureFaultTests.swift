import FCM
import HeraldTestSupport
import NIOHTTP2
import Synchronization
import Testing

@testable import FCMClient

/// Servers with random behaviour that record what they did.
@Suite(.timeLimit(.minutes(5)))
struct SecureFaultTests {
    /// What one server does with each request, and which requests it carried out.
    private final class Whim: Sendable {
        private struct State {
            var random: SeededRandom
            var carriedOut: Set<String> = []
            /// For each connection with a GOAWAY, the last stream that it processes.
            var last: [Int: HTTP2StreamID] = [:]
        }

        private let state: Mutex<State>

        init(seed: UInt64) { state = Mutex(State(random: SeededRandom(seed: seed))) }

        var carriedOut: Set<String> { state.withLock(\.carriedOut) }

        func answer(_ request: Arrivals.Request, on stream: HTTP2StreamID) -> [SecureServer.Action] {
            state.withLock { state in
                if let last = state.last[request.connection], stream > last { return [] }
                let body = String(decoding: request.body, as: UTF8.self)
                switch Int.random(in: 0..<100, using: &state.random) {
                case ..<10: return [.reset(.refusedStream)]
                case ..<12:
                    // Streams are answered in order, so only this one and those after it are not processed.
                    state.last[request.connection] = stream.advanced(by: -1)
                    return [.goAway(last: stream.advanced(by: -1))]
                case let choice:
                    state.carriedOut.insert(body)
                    return Self.actions(choice, request, stream) { state.last[request.connection] = stream }
                }
            }
        }

        private static func actions(
            _ choice: Int, _ request: Arrivals.Request, _ stream: HTTP2StreamID, goAway: () -> Void
        ) -> [SecureServer.Action] {
            switch choice {
            case ..<15: return [.reset(.internalError)]
            case ..<20: return [.beginReply, .reset(.refusedStream)]
            case ..<22: return [.close]
            case ..<24: return [.beginReply, .close]
            case ..<26:
                goAway()
                return [.goAway(last: stream), .reply(request.body)]
            default: return [.reply(request.body)]
            }
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `each call is answered once, and none that was carried out is called not sent`(seed: UInt64) async throws {
        let whim = Whim(seed: seed)
        try await SecureServer.with({ whim.answer($0, on: $1) }) { server in
            try await FCMClient.with(server, maxInFlight: 250) { client in
                let exchanges = await client.sendAtOnce(400)
                for (number, exchange) in zip(1..., exchanges) {
                    let wasCarriedOut = whim.carriedOut.contains("\(number)")
                    switch exchange.kind {
                    case .response:
                        #expect(exchange.response?.body == Array("\(number)".utf8), "seed \(seed)")
                        #expect(wasCarriedOut, "seed \(seed), call \(number)")
                    case .notSent: #expect(!wasCarriedOut, "seed \(seed), call \(number)")
                    case .lost: break
                    case .refused: Issue.record("seed \(seed): \(exchange)")
                    }
                }
                #expect(exchanges.contains { $0.kind == .response })
                #expect(exchanges.contains { $0.kind == .notSent })
                #expect(exchanges.contains { $0.kind == .lost })
            }
        }
    }
}
