import FCM
import Foundation
import HeraldCore
import HeraldTestSupport
import Testing

struct FuzzTests {
    static let seeds: [String: String] = [
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
        "p.yaml":
            "kind: audience\nname: p\nsource: {file: l.csv}\nfields: {n: {max: 9}, lang: {type: locale, column: l}}\n"
            + "samples: [{n: it}]\n---\nkind: campaign\nname: six\ntarget: {audience: p}\n"
            + "personal: {fields: [n], locale: lang, default_locale: en, bad_rows: skip}\n"
            + "message: {notification: {title: \"Hi {{ n | default: 'you' }}\"}, data: {a: b}}\n"
            + "locales: {it: {notification: {title: 'Ciao {{ n }}'}, data: ~}, pt_BR: {}}\n"
            + "variants: {a: {weight: 9, message: {apns: {payload: {aps: {badge: ~}}}}}, b: {weight: 1, holdout: true}}\n"
            + "split: {seed: x, by: n}\n",
        "l.csv": "token,fid,n,l\n\(token),,\"a \"\"b\"\"\",it\n,\(fid),,\r\n",
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
            "{\"a\":", "\\", "{{", "}}", "{{ n }}", " | default: '", "{{'{{'}}",
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

    /// `make fuzz` runs this: all parsers with a random seed for the requested time. Each case is written into the
    /// corpus before it is tried and removed afterwards. So a crash, a hang or a failure leaves it there, and the tests
    /// try it again every time.
    @Test(.enabled(if: duration != nil, "FUZZ_SECONDS says for how long"))
    func `whatever is read, for as long as asked`() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["FUZZ_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
        print("FUZZ_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: Self.duration ?? .zero)
        var counts: [FuzzCase.Kind: Int] = [:]
        while clock.now < end {
            let kind = FuzzCase.Kind.allCases.randomElement(using: &random) ?? .workspace
            let one = FuzzCase(kind, Self.changed(kind, &random))
            let kept = try one.keep()
            let begin = clock.now
            var problem = try one.problem()
            if clock.now - begin > .seconds(10) { problem = problem ?? "it takes \(clock.now - begin)" }
            if let problem {
                Issue.record("\(problem): kept as \(kept)")
            } else {
                try FileManager.default.removeItem(atPath: kept)
            }
            counts[kind, default: 0] += 1
        }
        print(counts.map { "\($0.value) × \($0.key)" }.sorted().joined(separator: ", "))
    }

    @Test(arguments: FuzzCase.corpus)
    func `what was found once is read or refused`(_ found: FuzzCase) throws {
        #expect(try found.problem() == nil)
    }

    /// Random changes to what a parser of this kind reads.
    private static func changed(_ kind: FuzzCase.Kind, _ random: inout SeededRandom) -> [String: [UInt8]] {
        let names: [String]
        switch kind {
        case .condition, .cron:
            var bytes = Array(((kind == .cron ? crons : conditions).randomElement(using: &random) ?? "").utf8)
            mutate(&bytes, &random)
            return ["text": bytes]
        case .packed:
            var bytes = gzipped("fid\n\(fid)\n\(Registration.fid(2).rawValue)\n")
            mutate(&bytes, &random)
            return ["l.csv.gz": bytes]
        case .list: names = ["l.csv", "l.ndjson"]
        case .workspace: names = seeds.keys.sorted()
        }
        var files: [String: [UInt8]] = [:]
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let name = names.randomElement(using: &random) ?? "a.yaml"
            var bytes = files[name] ?? Array((seeds[name] ?? "").utf8)
            mutate(&bytes, &random)
            files[name] = bytes
        }
        return files
    }

    private static let conditions = [
        "'t' in topics && !('u' in topics)", "('a' in topics || 'b' in topics) && 'c' in topics",
        "!('t' in topics || 'u' in topics)",
    ]
    private static let crons = ["30 9,12-14 */2 * MON-FRI", "0 0 29 FEB *", "*/15 8-18 1,15 1-6/2 0"]

    private static var duration: Duration? {
        ProcessInfo.processInfo.environment["FUZZ_SECONDS"].flatMap { Int($0) }.map { .seconds($0) }
    }

    /// Some hundred runs with fixed seeds for each kind.
    @Test(arguments: [UInt64(1), 2026, 77_777, .max], FuzzCase.Kind.allCases)
    func `whatever is read, it is read or refused, and diagnostics point into it`(
        _ seed: UInt64, _ kind: FuzzCase.Kind
    ) throws {
        var random = SeededRandom(seed: seed)
        let rounds =
            switch kind {
            case .workspace: 300
            case .list, .packed: 75
            case .condition, .cron: 1000
            }
        for round in 0..<rounds {
            let one = FuzzCase(kind, Self.changed(kind, &random))
            if let problem = try one.problem() {
                Issue.record("\(problem): seed \(seed), round \(round): \(one.files)")
                return
            }
        }
    }
}
