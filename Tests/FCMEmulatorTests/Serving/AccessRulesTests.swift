import FCM
import Testing

@testable import FCMEmulator

/// Who may call the emulator, request by request.
@Suite struct AccessRulesTests {
    private static let token = "s3cret"

    private enum Outcome: Equatable {
        case admitted
        case withCookie
        case refused(Int)
    }

    private struct Attempt: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "GET"
        var target = "/emulator/v1/ledger"
        var headers: [String: String] = [:]
        var caller = AccessRules.Caller(host: "127.0.0.1:9099")

        var testDescription: String { name }

        init(
            _ name: String, _ method: String = "GET", _ target: String = "/emulator/v1/ledger",
            host: String? = "127.0.0.1:9099", origin: String? = nil, site: String? = nil, cookie: String? = nil,
            headers: [String: String] = [:]
        ) {
            (self.name, self.method, self.target, self.headers) = (name, method, target, headers)
            caller = AccessRules.Caller(host: host, origin: origin, fetchSite: site, cookie: cookie)
        }
    }

    private func outcome(_ attempt: Attempt, _ rules: AccessRules) -> Outcome {
        let call = Call(
            attempt.method, attempt.target, headers: attempt.headers.map { (name: $0.key, value: $0.value) })
        switch rules.decide(on: call, from: attempt.caller, isSecure: false) {
        case .admitted(nil): return .admitted
        case .admitted: return .withCookie
        case .refused(let error): return .refused(error.answer.status)
        }
    }

    private static let loopback = AccessRules(listeningOn: "127.0.0.1", allowing: ["fcm.test"], token: nil)
    private static let open = AccessRules(listeningOn: "0.0.0.0", allowing: [], token: token)

    private static let send = "/v1/projects/p/messages:send"

    private static let attacks = [
        Attempt("a simple POST from a website", "POST", "/emulator/v1/reset", origin: "https://evil.example"),
        Attempt("the same from a sandboxed frame", "POST", "/emulator/v1/reset", origin: "null"),
        Attempt("the same from a browser that says so", "POST", "/emulator/v1/reset", site: "cross-site"),
        Attempt("a preflight", "OPTIONS", "/emulator/v1/registrations", origin: "https://evil.example"),
        Attempt("a PUT after it", "PUT", "/emulator/v1/faults", origin: "https://evil.example"),
        Attempt("a PATCH", "PATCH", "/emulator/v1/clock", origin: "https://evil.example"),
        Attempt("an image of the ledger", site: "cross-site"),
        Attempt("events", "GET", "/emulator/v1/events", origin: "https://evil.example"),
        Attempt(
            "a WebSocket", "GET", "/emulator/v1/events", origin: "https://evil.example",
            headers: ["upgrade": "websocket"]),
        Attempt("the page in a frame", "GET", "/", site: "cross-site"),
        Attempt("a send from a website", "POST", send, origin: "https://evil.example"),
        Attempt("an access token", "POST", "/token", origin: "https://evil.example"),
        Attempt("a path of nobody", "POST", "/elsewhere", origin: "https://evil.example"),
        Attempt("another port of this machine", "POST", "/emulator/v1/reset", origin: "http://127.0.0.1:3000"),
        Attempt("another name of this machine", "POST", "/emulator/v1/reset", origin: "http://localhost:9099"),
        Attempt("another port, by a browser that says so", "POST", "/emulator/v1/reset", site: "same-site"),
        Attempt("an unknown relation", "POST", "/emulator/v1/reset", site: "sideways"),
        Attempt("an empty origin", "POST", "/emulator/v1/reset", origin: ""),
        Attempt("rebinding", host: "evil.example"),
        Attempt("rebinding with a port", host: "evil.example:9099"),
        Attempt("rebinding seen as the same origin", host: "evil.example:9099", site: "same-origin"),
        Attempt(
            "rebinding with an origin", "POST", "/emulator/v1/reset", host: "evil.example:9099",
            origin: "http://evil.example:9099", site: "same-origin"),
        Attempt("rebinding of FCM's calls", "POST", send, host: "evil.example"),
        Attempt("rebinding of the page", "GET", "/", host: "evil.example"),
        Attempt("a name that begins like ours", host: "127.0.0.1.evil.example:9099"),
        Attempt("a name that ends like ours", host: "evil-localhost:9099"),
        Attempt("a name below ours", host: "evil.localhost:9099"),
        Attempt("a user before our name", host: "evil.example@127.0.0.1:9099"),
        Attempt("our name as a user", host: "127.0.0.1:9099@evil.example"),
        Attempt("an address in another notation", host: "0x7f000001:9099"),
        Attempt("no host", host: nil),
        Attempt("an empty host", host: ""),
        Attempt("a port that is none", host: "127.0.0.1:9099:1"),
        Attempt("Google's name for the emulator's own interface", host: "fcm.googleapis.com"),
        Attempt("a name of Google's that serves pages", "POST", send, host: "storage.googleapis.com"),
    ]

    @Test(arguments: attacks)
    private func `a website gets nowhere`(_ attack: Attempt) {
        #expect(outcome(attack, Self.loopback) == .refused(403))
        var armed = attack
        armed.caller.cookie = "herald_emulator=\(Self.token)"
        #expect(outcome(armed, Self.open) == .refused(403), "not even with the token")
    }

    @Test(arguments: [
        Attempt("the unspecified address", host: "0.0.0.0:9099"), Attempt("another address", host: "10.0.0.7:9099"),
        Attempt("another loopback notation", host: "[::ffff:127.0.0.1]:9099"),
    ])
    private func `an emulator of this machine answers to no other address`(_ attempt: Attempt) {
        #expect(outcome(attempt, Self.loopback) == .refused(403))
    }

    @Test(arguments: [
        Attempt("curl"), Attempt("curl with a name", host: "localhost:9099"), Attempt("IPv6", host: "[::1]:9099"),
        Attempt("another address of the loopback", host: "127.8.7.6"), Attempt("upper case", host: "LOCALHOST:9099"),
        Attempt("a forwarded port", host: "localhost:80"), Attempt("a name that was allowed", host: "fcm.test:9099"),
        Attempt("an SDK", "POST", send), Attempt("a typed address", "GET", "/", site: "none"),
        Attempt("the page's own script", "GET", "/emulator/page.js", site: "same-origin"),
        Attempt(
            "the page's own call", "PUT", "/emulator/v1/faults", origin: "http://127.0.0.1:9099", site: "same-origin"),
        Attempt(
            "the page behind a proxy with TLS", "PUT", "/emulator/v1/faults", host: "fcm.test",
            origin: "https://fcm.test", site: "same-origin"),
        Attempt("an SDK whose connections are redirected", "POST", send, host: "fcm.googleapis.com"),
        Attempt("the same for the Instance ID service", "POST", "/iid/v1:batchAdd", host: "iid.googleapis.com:443"),
        Attempt("the metadata server", "GET", "/computeMetadata/v1/project", host: "metadata.google.internal"),
    ])
    private func `whoever works with the emulator is answered`(_ attempt: Attempt) {
        #expect(outcome(attempt, Self.loopback) == .admitted)
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.2", "localhost", "::1", "LocalHost"])
    func `only this machine needs no token`(_ host: String) { #expect(HostName(host).isLoopback) }

    @Test(arguments: ["0.0.0.0", "::", "10.1.2.3", "build-host", "127.evil.example", "::ffff:127.0.0.1"])
    func `what others can reach needs one`(_ host: String) { #expect(!HostName(host).isLoopback) }

    // MARK: The token

    @Test(arguments: [
        ("/emulator/v1/ledger", 401), ("/emulator/v1/events", 401), ("/emulator/v1/nothing", 401), ("/emulator", 401),
        ("/", 401), ("/?token=", 401), ("/?token=s3cre", 401), ("/?token=s3cret2", 401), ("/emulator/page.js", 401),
        ("/emulator/v1/ledger?token=s3cret", 401),
    ])
    func `without the token the emulator's own interface is closed`(_ target: String, _ status: Int) {
        #expect(outcome(Attempt("", "GET", target), Self.open) == .refused(status))
    }

    @Test(arguments: [
        ["authorization": "Bearer s3cre"], ["authorization": "Bearer"], ["authorization": "s3cret"],
        ["authorization": "Basic s3cret"], ["authorization": "Bearer s3cret "],
    ])
    func `a wrong token is none`(_ headers: [String: String]) {
        #expect(outcome(Attempt("", headers: headers), Self.open) == .refused(401))
    }

    @Test(arguments: ["herald_emulator=", "herald_emulator=x", "xherald_emulator=s3cret", "a=herald_emulator=s3cret"])
    func `a wrong cookie is none`(_ cookie: String) {
        #expect(outcome(Attempt("", cookie: cookie), Self.open) == .refused(401))
    }

    @Test func `the token opens it, in a header or as the cookie that the link sets`() {
        #expect(outcome(Attempt("", headers: ["authorization": "Bearer s3cret"]), Self.open) == .admitted)
        #expect(outcome(Attempt("", headers: ["Authorization": "bearer s3cret"]), Self.open) == .admitted)
        #expect(outcome(Attempt("", cookie: "a=b; herald_emulator=s3cret; c=d"), Self.open) == .admitted)
        #expect(outcome(Attempt("", "GET", "/?token=s3cret", host: "10.0.0.7:9099"), Self.open) == .withCookie)
    }

    @Test func `no script reads the cookie, and no other site sends it`() throws {
        let call = Call("GET", "/?token=s3cret")
        for (isSecure, end) in [(false, "SameSite=Strict"), (true, "SameSite=Strict; Secure")] {
            let decision = Self.open.decide(on: call, from: .init(host: "10.0.0.7:9099"), isSecure: isSecure)
            guard case .admitted(let cookie?) = decision else {
                Issue.record("the link was refused")
                return
            }
            #expect(cookie == "herald_emulator=s3cret; Path=/; HttpOnly; \(end)")
        }
    }

    @Test(arguments: [send, "/iid/v1:batchAdd", "/fcm/notification", "/token", "/computeMetadata/v1/project"])
    func `FCM's own calls need no token, because SDKs cannot send it`(_ target: String) {
        #expect(outcome(Attempt("", "POST", target, host: "10.0.0.7:9099"), Self.open) == .admitted)
    }

    @Test func `an emulator of a name answers to it`() {
        let rules = AccessRules(listeningOn: "Build-Host", allowing: ["fcm"], token: Self.token)
        #expect(outcome(Attempt("", "POST", Self.send, host: "build-host:1"), rules) == .admitted)
        #expect(outcome(Attempt("", "POST", Self.send, host: "FCM:1"), rules) == .admitted)
        #expect(outcome(Attempt("", "POST", Self.send, host: "other:1"), rules) == .refused(403))
    }
}
