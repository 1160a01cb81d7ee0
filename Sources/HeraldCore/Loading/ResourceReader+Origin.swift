internal import FCM

/// Where lists are fetched from.
extension ResourceReader {
    /// No longer command line, query or address is taken, in bytes.
    private static let longest = 64 << 10

    static func origin(_ kind: String, _ fields: Fields, _ findings: inout Findings) -> Audience.Origin? {
        let found: Audience.Origin.Kind?
        switch kind {
        case "command": found = command(fields, &findings).map { .command($0) }
        case "sqlite": found = sqlite(fields, &findings)
        case "postgres": found = postgres(fields, &findings)
        default: found = https(fields, &findings).map { .https($0) }
        }
        let format: Audience.Origin.Format? = fields.choice("format", &findings)
        let variables = (fields.strings("env", &findings) ?? []).filter { isVariable($0, &findings) }
        let ca = fields.string("ca", &findings)
        let fetch = fields["fetch"].flatMap { Fields($0, "'fetch'", fetchKeys, &findings) }
        let timeout = fetch.flatMap { time("timeout", to: .seconds(86_400), "1d", $0, &findings) }
        let freshness = fetch.map { Self.freshness($0, kind, &findings) }
        let maxRowChange = fields["expect"].flatMap { rowChange($0, &findings) }
        guard let found else { return nil }
        return Audience.Origin(
            kind: found, format: format ?? usualFormat(of: found), variables: Set(variables.map(\.value)),
            timeout: timeout ?? Audience.Origin.usualTimeout, freshness: freshness ?? Audience.Freshness(),
            maxRowChange: maxRowChange, ca: ca)
    }

    // MARK: Ages and sizes

    private static func freshness(_ fetch: Fields, _ kind: String, _ findings: inout Findings) -> Audience.Freshness {
        func age(_ key: String, _ findings: inout Findings) -> Duration? {
            time(key, to: .seconds(366 * 86_400), "366d", fetch, &findings)
        }
        var freshness = Audience.Freshness()
        freshness.every = age("every", &findings)
        freshness.warnAfter = age("warn_after", &findings)
        freshness.errorAfter = age("error_after", &findings)
        if let warn = freshness.warnAfter, let error = freshness.errorAfter, error < warn {
            findings.error(
                .invalidValue, "'error_after' must not be shorter than 'warn_after'",
                at: fetch["error_after"]?.range ?? fetch.range)
        }
        guard let query = fetch.string("loaded_at", &findings) else { return freshness }
        guard ["sqlite", "postgres"].contains(kind) else {
            findings.error(
                .invalidValue, "'loaded_at' is not for a list with '\(kind)'", at: fetch.keyRange("loaded_at"),
                help: "leave it out; only a database can be asked")
            return freshness
        }
        if isShort(query, &findings) {
            freshness.loadedAt = Audience.Query(reading: query.value, at: query.range, &findings.diagnostics)?.text
        }
        return freshness
    }

    private static func time(
        _ key: String, to most: Duration, _ words: String, _ fetch: Fields, _ findings: inout Findings
    ) -> Duration? {
        guard let time = fetch.duration(key, &findings) else { return nil }
        if (.seconds(1)...most).contains(time) { return time }
        findings.error(.invalidValue, "'\(key)' must be from 1s to \(words)", at: fetch[key]?.range ?? fetch.range)
        return nil
    }

    private static func rowChange(_ node: Node, _ findings: inout Findings) -> Int? {
        guard let fields = Fields(node, "'expect'", expectKeys, &findings),
            let change = fields.string("max_row_change", &findings)
        else { return nil }
        if let match = change.value.wholeMatch(of: #/([0-9]{1,4})%/#), let percent = Int(match.1) { return percent }
        findings.diagnostics.append(
            .error(.invalidValue, "'max_row_change' takes a percentage", at: change.range, help: "write 50%"))
        return nil
    }

    /// What the address of a list says of its format.
    private static func usualFormat(of kind: Audience.Origin.Kind) -> Audience.Origin.Format {
        guard case .https(let source) = kind else { return .csv }
        return String(source.url.prefix { $0 != "?" }).listEnding == "ndjson" ? .ndjson : .csv
    }

    // MARK: Programs

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
        guard words.reduce(0, { $0 + $1.value.utf8.count + 1 }) <= longest else {
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

    // MARK: Databases

    private static func sqlite(_ fields: Fields, _ findings: inout Findings) -> Audience.Origin.Kind? {
        let file = fields.string("sqlite", &findings)
        let query = query(fields, &findings)
        guard let file, let query else { return nil }
        guard !file.value.isEmpty, !file.value.utf8.contains(0) else {
            findings.diagnostics.append(
                .error(.invalidValue, "'sqlite' must be the path of a database file", at: file.range))
            return nil
        }
        return .sqlite(file, query)
    }

    private static func postgres(_ fields: Fields, _ findings: inout Findings) -> Audience.Origin.Kind? {
        let address = fields.string("postgres", &findings)
        let query = query(fields, &findings)
        guard let address, let query else { return nil }
        guard address.value.hasPrefix("${") || PostgresSettings.isAddress(address.value),
            isShort(address, &findings)
        else {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'postgres' takes a URI", at: address.range,
                    help: "write postgresql://USER@HOST/DATABASE, or a variable that holds it, as in ${APP_DATABASE}"))
            return nil
        }
        return .postgres(address.value, query)
    }

