import CryptoExtras
import FCM
import Testing

@testable import FCMClient

struct ServiceAccountTests {
    @Test func `a key file of the console's is read`() throws {
        let account = try KeyFile.account()
        #expect(account.projectID == "tide-app-prod")
        #expect(account.email == KeyFile.email)
        #expect(account.keyID == KeyFile.keyID)
        #expect(
            account.tokenEndpoint
                == TokenEndpoint(endpoint: try Endpoint("https://oauth2.googleapis.com"), path: "/token"))
        #expect(try account.key.derRepresentation == KeyFile.key.derRepresentation)
    }

    @Test func `an older key's form is read, and what is not needed may be missing`() throws {
        var file = try KeyFile.members()
        file["private_key"] = .string(try KeyFile.key.pemRepresentation)
        for name in ["project_id", "private_key_id", "client_id", "auth_uri", "universe_domain"] { file[name] = nil }
        let account = try ServiceAccount(keyFile: JSONValue.object(file).bytes())
        #expect(account.projectID == nil)
        #expect(account.keyID == nil)
        #expect(try account.key.derRepresentation == KeyFile.key.derRepresentation)
    }

    @Test(
        arguments: [
            ("type", nil, "'type' is missing"),
            ("type", "", "'type' is missing"),
            ("type", 7, "'type' is not a string"),
            (
                "type", "sekret-account",
                "'type' is none of Google's: a service account's key file has 'service_account' there"
            ),
            (
                "type", "authorized_user",
                "credentials of type 'authorized_user' are not supported yet: use a service account's key file"
            ),
            (
                "type", "external_account",
                "credentials of type 'external_account' are not supported yet: use a service account's key file"
            ),
            ("client_email", nil, "'client_email' is missing"),
            ("client_email", ["sekret"], "'client_email' is not a string"),
            ("private_key", nil, "'private_key' is missing"),
            ("private_key", nil, "'private_key' is missing"),
            ("private_key", "sekret", "'private_key' is not an RSA key of 2048 bits or more in PEM"),
            (
                "private_key", "-----BEGIN PRIVATE KEY-----\nsekret\n-----END PRIVATE KEY-----\n",
                "'private_key' is not an RSA key of 2048 bits or more in PEM"
            ),
            ("private_key_id", ["sekret": 1], "'private_key_id' is not a string"),
            ("project_id", true, "'project_id' is not a string"),
            ("token_uri", nil, "'token_uri' is missing"),
            (
                "token_uri", "http://sekret.example/token",
                "'token_uri' is not an https address, or http on this machine"
            ),
            (
                "token_uri", "https://user:sekret@example.com/",
                "'token_uri' is not an https address, or http on this machine"
            ),
            (
                "token_uri", "https://example.com/\r\nsekret: 1",
                "'token_uri' is not an https address, or http on this machine"
            ),
            ("token_uri", "file:///sekret", "'token_uri' is not an https address, or http on this machine"),
            ("token_uri", "sekret", "'token_uri' is not an https address, or http on this machine"),
            ("universe_domain", "sekret.example", "'universe_domain' is not googleapis.com, where FCM is"),
        ] as [(String, JSONValue?, String)])
    func `what is wrong with a key file is named, and nothing of it shown`(
        _ name: String, _ value: JSONValue?, _ message: String
    ) throws {
        var file = try KeyFile.members()
        file[name] = value
        let error = try #require(throws: KeyFileError.self) {
            try ServiceAccount(keyFile: JSONValue.object(file).bytes())
        }
        #expect(error.description == message)
        #expect(!"\(error) \(String(reflecting: error))".contains("sekret"))
    }

    @Test(arguments: ["", "sekret", "[]", "7", "{\"type\":", "null", "-----BEGIN PRIVATE KEY-----"])
    func `what is no JSON object is no key file`(_ text: String) {
        #expect(throws: KeyFileError.notJSON) { try ServiceAccount(keyFile: Array(text.utf8)) }
    }

    @Test func `a key too short for Google is refused`() throws {
        var file = try KeyFile.members()
        file["private_key"] = .string(
            try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)).pkcs8PEMRepresentation)
        #expect(throws: KeyFileError.privateKey) { try ServiceAccount(keyFile: JSONValue.object(file).bytes()) }
    }

    @Test func `printing an account shows nothing of its key`() throws {
        let account = try KeyFile.account()
        var dumped = ""
        dump(account, to: &dumped)
        dump([account], to: &dumped)
        let shown = "\(account) \(String(reflecting: account)) \(String(describing: [account])) \(dumped)"
        for secret in try KeyFile.secrets + [KeyFile.email] { #expect(!shown.contains(secret)) }
    }

    @Test(arguments: [
        ("https://oauth2.googleapis.com/token", "https://oauth2.googleapis.com", "/token"),
        ("https://example.com:8443/a/b?c=d", "https://example.com:8443", "/a/b?c=d"),
        ("https://example.com", "https://example.com", "/"),
        ("https://example.com?a", "https://example.com", "/?a"),
        ("http://127.0.0.1:9/token", "http://127.0.0.1:9", "/token"),
    ])
    func `a token endpoint is a host and a path`(_ url: String, _ endpoint: String, _ path: String) throws {
        #expect(TokenEndpoint(url) == TokenEndpoint(endpoint: try Endpoint(endpoint), path: path))
    }

    @Test(arguments: ["https://", "https:///token", "https://a b/", "https://é.example/", "https://a/#b", "//a/b", ""])
    func `anything else is none`(_ url: String) {
        #expect(TokenEndpoint(url) == nil)
    }
}
