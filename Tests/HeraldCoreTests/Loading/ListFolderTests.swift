import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

struct ListFolderTests {
    /// A workspace `w` whose audience in `w/sub` uses the list `path`, with other folders beside it.
    private func load(
        _ path: String, lists: String? = nil, _ files: [String: String], links: [String: String] = [:],
        policy: ListPolicy = .required
    ) throws -> (loaded: WorkspaceLoader.Loaded, place: TextRange.Position, folder: TemporaryFolder) {
        let folder = try TemporaryFolder(files)
        let absolute = { (text: String) in text.replacing("$", with: folder.resolved) }
        let marked = MarkedText("kind: audience\nname: a\nsource: {file: ▸\"\(absolute(path))\"}\n")
        try folder.write(marked.text, to: "w/sub/a.yaml")
        let setting = lists.map { "lists: \(absolute($0))\n" } ?? ""
        try folder.write(settingsText + setting, to: "w/herald.yaml")
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/\(name)", withDestinationPath: absolute(target))
        }
        let workspace = try #require(WorkspaceFolder(at: "\(folder.path)/w"))
        return (WorkspaceLoader.load(workspace, environment: [:], lists: policy), marked.positions[0], folder)
    }

    private static let one = Registration.fid(1).rawValue
    private static let two = Registration.fid(2).rawValue

    /// `$` stands for the folder that holds everything. The correct list holds the fid 1.
    @Test(
        arguments: [
            ("l.txt", nil, ["w/sub/l.txt": one, "w/lists/l.txt": two], "sub/l.txt"),
            ("l.txt", nil, ["w/lists/l.txt": one], "lists/l.txt"),
            ("deep/l.txt", nil, ["w/lists/deep/l.txt": one], "lists/deep/l.txt"),
            ("../l.txt", nil, ["w/l.txt": one, "w/lists/l.txt": two], "l.txt"),
            ("l.txt", "people", ["w/people/l.txt": one, "w/lists/l.txt": two], "people/l.txt"),
            ("l.txt", "../people/.", ["people/l.txt": one, "w/lists/l.txt": two], "$/people/l.txt"),
            ("l.txt", "$/people/", ["people/l.txt": one], "$/people/l.txt"),
            ("$/people/l.txt", "$/people", ["people/l.txt": one], "$/people/l.txt"),
            ("$/w/l.txt", nil, ["w/l.txt": one], "l.txt"),
            ("../../people/l.txt", "../people", ["people/l.txt": one], "$/people/l.txt"),
        ] as [(String, String?, [String: String], String)])
    func `a list is beside its file, or else in the folder for lists`(
        _ path: String, _ lists: String?, _ files: [String: String], _ name: String
    ) throws {
        let (loaded, _, folder) = try load(path, lists: lists, files)
        #expect(loaded.found == [])
        #expect(try loaded.registrations() == [[.fid(1)]])
        #expect(Set(loaded.listDigests.keys) == [name.replacing("$", with: folder.resolved)])
    }

    @Test(
        arguments: [
            ("../../l.txt", nil, ["l.txt": one], [:]),
            ("$/l.txt", nil, ["l.txt": one], [:]),
            ("$/l.txt", "../people", ["l.txt": one, "people/l.txt": one], [:]),
            ("../l.txt", "../people", ["l.txt": one, "people/m.txt": one], [:]),
            ("l.txt", "../people", ["l.txt": one, "people/m.txt": one], ["people/l.txt": "../l.txt"]),
            ("l.txt", "../people", ["other/l.txt": one, "people/l.txt": one], ["w/sub/l.txt": "../../other/l.txt"]),
            ("more/l.txt", "../people", ["other/l.txt": one, "people/m.txt": one], ["people/more": "../other"]),
        ] as [(String, String?, [String: String], [String: String])])
    func `no path and no link leads out of both`(
        _ path: String, _ lists: String?, _ files: [String: String], _ links: [String: String]
    ) throws {
        let (loaded, place, _) = try load(path, lists: lists, files, links: links)
        // A path out of the folder for lists is only looked up beside its file, where there is nothing.
        let rule: Rule = path == "../l.txt" ? .fileUnreadable : .pathOutside
        #expect(loaded.found == [Found(rule, "sub/a.yaml", place)])
        #expect(loaded.workspace?.audiences.isEmpty == true)
    }

    @Test func `links between the workspace and the folder for lists are followed`() throws {
        let (loaded, _, _) = try load(
            "l.txt", lists: "../people", ["people/deep/l.txt": Self.one], links: ["w/sub/l.txt": "$/people/deep/l.txt"])
        #expect(loaded.found == [])
        #expect(try loaded.registrations() == [[.fid(1)]])
    }

    @Test func `a mistake in a list outside is named by the whole path`() throws {
        let (loaded, _, folder) = try load("l.txt", lists: "../people", ["people/l.txt": "bad\n"])
        #expect(loaded.found == [Found(.listRow, "\(folder.resolved)/people/l.txt", .init(line: 1, column: 1))])
    }

    @Test func `the same lists in another place are the same workspace`() throws {
        let one = try load("l.txt", lists: "../people", ["people/l.txt": Self.one]).loaded.digest()
        let two = try load("l.txt", lists: "../people", ["people/l.txt": Self.one]).loaded.digest()
        let other = try load("l.txt", lists: "../people", ["people/l.txt": Self.two]).loaded.digest()
        #expect(one == two)
        #expect(one != other)
    }

    @Test func `lists that are skipped are not looked for`() throws {
        let (loaded, _, _) = try load("gone.csv", ["w/bad.txt": "bad"], policy: .skip)
        #expect(loaded.found == [])
        #expect(loaded.workspace?.listsSkipped == true)
        #expect(try loaded.registrations() == [[]])
        #expect(try load("l.txt", ["w/l.txt": ""], policy: .required).loaded.workspace?.listsSkipped == false)
    }

    @Test func `without lists, a filter is still held against what kind of list it is`() throws {
        let marked = MarkedText(
            "kind: audience\nname: a\nsource: {file: l.txt}\nwhere: {▸n: x}\n---\nkind: audience\nname: b\n"
                + "source: {file: l.csv}\nwhere: {n: x}\n---\nkind: audience\nname: c\nsource: {file: ▸l.tsv}\n")
        let folder = try TemporaryFolder(["herald.yaml": settingsText, "x.yaml": marked.text])
        let workspace = try #require(WorkspaceFolder(at: folder.path))
        let found = WorkspaceLoader.load(workspace, environment: [:], lists: .skip).found
        #expect(found == zip([.whereColumn, .listFormat], marked.positions).map { Found($0, "x.yaml", $1) })
    }
}

extension TemporaryFolder {
    /// The path with symlinks resolved.
    var resolved: String { URL(filePath: path).resolvingSymlinksInPath().path }
}
