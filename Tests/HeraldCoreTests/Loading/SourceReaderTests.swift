import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Where audiences say that herald fetches their lists from.
struct SourceReaderTests {
    @Test(arguments: [
        (Rule.missingKey, "▸{columns: {}}"), (.oneSource, "{file: l.csv, ▸command: [psql]}"),
        (.oneSource, "{sqlite: a.sqlite, query: SELECT 1, ▸https: 'https://x.example/l.csv'}"),
        (.invalidValue, "{file: l.csv, ▸query: SELECT 1}"), (.invalidValue, "{command: [psql], ▸ca: ca.pem}"),
        (.invalidValue, "{sqlite: a, query: SELECT 1, ▸format: csv}"),
        (.invalidValue, "{postgres: '${APP}', query: SELECT 1, ▸env: [A]}"),
        (.invalidValue, "{https: 'https://x.example/l.csv', ▸query: SELECT 1}"),
        (.missingKey, "▸{sqlite: a.sqlite}"), (.missingKey, "▸{postgres: '${APP}'}"),
        (.invalidValue, "{sqlite: ▸'', query: SELECT 1}"), (.invalidValue, "{sqlite: a, query: ▸' ; '}"),
        (.fileUnreadable, "{sqlite: a, query: ▸missing.sql}"), (.pathOutside, "{sqlite: a, query: ▸../../secret.sql}"),
        (.pathOutside, "{sqlite: a, query: ▸/etc/secret.sql}"),
        (.invalidValue, "{postgres: ▸mysql://host/db, query: SELECT 1}"),
        (.invalidValue, "{postgres: ▸host=db user=me, query: SELECT 1}"),
        (.invalidValue, "{https: ▸'http://x.example/l.csv'}"),
        (.invalidValue, "{https: ▸'https://user:pw@x.example/l.csv'}"),
        (.invalidValue, "{https: ▸'https://x.example/l.csv#top'}"), (.invalidValue, "{https: ▸https://x.example/ü}"),
        (.invalidValue, "{https: 'https://x.example/l', hosts: [▸'https://y.example']}"),
        (.invalidValue, "{https: 'https://x.example/l', headers: {▸Host: y.example}}"),
        (.invalidValue, "{https: 'https://x.example/l', headers: {A: x, ▸a: y}}"),
        (.invalidValue, "{https: 'https://x.example/l', headers: {'▸A B': x}}"),
        (.invalidValue, "{https: 'https://x.example/l', headers: {A: ▸\"x\\ny\"}}"),
        (.wrongType, "{https: 'https://x.example/l', headers: ▸[A]}"),
        (.invalidValue, "{command: [▸bin/psql]}"), (.invalidValue, "{command: [psql, ▸'${A}']}"),
        (.invalidValue, "{command: ▸[]}"), (.invalidValue, "{command: [psql], env: [▸A=1]}"),
        (.invalidValue, "{command: [psql], fetch: {timeout: ▸2d}}"),
        (.unknownKey, "{command: [psql], fetch: {▸often: 2d}}"),
        (.invalidValue, "{command: [psql], fetch: {every: ▸0s}}"),
        (.invalidValue, "{command: [psql], fetch: {warn_after: 2h, error_after: ▸1h}}"),
        (.invalidValue, "{command: [psql], fetch: {▸loaded_at: SELECT 1}}"),
        (.invalidValue, "{sqlite: a, query: SELECT 1, fetch: {loaded_at: ▸' '}}"),
        (.invalidValue, "{command: [psql], expect: {max_row_change: ▸half}}"),
        (.invalidValue, "{file: l.csv, ▸expect: {max_row_change: 50%}}"),
    ])
    func `a mistake in a source is told where it is`(_ rule: Rule, _ source: String) throws {
        let marked = MarkedText("kind: audience\nname: a\nsource: \(source)\n")
        let loaded = try WorkspaceLoader.load(files: ["sub/a.yaml": marked.text], lists: .skip)
        // A quote before a key belongs to it.
        #expect(loaded.diagnostics.map(\.rule) == [rule], "\(loaded.shown)")
        #expect(loaded.diagnostics.first?.range.text?.start.line == 3)
        let columns = [loaded.diagnostics.first?.range.text?.start.column ?? 0, marked.positions[0].column]
        #expect(columns[0] == columns[1] || columns[0] == columns[1] - 1, "\(loaded.shown)")
        #expect(loaded.workspace?.audiences.contains { $0.origin != nil && rule == .missingKey } == false)
    }

    private static func origin(_ source: String, _ files: [String: String] = [:]) throws -> Audience.Origin {
        let file = ["sub/a.yaml": "kind: audience\nname: a\nsource: \(source)\n"]
        let loaded = try WorkspaceLoader.load(files: file.merging(files) { one, _ in one }, lists: .skip)
        #expect(loaded.found == [])
        return try #require(loaded.workspace?.audiences.first?.origin)
    }

