import FCM
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// Lists whose columns have names of their own.
struct ListColumnTests {
    private static let fids = (0...3).map { Registration.fid($0).rawValue }
    private static let tokens = (0...3).map { Registration.token($0).rawValue }

    private func load(_ name: String, _ text: String, _ columns: String, _ rest: String = "") throws
        -> WorkspaceLoader.Loaded
    {
        try WorkspaceLoader.load(files: [
            "a.yaml":
                "kind: audience\nname: a\nsource: {file: \(name)\(columns.isEmpty ? "" : ", columns: {\(columns)}")}\n\(rest)",
            name: text,
        ])
    }

    @Test(arguments: [
        ("l.csv", "id,fcm_token\n1,\(tokens[0])\n2,\(tokens[1])\n", "token: fcm_token", [tokens[0], tokens[1]]),
        (
            "l.csv", "installation,push\n\(fids[0]),\(tokens[0])\n,\(tokens[2])\n", "token: push, fid: installation",
            [
                fids[0], tokens[0], tokens[2],
            ]
        ),
        ("l.csv", "fid,push\nnot a fid,\(tokens[1])\n", "token: push", [tokens[1]]),
        ("l.csv", "fid,Last Seen\n\(fids[0]),\n", "seen: Last Seen", [fids[0]]),
        (
            "l.ndjson", "{\"push\":\"\(tokens[0])\"}\n{\"push\":\"\(tokens[1])\",\"fid\":7}\n", "token: push",
            [
                tokens[0], tokens[1],
            ]
        ),
        ("l.ndjson", "{\"id\":\"\(fids[0])\",\"n\":[1]}\n", "fid: id", [fids[0]]),
    ])
    func `registrations come from the columns that are named`(
        _ name: String, _ text: String, _ columns: String, _ expected: [String]
    ) throws {
        let loaded = try load(name, text, columns)
        #expect(loaded.found == [])
        #expect(try loaded.registrations().first?.map(\.rawValue) == expected)
    }

    @Test(arguments: [
        ("id,fcm_token\n", "if they are in 'fcm_token', write columns: {token: fcm_token} beside 'file'"),
        ("id,Token\n", "if they are in 'Token', write columns: {token: Token} beside 'file'"),
        ("Device Token,x\n", "if they are in 'Device Token', write columns: {token: \"Device Token\"} beside 'file'"),
        ("installation_id\n", "if they are in 'installation_id', write columns: {fid: installation_id} beside 'file'"),
        (
            "registration_id\n",
            "if they are in 'registration_id', write columns: {token: registration_id} beside 'file'"
        ),
        ("fid;locale\n", "its columns are separated by ';': herald takes commas"),
        ("id\tpush_token\n", "its columns are separated by tabs: herald takes commas"),
        (
            "id,name\n",
            "say beside 'file' which column has the tokens or the fids, as in columns: {token: push_id}; "
                + "columns are separated by commas"
        ),
    ])
    func `a header without registrations is told with the likely column`(_ header: String, _ help: String) throws {
        let loaded = try load("l.csv", header, "")
        #expect(loaded.found == [Found(.listColumn, "l.csv", .init(line: 1, column: 1))])
        #expect(loaded.diagnostics.first?.help == help)
    }

