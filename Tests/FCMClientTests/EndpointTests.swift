import FCMClient
import Testing

struct EndpointTests {
    @Test(arguments: [
        ("https://fcm.googleapis.com", "https://fcm.googleapis.com", 443),
        ("HTTPS://FCM.GoogleApis.com/", "https://fcm.googleapis.com", 443),
        ("https://fcm.googleapis.com:8443", "https://fcm.googleapis.com:8443", 8443),
        ("https://192.0.2.7", "https://192.0.2.7", 443),
        ("https://[2001:db8::7]:444", "https://[2001:db8::7]:444", 444),
        ("http://localhost", "http://localhost", 80),
        ("http://LOCALHOST:9099/", "http://localhost:9099", 9099),
        ("http://127.0.0.1:9099", "http://127.0.0.1:9099", 9099),
        ("http://127.9.8.7:1", "http://127.9.8.7:1", 1),
        ("http://[::1]:65535", "http://[::1]:65535", 65535),
    ])
    func `reads an address and writes it back`(_ text: String, as written: String, port: Int) throws {
        let endpoint = try Endpoint(text)
        #expect(endpoint.description == written)
        #expect(endpoint.port == port)
    }

    @Test(arguments: [
        ("", EndpointError.noScheme),
        ("fcm.googleapis.com", .noScheme),
        ("https:/fcm.googleapis.com", .noScheme),
        ("ftp://localhost", .scheme("ftp")),
        ("h2c://localhost", .scheme("h2c")),
        ("https://", .host("")),
        ("https://:443", .host("")),
        ("https://a b", .host("a b")),
        ("https://caf\u{e9}.example", .host("caf\u{e9}.example")),
        ("https://ex%61mple.com", .host("ex%61mple.com")),
        ("https://[::1", .host("[::1")),
        ("https://[localhost]", .host("[localhost]")),
        ("https://[::1]x", .host("[::1]x")),
        ("https://[::g]", .host("::g")),
        ("https://::1", .port(":1")),
        ("https://localhost:", .port("")),
        ("https://localhost:0", .port("0")),
        ("https://localhost:65536", .port("65536")),
        ("https://localhost:+80", .port("+80")),
        ("https://localhost:99999999999999999999", .port("99999999999999999999")),
        ("https://me:secret@localhost", .userInfo),
        ("https://me@localhost/path?query", .userInfo),
        ("https://localhost/v1", .path("/v1")),
        ("https://localhost//", .path("//")),
        ("https://localhost?x", .query),
        ("https://localhost/?", .query),
        ("https://localhost#x", .fragment),
        ("http://fcm.googleapis.com", .plainTextBeyondLoopback(host: "fcm.googleapis.com")),
        ("http://localhost.example.com", .plainTextBeyondLoopback(host: "localhost.example.com")),
        ("http://127.example.com", .plainTextBeyondLoopback(host: "127.example.com")),
        ("http://127.1", .plainTextBeyondLoopback(host: "127.1")),
        ("http://128.0.0.1", .plainTextBeyondLoopback(host: "128.0.0.1")),
        ("http://0.0.0.0", .plainTextBeyondLoopback(host: "0.0.0.0")),
        ("http://[::]", .plainTextBeyondLoopback(host: "::")),
    ])
    func `refuses what is no endpoint`(_ text: String, because error: EndpointError) {
        #expect(throws: error) { try Endpoint(text) }
    }

    @Test func `holds the parts to the same rules as the text`() {
        #expect(throws: EndpointError.plainTextBeyondLoopback(host: "example.com")) {
            try Endpoint(scheme: .http, host: "Example.com", port: 80)
        }
        #expect(throws: EndpointError.port("0")) { try Endpoint(scheme: .https, host: "localhost", port: 0) }
        #expect(throws: EndpointError.host("a/b")) { try Endpoint(scheme: .https, host: "a/b", port: 443) }
    }
}
