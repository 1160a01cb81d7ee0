import FCM
import Foundation
import HeraldTestSupport
import Testing

/// The commands that show things or create files, through the built program. None of them opens a socket.
@Suite struct ShowingTests {
    private static let files = Sandbox.small(count: 3, subscribers: 2)

    @Test func `preview shows a campaign's request and devices, and no registration`() async throws {
        let sandbox = try Sandbox(Self.files)
        let shown = try await sandbox.herald("preview", "to-all", "--format", "json")
        #expect(shown.status == 0, "\(shown.errors)")
        let json = try JSONValue(parsing: Array(shown.output.utf8))
        #expect(json["schema"] == "herald.preview/1")
        let request = try #require(json["requests"]?.array?.first)
        #expect(request["url"] == "http://127.0.0.1:9/v1/projects/demo-project/messages:send")
        #expect(request["headers"]?["authorization"] == nil)
        #expect(request["body"]?["message"]?["fid"] == "<registration 1 of 3>")
        #expect(json["devices"]?.array?.count == 3)
        #expect(!shown.output.contains(Registration.fid(1).rawValue))
        let android = try await sandbox.herald("preview", "to-topic", "--platform", "android")
        #expect(android.output.contains("\nAndroid\n  │ Hello\n  │ To all who follow\n"))
        #expect(!android.output.contains("iPhone"))
    }

