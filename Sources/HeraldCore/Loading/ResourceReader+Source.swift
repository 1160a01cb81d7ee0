extension ResourceReader {
    static let sourceKeys = KeyTable(
        ["file"] + originKeys + ["query", "format", "env", "ca", "hosts", "headers", "fetch", "expect", "columns"])
    static let fetchKeys = KeyTable(["every", "warn_after", "error_after", "timeout", "loaded_at"])
    static let expectKeys = KeyTable(["max_row_change"])
    static let columnKeys = KeyTable(["token", "fid", "seen"])
    /// The kinds of lists that herald fetches.
    private static let originKeys = ["command", "sqlite", "postgres", "https"]
    /// For which kinds the other keys are.
    private static let uses = [
        "query": ["sqlite", "postgres"], "format": ["command", "https"], "env": ["command"],
        "ca": ["postgres", "https"], "hosts": ["https"], "headers": ["https"], "fetch": originKeys,
        "expect": originKeys,
    ]

    /// - Parameter name: the audience's.
    static func list(
        _ fields: Fields, of name: String, _ findings: inout Findings
    ) -> (source: Audience.Source, origin: Audience.Origin?)? {
        let columns = fields["columns"].map { Self.columns($0, &findings) } ?? ListColumns()
        let kinds = (["file"] + originKeys).filter { fields[$0] != nil }
            .sorted { fields.keyRange($0).start < fields.keyRange($1).start }
        guard let kind = kinds.first else {
            findings.error(
                .missingKey, "'source' needs 'file', 'command', 'sqlite', 'postgres' or 'https'", at: fields.range)
            return nil
        }
        if kinds.count > 1 {
            findings.error(
                .oneSource, "a source has '\(kind)' or '\(kinds[1])', not both", at: fields.keyRange(kinds[1]),
                help: "leave one of them out")
        }
        for (key, users) in uses.sorted(by: { $0.key < $1.key }) where fields[key] != nil && !users.contains(kind) {
            findings.error(
                .invalidValue, "'\(key)' is not for a list with '\(kind)'", at: fields.keyRange(key),
                help: "leave it out; it is for \(users.map { "'\($0)'" }.joined(separator: ", "))")
        }
        guard kind != "file" else { return file(fields, columns, &findings).map { ($0, nil) } }
        guard let origin = origin(kind, fields, &findings) else { return nil }
        // The path is relative to the file, as any list's is.
        let up = String(repeating: "../", count: findings.file.split(separator: "/").count - 1)
        let path = Located(
            "\(up)\(FetchedList.folder)/\(name).\(origin.format.rawValue)", at: findings.at(fields.keyRange(kind)))
        return (.list(path, columns: columns), origin)
    }

    private static func file(
        _ fields: Fields, _ columns: ListColumns, _ findings: inout Findings
    ) -> Audience.Source? {
        guard let path = fields.string("file", &findings) else { return nil }
        switch path.value.listEnding {
        case nil:
            findings.diagnostics.append(
                .error(
                    .listFormat, "'\(path.value)' is no list: a list is a .csv, .txt or .ndjson file", at: path.range,
                    help: "each may be compressed, as in people.csv.gz"))
            return nil
        case "txt" where fields["columns"] != nil:
            findings.error(
                .listFormat, "a .txt list has no columns", at: fields.keyRange("columns"),
                help: "make it a .csv or .ndjson list")
        default: break
        }
        return .list(path, columns: columns)
    }

    private static func columns(_ node: Node, _ findings: inout Findings) -> ListColumns {
        guard let fields = Fields(node, "'columns'", columnKeys, &findings) else { return ListColumns() }
        let name = { (key: String, findings: inout Findings) -> Located<String>? in
            guard let name = fields.string(key, &findings) else { return nil }
            if !name.value.isEmpty { return name }
            findings.diagnostics.append(.error(.invalidValue, "'\(key)' must not be empty", at: name.range))
            return nil
        }
        var used: Set<String> = []
        for key in columnKeys.known {
            guard let column = fields[key], let text = column.scalar?.text, !used.insert(text).inserted else {
                continue
            }
            findings.error(.listColumn, "column '\(text)' is named twice", at: column.range)
        }
        return ListColumns(
            token: name("token", &findings), fid: name("fid", &findings), seen: name("seen", &findings))
    }
}
