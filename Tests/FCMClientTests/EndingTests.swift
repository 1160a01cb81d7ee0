import FCM
import NIOCore
import NIOHTTP1
import NIOHTTP2
import Testing

@testable import FCMClient

struct EndingTests {
    private static let ours: [Ending] = [.timedOut, .cancelled, .shutDown, .barred]
    private static let theirs: [Ending] = [.cut, .reset, .unreadable, .tooLong, .silent]

    @Test(arguments: ours + theirs)
    func `an exchange is unknown from its first byte on`(_ ending: Ending) {
        #expect(Exchange(ending, after: .waiting).kind == .notSent)
        #expect(Exchange(ending, after: .sent).kind == .lost)
        #expect(Exchange(ending, after: .answering).kind == .lost)
    }

    @Test func `a refused stream was not sent unless the server answered all the same`() {
        #expect(Exchange(.refused, after: .waiting).kind == .notSent)
        #expect(Exchange(.refused, after: .sent).kind == .notSent)
        #expect(Exchange(.refused, after: .answering).kind == .lost)
    }

    @Test(arguments: Progress.allCases)
    func `a complete response counts however it came`(_ progress: Progress) {
        let response = Response(status: 503, retryAfter: "3", body: [1])
        #expect(Exchange(.answered(response), after: progress) == .response(response))
    }

    @Test func `each reason is a sentence of its own`() {
        let errors: [ConnectError] = [
            .unresolved, .unreachable, .timedOut, .insecure, .notHTTP2, .closed, .notAProxy(proxy: "proxy:3128"),
            .proxyRefused(proxy: "proxy:3128", status: 407), .proxyRefused(proxy: "proxy:3128", status: 502),
            .noProxy(proxy: "proxy:3128"),
        ]
        let endings = Self.ours + Self.theirs + [.refused] + errors.map(Ending.notConnected)
        let reasons = endings.compactMap { Exchange($0, after: .waiting).reason }
        #expect(Set(reasons).count == endings.count)
        #expect(reasons.allSatisfy { $0.utf8.count < 120 })
    }

    @Test func `tells a broken answer from a broken connection`() {
        #expect(Ending(HTTPParserError.invalidEOFState) == .unreadable)
        #expect(Ending(NIOHTTP2Errors.unableToParseFrame()) == .unreadable)
        #expect(Ending(IOError(errnoCode: 104, reason: "read")) == .cut)
    }
}

extension Exchange {
    enum Kind { case response, notSent, refused, lost }

    var kind: Kind {
        switch self {
        case .response: .response
        case .notSent: .notSent
        case .refused: .refused
        case .lost: .lost
        }
    }

    var reason: String? {
        switch self {
        case .response: nil
        case .notSent(let reason), .refused(let reason), .lost(let reason): reason
        }
    }

    var response: Response? {
        if case .response(let response) = self { response } else { nil }
    }
}
