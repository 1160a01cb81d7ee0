import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCommands
@testable import HeraldCore

/// `herald fetch` with real programs.
@Suite struct FetchTests {
    private typealias Scene = FetchScene

    private static func fid(_ number: Int) -> String { FetchScene.fid(number) }
    private static func printing(_ lines: String...) -> String {
        lines.map { "echo '\($0)'\n" }.joined()
    }

    @Test func `a plan reads what was fetched last, and runs no program`() async throws {
        let scene = try Scene("echo x >>\"$0.ran\"\n" + Self.printing("fid", Self.fid(1), Self.fid(2)))
        let before = try await scene.herald("plan")
        #expect(before.status == 1)
        #expect(before.errors.contains("herald fetch members"), "\(before.errors)")

        let fetched = try await scene.herald("fetch")
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(fetched.errors.contains("'members': 2 rows"))
        #expect(scene.list == "fid\n\(Self.fid(1))\n\(Self.fid(2))\n")
        #expect(scene.files == [".lock", "members.csv", "members.json"])
        let lists = "\(scene.folder.path)/workspace/.herald/lists"
        let mode = try FileManager.default.attributesOfItem(atPath: "\(lists)/members.csv")[.posixPermissions]
        #expect(mode as? Int == 0o600)

        for command in ["plan", "validate", "calendar"] {
            let result = try await scene.herald(command)
            #expect(result.status == 0, "\(command): \(result.errors)")
        }
        let plan = try await scene.herald("plan")
        #expect(plan.output.contains("2 recipients"), "\(plan.output)")
        #expect(try scene.folder.read("script.ran") == "x\n")
    }

    @Test(arguments: [
        ("nothing", "", "has no"), ("a header only", "echo fid", "no rows"),
        ("a status", "echo fid; echo FID; exit 3", "status 3"), ("a signal", "echo fid; kill -9 $$", "signal 9"),
        ("another column", "echo name; echo x", "line 1"), ("a cut row", "echo fid,a; printf 'FID,\"b'", "not closed"),
        ("two columns of one name", "echo fid,a,a; echo FID,1,2", "one name"),
        ("a malformed row", "echo fid; echo FID; echo nonsense", "line 3"),
        ("bytes that are no text", "echo fid; printf 'FID\\n\\377\\n'", "UTF-8"),
    ])
    func `what cannot be used replaces nothing`(_ name: String, _ script: String, _ words: String) async throws {
        let scene = try Scene(Self.printing("fid", Self.fid(1)))
        #expect(try await scene.herald("fetch").status == 0)
        let (list, note) = (scene.list, try scene.folder.read("workspace/.herald/lists/members.json"))
        #expect(list != nil)
        try scene.folder.write("echo SECRET >&2\n" + script.replacing("FID", with: Self.fid(2)), to: "script")
        let result = try await scene.herald("fetch")
        #expect(result.status == 4, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!(result.errors + result.output).contains(Self.fid(2)))
        #expect(!(result.errors + result.output).contains("SECRET"))
        #expect(scene.list == list)
        #expect(try scene.folder.read("workspace/.herald/lists/members.json") == note)
        #expect(scene.files == [".lock", "members.csv", "members.json"])
        #expect(try await scene.herald("plan").status == 0)
    }

    @Test func `a column that a field or a filter names must be there`() async throws {
        for rest in ["columns: {seen: at}", "\nfields: {town: {}}", "\nwhere: {town: Ostia}"] {
            let scene = try Scene(Self.printing("fid,name", "\(Self.fid(1)),x"), rest)
            let result = try await scene.herald("fetch")
            #expect(result.status == 4, "\(rest): \(result.errors)")
            #expect(result.errors.contains(rest.contains("at}") ? "column 'at'" : "column 'town'"), "\(result.errors)")
            #expect(scene.list == nil)
        }
    }

