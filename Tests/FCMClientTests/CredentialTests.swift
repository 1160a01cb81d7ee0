import CryptoExtras
import FCM
import Testing

@testable import FCMClient

/// Reading credential files.
struct CredentialTests {
    private func read(_ file: [String: JSONValue], trusting hosts: [String] = []) throws -> Credential {
        try Credential(file: JSONValue.object(file).bytes(), hosts: TokenHosts(trusted: hosts))
    }

    @Test(
        arguments: [
            ("service_account", KeyFile.email, "tide-app-prod", nil),
            ("authorized_user", "pat@example.com", nil, "tide-billing"),
            ("external_account", CredentialSamples.account, nil, nil),
            ("impersonated_service_account", CredentialSamples.account, nil, "tide-billing"),
        ] as [(String, String, String?, String?)])
    func `each kind is read and says who it is`(
        _ kind: String, _ account: String, _ project: String?, _ quotaProject: String?
    ) throws {
        let credential = try read(CredentialSamples.file(kind))
        #expect(
            credential.summary
                == CredentialSummary(kind: kind, account: account, project: project, quotaProject: quotaProject))
        #expect(!credential.isOfThisMachine)
        #expect(credential.isPerson == (kind == "authorized_user"))
        #expect(credential.isSecret == (kind != "external_account"))
    }

    @Test func `a workload without a service account is its pool's principal`() throws {
        var file = CredentialSamples.external
        file["service_account_impersonation_url"] = nil
        #expect(try read(file).summary.account == CredentialSamples.audience)
    }

    @Test(arguments: CredentialSamples.kinds)
    func `a credential is this machine's if all its addresses are`(_ kind: String) throws {
        var file = try CredentialSamples.file(kind)
        for (name, value) in file where value.string?.hasPrefix("https://") == true {
            file[name] = "http://127.0.0.1:1/x"
        }
        if kind == "authorized_user" { file["token_uri"] = "http://127.0.0.1:1/token" }
        if kind == "impersonated_service_account" {
            #expect(try !read(file).isOfThisMachine, "its source is Google's")
            var user = CredentialSamples.user
            user["token_uri"] = "http://127.0.0.1:1/token"
            file["source_credentials"] = .object(user)
        }
        #expect(try read(file).isOfThisMachine)
    }

    @Test func `an older key's form is read, and what is not needed may be missing`() throws {
        var file = try KeyFile.members()
        file["private_key"] = .string(try KeyFile.key.pemRepresentation)
        for name in ["project_id", "private_key_id", "client_id", "auth_uri", "universe_domain"] { file[name] = nil }
        #expect(try read(file).summary.project == nil)
        let key = SigningKey(pem: try KeyFile.key.pemRepresentation, id: nil)
        #expect(key?.derRepresentation == (try KeyFile.key.derRepresentation))
    }

    @Test(
        arguments: [
            ("service_account", "type", nil, "'type' is missing"),
            ("service_account", "type", 7, "'type' is not a string"),
            (
                "service_account", "type", "sekret-account",
                "'type' is none of Google's"
            ),
            (
                "service_account", "type", "external_account_authorized_user",
                "credentials of type 'external_account_authorized_user' are not supported"
            ),
            (
                "service_account", "type", "gdch_service_account",
                "credentials of type 'gdch_service_account' are not supported"
            ),
            ("service_account", "client_email", nil, "'client_email' is missing"),
            ("service_account", "client_email", ["sekret"], "'client_email' is not a string"),
            ("service_account", "private_key", nil, "'private_key' is missing"),
            (
                "service_account", "private_key", "sekret",
                "'private_key' is not an RSA key of 2048 bits or more in PEM"
            ),
            (
                "service_account", "private_key", "-----BEGIN PRIVATE KEY-----\nsekret\n-----END PRIVATE KEY-----\n",
                "'private_key' is not an RSA key of 2048 bits or more in PEM"
            ),
            ("service_account", "private_key_id", ["sekret": 1], "'private_key_id' is not a string"),
            ("service_account", "project_id", true, "'project_id' is not a string"),
            ("service_account", "token_uri", nil, "'token_uri' is missing"),
            (
                "service_account", "universe_domain", "sekret.example",
                "'universe_domain' is not googleapis.com, where FCM is"
            ),
            ("authorized_user", "refresh_token", nil, "'refresh_token' is missing"),
            ("authorized_user", "client_id", 7, "'client_id' is not a string"),
            ("authorized_user", "quota_project_id", "a\r\nsekret: 1", "'quota_project_id' is not a project id"),
            ("external_account", "audience", nil, "'audience' is missing"),
            ("external_account", "credential_source", nil, "'credential_source' is missing"),
            ("external_account", "credential_source", "sekret", "'credential_source' is not an object"),
            (
                "external_account", "credential_source", [:],
                "'credential_source' has neither 'file' nor 'url', or both"
            ),
            (
                "external_account", "credential_source", ["file": "a", "url": "https://b.example/"],
                "'credential_source' has neither 'file' nor 'url', or both"
            ),
            (
                "external_account", "credential_source", ["file": "a", "format": ["type": "xml"]],
                "'credential_source.format.type' is neither 'text' nor 'json'"
            ),
            (
                "external_account", "credential_source", ["file": "a", "format": ["type": "json"]],
                "'credential_source.format.subject_token_field_name' is missing"
            ),
            (
                "external_account", "credential_source", ["url": "http://sekret.example/"],
                "'credential_source.url' is not an https address, or http on this machine or at a link-local address"
            ),
            (
                "external_account", "credential_source", ["url": "https://a.example/", "headers": ["a": "b\r\nc: d"]],
                "'credential_source.headers' is not an object of HTTP headers"
            ),
            (
                "external_account", "credential_source", ["url": "https://a.example/", "headers": ["a b": "c"]],
                "'credential_source.headers' is not an object of HTTP headers"
            ),
            (
                "external_account", "service_account_impersonation", ["token_lifetime_seconds": 43_201],
                "'service_account_impersonation.token_lifetime_seconds' is not from 600 to 43200 seconds"
            ),
            ("impersonated_service_account", "source_credentials", nil, "'source_credentials' is missing"),
            (
                "impersonated_service_account", "source_credentials", ["type": "authorized_user"],
                "'source_credentials.client_id' is missing"
            ),
            (
                "impersonated_service_account", "source_credentials", ["type": "impersonated_service_account"],
                "'source_credentials' is itself of type 'impersonated_service_account', which is not supported"
            ),
            ("impersonated_service_account", "delegates", ["a", 7], "'delegates' is not a list of strings"),
        ] as [(String, String, JSONValue?, String)])
    func `what is wrong with a file is named, and nothing of it shown`(
        _ kind: String, _ name: String, _ value: JSONValue?, _ message: String
    ) throws {
        var file = try CredentialSamples.file(kind)
        file[name] = value
        let error = try #require(throws: CredentialFileError.self) { try read(file) }
        #expect(error.description == message)
        #expect(!"\(error) \(String(reflecting: error))".contains("sekret"))
    }

    @Test(
        arguments: [
            (["environment_id": "aws1", "url": "http://169.254.169.254/x"], "AWS"),
            (["executable": ["command": "/bin/sekret"]], "executable"),
            (["certificate": ["use_default_certificate_config": true]], "certificate"),
        ] as [(JSONValue, String)])
    func `a source that herald does not read is named`(_ source: JSONValue, _ name: String) throws {
        var file = CredentialSamples.external
        file["credential_source"] = source
        #expect(throws: CredentialFileError.unsupportedSource(kind: name)) { try read(file) }
    }

    /// A file that names another server must not get a key sent there.
    @Test(
        arguments: [
            "http://oauth2.googleapis.com/token", "https://user:sekret@oauth2.googleapis.com/", "file:///sekret",
            "https://oauth2.googleapis.com/\r\nsekret: 1", "sekret", "https://oauth2.googleapis.com/#a",
        ].map { ($0, CredentialFileError.url("token_uri")) }
            + [
                "https://sekret.example/token", "https://evil-oauth2.googleapis.com/token",
                "https://storage.googleapis.com/token", "https://oauth2.googleapis.com.example/token",
                "https://googleapis.com/token", "https://a.b.sts.googleapis.com/", "https://sts.a.b.googleapis.com/",
                "https://sts..rep.googleapis.com/", "https://127.0.0.1.example/",
            ].map { ($0, .host("token_uri")) })
    func `a credential goes to sign-in servers of Google's only`(_ url: String, _ error: CredentialFileError) throws {
        #expect(throws: error) { try read(KeyFile.members(tokenURI: url)) }
    }

    @Test(arguments: [
        "https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
        "https://accounts.google.com/o/oauth2/token", "https://sts.googleapis.com/v1/token",
        "https://sts.mtls.googleapis.com/v1/token", "https://sts.us-east1.rep.googleapis.com/v1/token",
        "https://iamcredentials.googleapis.com/x", "https://OAUTH2.googleapis.com/token", "https://127.0.0.1:1/token",
        "http://[::1]:1/token", "https://sts.example/token",
    ])
    func `these servers are trusted`(_ url: String) throws {
        _ = try read(KeyFile.members(tokenURI: url), trusting: ["sts.example"])
    }

    @Test(arguments: [
        ("https://run-actions.example/?a=b", true), ("http://169.254.169.254/metadata/identity", true),
        ("http://[fe80::1]/token", true), ("http://metadata.google.internal/x", true),
        ("http://127.0.0.1:9/token", true), ("http://10.0.0.1/token", false), ("http://169.255.0.1/token", false),
        ("http://user@169.254.169.254/", false), ("http://169.254.169.254:0/", false), ("http://[fec0::1]/", false),
    ])
    func `a subject token comes from https, this machine or the network link`(_ url: String, _ isRight: Bool) {
        #expect((TokenURL(source: url) != nil) == isRight)
    }

    @Test(arguments: ["", "sekret", "[]", "7", "{\"type\":", "null", "-----BEGIN PRIVATE KEY-----"])
    func `what is no JSON object is no credential`(_ text: String) {
        #expect(throws: CredentialFileError.notJSON) { try Credential(file: Array(text.utf8)) }
    }

    @Test func `a key too short for Google is refused`() throws {
        var file = try KeyFile.members()
        file["private_key"] = .string(
            try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)).pkcs8PEMRepresentation)
        #expect(throws: CredentialFileError.privateKey) { try read(file) }
    }

    @Test(arguments: CredentialSamples.kinds)
    func `printing a credential and its calls shows nothing of it`(_ kind: String) throws {
        let credential = try read(CredentialSamples.file(kind))
        let dialog = credential.dialog(quotaProject: nil, isFound: false)
        var shown = "\(credential) \(String(reflecting: credential))"
        dump(credential, to: &shown)
        dump(try dialog.step(at: 0), to: &shown)
        dump(dialog, to: &shown)
        for secret in try KeyFile.secrets + CredentialSamples.secrets { #expect(!shown.contains(secret)) }
    }

    @Test(arguments: [
        ("https://oauth2.googleapis.com/token", "https://oauth2.googleapis.com", "/token"),
        ("https://example.com:8443/a/b?c=d", "https://example.com:8443", "/a/b?c=d"),
        ("https://example.com", "https://example.com", "/"),
        ("https://example.com?a", "https://example.com", "/?a"),
        ("http://127.0.0.1:9/token", "http://127.0.0.1:9", "/token"),
    ])
    func `an address is a server and a path`(_ url: String, _ endpoint: String, _ path: String) throws {
        #expect(TokenURL(url) == TokenURL(endpoint: try Endpoint(endpoint), path: path))
    }

    @Test(arguments: ["https://", "https:///token", "https://a b/", "https://é.example/", "https://a/#b", "//a/b", ""])
    func `anything else is none`(_ url: String) {
        #expect(TokenURL(url) == nil)
    }
}
