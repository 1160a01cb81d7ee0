import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

/// The program itself on files with every mistake that the tests know.
@Suite struct MistakenCommandTests {
    /// The commands that read the workspace's files.
    private static let readers = [
        "validate", "validate --lists skip", "validate --format sarif", "plan", "plan --lists skip",
        "plan --format html",
        "review --out OUT", "review --lists skip --out OUT", "apply --dry-run", "apply --auto-approve", "run",
        "preview --all", "preview --all --lists skip", "calendar", "doctor", "test c --to \(fid)", "approve PLAN",
        "groups export --all --out OUT/groups.csv", "drift", "drift --audience a --record",
        "import topic t --audience a",
    ]
    /// Those that need only its settings.
    private static let settingsReaders = [
        "state init", "state show", "state lock", "state find \(fid)", "state forget \(fid)", "pause", "resume",
        "state resolve c@once --accept", "state rewind c", "state prune --older-than 1d --auto-approve",
        "state erase \(fid) --auto-approve", "state export", "state snapshot --out OUT/snapshot.json",
    ]

    @Test func `every command that reads files ends with a sentence, whatever is wrong in them`() async throws {
        let folder = try Self.folder()
        for line in Self.readers {
            let result = try await Self.run(line, in: folder)
            #expect(!result.wasKilled && result.status == 1, "\(line): \(result.status) \(result.errors.suffix(300))")
            #expect(!(result.errors + result.output).isEmpty, "\(line)")
        }
        for line in Self.settingsReaders {
            let result = try await Self.run(line, in: folder)
            #expect(!result.wasKilled && result.status <= 1, "\(line): \(result.status) \(result.errors.suffix(300))")
        }
    }

    @Test(arguments: ["plan", "apply --dry-run", "run", "review --out OUT", "preview --all"])
    func `a filter by a column that the list lacks is named by every command`(_ line: String) async throws {
        let folder = try TemporaryFolder([
            "workspace/herald.yaml": settingsText, "workspace/l.csv": "fid,n\n\(fid),x\n",
            "workspace/x.yaml": "kind: audience\nname: a\nsource: {file: l.csv}\nwhere: {m: x}\n",
        ])
        let result = try await Self.run(line, in: folder)
        #expect(!result.wasKilled && result.status == 1)
        #expect(result.errors.contains("'l.csv' has no column 'm'"), "\(result.errors)")
    }

    private static func run(_ line: String, in folder: TemporaryFolder) async throws -> ChildProcess.Result {
        let arguments = line.replacing("OUT", with: "\(folder.path)/out").replacing("PLAN", with: "\(folder.path)/plan")
        return try await HeraldProcess.run(
            ["-w", "\(folder.path)/workspace"] + arguments.split(separator: " ").map(String.init),
            environment: ["HERALD_STATE": "\(folder.path)/state.sqlite", "FCM_EMULATOR_HOST": "127.0.0.1:9"])
    }

    /// A workspace with the files of all cases, a folder for each. Only one file can hold the settings: those stay right.
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder(["workspace/herald.yaml": settingsText, "plan": "{}"])
        for (number, mistake) in RuleCase.all.enumerated() {
            for (version, files) in mistake.filled.enumerated() {
                for (name, text) in files where name != "herald.yaml" {
                    try folder.write(text, to: "workspace/rule-\(number)-\(version)/\(name)")
                }
            }
        }
        for (number, found) in FuzzCase.corpus.enumerated() {
            for (name, bytes) in found.files { try folder.write(bytes, to: "workspace/fuzz-\(number)/\(name)") }
            guard let text = found.files["text"] else { continue }
            let quoted = JSONValue.string(String(decoding: text, as: UTF8.self)).prettyText
            try folder.write(
                """
                kind: campaign
                name: fuzz-\(number)
                target: {condition: \(found.kind == .condition ? quoted : "\"'t' in topics\"")}
                schedule: {cron: \(found.kind == .cron ? quoted : "0 9 * * *")}
                message: {data: {a: b}}

                """, to: "workspace/fuzz-\(number)/c.yaml")
        }
        let hostile = "\(folder.path)/workspace/hostile"
        try folder.write([0xFF, 0xFE, 0x00], to: "workspace/hostile/bytes.yaml")
        try folder.write(String(repeating: "[", count: 100_000), to: "workspace/hostile/deep.yaml")
        try folder.write("kind: audience\nname: l\nsource: {file: pipe.csv}\n", to: "workspace/hostile/list.yaml")
        for name in ["pipe.yaml", "pipe.csv"] { try #require(mkfifo("\(hostile)/\(name)", 0o600) == 0) }
        for (name, target) in [("circle", "circle"), ("zero", "/dev/zero"), ("gone", "nowhere")] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(hostile)/\(name).yaml", withDestinationPath: target)
        }
        return folder
    }
}
