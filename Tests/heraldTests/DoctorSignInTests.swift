import FCM
import HeraldTestSupport
import Testing

/// What `herald doctor` says of a credential that acts for a service account, or that names none.
@Suite struct DoctorSignInTests {
    private static func doctor(_ scene: CredentialScene) async throws -> [JSONValue] {
        let environment = scene.sandbox.environment(nil)
            .merging(scene.kind.environment(scene.host, scene.sandbox.folder.path)) { $1 }
        let result = try await HeraldProcess.run(
            ["-w", scene.sandbox.workspace, "doctor", "--format", "json"], environment: environment)
        return try #require(JSONValue(parsing: result.output.utf8)["checks"]?.array, "\(result.errors)")
    }

    @Test(
        arguments: zip(
            CredentialKind.all.filter { $0.legs.contains { $0.name == SignInLeg.impersonation.name } },
            ["workloadIdentityUser", "serviceAccountTokenCreator", "serviceAccountTokenCreator"]))
    func `a refused impersonation is told with the role that is missing`(_ kind: CredentialKind, _ role: String)
        async throws
    {
        let scene = try await CredentialScene(kind)
        try await scene.control.put(faults: [
            [
                "match": ["service": "oauth", "endpoint": .string(SignInLeg.impersonation.endpoint)],
                "do": SignInLeg.impersonation.revoked,
            ]
        ])
        let credential = try #require(try await Self.doctor(scene).first)
        #expect(credential["check"] == "credential" && credential["result"] == "error", "\(credential)")
        #expect(
            credential["fix"]?.string
                == "Give whoever signs in the role roles/iam.\(role) on the service account \(ServiceAccountKey.email).",
            "\(credential)")
        // A run that cannot sign in says the same.
        let apply = try await scene.apply()
        #expect(apply.status == 1)
        #expect(apply.errors.contains("roles/iam.\(role)"), "\(apply.errors)")
        await scene.end()
    }

    @Test func `on a metadata server the account is named`() async throws {
        let scene = try await CredentialScene(.metadata)
        let right = try #require(try await Self.doctor(scene).first)
        #expect(right["result"] == "ok", "\(right)")
        let account = "metadata_server of emulator@demo-herald.iam.gserviceaccount.com, from the metadata server at "
        #expect(right["found"]?.string?.hasPrefix(account) == true, "\(right)")

        // It is named, too, where it gets no token.
        try await scene.control.put(faults: [
            ["match": ["service": "oauth", "endpoint": "metadata", "after": 1, "first": 2], "do": ["status": 404]]
        ])
        let wrong = try #require(try await Self.doctor(scene).first)
        #expect(wrong["result"] == "error", "\(wrong)")
        #expect(wrong["found"]?.string?.hasPrefix(account) == true, "\(wrong)")
        await scene.end()
    }
}
