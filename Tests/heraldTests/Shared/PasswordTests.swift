import Foundation
import HeraldTestSupport
import Testing

/// Whatever a person writes for the address of a database, no command prints its password.
@Suite struct PasswordTests {
    /// What opens a state.
    private static let commands = [
        "plan", "apply --auto-approve", "run", "review", "calendar", "preview to-all", "doctor", "pause", "resume",
        "approve plan.json", "test to-all --to {fid}", "groups export family --out g.csv",
        "work --project demo-project",
        "state init", "state show", "state lock", "state unlock r --auto-approve", "state export", "state find {fid}",
        "state forget {fid}", "state revive {fid}", "state erase {fid} --auto-approve", "state migrate",
        "state prune --older-than 1d --auto-approve", "state resolve to-all@once --retry", "state rewind to-all",
        "state rm topic:news", "state snapshot", "state backup backup.sqlite", "state copy --to copy.sqlite",
    ]

    /// The two halves of the password, which has something between them that must be percent-encoded.
    private static let halves = ["hunt3r", "swordf1sh"]

    /// How people write an address with a password.
    private static let spellings = [
        "postgresql://app:{pw}@db.example/herald?sslmode=verify-full", "postgres://app:{pw}@db.example/herald",
        "postgresql://{pw}@db.example/herald?sslmode=verify-full", "postgresql://app:{pw}@/herald",
        "postgresql://app:{pw}/herald?sslmode=verify-full", "postgresql://app:{pw}",
        "postgresql://db.example/herald?user=app&password={pw}&sslmode=verify-full&no=1",
        "Postgresql://app:{pw}@db.example/herald", "postgresql:/app:{pw}@db.example/herald",
        "app:{pw}@db.example/herald",
        "postgresql+asyncpg://app:{pw}@db.example/herald", "jdbc:postgresql://db.example/herald?user=app&password={pw}",
        "host=db.example user=app password={pw}", " postgresql://app:{pw}@db.example/herald",
        "psql 'postgresql://app:{pw}@db.example/herald'",
    ]

    private let sandbox: Sandbox

    init() throws {
        var files = Sandbox.small(count: 3, subscribers: 1)
        files["plan.json"] = "{}"
        files["workspace/herald.yaml"] = "herald: 2\nproject: demo-project\nworkspace: tide\n"
        sandbox = try Sandbox(files)
    }

    private func arguments(_ command: String) -> [String] {
        let line = command.replacing("{fid}", with: "cGFzc3dvcmQtdGVzdHMtMQ")
        return ["-w", sandbox.workspace] + line.split(separator: " ").map(String.init)
    }

    private func check(_ arguments: [String], _ state: String?, _ label: String) async throws {
        var environment = ["FCM_EMULATOR_HOST": "127.0.0.1:9", "PGCONNECT_TIMEOUT": "2"]
        environment["HERALD_STATE"] = state
        let result = try await HeraldProcess.run(arguments, environment: environment)
        for half in Self.halves {
            #expect(!result.output.contains(half) && !result.errors.contains(half), "\(label)")
        }
    }

    /// - Parameter spelling: what it is for. In one without a server, what follows an `@` would be that server.
    private static func password(in spelling: String, _ random: inout SeededRandom) -> String {
        let other = spelling.contains("@") ? "@" : "#"
        let specials = Array("/?#%:&=[] ;,+\\\"'$!\(other)")
        let middle = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            specials.randomElement(using: &random) ?? "/"
        }
        // One of those that libpq reads as the end of something.
        let sharp = Array("/?#\(other)").randomElement(using: &random) ?? "/"
        return halves[0] + String(middle) + String(sharp) + halves[1]
    }

    @Test func `no command shows a password, however the environment spells it`() async throws {
        var random = SeededRandom(seed: 23)
        for (number, command) in Self.commands.enumerated() {
            for turn in 0..<4 {
                let spelling = Self.spellings[(number * 4 + turn) % Self.spellings.count]
                let state = spelling.replacing("{pw}", with: Self.password(in: spelling, &random))
                try await check(arguments(command), state, "\(command), \(spelling)")
            }
        }
    }

    @Test func `no command shows a password that it finds in herald.yaml`() async throws {
        var random = SeededRandom(seed: 24)
        for (number, spelling) in Self.spellings.enumerated() {
            let password = Self.password(in: spelling, &random)
            let state = spelling.replacing("{pw}", with: password)
            let quoted = "'\(state.replacing("'", with: "''"))'"
            for value in [quoted, "{postgres: \(quoted)}", "{file: \(quoted), shcema: x}"] {
                try sandbox.folder.write(
                    "herald: 2\nproject: demo-project\nworkspace: tide\nstate: \(value)\n", to: "workspace/herald.yaml")
                for command in ["plan", "state show", Self.commands[number % Self.commands.count]]
                where !command.hasPrefix("work ") && !command.hasPrefix("review") {
                    try await check(arguments(command), nil, "\(command), \(spelling)")
                }
            }
        }
    }

    @Test(arguments: [
        "state copy {address}", "state copy --to {address}", "state backup {address}", "plan {address}",
        "--state {address} plan",
    ])
    func `no command shows a password that it finds among its arguments`(_ command: String) async throws {
        var random = SeededRandom(seed: 25)
        for spelling in Self.spellings.prefix(4) {
            let password = Self.password(in: spelling, &random).replacing(" ", with: "")
            let address = spelling.replacing("{pw}", with: password)
            let line = arguments(command).map { $0 == "{address}" ? address : $0 }
            try await check(line, "\(sandbox.folder.path)/state.sqlite", "\(command), \(spelling)")
        }
    }

    @Test func `a password of plain characters is as secret where the address is refused`() async throws {
        for spelling in Self.spellings {
            let state = spelling.replacing("{pw}", with: Self.halves[0] + Self.halves[1])
            // A server that does not exist would be asked for, by that name.
            if spelling.hasPrefix("postgresql://{pw}@") || spelling.contains("{pw}@/") { continue }
            try await check(arguments("state show"), state, spelling)
        }
    }
}
