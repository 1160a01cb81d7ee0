import FCM
import Testing

@testable import FCMEmulator

@Suite struct MetadataTests {
    private func get(_ target: String, from emulator: ManualEmulator = ManualEmulator(), flavor: String? = "Google")
        -> Reply
    {
        guard let flavor else { return emulator.call("GET", target) }
        return emulator.call("GET", target, headers: ["metadata-flavor": flavor])
    }

    @Test(arguments: [nil, "Google"])
    func `its root tells that it is there`(_ flavor: String?) {
        let reply = get("/", flavor: flavor)
        #expect(reply.status == 200)
        #expect(reply.headers["Metadata-Flavor"] == "Google")
    }

    @Test(arguments: [
        ("project/project-id", "demo-herald"), ("project/numeric-project-id", "123456789012"),
        ("universe/universe-domain", "googleapis.com"),
        ("instance/service-accounts/default/email", "emulator@demo-herald.iam.gserviceaccount.com"),
        ("instance/service-accounts/default/scopes", "https://www.googleapis.com/auth/cloud-platform\n"),
        (
            "instance/service-accounts/emulator@demo-herald.iam.gserviceaccount.com/email",
            "emulator@demo-herald.iam.gserviceaccount.com"
        ),
    ])
    func `a value is text`(_ path: String, _ value: String) {
        let reply = get("/computeMetadata/v1/\(path)")
        #expect(reply.status == 200)
        #expect(reply.text == value)
        #expect(reply.contentType == "application/text")
        #expect(reply.headers["Metadata-Flavor"] == "Google")
    }

    @Test(arguments: ["", "?scopes=https://www.googleapis.com/auth/firebase.messaging,openid"])
    func `a machine gets a token`(_ query: String) throws {
        let emulator = ManualEmulator(signIn: SignIn(isRequired: true))
        let reply = get("/computeMetadata/v1/instance/service-accounts/default/token\(query)", from: emulator)
        #expect(reply.status == 200)
        #expect(reply.contentType == "application/json")
        #expect(reply.headers["Metadata-Flavor"] == "Google")
        let answer = try #require(try reply.json().object)
        #expect(answer.keys.sorted() == ["access_token", "expires_in", "token_type"])
        let token = try #require(answer["access_token"]?.string)
        let sent = emulator.call(
            "POST", "/v1/projects/p/messages:send", #"{"message":{"topic":"t"}}"#,
            headers: ["Authorization": "Bearer \(token)"])
        #expect(sent.status == 200)
    }

    @Test func `an account is told whole`() throws {
        let reply = get("/computeMetadata/v1/instance/service-accounts/default/?recursive=true")
        #expect(
            try reply.json() == [
                "aliases": ["default"], "email": "emulator@demo-herald.iam.gserviceaccount.com",
                "scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            ])
    }

    @Test(arguments: [nil, "google", "AWS"])
    func `who does not say that it means the metadata server gets nothing`(_ flavor: String?) throws {
        for path in ["project/project-id", "instance/service-accounts/default/token"] {
            let reply = get("/computeMetadata/v1/\(path)", flavor: flavor)
            #expect(reply.status == 403)
            #expect(reply.headers["Metadata-Flavor"] == "Google")
            #expect(!reply.text.contains("ya29"))
        }
    }

    @Test(arguments: [
        ("GET", "/computeMetadata/v1/instance/service-accounts/other/token"), ("GET", "/computeMetadata/v1/project/x"),
        ("GET", "/computeMetadata/v1beta1/project/project-id"), ("POST", "/computeMetadata/v1/project/project-id"),
        ("POST", "/"),
    ])
    func `another path or method is not found, in HTML`(_ method: String, _ target: String) {
        let reply = ManualEmulator().call(method, target, headers: ["Metadata-Flavor": "Google"])
        #expect(reply.status == 404)
        #expect(reply.contentType.hasPrefix("text/html"))
    }
}
