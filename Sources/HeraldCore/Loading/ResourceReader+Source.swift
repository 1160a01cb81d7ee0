extension ResourceReader {
    static let sourceKeys = KeyTable(["file", "command", "format", "env", "fetch", "columns"])
    static let fetchKeys = KeyTable(["timeout"])
    static let columnKeys = KeyTable(["token", "fid", "seen"])
    /// No longer command line is taken, in bytes.
    private static let longestCommand = 64 << 10

    /// - Parameter name: the audience's.
    static func list(
        _ fields: Fields, of name: String, _ findings: inout Findings
    ) -> (source: Audience.Source, origin: Audience.Origin?)? {
        let columns = fields["columns"].map { Self.columns($0, &findings) } ?? ListColumns()
        guard fields["command"] == nil else {
            guard let origin = origin(fields, &findings) else { return nil }
            // The path is relative to the file, as any list's is.
            let up = String(repeating: "../", count: findings.file.split(separator: "/").count - 1)
            let path = Located(
                "\(up)\(FetchedList.folder)/\(name).\(origin.format.rawValue)",
                at: findings.at(fields.keyRange("command")))
            return (.list(path, columns: columns), origin)
        }
        for key in ["format", "env", "fetch"] where fields[key] != nil {
            findings.error(
                .invalidValue, "'\(key)' is only for a list that herald fetches", at: fields.keyRange(key),
                help: "leave it out, or write 'command' instead of 'file'")
        }
        guard fields["file"] != nil else {
            findings.error(.missingKey, "'source' needs 'file' or 'command'", at: fields.range)
            return nil
        }
        return file(fields, columns, &findings).map { ($0, nil) }
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

    private static func origin(_ fields: Fields, _ findings: inout Findings) -> Audience.Origin? {
        if fields["file"] != nil {
            findings.error(
                .oneSource, "a source has 'file' or 'command', not both", at: fields.keyRange("command"),
                help: "leave one of them out")
        }
        let format: Audience.Origin.Format? = fields.choice("format", &findings)
        let variables = (fields.strings("env", &findings) ?? []).filter { isVariable($0, &findings) }
        let fetch = fields["fetch"].flatMap { Fields($0, "'fetch'", fetchKeys, &findings) }
        var timeout = fetch?.duration("timeout", &findings)
        if let given = timeout, let fetch, !(.seconds(1)...(.seconds(86_400))).contains(given) {
            findings.error(
                .invalidValue, "'timeout' must be from 1s to 1d", at: fetch["timeout"]?.range ?? fetch.range)
            timeout = nil
        }
        guard let words = command(fields, &findings) else { return nil }
        return Audience.Origin(
            kind: .command(words), format: format ?? .csv, variables: Set(variables.map(\.value)),
            timeout: timeout ?? Audience.Origin.usualTimeout)
    }

    private static func command(_ fields: Fields, _ findings: inout Findings) -> [String]? {
        guard let words = fields.strings("command", &findings) else { return nil }
        guard let program = words.first, !program.value.isEmpty else {
            findings.error(
                .invalidValue, "'command' names no program", at: fields["command"]?.range ?? fields.range,
                help: "write the program and its arguments as a list")
            return nil
        }
        if program.value.contains("/"), !program.value.hasPrefix("/") {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'\(program.value)' is a relative path", at: program.range,
                    help: "write the program's name, or its absolute path"))
            return nil
        }
        for word in words where word.value.utf8.contains(0) || word.value.contains("${") {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "an argument of 'command' must not hold a zero byte or '${'", at: word.range,
                    help: "name variables in 'env': the program reads them itself"))
            return nil
        }
        guard words.reduce(0, { $0 + $1.value.utf8.count + 1 }) <= longestCommand else {
            findings.error(
                .invalidValue, "'command' is longer than 64 KiB", at: fields.keyRange("command"),
                help: "put a long query where the program can read it")
            return nil
        }
        return words.map(\.value)
    }

    private static func isVariable(_ name: Located<String>, _ findings: inout Findings) -> Bool {
        let isWellFormed =
            name.value.utf8.first?.isDigit == false
            && name.value.utf8.allSatisfy { byte in
                byte.isDigit || byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            }
        if !isWellFormed {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'\(name.value)' cannot be a variable's name", at: name.range,
                    help: "'env' lists names, without '$' and without values"))
        }
        return isWellFormed
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
