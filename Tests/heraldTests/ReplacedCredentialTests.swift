import CryptoExtras
import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Files of credentials that somebody replaces while a run goes on. A run keeps the credential that it began with, and
/// the next one takes the new file. A file with a subject token is read at each sign-in.
@Suite(.timeLimit(.minutes(5))) struct ReplacedCredentialTests {
    /// Another key of the same account.
    private static let rotated = Result {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        return (
            file: try ServiceAccountKey.file(tokens: "HOST/token", key: key), public: key.publicKey.pemRepresentation
        )
    }

    /// What the file is replaced by.
    enum Replacement: CaseIterable, Sendable {
        case rotatedKey, otherKind, nonsense

        func text(_ host: String, _ folder: String) throws -> String {
            switch self {
            case .rotatedKey: try rotated.get().file.replacing("HOST", with: host)
            case .otherKind: try CredentialKind.all[2].text(host, folder)
            case .nonsense: "{"
            }
        }
    }

    /// A scene in which another file takes the place of the credential's in mid-run, when all tokens end too.
    private func scene(
        _ replacement: Replacement, knowing accounts: [String: String] = [:]
    ) async throws -> CredentialScene {
        var setting = CredentialScene.Setting()
        setting.accounts = accounts
        // As programs replace files: at once.
        setting.midRun = { folder in _ = rename("\(folder)/next.json", "\(folder)/credential.json") }
        let scene = try await CredentialScene(CredentialKind.all[0], setting)
        let folder = scene.sandbox.folder
        try folder.write(try replacement.text(scene.host, folder.path), to: "next.json")
        return scene
    }

    private func isReplaced(in scene: CredentialScene) -> Bool {
        !FileManager.default.fileExists(atPath: "\(scene.sandbox.folder.path)/next.json")
    }

    @Test(arguments: Replacement.allCases)
    func `a run goes on with the credential that it began with`(_ replacement: Replacement) async throws {
        // Google knows the first key alone: whoever signs with the new one is refused.
        let known = try ServiceAccountKey.key.publicKey.pemRepresentation
        let scene = try await scene(replacement, knowing: [ServiceAccountKey.email: known])
        let apply = try await scene.apply()
        let comment: Comment = "\(apply.output)\(apply.errors)"
        #expect(apply.status == 0, comment)
        #expect(isReplaced(in: scene))
        try scene.expectAccount(isComplete: true, comment)
        #expect(try await scene.control.signIns() == ["token": 2])
        // Another member of the topic gives the next run something to do.
        let members = (1...6).map { Registration.fid($0).rawValue + "\n" }
        try scene.sandbox.folder.write(members.joined(), to: "workspace/some.txt")
        let next = try await scene.apply()
        let output = next.output + next.errors
        switch replacement {
        case .rotatedKey:
            #expect(next.status == 1 && output.contains("invalid_grant, Invalid JWT Signature."), "\(output)")
        case .otherKind:
            #expect(next.status == 0, "\(output)")
            #expect(try await scene.control.signIns() == ["token": 2, "exchange": 1])
        case .nonsense:
            #expect(next.status == 1 && output.contains("the file is not a JSON object"), "\(output)")
        }
        await scene.end()
    }

    @Test(arguments: [Replacement.rotatedKey, .otherKind])
    func `if that one is revoked, the run ends, and the next one sends the rest with the new file`(
        _ replacement: Replacement
    ) async throws {
        let scene = try await scene(replacement)
        try await scene.control.put(faults: [
            [
                "match": ["service": "oauth", "endpoint": "token", "after": 1, "first": 2],
                "do": ["status": 400, "code": "invalid_grant"],
            ]
        ])
        let first = try await scene.apply()
        #expect(first.status == 4, "\(first.output)\(first.errors)")
        #expect(isReplaced(in: scene))
        try scene.expectAccount(isComplete: false, "\(first.output)\(first.errors)")
        let second = try await scene.apply()
        #expect(second.status == 0, "\(second.output)\(second.errors)")
        try scene.expectAccount(isComplete: true, "\(second.output)\(second.errors)")
        let signIns = try await scene.control.signIns()
        #expect(signIns == (replacement == .otherKind ? ["token": 2, "exchange": 1] : ["token": 3]))
        await scene.end()
    }

    @Test(arguments: [("SUBJECT.second.SIGNATURE\n", 0), ("", 4)] as [(String, Int32)])
    func `a token file that rotates in mid-run is read anew`(_ second: String, _ status: Int32) async throws {
        var setting = CredentialScene.Setting()
        // As Kubernetes does it: a link to a folder of files is replaced.
        setting.midRun = { folder in _ = rename("\(folder)/..next", "\(folder)/..data") }
        let kind = CredentialKind(name: "token file", legs: [.exchange], isSecure: false) { host, folder in
            try CredentialKind.all[2].text(host, folder).replacing("subject.txt", with: "token")
        }
        let recorder = Later<RecordingProxy>()
        let scene = try await CredentialScene(
            kind, setting,
            through: { port in
                let proxy = try RecordingProxy(serverPort: port)
                recorder.value = proxy
                return proxy.port
            })
        let (folder, proxy) = (scene.sandbox.folder, recorder.value)
        for (name, text) in [("..one/token", "SUBJECT.first.SIGNATURE\n"), ("..two/token", second)] {
            try folder.write(text, to: name)
        }
        for (link, target) in [("..data", "..one"), ("..next", "..two"), ("token", "..data/token")] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/\(link)", withDestinationPath: target)
        }
        let apply = try await scene.apply()
        let comment: Comment = "\(apply.output)\(apply.errors)"
        #expect(apply.status == status, comment)
        try scene.expectAccount(isComplete: status == 0, comment)
        let report = try folder.read("report.json")
        #expect(report.contains("the source of the subject token gave none") == (status != 0), comment)
        let exchanges = proxy.requests.filter { $0.path == "/v1/token" }
            .map { String(decoding: $0.body, as: UTF8.self) }
        #expect(exchanges.count == (status == 0 ? 2 : 1))
        #expect(exchanges.first?.contains("&subject_token=SUBJECT.first.SIGNATURE&") == true)
        if status == 0 { #expect(exchanges.last?.contains("&subject_token=SUBJECT.second.SIGNATURE&") == true) }
        proxy.stop()
        await scene.end()
    }
}
