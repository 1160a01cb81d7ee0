import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

struct WorkspaceFolderTests {
    private static let audience = "kind: audience\nname: a\nfids: []\n"

    private func names(_ folder: TemporaryFolder) throws -> [String] {
        let loaded = try WorkspaceLoader.load(folder)
        #expect(loaded.found == [])
        let names = loaded.sources.keys.filter { $0 != "herald.yaml" }.sorted()
        #expect(try namesHeld(as: folder) == names, "the same files in memory")
        return names
    }

    /// The same for a workspace that is not on the disk.
    private func namesHeld(as folder: TemporaryFolder) throws -> [String] {
        var files: [String: [UInt8]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            guard !URL(filePath: "\(folder.path)/\(path)").hasDirectoryPath,
                let data = FileManager.default.contents(atPath: "\(folder.path)/\(path)")
            else { continue }
            files[path] = Array(data)
        }
        let held = try #require(WorkspaceFolder(holding: files))
        let loaded = WorkspaceLoader.load(held, environment: [:], lists: .skip)
        #expect(loaded.found == [])
        return loaded.sources.keys.filter { $0 != "herald.yaml" }.sorted()
    }

    @Test func `in memory, files without herald yaml are no workspace, and nothing else is read`() throws {
        #expect(WorkspaceFolder(holding: ["x.yaml": Array(Self.audience.utf8)]) == nil)
        let folder = try #require(
            WorkspaceFolder(holding: [
                "herald.yaml": Array(settingsText.utf8), "x.yaml": Array(Self.audience.utf8), "y.yaml": [0xff],
            ]))
        let loaded = WorkspaceLoader.load(folder, environment: [:], lists: .skip)
        #expect(loaded.found.map(\.file) == ["y.yaml"])
        #expect(loaded.workspace?.audiences.map(\.name.value) == ["a"])
        #expect(throws: DiagnosticError.self) { try folder.read("/etc/passwd").get() }
    }

    private func link(_ target: String, as name: String, in folder: TemporaryFolder) throws {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    @Test func `a folder without herald yaml is no workspace`() throws {
        let folder = try TemporaryFolder(["x.yaml": Self.audience])
        #expect(WorkspaceFolder(at: folder.path) == nil)
    }

    @Test func `the nearest workspace upwards is found`() throws {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "a/b/c/x.txt": "", "a/n/herald.yaml": settingsText, "a/n/d/x.txt": "",
        ])
        let outer = try #require(WorkspaceFolder(at: folder.path)).path
        #expect(WorkspaceFolder(above: "\(folder.path)/a/b/c")?.path == outer)
        #expect(WorkspaceFolder(above: "\(folder.path)/a/b/c/")?.path == outer)
        #expect(WorkspaceFolder(above: folder.path)?.path == outer)
        #expect(WorkspaceFolder(above: "\(folder.path)/a/n/d")?.path == "\(outer)/a/n")
        #expect(WorkspaceFolder(above: "/") == nil)
    }

    @Test func `every YAML file below is read but for dot-folders and nested workspaces`() throws {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "a.yaml": "", "b.yml": "", "c.txt": "[", "d.yaml.bak": "[",
            "sub/deep/er/f.yaml": "", ".git/g.yaml": "[", "sub/.hidden/h.yaml": "[",
            "nested/herald.yaml": "[", "nested/i.yaml": "[", "nested/sub/j.yaml": "[", "yaml": "[",
        ])
        #expect(try names(folder) == ["a.yaml", "b.yml", "sub/deep/er/f.yaml"])
    }

    @Test(arguments: [
        ("resources: ['*.yaml']", ["a.yaml"]),
        ("resources: ['sub/**']", ["sub/c.txt", "sub/d.yaml", "sub/e/f.yaml"]),
        ("resources: ['**/?.yaml', sub/c.txt]", ["a.yaml", "sub/c.txt", "sub/d.yaml", "sub/e/f.yaml"]),
        ("resources: []", ["a.yaml", "b.yml", "sub/d.yaml", "sub/e/f.yaml"]),
        ("ignore: [sub]", ["a.yaml", "b.yml"]),
        ("ignore: ['sub/*']", ["a.yaml", "b.yml"]),
        ("ignore: ['**/*.yml', sub/e]", ["a.yaml", "sub/d.yaml"]),
        ("resources: ['**/*.yaml']\nignore: ['**/e/**']", ["a.yaml", "sub/d.yaml"]),
        ("ignore: ['**']", []),
    ])
    func `globs choose and ignore`(_ globs: String, _ expected: [String]) throws {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText + globs + "\n", "a.yaml": "", "b.yml": "", "sub/c.txt": "", "sub/d.yaml": "",
            "sub/e/f.yaml": "",
        ])
        #expect(try names(folder) == expected)
    }

    @Test(arguments: [
        ("resources: [▸nowhere]", "correct it, or leave it out"), ("resources: ['*.yaml', ▸'sub/*.yml']", nil),
        ("resources: [▸sub]", "write 'sub/*.yaml'"), ("resources: [▸sub/]", "write 'sub/*.yaml'"),
        ("resources: [▸'../**/*.yaml']", nil), ("resources: [▸'']", nil),
        ("resources: ['*.yaml', ▸'sub/*.yaml']\nignore: [sub]", nil),
    ])
    func `a glob that matches no file is a mistake`(_ globs: String, _ help: String?) throws {
        let marked = MarkedText(settingsText + globs + "\n")
        let folder = try TemporaryFolder(["herald.yaml": marked.text, "a.yaml": "", "sub/d.yaml": ""])
        let loaded = try WorkspaceLoader.load(folder)
        #expect(loaded.found == [Found(.invalidValue, "herald.yaml", marked.positions[0])])
        if let help { #expect(loaded.diagnostics.map(\.help) == [help]) }
    }

    @Test func `a workspace without a file may leave out its globs`() throws {
        #expect(try names(TemporaryFolder(["herald.yaml": settingsText])) == [])
    }

    @Test func `what looks like a part of the workspace and is not read is a mistake`() throws {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "a.yaml": "", "b.YAML": "[", "C.Yml": "[", ".real/d.yaml": "[",
            "data/list.csv": "", "sub/e.yaml": "",
        ])
        for (link, target) in [("linked", ".real"), ("lists", "data"), ("again", "sub")] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/\(link)", withDestinationPath: "\(folder.path)/\(target)")
        }
        let found = try WorkspaceLoader.load(folder).found
        #expect(
            found == ["C.Yml", "b.YAML", "linked"].map { Found(.fileUnreadable, $0, nil) })
    }

    #if os(Linux)
        @Test func `a folder whose name is not UTF-8 is a mistake`() throws {
            let folder = try TemporaryFolder(["herald.yaml": settingsText])
            let name = Array("\(folder.path)/d".utf8) + [0xE9, 0]
            #expect(mkdir(name.map { CChar(bitPattern: $0) }, 0o700) == 0)
            #expect(try WorkspaceLoader.load(folder).found == [Found(.fileUnreadable, "d\u{FFFD}", nil)])
        }
    #endif

    @Test func `what is not read may be ignored`() throws {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText + "ignore: [linked, '*.YAML']\n", "b.YAML": "[", ".real/d.yaml": "[",
        ])
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/linked", withDestinationPath: "\(folder.path)/.real")
        #expect(try WorkspaceLoader.load(folder).found == [])
    }

    @Test func `empty files and folders say nothing`() throws {
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "a.yaml": "", "b.yaml": "\n# x\n---\n...\n"])
        try FileManager.default.createDirectory(atPath: "\(folder.path)/empty", withIntermediateDirectories: true)
        #expect(try names(folder) == ["a.yaml", "b.yaml"])
    }

    @Test func `a folder with a YAML name is a mistake`() throws {
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "x.yaml/y.yaml": "["])
        #expect(try WorkspaceLoader.load(folder).found == [Found(.fileUnreadable, "x.yaml", nil)])
    }

    @Test func `settings that are a folder are a mistake`() throws {
        let folder = try TemporaryFolder(["herald.yaml/x": ""])
        let loaded = try WorkspaceLoader.load(folder)
        #expect(loaded.found == [Found(.fileUnreadable, "herald.yaml", nil)])
        #expect(loaded.workspace == nil)
    }

    @Test func `a list that is a folder is a mistake`() throws {
        let marked = MarkedText("kind: audience\nname: a\nsource: {file: ▸l.txt}\n")
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "a.yaml": marked.text, "l.txt/x": ""])
        #expect(try WorkspaceLoader.load(folder).found == [Found(.fileUnreadable, "a.yaml", marked.positions[0])])
    }

    @Test(.enabled(if: getuid() != 0, "root reads everything"))
    func `a file that may not be read is a mistake`() throws {
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "x.yaml": Self.audience])
        chmod("\(folder.path)/x.yaml", 0)
        #expect(try WorkspaceLoader.load(folder).found == [Found(.fileUnreadable, "x.yaml", nil)])
    }

    @Test func `a link to a file of the workspace is read`() throws {
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "notes.txt": Self.audience])
        try link("notes.txt", as: "x.yaml", in: folder)
        let loaded = try WorkspaceLoader.load(folder)
        #expect(loaded.found == [])
        #expect(loaded.workspace?.audiences.map(\.name.value) == ["a"])
    }

    @Test(arguments: ["..", "../outside"])
    func `links out of the workspace are refused`(_ target: String) throws {
        let parent = try TemporaryFolder([
            "w/herald.yaml": settingsText, "outside/l.txt": fid, "outside/x.yaml": Self.audience, "l.txt": fid,
        ])
        let marked = MarkedText("kind: audience\nname: a\nsource: {file: ▸out/l.txt}\n")
        try parent.write(marked.text, to: "w/a.yaml")
        try link(target, as: "w/out", in: parent)
        let folder = try #require(WorkspaceFolder(at: "\(parent.path)/w"))
        let loaded = WorkspaceLoader.load(folder, environment: [:])
        // A linked folder with YAML files is a mistake of its own.
        #expect(loaded.found.first == Found(.pathOutside, "a.yaml", marked.positions[0]))
        #expect(loaded.workspace?.audiences.isEmpty == true)
    }

    @Test func `a YAML file that leads outside is refused`() throws {
        let parent = try TemporaryFolder(["w/herald.yaml": settingsText, "x.yaml": Self.audience])
        try link("../x.yaml", as: "w/x.yaml", in: parent)
        let folder = try #require(WorkspaceFolder(at: "\(parent.path)/w"))
        let loaded = WorkspaceLoader.load(folder, environment: [:])
        #expect(loaded.found == [Found(.pathOutside, "x.yaml", nil)])
        #expect(loaded.workspace?.audiences.isEmpty == true)
    }

    @Test(arguments: ["x.yaml", "gone.yaml", "../x"])
    func `a link that leads nowhere is a mistake`(_ target: String) throws {
        let folder = try TemporaryFolder(["herald.yaml": settingsText])
        try link(target, as: "x.yaml", in: folder)
        let found = try WorkspaceLoader.load(folder).found
        #expect(found.map(\.file) == ["x.yaml"])
        #expect(found.map(\.position) == [nil])
    }

    @Test func `folders linked in a circle are not entered`() throws {
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "sub/a.yaml": ""])
        try link("..", as: "sub/up", in: folder)
        try link("../sub", as: "sub/self", in: folder)
        #expect(try names(folder) == ["sub/a.yaml"])
    }

    @Test func `a workspace reached through a link is the same workspace`() throws {
        let parent = try TemporaryFolder(["w/herald.yaml": settingsText, "w/l.txt": fid])
        try parent.write("kind: audience\nname: a\nsource: {file: l.txt}\n", to: "w/a.yaml")
        try link("w", as: "v", in: parent)
        let direct = try #require(WorkspaceFolder(at: "\(parent.path)/w"))
        let linked = try #require(WorkspaceFolder(at: "\(parent.path)/v/"))
        #expect(direct.path == linked.path)
        #expect(WorkspaceLoader.load(linked, environment: [:]).found == [])
    }

    @Test func `one name is one list, however links and dots are mixed`() throws {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "deep/er/x.txt": "", "deep/l.txt": Registration.fid(1).rawValue,
            "l.txt": Registration.fid(2).rawValue,
            "a.yaml": "kind: audience\nname: a\nsource: {file: link/../l.txt}\n",
            "b.yaml": "kind: audience\nname: b\nsource: {file: l.txt}\n",
        ])
        try link("deep/er", as: "link", in: folder)
        let loaded = try WorkspaceLoader.load(folder)
        #expect(loaded.found == [])
        #expect(try loaded.registrations() == [[.fid(2)], [.fid(2)]])
    }

    @Test(arguments: ["\\0", "l.txt\\0", "l\\0.txt", "link\\0.txt", "link\\0/../l.txt", "\\0/../../l.txt"])
    func `a path with a NUL reads nothing`(_ path: String) throws {
        let parent = try TemporaryFolder(["w/herald.yaml": settingsText, "w/l": "bad", "l.txt": fid, "l": fid])
        try parent.write("kind: audience\nname: a\nsource: {file: \"\(path)\"}\n", to: "w/a.yaml")
        try link("../l", as: "w/link", in: parent)
        let folder = try #require(WorkspaceFolder(at: "\(parent.path)/w"))
        let loaded = WorkspaceLoader.load(folder, environment: [:])
        #expect(loaded.found.count == 1)
        #expect(loaded.workspace?.audiences.isEmpty == true)
    }

    @Test(arguments: ["", " ", ".", "..", "/", "//", "~", "a//b.txt", "\u{1F30A}.txt", "-.csv"])
    func `a strange path is a mistake and no crash`(_ path: String) throws {
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": "kind: audience\nname: a\nsource: {file: \"\(path)\"}\n"
        ])
        #expect(loaded.found.map(\.file) == ["a.yaml"])
        #expect(loaded.diagnostics.hasErrors)
    }

    @Test func `64 MiB are read and a byte more is not`() throws {
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "x.yaml": "", "l.txt": ""])
        try #require(truncate("\(folder.path)/x.yaml", off_t(64 << 20) + 1) == 0)
        #expect(try WorkspaceLoader.load(folder).found == [Found(.fileTooLarge, "x.yaml", nil)])
        let limit = SourceText(file: "x", bytes: [UInt8](repeating: 0x20, count: SourceText.maximumSize))
        #expect(SourceText.maximumSize == 67_108_864)
        #expect(throws: Never.self) { try limit.checked().get() }
    }

    @Test(
        arguments: [
            ([0xFF], 1), ([0x61, 0x0A, 0xC3], 2), ([0x0A, 0x0A, 0xE2, 0x82, 0x28], 3), ([0xC0, 0x80], 1),
            ([0xED, 0xA0, 0x80], 1),
            ([0xF4, 0x90, 0x80, 0x80], 1), ([0x61, 0x0D, 0x0A, 0x80, 0x0A], 2), ([0xFF, 0xFE, 0x61, 0x00], 1),
        ] as [([UInt8], Int)])
    func `bytes that are no UTF-8 are reported with their line`(_ bytes: [UInt8], _ line: Int) throws {
        for name in ["herald.yaml", "x.yaml", "l.txt"] {
            let folder = try TemporaryFolder(["herald.yaml": settingsText])
            if name == "l.txt" { try folder.write("kind: audience\nname: a\nsource: {file: l.txt}\n", to: "a.yaml") }
            try folder.write(bytes, to: name)
            let found = try WorkspaceLoader.load(folder).found
            #expect(found == [Found(.fileEncoding, name, .init(line: line, column: 1))])
        }
    }
}

