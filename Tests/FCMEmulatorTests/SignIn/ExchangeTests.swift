import FCM
import Testing

@testable import FCMEmulator

@Suite struct ExchangeTests {
    /// The form that a GitHub Actions job sends, as google-auth writes it.
    static let form: KeyValuePairs = [
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/github",
        "scope": "https://www.googleapis.com/auth/firebase.messaging",
        "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
        "subject_token": "e30.e30.c2ln", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
    ]

    private func exchange(_ emulator: ManualEmulator, without left: String? = nil, _ changes: [String: String] = [:])
        -> Reply
    {
        let form = Self.form.filter { $0.key != left }.map { "\($0.key)=\(changes[$0.key] ?? $0.value)" }
        return emulator.call(
            "POST", "/v1/token", form.joined(separator: "&"),
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
    }

    @Test func `another provider's token is taken for one of Google's`() throws {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        let reply = exchange(emulator)
        #expect(reply.status == 200)
        let answer = try #require(try reply.json().object)
        #expect(answer.keys.sorted() == ["access_token", "expires_in", "issued_token_type", "token_type"])
        #expect(answer["issued_token_type"] == "urn:ietf:params:oauth:token-type:access_token")
        #expect(answer["token_type"] == "Bearer")
        #expect(answer["expires_in"] == 3599)
        let token = try #require(answer["access_token"]?.string)
        let sent = emulator.call(
            "POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#,
            headers: ["Authorization": "Bearer \(token)"])
        #expect(sent.status == 200)
        #expect(try emulator.requests().map { $0["path"] }.first == "/v1/token")
    }

    @Test func `what may be left out may`() {
        #expect(exchange(ManualEmulator(), without: "requested_token_type").status == 200)
    }

    @Test(arguments: [
        ("grant_type", "unsupported_grant_type"), ("audience", "invalid_request"), ("subject_token", "invalid_request"),
        ("subject_token_type", "invalid_request"), ("scope", "invalid_scope"),
    ])
    func `what is missing is told`(_ name: String, _ error: String) throws {
        let reply = exchange(ManualEmulator(), without: name)
        #expect(reply.status == 400)
        #expect(
            try reply.json() == [
                "error": .string(error), "error_description": .string("Invalid value for \"\(name)\"."),
            ])
    }

    @Test(arguments: [
        ("grant_type", "refresh_token", "unsupported_grant_type"), ("audience", "tide-app-prod", "invalid_request"),
        ("requested_token_type", "urn:ietf:params:oauth:token-type:jwt", "invalid_request"),
        ("subject_token_type", "jwt", "invalid_request"),
    ])
    func `what is wrong is told`(_ name: String, _ value: String, _ error: String) throws {
        let reply = exchange(ManualEmulator(), [name: value])
        #expect(reply.status == 400)
        #expect(
            try reply.json() == [
                "error": .string(error), "error_description": .string("Invalid value for \"\(name)\"."),
            ])
    }

    @Test func `only a form that is posted is read`() throws {
        let json = ManualEmulator().call("POST", "/v1/token", "{}", headers: ["Content-Type": "application/json"])
        #expect(json.status == 400)
        #expect(try json.json()["error"] == "invalid_request")
        #expect(ManualEmulator().call("GET", "/v1/token").status == 404)
    }
}
