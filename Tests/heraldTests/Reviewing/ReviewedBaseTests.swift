import FCM
import Foundation
import HeraldTestSupport
import Testing

/// What the files at the base are taken for.
@Suite struct ReviewedBaseTests {
    private static let list = "\(Registration.fid(9).rawValue)\n"

    /// An audience with its list, if there is one, and what git ignores.
    private static func files(
        ignoring pattern: String, _ list: String? = nil, source: String = "here.csv"
    ) -> [String: String] {
        var files = [
            "repo/.gitignore": "\(pattern)\n",
            "repo/push/sub/here.yaml": "kind: audience\nname: here\nsource: {file: \(source)}\n",
        ]
        if let list { files["repo/push/\(list)"] = Self.list }
        return files
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var files: [String: String]
        var edit: @Sendable (ReviewSandbox) throws -> Void
        /// What the comment says of the audience. `nil` for nothing.
        var line: String?
    }

    private static let changes: [Change] = [
        Change(
            testDescription: "a list in the commit goes before one on the server",
            files: files(ignoring: "push/lists/here.csv", "lists/here.csv"),
            edit: { try $0.write(list, to: "sub/here.csv") },
            line: "the list's place changed from the folder of lists to beside the file that names it"),
        Change(
            testDescription: "also where the machine of the review has no lists", files: files(ignoring: "lists/"),
            edit: { try $0.write(list, to: "sub/here.csv") },
            line: "the list's place changed from the folder of lists to beside the file that names it"),
        Change(
            testDescription: "also through a folder that is a link",
            files: files(ignoring: "push/lists/here.csv", "lists/here.csv", source: "data/here.csv"),
            edit: {
                try FileManager.default.createSymbolicLink(
                    atPath: "\($0.sandbox.folder.path)/repo/push/sub/data", withDestinationPath: "../lists")
            },
            line: "the list's place changed from the folder of lists to beside the file that names it"),
        Change(
            testDescription: "a list leaves", files: files(ignoring: "x", "sub/here.csv"),
            edit: { try $0.remove("sub/here.csv") },
            line: "the list's place changed from beside the file that names it to the folder of lists"),
        Change(
            testDescription: "other rows", files: files(ignoring: "x", "sub/here.csv"),
            edit: { try $0.write("\(Registration.fid(8).rawValue)\n", to: "sub/here.csv") }),
        Change(
            testDescription: "a list that git ignores", files: files(ignoring: "push/sub/here.csv", "sub/here.csv"),
            edit: { try $0.write("\(Registration.fid(8).rawValue)\n", to: "sub/here.csv") }),
        Change(
            testDescription: "an ignored list in the folder of lists",
            files: files(ignoring: "push/lists/here.csv", "lists/here.csv", source: "../lists/here.csv"),
            edit: { _ in }),
    ]

    @Test(arguments: changes) func `a list that is found elsewhere is told`(_ change: Change) async throws {
        let review = try await ReviewSandbox(change.files)
        let digest = try await digest(of: review)
        try change.edit(review)
        let result = try await review.review(["--base", "main", "--lists", "skip"])
        #expect(result.status == 0, "\(result.errors)")
        let comment = try review.output("plan.md")
        let told = comment.split(separator: "\n").first { $0.contains("the list's place") }
        #expect(told.map(String.init) == change.line.map { "  - \($0)" }, "\(comment)")
        // An approval of the earlier files holds if, and only if, nothing is told.
        let isSame = try review.json("plan.json")["definitions"]?["audience:here"]?["digest"] == digest
        #expect(isSame == (change.line == nil))
        let changes = try review.json("plan.json")["changes"]
        #expect((changes == []) == isSame)
    }

    private func digest(of review: ReviewSandbox) async throws -> JSONValue? {
        let result = try await review.review(["--lists", "skip"])
        try #require(result.status == 0, "\(result.errors)")
        return try review.json("plan.json")["definitions"]?["audience:here"]?["digest"]
    }

    @Test(arguments: [
        ("spring.yaml", "title: Spring sale", "titel: Spring sale"), ("herald.yaml", "guards:", "gaurds:"),
    ])
    func `files with mistakes at the base are not compared`(
        _ file: String, _ right: String, _ wrong: String
    ) async throws {
        let text = try #require(ReviewSandbox.files["repo/push/\(file)"])
        let review = try await ReviewSandbox(["repo/push/\(file)": text.replacing(right, with: wrong)])
        try review.replace(wrong, with: right, in: file)
        let result = try await review.review()
        #expect(result.status == 0, "\(result.errors)")
        let comment = try review.output("plan.md")
        let changes = try #require(try review.json("plan.json")["changes"]?.array)
        if file == "herald.yaml" {
            #expect(changes.count == 6)
            #expect(comment.contains("and all files go by it: everything counts as new here\n"), "\(comment)")
        } else {
            #expect(changes.map { $0["name"] } == ["spring"])
            #expect(comment.contains("what is declared there counts as new here\n"), "\(comment)")
        }
        #expect(changes.allSatisfy { $0["action"] == "added" })
    }

    @Test func `a workspace that was in another folder at the base is not compared`() async throws {
        let review = try await ReviewSandbox()
        try await review.sandbox.git(["checkout", "-q", "main"], in: "repo")
        try await review.sandbox.git(["mv", "push", "old"], in: "repo")
        try await review.sandbox.commit("elsewhere", in: "repo")
        try await review.sandbox.git(["checkout", "-q", "-B", "change"], in: "repo")
        try await review.sandbox.git(["mv", "old", "push"], in: "repo")
        let result = try await review.review()
        #expect(result.status == 0, "\(result.errors)")
        let comment = try review.output("plan.md")
        #expect(comment.contains("- no herald.yaml was in this folder in "), "\(comment)")
        #expect(comment.contains(": everything counts as new here\n"), "\(comment)")
    }

    @Test(arguments: ["", "ignore: [other]\n"])
    func `files of a submodule are not known at the base`(_ ignored: String) async throws {
        let settings = try #require(ReviewSandbox.files["repo/push/herald.yaml"])
        let campaign = try #require(ReviewSandbox.files["repo/push/spring.yaml"])
        let review = try await ReviewSandbox([
            "repo/push/herald.yaml": settings + ignored,
            "other/late.yaml": campaign.replacing("name: spring", with: "name: late"),
        ])
        try await review.sandbox.git(["init", "-q"], in: "other")
        try await review.sandbox.commit("late", in: "other")
        try await review.sandbox.git(["checkout", "-q", "main"], in: "repo")
        try await review.sandbox.git(
            [
                "-c", "protocol.file.allow=always", "submodule", "add", "-q", "\(review.sandbox.folder.path)/other",
                "push/other",
            ], in: "repo")
        try await review.sandbox.commit("submodule", in: "repo")
        try await review.sandbox.git(["checkout", "-q", "-B", "change"], in: "repo")
        let result = try await review.review()
        #expect(result.status == 0, "\(result.errors)")
        let changes = try #require(try review.json("plan.json")["changes"]?.array)
        #expect(changes.map { $0["name"] } == (ignored.isEmpty ? ["late"] : []))
        let comment = try review.output("plan.md")
        #expect(comment.contains("- other: not compared, because files of git submodules") == ignored.isEmpty)
    }
}
