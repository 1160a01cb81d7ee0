import Crypto
import FCM
import HeraldTestSupport

@testable import HeraldCore

private func audience(_ rest: String) -> String { "kind: audience\nname: a\n\(rest)\n" }
private func list(_ name: String, _ text: String) -> [String: String] {
    ["x.yaml": audience("source: {file: \(name)}"), name: text]
}

/// An audience from a database, fetched an hour and a half before the time of tests.
private func fetched(_ source: String, as text: String = "fid\n\(fid)\n") -> [String: String] {
    let place = Located("a", at: SourceRange(file: "x.yaml"))
    let origin = Audience.Origin(kind: .sqlite(place, Audience.Query("SELECT 1")))
    let list = FetchedList(
        .init(rows: 1, digest: SHA256.hash(data: Array("fid\n\(fid)\n".utf8)).hexadecimal), from: origin, after: nil,
        fetched: WorkspaceLoader.usualTime.addingTimeInterval(-5400), seconds: 1)
    return [
        "x.yaml": audience("source: {\(source)}"), ".herald/lists/a.csv": text,
        ".herald/lists/a.json": list.json.compactText,
    ]
}

extension RuleCase {
    static let lists: [RuleCase] = [
        RuleCase(
            .staleList, "older than it should be",
            fetched("▸sqlite: a, query: SELECT 1, fetch: {warn_after: 89m, error_after: 2d}"),
            near: fetched("sqlite: a, query: SELECT 1, fetch: {warn_after: 90m, error_after: 2d}")),
        RuleCase(
            .staleList, "older than it may be",
            fetched("▸sqlite: a, query: SELECT 1, fetch: {error_after: 89m}"),
            near: fetched("sqlite: a, query: SELECT 1")),
        RuleCase(
            .fileUnreadable, "a list that is not the one that was fetched last",
            fetched("▸sqlite: a, query: SELECT 1", as: "fid\n"), near: fetched("sqlite: a, query: SELECT 1")),
        RuleCase(
            .listFormat, "another ending", ["x.yaml": audience("source: {file: ▸l.tsv}"), "l.tsv": "fid\n"],
            near: list("l.csv", "fid\n")),
        RuleCase(
            .listFormat, "a packed list of another ending",
            ["x.yaml": audience("source: {file: ▸l.tsv.gz}"), "l.tsv.gz": "fid\n"], near: list("l.csv", "fid\n")),
        {
            var foreign = RuleCase(
                .listCompression, "a list that is only called so", ["x.yaml": audience("source: {file: ▸l.csv.gz}")],
                near: list("l.csv", "fid\n"))
            foreign.prepare = { try $0.write("fid\n", to: "l.csv.gz") }
            return foreign
        }(),
        RuleCase(.listFormat, "no header", list("l.csv", "▸"), near: list("l.csv", "token")),
        RuleCase(
            .listColumn, "no registration column", list("l.csv", "▸id,name\n1,2\n"),
            near: list("l.csv", "id,token\n1,\(token)\n")),
        RuleCase(
            .listColumn, "a column that the audience names",
            ["x.yaml": audience("source: {file: l.csv, columns: {token: ▸push◂}}"), "l.csv": "push_token\n"],
            near: ["x.yaml": audience("source: {file: l.csv, columns: {token: push}}"), "l.csv": "push\n"]),
        RuleCase(
            .listColumn, "one column for two kinds",
            ["x.yaml": audience("source: {file: l.csv, columns: {token: id, fid: ▸id}}"), "l.csv": "id\n"],
            near: ["x.yaml": audience("source: {file: l.csv, columns: {token: id, fid: fid}}"), "l.csv": "id,fid\n"]),
        RuleCase(
            .listColumn, "a column of times twice",
            ["x.yaml": audience("source: {file: l.csv, columns: {seen: at}}"), "l.csv": "▸fid,at,at\n"],
            near: ["x.yaml": audience("source: {file: l.csv, columns: {seen: at}}"), "l.csv": "fid,at,to,to\n"]),
        RuleCase(
            .listFormat, "columns of text",
            ["x.yaml": audience("source: {file: l.txt, ▸columns: {token: push}}"), "l.txt": ""],
            near: ["x.yaml": audience("source: {file: l.ndjson, columns: {token: push}}"), "l.ndjson": ""]),
        RuleCase(
            .unknownKey, "of columns",
            ["x.yaml": audience("source: {file: l.csv, columns: {▸tokens: id}}"), "l.csv": "fid\n"],
            near: ["x.yaml": audience("source: {file: l.csv, columns: {fid: fid}}"), "l.csv": "fid\n"]),
        RuleCase(
            .invalidValue, "a column without a name",
            ["x.yaml": audience("source: {file: l.csv, columns: {seen: ▸''}}"), "l.csv": "fid\n"],
            near: ["x.yaml": audience("source: {file: l.csv, columns: {}}"), "l.csv": "fid\n"]),
        RuleCase(
            .listColumn, "a column twice", list("l.csv", "\n▸fid,token,fid\n"),
            near: list("l.csv", "\nfid,token,name,name\n")),
        RuleCase(
            .listRow, "of text", list("l.txt", "# ours\n\(fid)\n\n▸\(fid)x\n"),
            near: list("l.txt", "# ours\n\(fid)\n\n  \(token)\t\n")),
        RuleCase(
            .listRow, "of CSV", list("l.csv", "fid,spot\n\(fid),ostia\n▸\(fid)\n"),
            near: list("l.csv", "fid,spot\n\(fid),ostia\n\(fid),\n")),
        RuleCase(
            .listRow, "of NDJSON", list("l.ndjson", "{\"fid\":\"\(fid)\"}\n▸{\"fid\":7}\n"),
            near: list("l.ndjson", "{\"fid\":\"\(fid)\",\"n\":7}\n")),
        RuleCase(
            .listRow, "a time that is none",
            ["x.yaml": audience("source: {file: l.csv, columns: {seen: at}}"), "l.csv": "fid,at\n▸\(fid),today\n"],
            near: ["x.yaml": audience("source: {file: l.csv, columns: {seen: at}}"), "l.csv": "fid,at\n\(fid),\n"]),
        RuleCase(
            .listRow, "a quote that is never closed", list("l.csv", "fid,n\n▸\(fid),\"a\nb\n"),
            near: list("l.csv", "fid,n\n\(fid),\"a\nb\"\n")),
        RuleCase(
            .registrationForm, "a fid too long", audience("fids: [\(fid), ▸\(fid)0]"), near: audience("fids: [\(fid)]")),
        RuleCase(
            .registrationForm, "a fid among tokens", audience("tokens:\n  - ▸\(fid)"),
            near: audience("tokens:\n  - \(token)")),
        RuleCase(
            .registrationForm, "a token among fids", audience("fids:\n  - ▸\(token)"),
            near: audience("fids:\n  - \(fid)")),
        RuleCase(.registrationForm, "a list among fids", audience("fids: [▸[]]"), near: audience("fids: []")),
    ]
}
