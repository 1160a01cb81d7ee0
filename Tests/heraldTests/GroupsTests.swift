import FCM
import Foundation
import HeraldTestSupport
import Testing

/// The members of device groups, which people need after FCM has ended the groups.
@Suite struct GroupsTests {
    private static let files = [
        "workspace/herald.yaml": """
        herald: 1
        project: demo-project
        sender_id: "123456789012"
        fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s}

        """,
        "workspace/groups.yaml": """
        kind: group
        name: family
        members: {tokens: ['\(Registration.token(8).rawValue)', '\(Registration.token(9).rawValue)']}
        ---
        kind: group
        name: 'others,"x"'
        members: {tokens: ['\(Registration.token(7).rawValue)']}

        """,
    ]

    /// A group of an audience, some of whom opted out.
    private static func suppressing(optedOut: [Int], revision: Int) -> [String: String] {
        let token = { (number: Int) in Registration.token(number).rawValue }
        let lines = optedOut.map { "\(token($0))\n" }.joined()
        return [
            "workspace/herald.yaml": """
            herald: 1
            project: demo-project
            sender_id: "123456789012"
            suppress: [opted-out]
            fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s}

            """,
            "workspace/users.csv": "token,user\n\(token(8)),chris\n\(token(9)),chris\n\(token(7)),dana\n",
            "workspace/out.csv": "token\n\(lines)",
            "workspace/all.yaml": """
            kind: audience
            name: users
            source: {file: users.csv}
            ---
            kind: audience
            name: opted-out
            source: {file: out.csv}
            ---
            kind: audience
            name: chris
            from: users
            where: {user: chris}
            ---
            kind: group
            name: family
            members: {audience: chris}
            ---
            kind: campaign
            name: all
            revision: \(revision)
            target: {audience: users}
            message: {data: {a: b}}

            """,
        ]
    }

    private func applied() async throws -> (Sandbox, host: String) {
        let sandbox = try Sandbox(Self.files)
        let (_, host) = try await sandbox.startEmulator()
        let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
        try #require(apply.status == 0, "\(apply.output)\(apply.errors)")
        return (sandbox, host)
    }

