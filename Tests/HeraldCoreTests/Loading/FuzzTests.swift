import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

struct FuzzTests {
    private static let seeds: [String: String] = [
        "herald.yaml":
            "herald: 1\nproject: ${P:-tide}\nsender_id: \"7\"\ntimezone: Europe/Rome\nlists: more\nsuppress: [b]\n"
            + "runner: {every: 1m}\nfcm: {rate: 600000/min, ramp: 60s, settle: 0s, topic_api: iid}\n"
            + "guards: {max_recipients: 10}\nignore: ['*.bak', '**/old/*']\n",
        "a.yaml":
            "kind: audience\nname: a\nsource: {file: l.csv}\nexclude: [b]\n---\nkind: audience\nname: b\n"
            + "fids:\n  - \(fid)\n---\nkind: audience\nname: n\nsource: {file: l.ndjson}\n---\n"
            + "kind: audience\nname: w\nfrom: n\nwhere: {x: [y1, 'é'], z: ''}\nexclude: [b]\n",
        "g.yaml":
            "kind: group\nname: g\nmembers: {audience: w}\n---\nkind: group\nname: h\nmembers: {tokens: [\(token)]}\n---\n"
            + "kind: campaign\nname: one\ntarget: {group: g}\nmessage: {data: {a: b}}\ndelivery: {members: each}\n---\n"
            + "kind: campaign\nname: two\ntarget: {condition: \"'t' in topics && !('u' in topics)\"}\n"
            + "message: {data: {a: b}}\nacknowledge: [broadcast, {max_recipients: 5}]\nprevious_names: [three]\n---\n"
            + "kind: campaign\nname: four\ntarget: {topics: {any: [t], none: [u]}}\nmessage: {data: {a: b}}\n---\n"
            + "kind: campaign\nname: five\ntarget: {fids: [\(fid)]}\nexclude: [b]\nmessage: {data: {a: b}}\n",
        "c.yaml":
            "kind: topic\nname: t\nsubscribers: &s [a, n]\nexclude: *s\nprune: true\n---\n# é🌊\nkind: campaign\nname: c\n"
            + "target: {topic: t}\nmessage: &m\n  data: {a: 'b', c: \"d\\n\"}\n  android: {ttl: 3.5s, priority: high}\n"
            + "  apns: {payload: {aps: {badge: 0, x: [1.5, true]}}}\nschedule: {at: 2026-12-01T09:00+01:00}\n"
            + "delivery: {rate: 5/s, expires_after: 4h}\n---\nkind: campaign\nname: d\ntarget: {topic: t}\n"
            + "message: {data: {a: b}}\nschedule:\n  cron: 30 9,12-14 */2 * MON-FRI\n  start: 2026-12-01T09:00\n"
            + "  end: '2027-12-01T09:00Z'\n  timezone: Europe/Rome\n  dst: {gap: skip, overlap: both}\n"
            + "  catch_up: all\n",
        "l.csv": "token,fid,n\n\(token),,\"a \"\"b\"\"\"\n,\(fid),\r\n",
        "l.ndjson": "{\"fid\":\"\(fid)\",\"x\":[1,{\"y\":null}]}\n{\"fid\":\"\(fid)\",\"x\":\"y1\",\"z\":1e3}\n",
    ]
    private static let pieces: [[UInt8]] =
        [
            "\0", "\t", "\r", "\n", "\r\n", "\n---\n", "\n...\n", ": ", "- ", "? ", "&a ", "*a", "*s", "<<: *m",
            "!!int ", "!x ",
            "{", "}", "[", "]", "\"", "'", ",", "#", " #", "|", ">", "%YAML 1.1\n", "${", "${X}", "$", "~", "null",
            "yes",
            "12:30", "0x1F", "1e999", "9223372036854775808", "\u{FEFF}", "\u{2028}", "\u{85}", "é", "🌊", "\u{1B}[31m",
            "/../",
            "kind: audience\n", "name: a\n", "from: w\n", "where: {n: x}\n", "''t''", " in topics", " || ", "!(",
            "{\"a\":", "\\",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xEF, 0xBB, 0xBF]]

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: start)
            case 3: bytes.removeSubrange(start...)
            default: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: start)
            }
        }
    }

    /// What `make fuzz` does: all parsers, from a seed of its own, for as long as it was asked to. A find is printed with
    /// what was read, to be kept as a test.
    @Test(.enabled(if: duration != nil, "FUZZ_SECONDS says for how long"))
    func `whatever is read, for as long as asked`() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["FUZZ_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
        print("FUZZ_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: Self.duration ?? .zero)
        var rounds = 0
        while clock.now < end {
            let begin = clock.now
            let round = UInt64.random(in: 0 ... .max, using: &random)
            try readWorkspaces(seed: round, rounds: 20)
            try readPackedLists(seed: round, rounds: 20)
            readExpressions(seed: round, rounds: 200)
            #expect(clock.now - begin < .seconds(60), "seed \(round)")
            rounds += 1
        }
        print("\(rounds) rounds")
    }

    private static var duration: Duration? {
        ProcessInfo.processInfo.environment["FUZZ_SECONDS"].flatMap { Int($0) }.map { .seconds($0) }
    }

    /// Conditions and crons, and what is read of them written again.
    @Test(arguments: [UInt64(5), 99])
    func `whatever an expression says, it is read or refused`(_ seed: UInt64) {
        readExpressions(seed: seed, rounds: 2000)
    }

    private func readExpressions(seed: UInt64, rounds: Int) {
        var random = SeededRandom(seed: seed)
        let conditions = ["'t' in topics && !('u' in topics)", "('a' in topics || 'b' in topics) && 'c' in topics"]
        let crons = ["30 9,12-14 */2 * MON-FRI", "0 0 29 FEB *", "*/15 8-18 1,15 1-6/2 0"]
        for round in 0..<rounds {
            var bytes = Array((conditions.randomElement(using: &random) ?? "").utf8)
            Self.mutate(&bytes, &random)
            if let condition = try? Condition(parsing: String(decoding: bytes, as: UTF8.self)) {
                let again = try? Condition(parsing: condition.description)
                #expect(again == condition, "seed \(seed), round \(round): \(bytes)")
            }
            bytes = Array((crons.randomElement(using: &random) ?? "").utf8)
            Self.mutate(&bytes, &random)
            _ = try? Cron(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Four runs with 600 workspaces each, a file or two of six changed in every one.
    @Test(arguments: [UInt64(1), 2026, 77_777, .max])
    func `whatever the files hold, diagnostics point into them`(_ seed: UInt64) throws {
        try readWorkspaces(seed: seed, rounds: 600)
    }

    private func readWorkspaces(seed: UInt64, rounds: Int) throws {
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder(Self.seeds)
        let names = Self.seeds.keys.sorted()
        for round in 0..<rounds {
            var changed: Set<String> = []
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let name = names.randomElement(using: &random) ?? "a.yaml"
                var bytes = Array((Self.seeds[name] ?? "").utf8)
                Self.mutate(&bytes, &random)
                try folder.write(bytes, to: name)
                changed.insert(name)
            }
            let loaded = try WorkspaceLoader.load(folder)
            for diagnostic in loaded.diagnostics {
                if let problem = problem(with: diagnostic, in: loaded.sources) {
                    Issue.record("seed \(seed), round \(round): \(problem): \(Found(diagnostic))")
                    return
                }
            }
            #expect(Set(loaded.diagnostics).count == loaded.diagnostics.count, "seed \(seed), round \(round)")
            _ = loaded.shown
            for name in changed { try folder.write(Self.seeds[name] ?? "", to: name) }
        }
    }

    /// The unpacking alone: what stands behind a changed header rarely gets to the rows.
    @Test(arguments: [UInt64(3), 41])
    func `whatever a packed list holds, it is read or refused`(_ seed: UInt64) throws {
        try readPackedLists(seed: seed, rounds: 300)
    }

    private func readPackedLists(seed: UInt64, rounds: Int) throws {
        var random = SeededRandom(seed: seed)
        let packed = gzipped("fid\n\(fid)\n\(Registration.fid(2).rawValue)\n")
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "a.yaml": "kind: audience\nname: a\nsource: {file: l.csv.gz}\n",
        ])
        for round in 0..<rounds {
            var bytes = packed
            Self.mutate(&bytes, &random)
            try folder.write(bytes, to: "l.csv.gz")
            let loaded = try WorkspaceLoader.load(folder)
            // What is in a header beside its form, such as a time, may be anything; the rows are held to their sum.
            let rows = loaded.workspace?.audiences.first?.registrations
            #expect(!loaded.found.isEmpty || rows == [.fid(1), .fid(2)], "seed \(seed), round \(round)")
        }
    }

    private func problem(with diagnostic: Diagnostic, in sources: [String: SourceText]) -> String? {
        if diagnostic.message.isEmpty { return "no message" }
        for range in [diagnostic.range] + diagnostic.notes.map(\.range) {
            if range.file.isEmpty { return "no file" }
            guard let text = range.text else { continue }
            if text.start.line < 1 || text.start.column < 1 { return "a position before the file" }
            if text.end < text.start { return "an end before its start" }
            guard let source = sources[range.file] else { continue }
            // libyaml takes U+0085, U+2028, U+2029 and a lone CR for line ends too.
            let lines = String(decoding: source.bytes, as: UTF8.self).unicodeScalars
                .count { "\n\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains($0) }
            if text.start.line > lines + 1 { return "a line behind the end" }
        }
        return nil
    }
}
