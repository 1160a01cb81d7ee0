import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What reviewers read of ten pull requests. The sentences were written by hand.
@Suite struct ReviewTests {
    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var edit: @Sendable (ReviewSandbox) throws -> Void
        var status: Int32 = 0
        /// Lines that the comment has, in this order.
        var lines: [String]
    }

    private static let changes = [
        Change(
            testDescription: "a new campaign",
            edit: {
                try $0.write(
                    """
                    kind: campaign
                    name: autumn
                    target: {audience: gold}
                    schedule: {at: "2026-12-03T10:07"}
                    message: {notification: {title: Autumn, body: Leaves and prices fall}}

                    """, to: "autumn.yaml")
            },
            lines: [
                "## 3 campaigns to 9 recipients, the first Thu 2026-12-03 10:07 Europe/Rome",
                "- **new campaign 'autumn'**", "  - title: “Autumn”", "  - text: “Leaves and prices fall”",
                "  - target.audience: “gold”", "  - time: Thu 2026-12-03 10:07 Europe/Rome",
                "<details><summary><code>autumn</code></summary>", "│ Leaves and prices fall",
            ]),
        Change(
            testDescription: "moved",
            edit: { try $0.replace("2026-12-07T09:07", with: "2026-12-08T10:07", in: "spring.yaml") },
            lines: [
                "- **campaign 'spring'**",
                "  - moved from Mon 2026-12-07 09:07 to Tue 2026-12-08 10:07 Europe/Rome",
            ]),
        Change(
            testDescription: "retargeted",
            edit: { try $0.replace("audience: gold", with: "topic: news", in: "spring.yaml") },
            lines: [
                "- **campaign 'spring'**", "  - target.topic: “news”", "  - target.audience is gone; it was “gold”",
            ]),
        Change(
            testDescription: "reworded",
            edit: { try $0.replace("Spring sale", with: "'<b>@all</b> #1'", in: "spring.yaml") },
            lines: [
                "- **campaign 'spring'**",
                "  - title changed from “Spring sale” to “`<b>@all</b> #1`”", "│ <b>@all</b> #1",
            ]),
        Change(
            testDescription: "deleted", edit: { try $0.remove("spring.yaml") },
            lines: [
                "## 1 campaign to 3 recipients, the first Fri 2026-12-04 18:07 Europe/Rome",
                "- **campaign 'spring' is removed**",
            ]),
        Change(
            testDescription: "renamed",
            edit: {
                try $0.replace("name: spring", with: "name: spring-sale\nprevious_names: [spring]", in: "spring.yaml")
            },
            lines: ["- **campaign 'spring' is now called 'spring-sale'**"]),
        Change(
            testDescription: "an audience redefined",
            edit: { try $0.replace("[gold]", with: "[gold, free]", in: "audiences.yaml") }, status: 0,
            lines: ["- **audience 'gold'**", "  - where.plan now also free"]),
        Change(
            testDescription: "settings",
            edit: { try $0.replace("max_recipients: 4", with: "max_recipients: 40", in: "herald.yaml") },
            lines: ["- **settings**", "  - `guards.max_recipients` changed from 4 to 40"]),
        Change(
            testDescription: "a mistake", edit: { try $0.replace("body:", with: "bdoy:", in: "spring.yaml") },
            status: 1,
            lines: [
                "## 1 mistake, so there is no plan",
                "- `push/spring.yaml:5`: 'bdoy' is not a key of 'notification'; did you mean 'body'?",
            ]),
        Change(
            testDescription: "a merge conflict in the settings",
            edit: { try $0.replace("workspace: club", with: "<<<<<<< HEAD\nworkspace: club\n=", in: "herald.yaml") },
            status: 1, lines: ["## 1 mistake, so there is no plan", "- `push/herald.yaml:"]),
        Change(
            testDescription: "a guard",
            edit: {
                try $0.write(
                    """
                    kind: campaign
                    name: flood
                    target: {audience: everyone}
                    message: {notification: {title: Flood}}

                    """, to: "flood.yaml")
            }, status: 3,
            lines: [
                "## 3 campaigns to 11 recipients, the first now", "### Guards that need an override",
                "- **`max_recipients`**: campaign 'flood' would reach 5 recipients; the limit is 4; correct the target, or raise '`max_recipients`' in the campaign's 'acknowledge'; to let it through: herald apply `--override max_recipients=flood`",
                "- **new campaign 'flood'**",
            ]),
    ]

    @Test(arguments: changes)
    func `the comment of a pull request says what it does`(_ change: Change) async throws {
        let review = try await ReviewSandbox()
        try change.edit(review)
        let result = try await review.review()
        #expect(result.status == change.status, "\(result.errors)")
        let comment = try review.output("plan.md")
        #expect(comment.hasPrefix("<!-- herald: club -->\n"))
        var rest = comment[...]
        for line in change.lines {
            let place = rest.range(of: "\(line)\n") ?? rest.range(of: line)
            #expect(place != nil, "no ‘\(line)’ in \(comment)")
            if let place { rest = rest[place.upperBound...] }
        }
        if change.status != 1 {
            let page = try review.output("plan.html")
            let headline = try #require(comment.split(separator: "\n").first { $0.hasPrefix("## ") }?.dropFirst(3))
            #expect(page.contains("<h1>\(headline)</h1>"))
            for title in change.lines.compactMap({ $0.wholeMatch(of: #/- \*\*(.*)\*\*/#)?.1 }) {
                #expect(page.contains("<b>\(title.replacing("'", with: "&#39;"))</b>"), "\(title)")
            }
            #expect(!page.contains("<b>@all</b>"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(review.sandbox.folder.path)/out").sorted()
        let ofPlans = ["codequality.json", "diagnostics.sarif", "plan.html", "plan.json", "plan.md", "terraform.json"]
        #expect(names == (change.status == 1 ? ["codequality.json", "diagnostics.sarif", "plan.md"] : ofPlans))
    }

    @Test func `a pull request that changes nothing says so, and the same files give the same bytes`() async throws {
        let review = try await ReviewSandbox()
        #expect(try await review.review().status == 0)
        let comment = try review.output("plan.md")
        #expect(comment.contains("\nNothing: the files decide the same as before.\n"))
        #expect(comment.hasSuffix("State: none, at 2026-12-01T08:00:00Z.\n"))
        #expect(try await review.review().status == 0)
        #expect(try review.output("plan.md") == comment)
        #expect(try review.json("terraform.json") == ["create": 0, "update": 0, "delete": 0])
        #expect(try review.json("codequality.json") == [])
        #expect(try review.json("plan.json")["changes"] == [])
    }

    @Test func `reviewers see what the author was warned of, as far as it is new`() async throws {
        let review = try await ReviewSandbox([
            "repo/push/weekly.yaml": """
            kind: campaign
            name: weekly
            target: {topic: news}
            schedule: {cron: "7 18 * * FRI"}
            message: {notification: {title: TODO, body: Read it in the app}}

            """
        ])
        func section(_ options: [String]) async throws -> String? {
            #expect(try await review.review(options).status == 0)
            let parts = try review.output("plan.md").components(separatedBy: "\n### ")
            return parts.first { $0.hasPrefix("Warnings about the files\n") }
        }
        let words = "'TODO' has been left in a text that people see; herald does not fill it in"
        #expect(try await section(["--base", "main"]) == nil)
        #expect(
            try await section([]) == "Warnings about the files\n\n- `push/weekly.yaml:5`: \(words)\n")
        try review.replace("Spring sale", with: "TODO", in: "spring.yaml")
        try review.replace("name: weekly", with: "# Fridays\nname: weekly", in: "weekly.yaml")
        #expect(
            try await section(["--base", "main"]) == """
                Warnings about the files

                1 other warning was there before; 'herald validate' shows all.

                - `push/spring.yaml:5`: \(words)

                """)
        let page = try review.output("plan.html")
        let place = "push/spring.yaml:5: &#39;TODO&#39; has been left"
        #expect(page.contains("Warnings about the files") && page.contains(place) && !page.contains("weekly.yaml:6"))
    }

    @Test func `JSON names each field before and after`() async throws {
        let review = try await ReviewSandbox()
        try review.replace("Spring sale", with: "Sale", in: "spring.yaml")
        let base = try await review.sandbox.git(["rev-parse", "main"], in: "repo")
        #expect(try await review.review().status == 0)
        let plan = try review.json("plan.json")
        #expect(plan["base"]?["commit"]?.string == base)
        #expect(
            plan["changes"] == [
                [
                    "kind": "campaign", "name": "spring", "from": nil, "action": "changed",
                    "fields": [
                        ["path": "message.notification.title", "before": "Spring sale", "after": "Sale"]
                    ],
                ]
            ])
        #expect(try review.json("terraform.json") == ["create": 0, "update": 1, "delete": 0])
    }

    @Test func `what moved on the other branch meanwhile is not this one's change`() async throws {
        let review = try await ReviewSandbox()
        try review.replace("Spring sale", with: "Sale", in: "spring.yaml")
        try await review.sandbox.commit("change", in: "repo")
        try await review.sandbox.git(["checkout", "-q", "main"], in: "repo")
        try review.replace("This week", with: "Last week", in: "weekly.yaml")
        try await review.sandbox.commit("meanwhile", in: "repo")
        try await review.sandbox.git(["checkout", "-q", "change"], in: "repo")
        #expect(try await review.review().status == 0)
        let changes = try #require(try review.json("plan.json")["changes"]?.array)
        #expect(changes.map { $0["name"] } == ["spring"])
    }

    @Test func `a link at the base is the file that it names`() async throws {
        let review = try await ReviewSandbox()
        let push = "\(review.sandbox.folder.path)/repo/push"
        try review.write(review.sandbox.folder.read("repo/push/spring.yaml"), to: "real/spring.src")
        try review.remove("spring.yaml")
        try FileManager.default.createDirectory(atPath: "\(push)/more", withIntermediateDirectories: true)
        for (name, target) in [("more/spring.yaml", ".././real/spring.src"), ("read.me", "../../outside")] {
            try FileManager.default.createSymbolicLink(atPath: "\(push)/\(name)", withDestinationPath: target)
        }
        let base = try await review.sandbox.commit("link", in: "repo")
        #expect(try await review.review(["--base", base]).status == 0)
        #expect(try review.json("plan.json")["changes"] == [])
        try review.replace("Spring sale", with: "Sale", in: "real/spring.src")
        #expect(try await review.review(["--base", base]).status == 0)
        let changes = try #require(try review.json("plan.json")["changes"]?.array)
        #expect(changes.map { $0["action"] } == ["changed"])
    }

    /// git tells names as bytes.
    @Test(arguments: ["png", "yaml"])
    func `a file at the base whose name is not UTF-8 is left out`(_ ending: String) async throws {
        let review = try await ReviewSandbox()
        let blob = try await review.sandbox.git(["rev-parse", "HEAD:push/spring.yaml"], in: "repo")
        let name = "$(printf 'push/pic\\351.\(ending)')"
        let update = "git -C '\(review.sandbox.folder.path)/repo' update-index --add --cacheinfo"
        let result = try await ChildProcess(
            "/bin/sh", ["-c", "\(update) \"100644,\(blob),\(name)\""],
            environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
        ).wait()
        try #require(result.status == 0, "\(result.errors)")
        try await review.sandbox.git(["commit", "-q", "-m", "picture"], in: "repo")
        let base = try await review.sandbox.git(["rev-parse", "HEAD"], in: "repo")
        let reviewed = try await review.reviewCommitted(["--base", base], [:])
        #expect(reviewed.status == 0, "\(reviewed.errors)")
        #expect(try review.json("plan.json")["changes"] == [])
    }

    @Test func `a repository that git refuses to read is not taken for none`() async throws {
        let review = try await ReviewSandbox()
        try await review.sandbox.makeUnreadable("repo")
        let result = try await review.reviewCommitted(["--base", "main"], [:])
        #expect(result.status == 1 && result.errors.contains("git does not read the repository"), "\(result.errors)")
        #expect(result.errors.contains("safe.directory"))
    }

    @Test func `a workflow gets annotations, the summary and outputs`() async throws {
        let review = try await ReviewSandbox(["summary": "", "outputs": ""])
        try review.replace("\"2026-12-07T09:07\"", with: "\"2026-12-07T09:00\"", in: "spring.yaml")
        let folder = review.sandbox.folder
        let result = try await review.review(
            ["--base", "main"],
            [
                "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "\(folder.path)/summary",
                "GITHUB_OUTPUT": "\(folder.path)/outputs",
            ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("::notice file=push/spring.yaml,line=4,"))
        #expect(try folder.read("summary") == review.output("plan.md"))
        let approval = try #require(try review.json("plan.json")["approval"]?.string)
        #expect(try folder.read("outputs") == "sends=0\nrecipients=0\napproval=\(approval)\nhas_changes=true\n")
    }

    @Test func `a snapshot or a state that the environment names makes it the plan of the real state`() async throws {
        let review = try await ReviewSandbox()
        let folder = review.sandbox.folder.path
        let (_, host) = try await review.sandbox.startEmulator()
        let server = ["FCM_EMULATOR_HOST": host, "HERALD_STATE": "\(folder)/state.sqlite"]
        let applied = try await review.herald(["apply", "--auto-approve", "--at", "2026-11-30T08:00:00Z"], server)
        try #require(applied.status == 0, "\(applied.errors)")
        let taken = try await review.herald(["state", "snapshot", "--out", "\(folder)/snapshot.json"], server)
        try #require(taken.status == 0, "\(taken.errors)")
        func subscriptions() throws -> Int64? { try review.json("plan.json")["summary"]?["subscribe"]?.int }

        #expect(try await review.review().status == 0)
        #expect(try subscriptions() == 3, "nothing is known of the state")
        #expect(try review.output("plan.md").contains("State: none"))
        let ci = ["FCM_EMULATOR_HOST": "127.0.0.1:9"]
        let snapshot = ["--snapshot", "\(folder)/snapshot.json"]
        #expect(try await review.review(snapshot, ci).status == 0)
        #expect(try subscriptions() == 0)
        #expect(try review.output("plan.md").contains("State: a snapshot of "))
        #expect(try await review.review([], ci.merging(["HERALD_STATE": "\(folder)/state.sqlite"]) { $1 }).status == 0)
        #expect(try subscriptions() == 0)
        #expect(try review.output("plan.md").contains("State: serial "))
        #expect(
            try review.output("plan.md").contains(
                "- `state_went_back`, `other_workspace`: a review does not read the reports of runs\n"))
        // A variable may stand for any project, another project is another one.
        try review.replace("project: club-prod", with: "project: ${PROJECT}", in: "herald.yaml")
        #expect(try await review.review(snapshot, ci).status == 0)
        try review.replace("project: ${PROJECT}", with: "project: club-test", in: "herald.yaml")
        for (options, environment) in [
            (snapshot, ci), ([], ci.merging(["HERALD_STATE": "\(folder)/state.sqlite"]) { $1 }),
        ] {
            let other = try await review.review(options, environment)
            #expect(other.status == 1)
            #expect(other.errors.contains("belongs to project 'club-prod' at emulator"), "\(other.errors)")
        }
        await review.sandbox.end()
    }

    @Test func `five hundred changed campaigns fit a comment, with their names and a changed guard`() async throws {
        let review = try await ReviewSandbox()
        try review.replace("max_recipients: 4", with: "max_recipients: 40", in: "herald.yaml")
        for number in 1...500 {
            try review.write(
                """
                kind: campaign
                name: c\(number)
                target: {audience: gold}
                schedule: {at: "2026-12-03T10:07"}
                message: {notification: {title: "Number \(number)", body: "\(String(repeating: "long ", count: 40))"}}

                """, to: "many/c\(number).yaml")
        }
        let result = try await review.review()
        #expect(result.status == 0, "\(result.errors)")
        let comment = try review.output("plan.md")
        #expect(comment.utf8.count <= 60_000)
        #expect(comment.contains("- **settings**\n  - `guards.max_recipients` changed from 4 to 40\n"))
        for number in 1...500 { #expect(comment.contains("- **new campaign 'c\(number)'**")) }
        let cut = comment.matches(of: #/'\*\*: …\n/#).count
        #expect(cut > 0 && comment.contains("\nDetails of \(cut) do not fit here: plan.json has all of them.\n"))
        #expect(comment.contains("\nApproval: `sha256:"))
    }
}
