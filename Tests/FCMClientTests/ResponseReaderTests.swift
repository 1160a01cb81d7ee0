import FCM
import NIOCore
import NIOHTTP1
import Testing

@testable import FCMClient

struct ResponseReaderTests {
    private func read(_ parts: [HTTPClientResponsePart]) -> ResponseReader.Step? {
        var reader = ResponseReader()
        var isReusable = false
        return parts.map { reader.read($0, isReusable: &isReusable) }.last
    }

    private func head(
        _ status: HTTPResponseStatus = .ok, version: HTTPVersion = .http1_1, _ headers: HTTPHeaders = [:]
    ) -> HTTPClientResponsePart {
        .head(HTTPResponseHead(version: version, status: status, headers: headers))
    }

    private func body(_ length: Int) -> HTTPClientResponsePart {
        .body(ByteBuffer(repeating: 0x61, count: length))
    }

    @Test func `puts the parts together`() {
        let response = Response(status: 429, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT", body: [0x61, 0x61, 0x61])
        let headers: HTTPHeaders = ["Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"]
        #expect(
            read([head(.tooManyRequests, headers), body(1), body(2), .end(nil)])
                == .complete(response, reusable: true))
    }

    @Test func `keeps the date, and what a metadata server calls itself`() {
        let date = "Wed, 21 Oct 2026 07:28:00 GMT"
        #expect(
            read([head(.badRequest, ["Date": date]), .end(nil)])
                == .complete(Response(status: 400, date: date), reusable: true))
        var response = Response(status: 200, date: date)
        response.metadataFlavor = "Google"
        #expect(
            read([head(.ok, ["Date": date, "Metadata-Flavor": "Google"]), .end(nil)])
                == .complete(response, reusable: true))
    }

    @Test func `looks past informational responses`() {
        #expect(
            read([head(.processing), .end(nil), head(.created), .end(nil)])
                == .complete(Response(status: 201), reusable: true))
        var reader = ResponseReader()
        var isReusable = false
        _ = reader.read(head(.processing), isReusable: &isReusable)
        #expect(!reader.hasBegun)
    }

    @Test(arguments: [
        (HTTPVersion.http1_1, [], true), (.http1_1, ["close"], false), (.http1_0, [], false),
        (.http1_0, ["keep-alive"], true),
    ])
    func `knows whether the connection stays open`(_ version: HTTPVersion, _ connection: [String], _ reusable: Bool) {
        let headers = HTTPHeaders(connection.map { ("Connection", $0) })
        #expect(
            read([head(version: version, headers), .end(nil)])
                == .complete(Response(status: 200), reusable: reusable))
    }

    @Test func `keeps a mebibyte and no byte more`() {
        let limit = ResponseReader.longestBody
        #expect(read([head(), body(limit)]) == .more)
        #expect(read([head(), body(limit), body(1)]) == .tooLong)
        #expect(read([head(), body(limit + 1)]) == .tooLong)
    }
}