    /// A text with a space in it is a query, and not the name of a file.
    private static func query(_ fields: Fields, _ findings: inout Findings) -> Audience.Query? {
        guard fields["query"] != nil else {
            findings.error(
                .missingKey, "'source' needs 'query'", at: fields.range,
                help: "write one SELECT, or the name of an .sql file that holds it")
            return nil
        }
        guard let text = fields.string("query", &findings), isShort(text, &findings) else { return nil }
        if text.value.hasSuffix(".sql"), !text.value.contains(where: \.isWhitespace) {
            return Audience.Query("", file: text)
        }
        return Audience.Query(reading: text.value, at: text.range, &findings.diagnostics)
    }

    private static func isShort(_ text: Located<String>, _ findings: inout Findings) -> Bool {
        if text.value.utf8.count <= longest { return true }
        findings.diagnostics.append(.error(.invalidValue, "this text is longer than 64 KiB", at: text.range))
        return false
    }

    // MARK: Servers

    private static func https(_ fields: Fields, _ findings: inout Findings) -> Audience.WebSource? {
        let url = fields.string("https", &findings)
        let hosts = fields.strings("hosts", &findings) ?? []
        for host in hosts where !FCMSettings.isHostName(host.value) {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'\(host.value)' is not a host's name", at: host.range,
                    help: "write a name in small letters, such as files.example.com"))
        }
        let headers = fields["headers"].map { Self.headers($0, &findings) } ?? [:]
        guard let url, isShort(url, &findings) else { return nil }
        let isReadable =
            url.value.hasPrefix("${")
            || url.value.hasPrefix("https://") && !url.value.dropFirst(8).prefix { !"/?".contains($0) }.contains("@")
        guard isReadable, url.value.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), !url.value.contains("#") else {
            findings.diagnostics.append(
                .error(
                    .invalidValue, "'https' takes a URL that begins with https://", at: url.range,
                    help: "leave out a user, a password and '#'; a secret goes into 'headers', as ${VARIABLE}"))
            return nil
        }
        return Audience.WebSource(url: url.value, headers: headers, hosts: Set(hosts.map(\.value)))
    }

    /// Those that the connection itself needs.
    private static let ownHeaders: Set = [
        "host", "connection", "content-length", "transfer-encoding", "accept-encoding", "upgrade", "te", "trailer",
        "if-none-match", "if-modified-since", "user-agent",
    ]

    private static func headers(_ node: Node, _ findings: inout Findings) -> [String: String] {
        guard let entries = node.mapping else {
            findings.error(.wrongType, "'headers' must be a mapping, not \(node.kindName)", at: node.range)
            return [:]
        }
        var headers: [String: String] = [:]
        for entry in entries {
            let name = entry.key.lowercased()
            guard name.wholeMatch(of: #/[a-z0-9!#$%&'*+.^_`|~\-]{1,100}/#) != nil, !ownHeaders.contains(name),
                headers[name] == nil
            else {
                findings.error(
                    .invalidValue, "'\(entry.key)' cannot be a header here", at: entry.keyRange,
                    help: "write each header once; herald sets those of the connection itself")
                continue
            }
            guard let value = entry.value.string("'\(entry.key)'", &findings) else { continue }
            guard value.value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }), isShort(value, &findings) else {
                findings.diagnostics.append(
                    .error(.invalidValue, "'\(entry.key)' must be one line of ASCII", at: value.range))
                continue
            }
            headers[name] = value.value
        }
        return headers
    }
}

extension Audience.Query {
    /// Reads a query of a file. `nil` if it cannot be one.
    init?(reading text: String, at range: SourceRange, _ diagnostics: inout [Diagnostic]) {
        // Databases take one statement without a semicolon behind it.
        var text = text[...]
        if text.first == "\u{FEFF}" { text = text.dropFirst() }
        while let last = text.last, last.isWhitespace || last == ";" { text = text.dropLast() }
        guard !text.allSatisfy(\.isWhitespace), !text.utf8.contains(0) else {
            diagnostics.append(
                .error(
                    .invalidValue, "there is no query", at: range,
                    help: "write one SELECT, or the name of an .sql file that holds it"))
            return nil
        }
        self.init(String(text))
    }
}