    @Test func `another source has another digest, and how it is fetched does not count`() throws {
        let sources = [
            "{command: [psql, a]}", "{command: [psql, a], format: ndjson}", "{command: [psql, a], env: [A]}",
            "{command: [psql, a, b]}", "{sqlite: a, query: SELECT 1}", "{sqlite: a, query: SELECT 2}",
            "{sqlite: b, query: SELECT 1}", "{postgres: '${A}', query: SELECT 1}",
            "{postgres: '${B}', query: SELECT 1}",
            "{https: 'https://x.example/a'}", "{https: 'https://x.example/b'}",
            "{https: 'https://x.example/a', headers: {A: x}}", "{https: 'https://x.example/a', headers: {A: z}}",
        ]
        let digests = try sources.map { try Self.origin($0).digest }
        #expect(Set(digests).count == sources.count)
        for (source, key) in [
            ("{sqlite: a, query: SELECT 1", "fetch: {timeout: 5s}"),
            ("{https: 'https://x.example/a'", "hosts: [y.example]"),
            ("{postgres: '${A}', query: SELECT 1", "ca: ca.pem"),
            ("{sqlite: a, query: SELECT 1", "fetch: {every: 1h, warn_after: 2h, error_after: 3h, loaded_at: SELECT 2}"),
            ("{sqlite: a, query: SELECT 1", "expect: {max_row_change: 50%}"),
        ] {
            #expect(try Self.origin("\(source)}").digest == Self.origin("\(source), \(key)}").digest)
        }
    }

    @Test func `the same database has the same digest, wherever the audience's file is`() throws {
        func digest(_ folder: String, _ path: String) throws -> String {
            let audience = "kind: audience\nname: a\nsource: {sqlite: \(path), query: SELECT 1}\n"
            let loaded = try WorkspaceLoader.load(files: ["\(folder)/a.yaml": audience], lists: .skip)
            return try #require(loaded.workspace?.audiences.first?.origin).digest
        }
        #expect(try digest("eu", "app.sqlite") != digest("us", "app.sqlite"))
        #expect(try digest("eu", "app.sqlite") == digest("us", "./../eu/app.sqlite"))
        #expect(try digest("eu", "/srv/app.sqlite") == digest("us", "/srv/app.sqlite"))
    }

    @Test func `a query in a file is the query, without what ends it`() throws {
        let written = try Self.origin("{sqlite: a, query: \"SELECT 1 AS fid\"}")
        let filed = try Self.origin("{sqlite: a, query: ../q/x.sql}", ["q/x.sql": "\u{FEFF}SELECT 1 AS fid ;\n\n"])
        #expect(filed.query?.text == "SELECT 1 AS fid")
        #expect(filed.digest == written.digest)
    }

    @Test(arguments: [
        ("postgresql://user:secret@host/db", "postgresql://user:(…)@host/db"),
        ("postgresql://user:se/cr@et@host/db", "postgresql://user:(…)@host/db"),
        ("postgresql://user:${PW}@host/db", "postgresql://user:${PW}@host/db"),
        ("postgresql://user@host:5432/db?sslmode=require", "postgresql://user@host:5432/db?sslmode=require"),
        ("postgresql://host/db?password=secret&user=a", "postgresql://host/db?password=(…)&user=a"),
        ("postgresql://host/db?sslpassword=secret", "postgresql://host/db?sslpassword=(…)"), ("${APP}", "${APP}"),
    ])
    func `no password of an address is shown, neither in an approval nor beside a list`(
        _ address: String, _ shown: String
    ) throws {
        let audience = "kind: audience\nname: a\nsource: {postgres: '\(address)', query: SELECT 1}\n"
        let loaded = try WorkspaceLoader.load(files: ["a.yaml": audience], lists: .skip)
        let workspace = try #require(loaded.workspace)
        #expect(workspace.audiences.first?.origin?.place == shown)
        let fields = workspace.definitions.first?.fields.filter { $0.path == "source.postgres" }.map(\.value)
        #expect(fields == [.json(.string(shown))])
    }

    @Test func `a review reads no fetched list, and says what files decide`() throws {
        let folder = try TemporaryFolder([
            "herald.yaml": settingsText, "q.sql": "SELECT 1",
            "a.yaml": "kind: audience\nname: a\nsource: {sqlite: a.sqlite, query: q.sql}\n",
        ])
        let review = try #require(WorkspaceFolder(at: folder.path)).underReview(in: folder.path)
        let loaded = WorkspaceLoader.load(review, environment: [:])
        #expect(loaded.found == [])
        #expect(loaded.workspace?.listsSkipped == true)
        let query = loaded.workspace?.definitions.first?.fields.first { $0.path == "source.query" }?.value
        #expect(query == .json(.string("SELECT 1")))
    }
}
