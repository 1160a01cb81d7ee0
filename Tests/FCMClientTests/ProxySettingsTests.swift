import Testing

@testable import FCMClient

struct ProxySettingsTests {
    private func proxy(for url: String, _ environment: [String: String]) throws -> String? {
        try ProxySettings(environment: environment).proxy(for: Endpoint(url)).map { "\($0)" }
    }

    @Test(
        arguments: [
            (["HTTPS_PROXY": "http://proxy.example:3128"], "proxy.example:3128"),
            (["https_proxy": "http://small:1", "HTTPS_PROXY": "http://capital:2"], "small:1"),
            (["https_proxy": "", "HTTPS_PROXY": "http://capital:2"], "capital:2"),
            (["https_proxy": "proxy:8080"], "proxy:8080"), (["https_proxy": "proxy"], "proxy:80"),
            (["https_proxy": "http://[::1]"], "[::1]:80"), (["https_proxy": "http://[::1]:443/"], "[::1]:443"),
            (["https_proxy": "HTTP://Proxy:443/"], "proxy:443"), (["http_proxy": "http://proxy:1"], nil), ([:], nil),
        ] as [([String: String], String?)])
    func `the proxy's address is the environment's`(_ environment: [String: String], _ proxy: String?) throws {
        #expect(try self.proxy(for: "https://fcm.googleapis.com", environment) == proxy)
    }

    @Test(arguments: [
        ("https_proxy", "https://proxy:1", ProxyError.secureProxy), ("https_proxy", "socks5://proxy:1", .notAProxy),
        ("HTTPS_PROXY", "http://sekret@:1", .notAProxy), ("HTTPS_PROXY", "http://proxy:sekret", .notAProxy),
        ("HTTPS_PROXY", "http://a:sekret%zz@proxy:1", .notAProxy), ("HTTPS_PROXY", "http://proxy/sekret", .notAProxy),
        ("HTTPS_PROXY", "http://pro xy:1", .notAProxy),
    ])
    func `an address that is none is told without showing it`(_ name: String, _ value: String, _ error: ProxyError) {
        #expect(throws: error) { try ProxySettings(environment: [name: value]) }
        #expect(!error.description.contains("sekret"))
    }

    @Test func `the user and password go into a header and into no text`() throws {
        let settings = try ProxySettings(environment: ["https_proxy": "http://me:p%40ss:w%2Ford@proxy:1"])
        let proxy = try #require(settings.proxy)
        // me:p@ss:w/ord
        #expect(proxy.authorization?.rawValue == "Basic bWU6cEBzczp3L29yZA==")
        var shown = "\(settings) \(proxy) \(String(reflecting: proxy))"
        dump(settings, to: &shown)
        for secret in ["p%40ss", "p@ss", "bWU6"] { #expect(!shown.contains(secret)) }
    }

    @Test(arguments: ["http://127.0.0.1:9", "https://127.0.0.1:9", "https://localhost:9", "https://[::1]:9"])
    func `this machine is called without a proxy`(_ url: String) throws {
        #expect(try proxy(for: url, ["https_proxy": "http://proxy:1"]) == nil)
    }

    @Test func `the metadata server is called without a proxy`() throws {
        let settings = try ProxySettings(environment: ["https_proxy": "http://proxy:1"])
        for host in ["metadata.google.internal", "169.254.169.254"] {
            let endpoint = try #require(Endpoint(plainText: host[...]))
            #expect(settings.proxy(for: endpoint) == nil)
        }
    }

    @Test(arguments: [
        ("*", "https://fcm.googleapis.com", true), ("googleapis.com", "https://fcm.googleapis.com", true),
        ("googleapis.com", "https://googleapis.com", true), (".googleapis.com", "https://fcm.googleapis.com", true),
        (".googleapis.com", "https://googleapis.com", false), ("*.googleapis.com", "https://fcm.googleapis.com", true),
        ("apis.com", "https://fcm.googleapis.com", false), ("FCM.googleapis.com", "https://fcm.googleapis.com", true),
        ("googleapis.com.", "https://fcm.googleapis.com", true),
        ("googleapis.com:443", "https://fcm.googleapis.com", true),
        ("googleapis.com:8443", "https://fcm.googleapis.com", false),
        ("a.example, fcm.googleapis.com ,b", "https://fcm.googleapis.com", true),
        ("a.example fcm.googleapis.com", "https://fcm.googleapis.com", true),
        ("10.0.0.0/8", "https://10.1.2.3", true), ("10.0.0.0/8", "https://11.1.2.3", false),
        ("10.0.0.0/9", "https://10.128.0.1", false), ("10.1.2.3", "https://10.1.2.3", true),
        ("10.1.2.3:9", "https://10.1.2.3:9", true), ("10.1.2.3:9", "https://10.1.2.3", false),
        ("0.0.0.0/0", "https://10.1.2.3", true), ("0.0.0.0/0", "https://fcm.googleapis.com", false),
        ("2001:db8::/32", "https://[2001:db8::1]", true), ("[2001:db8::1]:443", "https://[2001:db8::1]", true),
        ("2001:db8::2", "https://[2001:db8::1]", false), ("2001:db8::/32", "https://10.1.2.3", false),
        ("10.0.0.0/33,/8,a/8,:1,,.", "https://10.1.2.3", false), ("", "https://fcm.googleapis.com", false),
        ("3", "https://10.1.2.3", false),
    ])
    func `exceptions are names, suffixes, ports and networks`(_ list: String, _ url: String, _ isDirect: Bool) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let proxy = try proxy(for: url, ["https_proxy": "http://proxy:1", name: list])
            #expect((proxy == nil) == isDirect)
        }
    }
}
