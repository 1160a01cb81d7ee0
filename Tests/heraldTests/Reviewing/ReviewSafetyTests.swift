import FCM
import Foundation
import HeraldTestSupport
import Testing

/// Pull requests that try to reach out, to read secrets or to run something. Nothing leaves, runs or is shown.
@Suite struct ReviewSafetyTests {
    private static let secret = "s3cr3t-0f-the-machine"

    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var edit: @Sendable (ReviewSandbox) async throws -> Void
        var options: [String] = ["--base", "main"]
    }

    private static func settings(_ lines: String) -> @Sendable (ReviewSandbox) async throws -> Void {
        { try $0.write("herald: 2\nproject: club-prod\n\(lines)\n", to: "herald.yaml") }
    }

    private static func list(_ path: String, _ more: String = "") -> @Sendable (ReviewSandbox) async throws -> Void {
        { try $0.write("kind: audience\nname: spy\nsource: {file: \(path)}\n\(more)", to: "spy.yaml") }
    }

    private static func link(_ name: String, to target: String) -> @Sendable (ReviewSandbox) async throws -> Void {
        { review in
            let path = "\(review.sandbox.folder.path)/repo/push/\(name)"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: target.replacing("SANDBOX", with: review.sandbox.folder.path))
        }
    }

    private static let attacks: [Attack] = [
        Attack(
            testDescription: "a secret as project",
            edit: { try $0.write("herald: 2\nproject: ${SECRET}\n", to: "herald.yaml") }),
        Attack(testDescription: "a secret as workspace", edit: settings("workspace: ${SECRET}")),
        Attack(testDescription: "a secret as zone", edit: settings("timezone: ${SECRET}")),
        Attack(testDescription: "a secret as sender", edit: settings("sender_id: ${SECRET}")),
        Attack(testDescription: "a secret in an address", edit: settings("fcm: {endpoint: \"http://HOST/${SECRET}\"}")),
        Attack(testDescription: "a secret as default", edit: settings("lists: \"${NOTHING:-${SECRET}}\"")),
        Attack(testDescription: "an endpoint", edit: settings("fcm: {endpoint: \"http://HOST\"}")),
        Attack(testDescription: "a database", edit: settings("workspace: a\nstate: postgresql://u:${SECRET}@HOST/db")),
        Attack(
            testDescription: "a database with keys",
            edit: settings("workspace: a\nstate: {postgres: \"postgresql://HOST/db\", insecure: true}")),
        Attack(testDescription: "a state elsewhere", edit: settings("state: SANDBOX/secret.sqlite")),
        Attack(testDescription: "a snapshot to write", edit: settings("state: {snapshot: SANDBOX/written.json}")),
        Attack(testDescription: "credentials", edit: settings("fcm: {credentials: SANDBOX/secret.csv}")),
        Attack(testDescription: "certificates", edit: settings("fcm: {ca: SANDBOX/secret.csv}")),
        Attack(
            testDescription: "lists elsewhere",
            edit: {
                try await settings("lists: SANDBOX")($0)
                try await list("secret.csv")($0)
            }),
        Attack(
            testDescription: "the environment as list",
            edit: {
                try await settings("lists: /proc/self")($0)
                try await list("environ")($0)
            }),
        Attack(testDescription: "a path upwards", edit: list("../../secret.csv")),
        Attack(
            testDescription: "git's configuration",
            edit: {
                try await $0.sandbox.git(["config", "http.extraheader", "AUTHORIZATION: \(secret)"], in: "repo")
                try await list("../.git/config")($0)
            }),
        Attack(
            testDescription: "a link to a list",
            edit: {
                try await link("lists/linked.csv", to: "SANDBOX/secret.csv")($0)
                try await list("lists/linked.csv")($0)
            }),
        Attack(testDescription: "a link to a campaign", edit: link("linked.yaml", to: "SANDBOX/secret.csv")),
        Attack(testDescription: "a link for settings", edit: link("herald.yaml", to: "SANDBOX/secret.csv")),
        Attack(testDescription: "a link in a hidden folder", edit: link("hidden.yaml", to: "../.git/config")),
        Attack(
            testDescription: "a hook and programs of git",
            edit: { review in
                let program = "\(review.sandbox.folder.path)/program"
                for key in [
                    "core.fsmonitor", "core.pager", "core.sshCommand", "alias.ls-tree", "filter.x.smudge",
                    "diff.external",
                ] {
                    try await review.sandbox.git(
                        ["config", key, key.hasPrefix("alias") ? "!\(program)" : program], in: "repo")
                }
                try review.write("*.yaml filter=x diff=x\n", to: ".gitattributes")
            }),
        Attack(testDescription: "an option as base", edit: { _ in }, options: ["--base=--output=SANDBOX/written.json"]),
        Attack(testDescription: "a file as base", edit: { _ in }, options: ["--base", "HEAD:push/herald.yaml"]),
        Attack(
            testDescription: "a workflow's commands",
            edit: {
                try $0.replace("Spring sale", with: "\"::set-output name=x::y\\n::warning::z\"", in: "spring.yaml")
            }),
    ]

    @Test(arguments: attacks)
    func `nothing leaves, nothing runs, nothing is shown`(_ attack: Attack) async throws {
        let review = try await ReviewSandbox([
            "secret.csv": "fid,\(Self.secret)\n\(Self.secret),\(Self.secret)\n", "secret.sqlite": Self.secret,
            "program": "#!/bin/sh\necho ran >> '\(NSTemporaryDirectory())ran'\n",
        ])
        let folder = review.sandbox.folder.path
        try review.sandbox.folder.write("#!/bin/sh\ntouch '\(folder)/ran'\n", to: "program")
        chmod("\(folder)/program", 0o755)
        let listener = try Listener()
        try await attack.edit(review)
        for file in ["herald.yaml", "spy.yaml"] {
            guard let text = try? review.sandbox.folder.read("repo/push/\(file)"), !text.contains(Self.secret) else {
                continue
            }
            let changed = text.replacing("SANDBOX", with: folder).replacing("HOST", with: "127.0.0.1:\(listener.port)")
            if changed != text { try review.write(changed, to: file) }
        }
        let options = attack.options.map { $0.replacing("SANDBOX", with: folder) }
        try await review.sandbox.commit("change", in: "repo")
        // Our own git is not as careful.
        unlink("\(folder)/ran")
        let result = try await review.reviewCommitted(
            options, ["SECRET": Self.secret, "GITHUB_ACTIONS": "true", "HERALD_STATE": ""])
        #expect([0, 1, 3, 64].contains(result.status), "\(result.errors)")
        let outputs =
            try (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/out"))?.map { try review.output($0) }
            ?? []
        for text in outputs + [result.output, result.errors] { #expect(!text.contains(Self.secret), "\(text)") }
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/ran"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/written.json"))
        #expect(!listener.wasCalled)
        let commands = result.output.split(separator: "\n").filter { $0.hasPrefix("::") }
        #expect(
            commands.allSatisfy { ["::error ", "::warning ", "::notice "].contains(where: $0.hasPrefix) },
            "\(result.output)")
    }

    @Test(arguments: ["out", "out/plan.md"])
    func `links in place of the output lead nowhere`(_ name: String) async throws {
        let review = try await ReviewSandbox(["target/kept": "kept", "file": "kept"])
        let folder = review.sandbox.folder.path
        if name == "out" {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/repo/out", withDestinationPath: "\(folder)/target")
        } else {
            try review.sandbox.folder.write("", to: "repo/out/x")
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/repo/out/plan.md", withDestinationPath: "\(folder)/file")
        }
        let result = try await review.herald(["review", "--out", "\(folder)/repo/out"])
        #expect(result.status == (name == "out" ? 1 : 0), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/target") == ["kept"])
        #expect(try review.sandbox.folder.read("file") == "kept")
    }
}

/// Listens on this machine, and notes whether anybody connects.
private final class Listener {
    private let socket: Int32
    let port: Int

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 5) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound)
        port = Int(UInt16(bigEndian: address.sin_port))
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    }

    var wasCalled: Bool {
        let connection = accept(socket, nil, nil)
        if connection >= 0 { close(connection) }
        return connection >= 0
    }

    deinit { close(socket) }
}
