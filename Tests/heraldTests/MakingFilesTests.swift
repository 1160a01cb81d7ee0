import Foundation
import HeraldTestSupport
import Testing

/// Commands that make files to start from, and what herald says to a mistyped command.
@Suite struct MakingFilesTests {
    private static let files = ["workspace/herald.yaml": "herald: 1\nproject: tide-app\n"]
    private static let legacy = """
        {"to": "/topics/news", "time_to_live": 3600, "delay_while_idle": true,
         "notification": {"title": "High tide", "body": "18:42 at Ostia", "sound": "default"}}
        """

    @Test func `convert makes a valid campaign of a legacy request, and says what it left out`() async throws {
        let sandbox = try Sandbox(Self.files.merging(["old.json": Self.legacy]) { $1 })
        let old = "\(sandbox.folder.path)/old.json"
        let made = try await sandbox.herald("convert", old, "--name", "tide")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output == "\(sandbox.workspace)/tide.yaml\n")
        #expect(made.errors == "herald: delay_while_idle is left out: FCM has ignored it since 2016\n")
        #expect(try await sandbox.herald("validate").status == 0)
        let preview = try await sandbox.herald("preview", "tide")
        #expect(preview.output.contains("18:42 at Ostia"), "\(preview.errors)")

        let text = try sandbox.folder.read("workspace/tide.yaml")
        let again = try await sandbox.herald("convert", old, "--name", "tide")
        #expect(again.status == 1)
        #expect(again.errors.contains("campaign 'tide' is declared twice"))
        let elsewhere = try await sandbox.herald(
            "convert", old, "--name", "tide-2", "--out", "\(sandbox.workspace)/tide.yaml")
        #expect(elsewhere.status == 1)
        #expect(elsewhere.errors.contains("tide.yaml is there\n  help: name another file with --out\n"))
        #expect(try sandbox.folder.read("workspace/tide.yaml") == text)
    }

    @Test(arguments: [
        ("[1, 2]", "", "it is a list of 2\n  help: give one message at a time\n"),
        ("{\n", "", "line 2 is not valid JSON"), ("", "", "line 1 is not valid JSON\n  help: give one message as JSON"),
        (#"{"aps": {"alert": "Hi"}}"#, "", "does not say whom the message is for\n  help: add --target topic:NAME\n"),
        (#"{"hello": "there"}"#, "", "help: say which it is with --from v1, legacy or apns"),
        (#"{"topic": "news", "data": {"from": "me"}}"#, "", "'from' is a key of FCM's own"),
        (#"{"topic": "news", "data": {"a": "b"}}"#, "--target group:home", "no file declares group 'home'"),
    ])
    func `convert writes nothing if it cannot, and says what to do`(
        source: String, options: String, sentence: String
    ) async throws {
        let sandbox = try Sandbox(Self.files.merging(["old.json": source]) { $1 })
        let result = try await HeraldProcess.run(
            ["-w", sandbox.workspace, "convert", "\(sandbox.folder.path)/old.json", "--name", "tide"]
                + options.split(separator: " ").map(String.init))
        #expect(result.status == 1)
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(sandbox.workspace)/tide.yaml"))
    }

    @Test func `convert reads standard input`() async throws {
        let sandbox = try Sandbox(Self.files)
        let command =
            "printf '%s' '\(Self.legacy)' | \(HeraldProcess.program) -w \(sandbox.workspace) convert - --name tide"
        let made = try await ChildProcess.run("/bin/sh", ["-c", command])
        #expect(made.status == 0, "\(made.errors)")
        #expect(try sandbox.folder.read("workspace/tide.yaml").contains("title: \"High tide\""))
    }

    #if os(Linux)
        @Test func `new campaign asks on a terminal for what is missing`() async throws {
            let sandbox = try Sandbox(
                Self.files.merging(["workspace/topics.yaml": "kind: topic\nname: news\n"]) { $1 })
            // `script` gives the command a terminal.
            let command =
                "printf 'tide-rome\\ntopic:news\\n' | script -qec "
                + "'\(HeraldProcess.program) -w \(sandbox.workspace) new campaign' /dev/null"
            let made = try await ChildProcess.run(
                "/bin/sh", ["-c", command], environment: ["PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"])
            #expect(made.output.contains("The campaign's name, as in tide-alert: "), "\(made.output)")
            #expect(try sandbox.folder.read("workspace/tide-rome.yaml").contains("target: {topic: news}"))
        }
    #endif

    @Test func `without a terminal new campaign names what is missing`() async throws {
        let sandbox = try Sandbox(Self.files)
        let nameless = try await sandbox.herald("new", "campaign")
        #expect(nameless.status == 64)
        #expect(nameless.errors.contains("NAME is missing"))
        let aimless = try await sandbox.herald("new", "campaign", "tide-rome")
        #expect(aimless.status == 64)
        #expect(aimless.errors.contains("--target is missing"))
    }

    @Test(arguments: [
        ("plna", "herald: there is no command 'plna'\n  help: did you mean 'plan'?\n"),
        ("-w somewhere aply", "herald: there is no command 'aply'\n  help: did you mean 'apply'?\n"),
        ("-w state plna", "herald: there is no command 'plna'\n  help: did you mean 'plan'?\n"),
        ("plna --nope", "herald: there is no command 'plna'\n  help: did you mean 'plan'?\n"),
        ("--nope plna", "'--nope'"), ("plan storm", "'storm'"),
        ("state shwo", "herald: there is no command 'shwo'\n  help: did you mean 'show'?\n"),
        ("xylophone", "herald: there is no command 'xylophone'\n  help: 'herald --help' lists what it takes\n"),
        ("new campagn x", "did you mean 'campaign'?"),
    ])
    func `a mistyped command is told which one is near`(arguments: String, sentence: String) async throws {
        let result = try await HeraldProcess.run(arguments.split(separator: " ").map(String.init))
        #expect(result.status == 64)
        #expect(result.errors.contains(sentence), "\(result.errors)")
    }
}