struct GlobTests {
    @Test(arguments: [
        ("a", "a"), ("a/b", "a/b"), ("*", "a"), ("*", ".a"), ("a*c", "ac"), ("a*c", "abbc"), ("*.yaml", "x.yaml"),
        ("?", "é"),
        ("**", "a"), ("**", "a/b/c"), ("**/c", "c"), ("**/c", "a/b/c"), ("a/**", "a"), ("a/**", "a/b"),
        ("a/**/c", "a/c"),
        ("a/**/c", "a/b/b/c"), ("**/b/**", "a/b/c"), ("a/", "a"), ("./a", "a"), ("*a*b*", "xxaxxbxx"), ("*?", "a"),
        ("[a]", "[a]"), ("**a", "xa"),
    ])
    func `a pattern covers a path`(_ pattern: String, _ path: String) {
        #expect(Glob(pattern).matches(path))
    }

    @Test(arguments: [
        ("a", "b"), ("a", "a/b"), ("*", "a/b"), ("a/*", "a"), ("a/*", "a/b/c"), ("?", ""), ("?", "ab"),
        ("*.yaml", "x.yml"),
        ("**/c", "a/b"), ("a/**/c", "a/b"), ("A", "a"), ("[ab]", "a"), ("", "a"), ("a?c", "a/c"), ("*a*b", "ab/b"),
    ])
    func `a pattern does not cover a path`(_ pattern: String, _ path: String) {
        #expect(!Glob(pattern).matches(path))
    }

    @Test func `a hostile pattern ends`() {
        let star = Glob(String(repeating: "*a", count: 40) + "b")
        let stars = Glob(String(repeating: "**/", count: 30) + "b")
        let spent = computingTime {
            #expect(!star.matches(String(repeating: "a", count: 200)))
            #expect(!stars.matches(String(repeating: "a/", count: 30) + "a"))
        }
        #expect(spent < .seconds(3))
    }
}
