import FCM
import HeraldTestSupport
import NIOHPACK
import NIOHTTP1
import Testing

@testable import FCMClient

struct HTTPCallTests {
    private let project = Project(id: "demo")

    private func fields(of request: Request, isShared: Bool = false) throws -> HPACKHeaders? {
        let token = try #require(AccessToken(rawValue: "secret"))
        let head = RequestHead(request.wire(project: project), to: .fcm, bearer: token, isShared: isShared)
        guard case .http2(let fields) = head else { return nil }
        return fields
    }

    @Test func `pseudo fields come first`() throws {
        let fields = try #require(try fields(of: .send(body: [])))
        #expect(
            fields.map(\.name) == [
                ":method", ":scheme", ":authority", ":path", "user-agent", "x-goog-api-format-version",
                "content-type", "authorization",
            ])
        #expect(fields.first(name: ":authority") == "fcm.googleapis.com")
        #expect(fields.first(name: "authorization") == "Bearer secret")
    }

    @Test func `HPACK keeps the path of sends, and none that names a registration`() throws {
        let topic = try #require(TopicName(rawValue: "news"))
        let send = try fields(of: .send(body: []), isShared: true)
        #expect(send?.first { $0.name == ":path" }?.indexable == .indexable)
        let subscribe = try fields(of: .subscribe(.fid(1), to: topic))
        #expect(subscribe?.first { $0.name == ":path" }?.indexable == .nonIndexable)
    }

    @Test func `an endpoint without TLS has the other version's head`() throws {
        let endpoint = try Endpoint(scheme: .http, host: "localhost", port: 8080)
        let call = HTTPCall(Request.send(body: [1]).wire(project: project), to: endpoint, bearer: nil)
        guard case .http1(let head) = call.head else {
            Issue.record("not HTTP/1.1")
            return
        }
        #expect(head.headers["host"] == ["localhost:8080"])
        #expect(head.headers["authorization"] == [])
        #expect(call.body == [1])
    }
}