    @Test func `preview of one campaign warns about that one and what it uses`() async throws {
        var files = Self.files
        let warned =
            "kind: campaign\nname: NAME\ntarget: {audience: NAME}\nmessage: {}\n---\n"
            + "kind: audience\nname: NAME\nsource: {file: ../lists/NAME.csv}\n"
        for name in ["one", "two"] {
            files["workspace/campaigns/\(name).yaml"] = warned.replacing("NAME", with: name)
        }
        for name in ["one", "two"] { files["workspace/lists/\(name).csv"] = "fid\n" }
        let sandbox = try Sandbox(files)
        let one = try await sandbox.herald("preview", "one")
        #expect(one.status == 0, "\(one.errors)")
        #expect(one.errors.contains("one.yaml"))
        #expect(!one.errors.contains("two.yaml"))
        let all = try await sandbox.herald("preview", "--all")
        #expect(all.errors.contains("one.yaml") && all.errors.contains("two.yaml"))
        // An error ends the command, so it is shown wherever it is.
        try sandbox.folder.write("kind: campaign\n", to: "workspace/campaigns/three.yaml")
        let wrong = try await sandbox.herald("preview", "one")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("three.yaml"))
    }

    @Test func `preview of everything is one document`() async throws {
        let sandbox = try Sandbox(Self.files)
        let shown = try await sandbox.herald("preview", "--all", "--format", "json")
        let previews = try JSONValue(parsing: Array(shown.output.utf8))["previews"]?.array
        #expect(previews?.map { $0["campaign"]?.string } == ["to-all", "to-topic"])
    }

    @Test(arguments: [
        ("preview --all", "to-topic</h2>"), ("preview to-all", "<h1>to-all</h1>"), ("plan", "herald plan"),
    ])
    func `a page is one document`(_ command: String, _ part: String) async throws {
        let sandbox = try Sandbox(Self.files)
        let shown = try await sandbox.herald("\(command) --format html")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.hasPrefix("<!doctype html>\n") && shown.output.hasSuffix("</html>\n"))
        #expect(shown.output.contains(part))
    }

    @Test(arguments: ["-1", "65536", "to-all"])
    func `serve takes a port`(_ port: String) async throws {
        let sandbox = try Sandbox(Self.files)
        let wrong = try await sandbox.herald("preview", "--serve=\(port)")
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("--serve: '\(port)' is not a port\n  help: write a number from 0 to 65535\n"))
    }

    @Test func `preview asks which campaign`() async throws {
        let sandbox = try Sandbox(Self.files)
        let none = try await sandbox.herald("preview")
        #expect(none.status == 1)
        #expect(none.errors.contains("to-all, to-topic"))
        let wrong = try await sandbox.herald("preview", "to-topics")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("did you mean 'to-topic'?"))
        #expect(try await sandbox.herald("preview", "to-all", "--all").status == 64)
    }

    @Test(arguments: [
        ("condition-mixed", "condition-mixed (error)\n\n", "docs/reference/rules.md#condition-mixed\n"),
        ("Image-HTTP", "image-http (warning)\n\n", "'# herald: allow image-http REASON'"),
        ("UNREGISTERED", "UNREGISTERED\n\nThe registration is dead", "forgotten"),
        ("service_disabled", "SERVICE_DISABLED\n\nThe API is not enabled", "Enable the Firebase Cloud Messaging API"),
        ("baddevicetoken", "BadDeviceToken\n\nApple does not know", "upload a key"),
        ("invalid_grant", "invalid_grant\n\nGoogle does not take the credential", "make a new key"),
        ("HTTP_502", "HTTP_502\n\nThe answer has this HTTP status", "may have gone out"),
    ])
    func `a rule or a code is explained`(_ name: String, _ begin: String, _ part: String) async throws {
        let shown = try await HeraldProcess.run(["explain", name])
        #expect(shown.status == 0)
        #expect(shown.output.hasPrefix(begin))
        #expect(shown.output.contains(part))
    }

    @Test func `what cannot be explained is told with the nearest that can`() async throws {
        let wrong = try await HeraldProcess.run(["explain", "topic-nam"])
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("there is no rule and no code 'topic-nam'\n  help: did you mean 'topic-name'?\n"))
        let all = try await HeraldProcess.run(["explain"])
        #expect(all.output.split(separator: "\n").contains("yaml-syntax"))
        #expect(all.output.split(separator: "\n").contains("QUOTA_EXCEEDED"))
    }

    @Test func `a report is rendered in every form, and nothing else is`() async throws {
        let sandbox = try Sandbox(Self.files)
        let report = """
            {"schema":"herald.report/1","run":"r","plan_digest":"sha256:","dry_run":false,
             "started":"2026-12-01T08:00:00Z","finished":null,"result":"running","endpoint":"fcm","project":"p",
             "herald_version":"0.1.0","git_commit":null,"overrides":[],"summary":{"planned":0},"steps":[]}
            """
        try sandbox.folder.write(report, to: "report.json")
        let path = "\(sandbox.folder.path)/report.json"
        for (format, begin) in [
            ("text", "\nRun r: running."), ("markdown", "## herald run: not finished\n"), ("html", "<!doctype html>\n"),
            ("junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"),
        ] {
            let shown = try await HeraldProcess.run(["report", path, "--format", format])
            #expect(shown.status == 0)
            #expect(shown.output.hasPrefix(begin), "\(shown.output)")
        }
        try sandbox.folder.write(report.replacing("report/1", with: "report/2"), to: "report.json")
        let newer = try await HeraldProcess.run(["report", path])
        #expect(newer.status == 1)
        #expect(newer.errors.contains("'herald.report/2'"))
        let absent = try await HeraldProcess.run(["report", "\(path).not"])
        #expect(absent.status == 1)
    }

    @Test func `new campaign writes a file that is valid, and never overwrites`() async throws {
        let sandbox = try Sandbox(Self.files)
        let made = try await sandbox.herald("new", "campaign", "tide-rome", "--target", "topic:news")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.hasSuffix("/tide-rome.yaml\n"))
        #expect(try await sandbox.herald("validate").output == "0 errors, 0 warnings\n")
        let text = try sandbox.folder.read("workspace/tide-rome.yaml")
        #expect(try await sandbox.herald("new", "campaign", "tide-rome", "--target", "topic:news").status == 1)
        let other = "\(sandbox.workspace)/tide-rome.yaml"
        let over = try await sandbox.herald("new", "campaign", "b", "--target", "topic:news", "--out", other)
        #expect(over.status == 1)
        #expect(over.errors.contains("nothing was written"))
        #expect(try sandbox.folder.read("workspace/tide-rome.yaml") == text)
    }

    @Test func `new campaign writes tags, and says that one is missing where the workspace requires them`() async throws
    {
        var files = Self.files
        files["workspace/herald.yaml"] =
            Sandbox.settings.replacing("herald: 1\n", with: "herald: 2\n") + "require_tags: true\n"
        files = files.mapValues { $0.replacing("kind: campaign\n", with: "kind: campaign\ntags: [news]\n") }
        let sandbox = try Sandbox(files)
        let bare = try await sandbox.herald("new", "campaign", "tide-rome", "--target", "topic:news")
        #expect(bare.status == 64 && bare.errors.contains("--tag is missing"), "\(bare.errors)")
        let wrong = try await sandbox.herald("new", "campaign", "a", "--target", "topic:news", "--tag", "Big Sale")
        #expect(wrong.status == 1 && wrong.errors.contains("'Big Sale' cannot be a name"), "\(wrong.errors)")
        let made = try await sandbox.herald(
            "new", "campaign", "tide-rome", "--target", "topic:news", "--tag", "promo", "--tag", "sale")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try sandbox.folder.read("workspace/tide-rome.yaml").contains("\ntags: [promo, sale]\nmessage:\n"))
        #expect(try await sandbox.herald("validate").output == "0 errors, 0 warnings\n")
    }

    @Test(arguments: ["file", "postgres", "sqlite", "https", "command"])
    func `new audience writes a file that is valid, with a source to edit`(_ source: String) async throws {
        var files = Self.files
        files["workspace/audiences/note.txt"] = ""
        files["workspace/schemas/audience.schema.json"] = "{}"
        files["workspace/audiences/lists/people.csv"] = "fid\n"
        let sandbox = try Sandbox(files)
        let made = try await sandbox.herald("new", "audience", "people", "--source", source)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.hasSuffix("/audiences/people.yaml\n"))
        let text = try sandbox.folder.read("workspace/audiences/people.yaml")
        #expect(text.hasPrefix("# yaml-language-server: $schema=../schemas/audience.schema.json\n"))
        #expect(text.contains("\n  \(source): "))
        #expect(made.errors.contains("'herald fetch people'") == (source != "file"))
        let valid = try await sandbox.herald("validate", "--lists", "skip")
        #expect(valid.output == "0 errors, 0 warnings\n", "\(valid.output)\(valid.errors)")
        let again = try await sandbox.herald("new", "audience", "people", "--source", source)
        #expect(again.status == 1 && again.errors.contains("audience 'people' is declared twice"), "\(again.errors)")
        #expect(try await sandbox.herald("new", "audience", "p", "--source", "oracle").status == 64)
        #expect(try await sandbox.herald("new", "audience", "p").errors.contains("--source is missing"))
        #expect(try sandbox.folder.read("workspace/audiences/people.yaml") == text)
    }

    @Test func `new campaign goes where campaigns are, and says what is missing`() async throws {
        var files = Self.files
        files["workspace/campaigns/note.txt"] = ""
        files["workspace/schemas/campaign.schema.json"] = "{}"
        let sandbox = try Sandbox(files)
        let lost = try await sandbox.herald("new", "campaign", "tide-rome", "--target", "topic:new")
        #expect(lost.status == 1)
        #expect(lost.errors.contains("did you mean 'news'?"))
        #expect(try await sandbox.herald("new", "campaign", "tide-rome", "--target", "topic:news").status == 0)
        let text = try sandbox.folder.read("workspace/campaigns/tide-rome.yaml")
        #expect(text.hasPrefix("# yaml-language-server: $schema=../schemas/campaign.schema.json\n"))
        #expect(try await sandbox.herald("new", "campaign", "x", "--target", "news").status == 64)
    }

    @Test func `a plan can be a comment`() async throws {
        let sandbox = try Sandbox(Self.files)
        let plan = try await sandbox.herald("plan", "--lists", "skip", "--format", "markdown")
        #expect(plan.status == 0, "\(plan.errors)")
        #expect(plan.output.hasPrefix("<!-- herald: . -->\n## 2 campaigns, the first now\n"))
    }
}
