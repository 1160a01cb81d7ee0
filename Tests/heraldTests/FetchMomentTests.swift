import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands

/// Lists that belong together, also when a fetch was cut off.
@Suite(.timeLimit(.minutes(5))) struct FetchMomentTests {
    @Test func `what a fetch had begun is ended, and nothing else is touched`() throws {
        let folder = try TemporaryFolder([
            "lists/.pending": #"["a.csv","b.csv","c.csv","../out.csv",".lock","/etc/x"]"#, "lists/a.csv": "old",
            "lists/a.csv.new": "new", "lists/a.json": "old", "lists/a.csv.new.json": "new", "lists/b.csv": "new",
            "lists/b.json": "old", "lists/b.csv.new.json": "new", "lists/d.csv": "old", "lists/d.csv.new": "half",
            "out.csv": "old", "out.csv.new": "new",
        ])
        try ListDraft.finish(in: "\(folder.path)/lists")
        for name in ["a.csv", "a.json", "b.csv", "b.json"] { #expect(try folder.read("lists/\(name)") == "new") }
        for name in ["lists/d.csv", "out.csv"] { #expect(try folder.read(name) == "old") }
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/lists")
        #expect(left.sorted() == ["a.csv", "a.json", "b.csv", "b.json", "d.csv", "d.csv.new"])
        try ListDraft.finish(in: "\(folder.path)/lists")
    }

    @Test(arguments: ["", "[", "{}", "[1]", "\u{0}"])
    func `what is no such note is removed`(_ text: String) throws {
        let folder = try TemporaryFolder([".pending": text, "a.csv": "old", "a.csv.new": "new"])
        try ListDraft.finish(in: folder.path)
        #expect(try folder.read("a.csv") == "old" && (try? folder.read(".pending")) == nil)
    }

    @Test func `no plan takes a list that is not the one that was fetched last`() async throws {
        let sandbox = try Sandbox([
            "workspace/herald.yaml": Sandbox.settings, "workspace/app.sqlite": "",
            "workspace/files.yaml": ["a", "b"].map {
                "kind: audience\nname: \($0)\nsource: {sqlite: app.sqlite, query: query.sql, columns: {fid: column1}}\n---\n"
            }.joined()
                + "kind: campaign\nname: hello\ntarget: {audience: a}\nexclude: [b]\n"
                + "message: {notification: {title: hello}}\n",
            "workspace/query.sql": "VALUES ('\(FetchScene.fid(1))'), ('\(FetchScene.fid(2))')",
        ])
        let plan = { try await sandbox.herald("plan", host: "127.0.0.1:9") }
        #expect(try await sandbox.herald("fetch", host: "127.0.0.1:9").status == 0)
        #expect(try await plan().status == 0)
        let (list, note) = ("workspace/.herald/lists/a.csv", "workspace/.herald/lists/a.json")
        let (rows, known) = (try sandbox.folder.read(list), try sandbox.folder.read(note))
        try sandbox.folder.write(rows + "\(FetchScene.fid(3))\n", to: list)
        let replaced = try await plan()
        #expect(replaced.status == 1 && replaced.errors.contains("the list of audience 'a' is not whole"))
        try sandbox.folder.write(rows, to: list)
        for (name, moment) in [("a", 2), ("b", 1)] {
            let path = "workspace/.herald/lists/\(name).json"
            let more = "{\"moment\":\"\(moment)\",\"with\":[\"a\",\"b\"],\""
            let text = try sandbox.folder.read(path).replacing("{\"", with: more, maxReplacements: 1)
            try sandbox.folder.write(text, to: path)
        }
        let parted = try await plan()
        #expect(parted.status == 1, "\(parted.errors)")
        for name in ["a", "b"] { #expect(parted.errors.contains("the list of audience '\(name)' is not whole")) }
        // Without names, 'fetch' leaves out lists that are not due.
        #expect(replaced.errors.contains("run 'herald fetch a', then") && parted.errors.contains("fetch a b', then"))
        // Fetched alone, it is what a person wanted.
        try sandbox.folder.write(known, to: note)
        #expect(try await plan().status == 0)
    }
}