    @Test func `an object without a registration is told with the likely key`() throws {
        let loaded = try load("l.ndjson", "{\"fcmToken\":\"\(Self.tokens[0])\"}\n", "")
        #expect(loaded.found == [Found(.listRow, "l.ndjson", .init(line: 1, column: 1))])
        #expect(
            loaded.diagnostics.first?.help
                == "if they are in 'fcmToken', write columns: {token: fcmToken} beside 'file'")
    }

    @Test(arguments: [
        ("l.csv", "reg\n\(fids[0])\n", "token: reg", "fid: reg"),
        ("l.csv", "push id,x\n\(tokens[0]),1\n", "fid: push id", "token: \"push id\""),
        ("l.csv", "token\n\(fids[0])\n", "", "fid: token"),
        ("l.ndjson", "{\"reg\":\"\(fids[0])\"}\n", "token: reg", "fid: reg"),
    ])
    func `a registration of the other kind is told with its key`(
        _ name: String, _ text: String, _ columns: String, _ right: String
    ) throws {
        let loaded = try load(name, text, columns)
        #expect(loaded.found.map(\.rule) == [.listRow])
        #expect(
            loaded.diagnostics.first?.help?.hasSuffix("write columns: {\(right)} beside 'file'") == true,
            "\(loaded.shown)")
        #expect(!loaded.shown.contains(Self.fids[0]) && !loaded.shown.contains(Self.tokens[0]))
        #expect(try load(name, text, right).found == [])
    }

    @Test(
        arguments: [
            ("{\"fid\":null}\n", nil), ("{\"token\":\"\",\"fid\":null,\"name\":\"x\"}\n", nil),
            ("{\"fid\":null,\"Fid\":\"x\"}\n", "if they are in 'Fid', write columns: {fid: Fid} beside 'file'"),
        ] as [(String, String?)])
    func `a column that is read is not named as the likely one`(_ row: String, _ help: String?) throws {
        let loaded = try load("l.ndjson", row, "")
        #expect(loaded.diagnostics.map(\.message) == ["the row has no registration"])
        #expect(loaded.diagnostics.first?.help == help)
    }

    @Test(arguments: ["1969-12-31T23:59:59Z", "2106-02-07T06:28:16Z", "9999-12-31T00:00:00Z"])
    func `a time beyond those that herald keeps is told with them`(_ time: String) throws {
        let loaded = try load("l.csv", "fid,at\n\(Self.fids[0]),\(time)\n", "seen: at")
        #expect(loaded.diagnostics.map(\.message) == ["the row has a time in 'at' before 1970 or after 2106"])
        #expect(loaded.diagnostics.first?.help?.contains("2106-02-07T06:28:15Z") == true)
    }

    @Test func `a column that is missing is told where it is named`() throws {
        let loaded = try load("l.csv", "fcm_token,last_seen\n", "token: fcm_tokn, seen: lastseen")
        #expect(loaded.found.map(\.rule) == [.listColumn, .listColumn])
        #expect(
            loaded.diagnostics.map(\.message) == [
                "'l.csv' has no column 'fcm_tokn'", "'l.csv' has no column 'lastseen'",
            ])
        #expect(loaded.diagnostics.first?.help == "did you mean 'fcm_token'? it has: fcm_token, last_seen")
        #expect(loaded.diagnostics.first?.fix?.text == "fcm_token")
    }

    @Test func `a row in the header's place is not shown`() throws {
        let loaded = try load("l.csv", "\(Self.tokens[0]),SECRET\n\(Self.tokens[1]),x\n", "token: push")
        #expect(loaded.diagnostics.map(\.message) == ["'l.csv' has no column 'push'"])
        #expect(loaded.diagnostics.first?.help == "its first line does not look like a header")
        #expect(!loaded.shown.contains("SECRET"))
    }

    /// Filters and fields bring more of a row into the index than its registrations.
    @Test(
        arguments: ["l.csv", "l.ndjson"],
        [
            "", "where: {n: [Ann]}\n", "where: {n: {not: [Bob]}, seen: {before: 1d}}\n",
            "fields: {n: {}}\n---\nkind: campaign\nname: c\ntarget: {audience: a}\npersonal: {fields: [\"n\"]}\n"
                + "message: {data: {text: \"{{ n }}\"}}\n",
        ])
    func `the fid of a row counts, and its token is another registration`(_ name: String, _ rest: String) throws {
        let values = [Self.tokens[1], Self.fids[1], "Ann", "2026-11-01T00:00:00Z"]
        let object = zip(["token", "fid", "n", "at"], values).map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
        let row = values.joined(separator: ",")
        let text = name == "l.csv" ? "token,fid,n,at\n\(row)\n" : "{\(object)}\n"
        let loaded = try load(name, text, "seen: at", rest)
        try #require(!loaded.diagnostics.hasErrors, "\(loaded.shown)")
        var pass = try ListedRecipients(try #require(loaded.recipientIndex).get()).pass(keepingOthers: true)
        let recipient = try pass.next()
        #expect(recipient?.hasOthers == true)
        #expect(pass.registration == .fid(1))
        #expect(pass.others == [.token(1)])
        #expect(try pass.next() == nil)
    }

    /// Without a header, the first line has data of people.
    @Test(arguments: [
        ("SECRET,push_token\t\(fids[0])\n", ""), ("SECRET@token.example,x\n", ""), ("\"fid\n\(fids[0])\",SECRET\n", ""),
        ("\(fids[0]);SECRET@example.com\n", "fid: id"), ("\(fids[0])\tSECRET,x\n", "fid: id"),
        ("id of \(fids[0]),SECRET\n", "fid: id"), ("SECRET@example.com,x\n", "token: push"),
    ])
    func `a column that may be a person's data is not shown`(_ text: String, _ columns: String) throws {
        let loaded = try load("l.csv", text, columns)
        #expect(loaded.found.map(\.rule) == [.listColumn])
        #expect(!loaded.shown.contains("SECRET"))
        #expect(!loaded.shown.contains(Self.fids[0]))
    }

    @Test func `a missing column is no wonder if semicolons separate them`() throws {
        let loaded = try load("l.csv", "id;locale\n", "fid: id")
        #expect(loaded.diagnostics.map(\.message) == ["'l.csv' has no column 'id'"])
        #expect(loaded.diagnostics.first?.help == "its columns are separated by ';': herald takes commas")
        #expect(loaded.diagnostics.first?.fix == nil)
    }

    @Test func `a time that no object has is missing too`() throws {
        let object = "{\"fid\":\"\(Self.fids[0])\",\"seen_at\":\"\"}\n"
        #expect(
            try load("l.ndjson", object, "seen: seen").diagnostics.map(\.message) == ["'l.ndjson' has no column 'seen'"]
        )
        #expect(try load("l.ndjson", object, "seen: seen_at").found == [])
        #expect(try load("l.ndjson", "", "seen: seen").found == [])
    }

    @Test func `audiences may read one file in different ways`() throws {
        let loaded = try WorkspaceLoader.load(files: [
            "a.yaml": "kind: audience\nname: a\nsource: {file: l.csv, columns: {token: new}}\n",
            "b.yaml": "kind: audience\nname: b\nsource: {file: l.csv, columns: {token: old}}\nwhere: {new: \"\"}\n",
            "l.csv": "old,new\n\(Self.tokens[0]),\(Self.tokens[1])\n\(Self.tokens[2]),\n\(Self.tokens[3]),\n",
        ])
        #expect(
            loaded.diagnostics.map(\.message).count == 2, "rows without a 'new' token are malformed for one of them")
        let both = try WorkspaceLoader.load(files: [
            "a.yaml": "kind: audience\nname: a\nsource: {file: l.csv, columns: {token: new}}\n",
            "b.yaml": "kind: audience\nname: b\nsource: {file: l.csv, columns: {token: old}}\nwhere: {n: x}\n",
            "l.csv": "old,new,n\n\(Self.tokens[0]),\(Self.tokens[1]),x\n\(Self.tokens[2]),\(Self.tokens[3]),\n",
        ])
        #expect(both.found == [])
        #expect(
            try both.registrations().map { $0.map(\.rawValue) } == [
                [Self.tokens[1], Self.tokens[3]], [Self.tokens[0]],
            ])
    }

    @Test(arguments: [
        ColumnNames(token: "t", fid: nil), ColumnNames(token: "fid", fid: "token"), ColumnNames(seen: "seen"),
        ColumnNames(token: "token", fid: nil),
    ])
    func `other columns are another reading to the cache`(_ names: ColumnNames) {
        let usual = RowSource(list: "l.csv", takers: [], columns: ["n"])
        #expect(RowSource(list: "l.csv", takers: [], columns: ["n"], names: ColumnNames()).key == usual.key)
        #expect(RowSource(list: "l.csv", takers: [], columns: ["n"], names: names).key != usual.key)
    }

    private func seen(_ name: String, _ lines: [String], asked: [String] = []) -> (
        times: [UInt32?], problems: [Diagnostic]
    ) {
        var reader = ListReader(name, ColumnNames(seen: "seen"), asked: asked)
        var times: [UInt32?] = []
        for (place, line) in lines.enumerated() {
            var line = line
            _ = line.withUTF8 { reader.read($0, at: place + 1) { row, _ in times.append(row.seen) } }
        }
        reader.end()
        return (times, reader.rows.diagnostics)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-12-01T09:00:00+01:00", 1_796_112_000),
            ("2026-12-01t08:00:00.999z", 1_796_112_000),
            ("2026-12-01T08:00Z", 1_796_112_000), ("2106-02-07T06:28:15Z", UInt32.max), ("", nil),
        ] as [(String, UInt32?)])
    func `when a row was seen goes to the index in seconds`(_ text: String, _ time: UInt32?) {
        let fid = Self.fids[0]
        for (name, lines) in [
            ("l.csv", ["fid,seen", "\(fid),\(text)"]), ("l.ndjson", ["{\"fid\":\"\(fid)\",\"seen\":\"\(text)\"}"]),
            ("l.ndjson", ["{\"fid\":\"\(fid)\",\"seen\":\"\(text)\",\"x\":[]}"]),
        ] {
            let found = seen(name, lines)
            #expect(found.times == [time])
            #expect(found.problems.isEmpty)
        }
    }

    @Test func `a row may lack the time`() {
        #expect(
            seen("l.ndjson", ["{\"fid\":\"\(Self.fids[0])\",\"seen\":null}", "{\"fid\":\"\(Self.fids[1])\"}"]).times
                == [nil, nil])
    }

    @Test(arguments: [
        "yesterday", "2026-12-01", "2026-12-01 09:00:00Z", "2026-12-01T09:00:00", "2026-13-01T09:00:00Z",
        "2026-02-29T09:00:00Z", "2026-12-01T24:00:00Z", "2026-12-01T09:00:60Z", "2026-12-01T09:00:00+24:00",
        "2026-12-01T09:00:00.Z", "2026-12-01T09:00:00Zx", "1969-12-31T23:59:59Z", "2106-02-07T06:28:16Z", "1796112000",
    ])
    func `a malformed time is a malformed row`(_ text: String) {
        let fid = Self.fids[0]
        for (name, lines) in [
            ("l.csv", ["fid,seen", "\(fid),\(text)", "\(fid),"]),
            ("l.ndjson", ["{}", "{\"fid\":\"\(fid)\",\"seen\":\"\(text)\"}", "{\"fid\":\"\(fid)\"}"]),
        ] {
            let found = seen(name, lines)
            #expect(found.times == [nil])
            #expect(found.problems.last?.rule == .listRow)
            #expect(found.problems.last?.range.text == .line(2))
        }
    }
}
