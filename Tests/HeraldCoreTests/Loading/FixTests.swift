import HeraldTestSupport
import Testing

@testable import HeraldCore

/// A diagnostic's fix, applied to the file, leaves no diagnostic of that rule.
struct FixTests {
    static func message(_ rest: String) -> String {
        "kind: campaign\nname: c\ntarget: {topic: t}\nmessage:\n  notification:\n    title: x\n\(rest)\n"
    }
    static func timed(_ schedule: String) -> String {
        message("schedule: {\(schedule)}").replacing("{topic: t}", with: "{fids: [\(fid)]}")
    }

    static let fixes: [(wrong: String, right: String)] = [
        (message("    body: Tide: 18:42"), message("    body: \"Tide: 18:42\"")),
        (message("    body: 18:42"), message("    body: \"18:42\"")),
        (message("    body: *star*"), message("    body: \"*star*\"")),
        (message("    body: @all come"), message("    body: \"@all come\"")),
        (message("    body: [Ostia] tide"), message("    body: \"[Ostia] tide\"")),
        (message("    body: \"Tide\" in"), message("    body: \"\\\"Tide\\\" in\"")),
        (message("    body: \"High tide"), message("    body: \"High tide\"")),
        (message(#"    body: "a\ud83d\ude00b\uD83C\uDF0A""#), message("    body: \"a😀b🌊\"")),
        (message(#"  data: {a: "\u00e8 \ud83d\ude00", b: c}"#), message(#"  data: {a: "\u00e8 😀", b: c}"#)),
        (message("    body: - tide"), message("    body: \"- tide\"")),
        (message("    body: &amp"), message("    body: \"&amp\"")),
        (message("    body: !now"), message("    body: \"!now\"")),
        (message("  data: {a: Tide: 18:42}"), message("  data: {a: \"Tide: 18:42\"}")),
        (message("  data: {a: we are #1, b: c}"), message("  data: {a: \"we are #1\", b: c}")),
        (message("enabled: yes"), message("enabled: true")),
        (message("enabled: 'false'"), message("enabled: false")),
        (message("revision: '2'"), message("revision: 2")),
        (message("  android: {notification: {sticky: on}}"), message("  android: {notification: {sticky: true}}")),
        (message("  android: {priority: hihg}"), message("  android: {priority: HIGH}")),
        (message("  android: {ttl: 4 hours}"), message("  android: {ttl: 4h}")),
        (message("  android: {ttl: 40d}"), message("  android: {ttl: 28d}")),
        (message("  android: {ttl: 1.5s}"), message("  android: {ttl: 1s}")),
        (message("  andriod: {ttl: 1s}"), message("  android: {ttl: 1s}")),
        (
            message("  android: {notification: {event_time: 2026-12-01 9:00Z}}"),
            message("  android: {notification: {event_time: 2026-12-01T09:00Z}}")
        ),
        (
            message("  apns: {headers: {apns-push-type: alrt}, payload: {aps: {badge: 1}}}"),
            message("  apns: {headers: {apns-push-type: alert}, payload: {aps: {badge: 1}}}")
        ),
        (
            message("  apns: {headers: {apns-push-type: alert}, payload: {aps: {mutable_content: 1}}}"),
            message("  apns: {headers: {apns-push-type: alert}, payload: {aps: {mutable-content: 1}}}")
        ),
        (
            message("  apns: {headers: {apns-push-type: alert}, payload: {aps: {badge: '1'}}}"),
            message("  apns: {headers: {apns-push-type: alert}, payload: {aps: {badge: 1}}}")
        ),
        (message("  webpush: {headers: {Urgency: HIGH}}"), message("  webpush: {headers: {Urgency: high}}")),
        (message("delivery: {expires_after: 4H}"), message("delivery: {expires_after: 4h}")),
        (message("delivery: {on_unknown: holt}"), message("delivery: {on_unknown: hold}")),
        (message("acknowledge: [brodcast]"), message("acknowledge: [broadcast]")),
        (message("").replacing("topic: t", with: "topic: /topics/t"), message("")),
        (
            message("").replacing("{topic: t}", with: "{condition: \"'t' in topics and 'u' in topics\"}"),
            message("").replacing("{topic: t}", with: "{condition: \"'t' in topics && 'u' in topics\"}")
        ),
        (
            message("").replacing("{topic: t}", with: "{condition: \"'tt' in topics\"}"),
            message("").replacing("{topic: t}", with: "{condition: \"'t' in topics\"}")
        ),
        (
            message("").replacing("{topic: t}", with: "{condition: \"'t' in topics || 't' in topics\"}"),
            message("").replacing("{topic: t}", with: "{condition: \"'t' in topics\"}")
        ),
        (
            message("").replacing(
                "{topic: t}", with: "{condition: \"'t' in topics && 'u' in topics || 'u' in topics && 't' in topics\"}"),
            message("").replacing(
                "{topic: t}",
                with: "{condition: \"(('t' in topics && 'u' in topics) || 'u' in topics) && 't' in topics\"}")
        ),
        (timed("at: 2026-12-01T9:00"), timed("at: 2026-12-01T09:00")),
        (timed("at: 2026-12-01 9:00"), timed("at: 2026-12-01T09:00")),
        (timed("at: 2026-12-1T09:00:30 +1:00"), timed("at: 2026-12-01T09:00:30+01:00")),
        (timed("cron: 7 9 * * *, start: 2026-12-01 9:00"), timed("cron: 7 9 * * *, start: 2026-12-01T09:00")),
        (timed("cron: 7 9 * * *, end: 2036-12-01 9.00"), timed("cron: 7 9 * * *, end: 2036-12-01T09:00")),
        (timed("cron: 9:07 * * MON"), timed("cron: \"7 9 * * MON\"")),
        (timed("cron: 9:07"), timed("cron: \"7 9 * * *\"")),
        (timed("at: 2026-12-01T09:00, timezone: europe/rome"), timed("at: 2026-12-01T09:00, timezone: Europe/Rome")),
    ]

    @Test(arguments: fixes)
    func `a fix makes of the file what its author meant`(_ wrong: String, _ right: String) throws {
        let topics = "kind: topic\nname: t\nsubscribers: []\n---\nkind: topic\nname: u\nsubscribers: []\n"
        let loaded = try WorkspaceLoader.load(files: ["topics.yaml": topics, "x.yaml": wrong])
        let diagnostic = try #require(loaded.diagnostics.first { $0.fix != nil }, "\(loaded.shown)")
        let fix = try #require(diagnostic.fix)
        #expect(fix.range.start.line == fix.range.end.line)
        var lines = wrong.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let line = lines[fix.range.start.line - 1].unicodeScalars
        lines[fix.range.start.line - 1] =
            String(line.prefix(fix.range.start.column - 1)) + fix.text
            + String(line.dropFirst(fix.range.end.column - 1))
        let mended = lines.joined(separator: "\n")
        #expect(mended == right)
        let again = try WorkspaceLoader.load(files: ["topics.yaml": topics, "x.yaml": mended])
        #expect(!again.diagnostics.contains { $0.rule == diagnostic.rule && $0.range.file == "x.yaml" })
    }

    @Test(arguments: [
        (
            #""half \ud83d""#,
            "JSON writes an emoji as two halves (\\ud83d\\ude00); write the emoji itself, or \"\\U0001F600\""
        ),
        (#""C:\tides\q""#, "write \\\\ where a backslash is meant"),
        (#""C:\Users""#, "write \\\\ where a backslash is meant"),
    ])
    func `what follows a backslash in quotes is no quote that is missing`(_ body: String, _ help: String) throws {
        let loaded = try WorkspaceLoader.load(files: ["x.yaml": Self.message("    body: \(body)")])
        #expect(loaded.diagnostics.filter { $0.rule == .yamlSyntax }.map(\.help) == [help])
    }

    @Test func `braces around a quote that is not closed are no text`() throws {
        let loaded = try WorkspaceLoader.load(files: ["x.yaml": Self.message("data: {a: \"b}")])
        #expect(loaded.diagnostics.filter { $0.rule == .yamlSyntax }.map(\.help) == ["a quote is not closed"])
    }

    @Test func `a text of the settings that needs quotes is told so`() throws {
        let loaded = try WorkspaceLoader.load(files: ["herald.yaml": "herald: 1\nproject: @tide\n"])
        #expect(loaded.diagnostics.map(\.fix?.text) == ["\"@tide\""])
        #expect(loaded.diagnostics.map(\.range.text?.start) == [.init(line: 2, column: 10)])
    }

    @Test func `what needs a newer format is fixed by its version`() throws {
        let loaded = try WorkspaceLoader.load(files: ["herald.yaml": "herald: 1\nproject: p\nstate: {file: s}\n"])
        #expect(loaded.diagnostics.map(\.message) == ["'state' with keys of its own needs format version 2"])
        #expect(loaded.diagnostics.map(\.help) == ["write herald: 2"])
        #expect(loaded.diagnostics.map(\.fix?.text) == ["2"])
        #expect(loaded.diagnostics.map(\.fix?.range.start) == [.init(line: 1, column: 9)])
    }

    @Test(arguments: [
        timed("at: 2026-12-01T24:00"), timed("at: 2026-02-30 9:00"), timed("at: 9:00"), timed("cron: 25:07 * * *"),
        message("enabled: maybe"), message("delivery: {expires_after: 4}"),
        message("delivery: {expires_after: 4 weeks}"), message("delivery: {expires_after: 1M}"),
        message("  android: {priority: urgent}"), message("    body: 'Tis the tide"), message("acknowledge: ["),
        message("  notification: {title: y}"), message(#"    body: "half \ud83d""#),
        message(#"    body: "C:\tides\q""#),
        message(#"  data: {a: "C:\Users"}"#),
    ])
    func `nothing is guessed where it is not plain what was meant`(_ wrong: String) throws {
        let loaded = try WorkspaceLoader.load(files: ["x.yaml": wrong])
        #expect(loaded.diagnostics.contains { $0.severity == .error })
        #expect(loaded.diagnostics.compactMap(\.fix) == [])
    }

    /// Suggestions for all of them would take quadratic time.
    @Test func `of many misspelt keys the first hundred are advised on`() throws {
        let keys = (0..<300).map { "  notificatio\($0): x\n" }.joined()
        let loaded = try WorkspaceLoader.load(files: ["x.yaml": Self.message(keys)])
        #expect(loaded.diagnostics.count { $0.rule == .unknownKey } == 300)
        #expect(loaded.diagnostics.count { $0.help?.hasPrefix("did you mean") == true } == Advice.limit)
    }
}