    @Test func `the members of a group become a list that reaches the same devices`() async throws {
        let (sandbox, host) = try await applied()
        let list = "\(sandbox.workspace)/groups.csv"
        // Looking at the state needs no endpoint.
        let written = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "groups", "export", "--all", "--out", list],
            environment: sandbox.environment(nil))
        #expect(written.status == 0 && written.output.isEmpty, "\(written.errors)")
        #expect(written.errors.contains("wrote 3 members to \(list)"))
        #expect(try FileManager.default.attributesOfItem(atPath: list)[.posixPermissions] as? Int == 0o600)
        let tokens = [8, 9].map { Registration.token($0).rawValue }
        let one = try await sandbox.herald("groups export family --reveal-registrations", host: host)
        #expect(one.output == "token,fid,group\n\(tokens[0]),,family\n\(tokens[1]),,family\n")

        try sandbox.folder.write(
            """
            kind: audience
            name: family
            source: {file: groups.csv}
            where: {group: family}
            ---
            kind: audience
            name: others
            source: {file: groups.csv}
            where: {group: 'others,"x"'}
            ---
            kind: campaign
            name: to-family
            target: {audience: family}
            message: {data: {a: b}}
            ---
            kind: campaign
            name: to-others
            target: {audience: others}
            message: {data: {a: b}}

            """, to: "workspace/families.yaml")
        let sent = try await sandbox.herald("apply", "--auto-approve", host: host)
        #expect(sent.status == 0, "\(sent.output)\(sent.errors)")
        let accepted = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect((tokens + [Registration.token(7).rawValue]).allSatisfy { accepted[$0] == 1 })
        await sandbox.end()
    }

    /// Members that a list names, all of whom opt out.
    @Test func `a group whose audience is suppressed goes, and everybody else gets their message`() async throws {
        let sandbox = try Sandbox(Self.suppressing(optedOut: [], revision: 1))
        let (_, host) = try await sandbox.startEmulator()
        let made = try await sandbox.herald("apply --auto-approve", host: host)
        #expect(made.status == 0, "\(made.output)\(made.errors)")
        let control = try Control(host)
        #expect(try await control.members(ofGroup: "family")?.count == 2)

        for (name, text) in Self.suppressing(optedOut: [8, 9], revision: 2) { try sandbox.folder.write(text, to: name) }
        #expect(try await sandbox.herald("validate", host: host).status == 0)
        let left = try await sandbox.herald("apply --auto-approve", host: host)
        #expect(left.status == 0, "\(left.output)\(left.errors)")
        #expect((left.output + left.errors).contains("they are suppressed"), "\(left.output)\(left.errors)")
        #expect(try await control.members(ofGroup: "family") == nil)
        let sent = try sandbox.accepted(in: ["ledger.ndjson"])
        #expect([7, 8, 9].map { sent[Registration.token($0).rawValue] } == [2, 1, 1])
        let next = try await sandbox.herald("plan", host: host)
        #expect(next.status == 0, "\(next.errors)")
        let warning = "group 'family' has no members: the files list nobody who is neither dead nor suppressed"
        #expect((next.output + next.errors).contains(warning), "\(next.output)\(next.errors)")
        await sandbox.end()
    }

    @Test func `who may be a member is in the list, and the command says so`() async throws {
        let (sandbox, host) = try await applied()
        let (known, new) = (Registration.token(8).rawValue, Registration.token(6).rawValue)
        let files = Self.files["workspace/groups.yaml", default: ""]
        let more = files.replacing("'\(known)'", with: "'\(new)', '\(known)'")
        try sandbox.folder.write(more, to: "workspace/groups.yaml")
        try await sandbox.applyAndDie(at: (.beforeAnswer, 1), of: host)
        #expect(try await Control(host).members(ofGroup: "family")?.count == 3)
        let export = try await sandbox.herald("groups export family --reveal-registrations", host: host)
        #expect(export.status == 0)
        let rows = [6, 8, 9].map { "\(Registration.token($0).rawValue),,family" }
        #expect(Set(export.output.split(separator: "\n").dropFirst().map(String.init)) == Set(rows))
        let words = "'family': 1 registration in the list may be no member: FCM's answer about it is not known\n"
        #expect(export.errors.contains(words), "\(export.errors)")
        await sandbox.end()
    }

    @Test func `a list keeps the rows of groups that are gone, whichever is written next`() async throws {
        let (sandbox, host) = try await applied()
        let list = "\(sandbox.workspace)/groups.csv"
        _ = try await sandbox.herald("groups export --all --out \(list)", host: host)
        let all = try sandbox.folder.read("workspace/groups.csv").split(separator: "\n").sorted()
        #expect(all.count == 4)
        let text = Self.files["workspace/groups.yaml", default: ""]
        let rest = try #require(text.range(of: "---\n"))
        for (files, arguments, kept) in [
            (text, "family", 1), (String(text[rest.upperBound...]), "--all", 2), ("\n", "--all", 3),
        ] {
            try sandbox.folder.write(files, to: "workspace/groups.yaml")
            let apply = try await sandbox.herald("apply", "--auto-approve", host: host)
            #expect(apply.status == 0, "\(apply.output)\(apply.errors)")
            let again = try await sandbox.herald("groups export \(arguments) --out \(list)", host: host)
            #expect(again.status == 0 && again.errors.contains("and kept \(kept) other row"), "\(again.errors)")
            #expect(try sandbox.folder.read("workspace/groups.csv").split(separator: "\n").sorted() == all)
        }
        await sandbox.end()
    }

    @Test(arguments: [
        (
            "--out FOLDER/x.csv", Int32(1),
            "no group is named\n  help: name a group, or add --all; the state has: family, others"
        ),
        ("famly --out FOLDER/x.csv", 1, "the state has no group 'famly'\n  help: did you mean 'family'?\n"),
        ("nobody --out FOLDER/x.csv", 1, "the state has no group 'nobody'\n  help: the state has: family, others"),
        ("family", 64, "name its file with --out"), ("family --all --out FOLDER/x.csv", 64, "cannot be combined"),
        ("family --out FOLDER/no/x.csv", 1, "cannot be written to "),
        (
            "family --out FOLDER/workspace/herald.yaml", 1,
            "herald.yaml is no list of groups and stays as it is\n  help: name another file, or remove it first\n"
        ),
    ])
    func `an export of groups that cannot be says why, and writes nothing`(
        _ arguments: String, _ status: Int32, _ reason: String
    ) async throws {
        let (sandbox, host) = try await applied()
        let folder = sandbox.folder.path
        let failed = try await sandbox.herald(
            "groups export \(arguments.replacing("FOLDER", with: folder))", host: host)
        #expect(failed.status == status && failed.output.isEmpty)
        #expect(failed.errors.contains(reason), "\(failed.errors)")
        #expect(!failed.errors.contains(Registration.token(8).rawValue))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/x.csv"))
        await sandbox.end()
    }
}