    @Test func `the program gets the variables of env only, an empty folder and nothing to read`() async throws {
        let script = """
            [ -z "$OTHER$SECRET$HOME" ] && [ "$CITY" = Ostia ] && [ -z "$(/bin/ls -A)" ] && ! read line || exit 9
            echo fid; echo \(Self.fid(1))
            """
        let scene = try Scene(script, "env: [CITY]")
        let result = try await scene.herald("fetch")
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `what the machine does not allow is not run`() async throws {
        let script = "echo x >\"$0.ran\"\n" + Self.printing("fid", Self.fid(1))
        var scene = try Scene(script, "env: [CITY]")
        for (name, value, words) in [
            ("HERALD_ALLOW_COMMANDS", "/usr/bin/sh2:bin/sh", "HERALD_ALLOW_COMMANDS"),
            ("HERALD_SOURCE_VARS", "CITY2", "HERALD_SOURCE_VARS"), ("CITY", nil, "'CITY' is not set"),
        ] as [(String, String?, String)] {
            let before = scene.variables
            scene.variables[name] = value
            let result = try await scene.herald("fetch")
            #expect(result.status == 4, "\(result.errors)")
            #expect(result.errors.contains(words), "\(result.errors)")
            scene.variables = before
        }
        #expect((try? scene.folder.read("script.ran")) == nil)
        #expect(scene.list == nil)
        #expect(try await scene.herald("fetch").status == 0)
        #expect(try scene.folder.read("script.ran") == "x\n")
    }

    @Test func `a program that takes too long is ended with all that it started`() async throws {
        // The shell waits for a child that holds standard output open.
        let scene = try Scene(
            "echo fid\n/bin/sleep 600 &\necho $! >\"$0.pid\"\nwait\n", "fetch: {timeout: 3s}")
        let result = try await scene.herald("fetch")
        #expect(result.status == 4)
        #expect(result.errors.contains("longer than 3s"), "\(result.errors)")
        let text = try scene.folder.read("script.pid").trimmingCharacters(in: .whitespacesAndNewlines)
        let pid = try #require(pid_t(text))
        // A signal takes a moment. A process that nobody has reaped yet is dead all the same.
        try await eventually {
            let state = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8))?.split(separator: " ")
            return state.map { $0.count > 2 && $0[2] == "Z" } ?? true
        }
        #expect(scene.list == nil)
    }

    @Test func `a list of another source does not count, whoever has the name`() async throws {
        let scene = try Scene(Self.printing("fid", Self.fid(1)))
        #expect(try await scene.herald("fetch").status == 0)
        #expect(try await scene.herald("plan").status == 0)
        for rest in ["env: [CITY]", "columns: {fid: fid}\nformat: ndjson"] {
            try scene.declare(Self.printing("fid", Self.fid(1)), rest)
            let plan = try await scene.herald("plan")
            #expect(plan.status == 1)
            #expect(plan.errors.contains("herald fetch members"), "\(plan.errors)")
        }
        // What says only how to fetch changes nothing.
        try scene.declare(Self.printing("fid", Self.fid(1)), "fetch: {timeout: 5s}")
        #expect(try await scene.herald("plan").status == 0)
    }

    @Test func `lists that no audience has any more are removed, once nothing fails`() async throws {
        let scene = try Scene(Self.printing("fid", Self.fid(1)))
        #expect(try await scene.herald("fetch").status == 0)
        try scene.folder.write("fid\n", to: "workspace/.herald/lists/somebody.csv")
        try scene.declare("exit 1", "", name: "people")
        #expect(try await scene.herald("fetch").status == 4)
        #expect(scene.files == [".lock", "members.csv", "members.json", "somebody.csv"])
        try scene.declare(Self.printing("fid", Self.fid(1)), "", name: "people")
        #expect(try await scene.herald("fetch", "--out", "\(scene.folder.path)/look").status == 0)
        #expect(scene.files.contains("members.csv"))
        let renamed = try await scene.herald("fetch")
        #expect(renamed.errors.contains("removed .herald/lists/members.csv"), "\(renamed.errors)")
        #expect(scene.files == [".lock", "people.csv", "people.json", "somebody.csv"])

        try scene.declare(Self.printing("{\"fid\": \"\(Self.fid(1))\"}"), "format: ndjson", name: "people")
        #expect(try await scene.herald("fetch").status == 0)
        #expect(scene.files == [".lock", "people.json", "people.ndjson", "somebody.csv"])
        #expect(try await scene.herald("plan").status == 0)
        // Nothing is left to fetch.
        try scene.folder.write("fid\n\(Self.fid(1))\n", to: "workspace/sub/people.csv")
        try scene.folder.write(
            "kind: audience\nname: people\nsource: {file: people.csv}\n", to: "workspace/sub/files.yaml")
        #expect(try await scene.herald("fetch").status == 0)
        #expect(scene.files == [".lock", "somebody.csv"])
    }

    @Test func `a full disk leaves the last list whole`() async throws {
        let scene = try Scene(Self.printing("fid", Self.fid(1)))
        #expect(try await scene.herald("fetch").status == 0)
        let (list, note) = (scene.list, scene.note)
        let lines = (1...5000).map { Self.fid($0) }.joined(separator: "\n")
        try scene.folder.write("fid\n\(lines)\n", to: "lines")
        try scene.folder.write("/bin/cat \"${0%/*}/lines\"", to: "script")
        let full = try await scene.fetchOnFullDisk()
        #expect(full.status == 4, "\(full.errors)")
        #expect(full.errors.contains("cannot be written"), "\(full.errors)")
        #expect(scene.list == list && list != nil)
        #expect(scene.note == note)
        #expect(scene.files == [".lock", "members.csv", "members.json"])
        #expect(try await scene.herald("fetch").errors.contains("5,000 rows"))
    }

    @Test func `a fetch that is killed while the program prints leaves the last list whole`() async throws {
        let scene = try Scene(Self.printing("fid", Self.fid(1)))
        #expect(try await scene.herald("fetch").status == 0)
        let lines = (2...20_000).map { Self.fid($0) }.joined(separator: "\n")
        try scene.folder.write("fid\n\(lines)\n", to: "lines")
        // More than herald keeps back. A program outlives a herald that is killed.
        try scene.folder.write(
            "echo $$ >>\"$0.pids\"\n/bin/cat \"${0%/*}/lines\"\nexec /bin/sleep 600\n", to: "script")
        try await scene.expectWholeWhenStopped()
        for line in try scene.folder.read("script.pids").split(separator: "\n") {
            kill(try #require(pid_t(line)), SIGKILL)
        }
        try scene.folder.write("/bin/cat \"${0%/*}/lines\"", to: "script")
        #expect(try await scene.herald("fetch").errors.contains("19,999 rows"))
        #expect(scene.files == [".lock", "members.csv", "members.json"])
    }

    @Test func `a list that comes as it was stays the same file, unless somebody changed that`() async throws {
        let scene = try Scene(Self.printing("fid", Self.fid(1)))
        let path = "\(scene.folder.path)/workspace/.herald/lists/members.csv"
        let number = { try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int }
        #expect(try await scene.herald("fetch").status == 0)
        let (first, note, list) = (try number(), scene.note, scene.list)
        #expect(try await scene.herald("fetch").status == 0)
        #expect(try number() == first && first != nil)
        #expect(scene.note != note && scene.list == list)
        #expect(scene.files == [".lock", "members.csv", "members.json"])
        try scene.folder.write("fid\n\(Self.fid(2))\n", to: "workspace/.herald/lists/members.csv")
        #expect(try await scene.herald("plan").status == 1)
        #expect(try await scene.herald("fetch").status == 0)
        #expect(scene.list == list)
        #expect(try await scene.herald("plan").status == 0)
    }

    @Test func `a list that lacks what the files name since then is due`() async throws {
        let scene = try Scene(Self.printing("fid,name", "\(Self.fid(1)),Ada"))
        let source = "command: [/bin/sh, \"\(scene.folder.path)/script\"]\nfetch: {every: 6h}"
        let fields = "fields: {name: {max: 9}}"
        for (keys, isDue) in [("", true), ("", false), (fields, true), (fields, false), ("where: {name: Ada}", false)] {
            try scene.declare(source, keys: keys)
            let fetched = try await scene.herald("fetch")
            #expect(fetched.status == 0, "\(keys): \(fetched.errors)")
            #expect(fetched.errors.contains("fetched 'members'") == isDue, "\(keys): \(fetched.errors)")
        }
        // Without a clock nobody fetches it but a person.
        try scene.declare(source.replacing("\nfetch: {every: 6h}", with: ""), keys: "fields: {born: {type: date}}")
        let plan = try await scene.herald("plan")
        #expect(plan.status == 1 && plan.errors.contains("has it by now, run 'herald fetch members'"), "\(plan.errors)")
    }

    @Test(arguments: ["members.csv", "members.json"])
    func `a file of somebody else stays where people look at lists`(_ name: String) async throws {
        let scene = try Scene(Self.printing("fid", Self.fid(1)))
        let look = "\(scene.folder.path)/look"
        for _ in 1...2 { #expect(try await scene.herald("fetch", "--out", look).status == 0) }
        for name in ["members.csv", "members.json"] { unlink("\(look)/\(name)") }
        try scene.folder.write("mine", to: "look/\(name)")
        let refused = try await scene.herald("fetch", "--out", look)
        #expect(refused.status == 4 && refused.errors.contains("herald did not write"), "\(refused.errors)")
        #expect(try scene.folder.read("look/\(name)") == "mine")
    }

    @Test func `herald writes through no link`() async throws {
        let scene = try Scene(Self.printing("fid", Self.fid(1)))
        let path = "\(scene.folder.path)/workspace/.herald"
        try scene.folder.write("", to: "elsewhere/x")
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "\(scene.folder.path)/elsewhere")
        let result = try await scene.herald("fetch")
        #expect(result.status == 1, "\(result.errors)")
        let found = try FileManager.default.contentsOfDirectory(atPath: "\(scene.folder.path)/elsewhere")
        #expect(found == ["x"])

        // Nor through those of files.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: "\(path)/lists", withIntermediateDirectories: true)
        for name in ["members.csv", "members.json", "members.csv.new"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/lists/\(name)", withDestinationPath: "\(scene.folder.path)/elsewhere/x")
        }
        let fetched = try await scene.herald("fetch")
        #expect(fetched.status == 0, "\(fetched.errors)")
        #expect(try scene.folder.read("elsewhere/x").isEmpty)
        #expect(scene.list == "fid\n\(Self.fid(1))\n")
    }
}

extension FetchScene {
    /// A workspace whose only list is what a shell script prints.
    fileprivate init(_ script: String, _ rest: String = "", name: String = "members") throws {
        try self.init()
        try declare(script, rest, name: name)
    }

    fileprivate func declare(_ script: String, _ rest: String = "", name: String = "members") throws {
        try folder.write(script, to: "script")
        // A line break at the start ends the source.
        let isKey = rest.hasPrefix("\n")
        let program = "command: [/bin/sh, \"\(folder.path)/script\"]"
        try declare(isKey ? program : "\(program)\n\(rest)", keys: isKey ? rest : "", name: name)
    }
}
