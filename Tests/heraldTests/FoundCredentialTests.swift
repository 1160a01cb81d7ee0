import FCM
import FCMClient
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// Which credential is used, by the settings and the environment.
@Suite struct FoundCredentialTests {
    private let files: TemporaryFolder

    init() throws {
        let key = try ServiceAccountKey.file(tokens: "https://oauth2.googleapis.com/token")
        files = try TemporaryFolder(["workspace/herald.yaml": ""])
        for name in ["option.json", "settings.json", "variable.json"] { try files.write(key, to: name) }
        try files.write(Self.user, to: "gcloud/application_default_credentials.json")
        try files.write(Self.user, to: "home/.config/gcloud/application_default_credentials.json")
    }

    private static let user = """
        {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
         "quota_project_id": "file-billing"}
        """

    private func find(
        option: String? = nil, settings: String? = nil, at endpoint: String = "https://fcm.googleapis.com",
        _ environment: [String: String]
    ) throws -> FoundCredential? {
        var fcm = FCMSettings()
        fcm.endpoint = endpoint
        fcm.credentials = settings.map { Located($0, at: SourceRange(file: "herald.yaml")) }
        let expanded = environment.mapValues { $0.replacing("FOLDER", with: files.path) }
        let folder = option == nil ? "\(files.path)/workspace" : nil
        return try Destination(
            fcm, in: folder, credentials: option.map { "\(files.path)/\($0)" }, environment: expanded
        ).credential()
    }

    @Test(
        arguments: [
            (
                "option.json", nil, ["GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/variable.json"],
                "--credentials: FOLDER/option.json"
            ),
            (
                nil, "../settings.json", ["GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/variable.json"],
                "fcm.credentials: FOLDER/workspace/../settings.json"
            ),
            (
                nil, nil,
                ["GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/variable.json", "CLOUDSDK_CONFIG": "FOLDER/gcloud"],
                "GOOGLE_APPLICATION_CREDENTIALS: FOLDER/variable.json"
            ),
            (
                nil, nil, ["CLOUDSDK_CONFIG": "FOLDER/gcloud", "HOME": "FOLDER/home"],
                "gcloud's default credentials: FOLDER/gcloud/application_default_credentials.json"
            ),
            (
                nil, nil, ["HOME": "FOLDER/home"],
                "gcloud's default credentials: FOLDER/home/.config/gcloud/application_default_credentials.json"
            ),
            (nil, nil, ["HOME": "FOLDER"], "the metadata server at 169.254.169.254"),
            (nil, nil, ["GCE_METADATA_HOST": "169.254.169.253:81"], "the metadata server at 169.254.169.253:81"),
        ] as [(String?, String?, [String: String], String)])
    func `the search order is that of Google's libraries`(
        _ option: String?, _ settings: String?, _ environment: [String: String], _ origin: String
    ) throws {
        let found = try find(option: option, settings: settings, environment)
        #expect(found?.origin == origin.replacing("FOLDER", with: files.path))
    }

    @Test func `a metadata server is not looked for where a variable forbids it or names a stranger`() {
        #expect(throws: CommandFailure.self) { try find(["NO_GCE_CHECK": "true"]) }
        let failure = #expect(throws: CommandFailure.self) { try find(["GCE_METADATA_HOST": "evil.example"]) }
        #expect(failure?.message?.hasPrefix("GCE_METADATA_HOST names ") == true)
    }

    @Test func `towards this machine only a metadata server of this machine is asked`() throws {
        let endpoint = "https://127.0.0.1:9"
        #expect(try find(at: endpoint, [:]) == nil)
        #expect(try find(at: endpoint, ["GCE_METADATA_HOST": "evil.example"]) == nil)
        let local = ["GCE_METADATA_HOST": "127.0.0.1:8"]
        #expect(try find(at: endpoint, local)?.summary.kind == "metadata_server")
        #expect(throws: CommandFailure.self) { try find(local) }
        #expect(try find(at: "https://fcm.example", local) == nil)
    }

    @Test(
        arguments: [
            (["HOME": "FOLDER/home", "GOOGLE_CLOUD_QUOTA_PROJECT": "env-billing"], "env-billing"),
            (["HOME": "FOLDER/home"], "file-billing"),
            (["GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/plain.json"], "tide"),
            (["GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/variable.json"], nil),
            (["GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/variable.json", "GOOGLE_CLOUD_QUOTA_PROJECT": "b"], "b"),
        ] as [([String: String], String?)])
    func `the project for quota is the environment's, the file's, and for a person the workspace's`(
        _ environment: [String: String], _ project: String?
    ) throws {
        try files.write(Self.user.replacing("\"file-billing\"", with: "null"), to: "plain.json")
        #expect(try find(environment)?.quotaProject(for: "tide") == project)
    }

    @Test func `a project for quota that is none never reaches a header`() {
        #expect(throws: CommandFailure.self) {
            try find(["HOME": "FOLDER/home", "GOOGLE_CLOUD_QUOTA_PROJECT": "a\r\nx: y"])
        }
    }

    @Test func `projects that differ from the workspace's are told`() throws {
        let environment = [
            "GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/variable.json", "GOOGLE_CLOUD_PROJECT": "tide",
            "GCLOUD_PROJECT": "other",
        ]
        var found = try #require(try find(environment))
        found.fileWarning = nil
        #expect(
            found.warnings(for: "tide").map(\.text) == [
                "GCLOUD_PROJECT is for the project 'other'", "\(found.origin) is for the project 'tide-app-prod'",
            ])
    }

    @Test(arguments: [(0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o644, true)])
    func `a key that others can read is told`(_ mode: Int, _ warns: Bool) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: "\(files.path)/variable.json")
        let found = try find(["GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/variable.json"])
        #expect((found?.fileWarning != nil) == warns)
    }

    @Test func `a file without a secret may be read by others`() throws {
        let file = """
            {"type": "external_account", "audience": "a", "subject_token_type": "b",
             "token_url": "https://sts.googleapis.com/v1/token", "credential_source": {"file": "/var/run/token"}}
            """
        try files.write(file, to: "external.json")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: "\(files.path)/external.json")
        let found = try find(["GOOGLE_APPLICATION_CREDENTIALS": "FOLDER/external.json"])
        #expect(found?.summary.kind == "external_account")
        #expect(found?.fileWarning == nil)
    }
}
