internal import FCM

extension ResourceReader {
    static let sourceKeys = KeyTable(["file", "columns"], required: ["file"])
    static let columnKeys = KeyTable(["token", "fid", "seen"])

    static func audience(_ fields: Fields, _ findings: inout Findings) -> Audience? {
        let name = resourceName(fields, &findings)
        let filters = filters(fields, &findings)
        let exclude = fields.strings("exclude", &findings) ?? []
        let previous = previousNames(fields, &findings)
        guard
            let key = onlyKey(
                of: ["source", "tokens", "fids", "from"], in: fields, &findings, otherwise: .oneSource,
                none: "the audience has no registrations", many: "an audience has one source")
        else { return nil }
        let source: Audience.Source?
        switch key {
        case "source":
            let inner = fields[key].flatMap { Fields($0, "'source'", sourceKeys, &findings) }
            source = inner.flatMap { list($0, &findings) }
        case "from": source = fields.string(key, &findings).map { .audience($0) }
        default: source = .inline(registrations(key, in: fields, &findings))
        }
        let declared = declaredFields(fields, source, &findings)
        let samples = samples(fields, of: declared, &findings)
        guard let name, let source else { return nil }
        return Audience(
            name: name, source: source, filters: filters, exclude: exclude, previousNames: previous, fields: declared,
            samples: samples)
    }

    private static func list(_ fields: Fields, _ findings: inout Findings) -> Audience.Source? {
        let columns = fields["columns"].map { Self.columns($0, &findings) } ?? ListColumns()
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

    /// The only one of several keys that is present. None or several are reported.
    static func onlyKey(
        of keys: [String], in fields: Fields, _ findings: inout Findings, otherwise rule: Rule, none: String,
        many: String
    ) -> String? {
        let written = keys.filter { fields[$0] != nil }
            .sorted { fields.keyRange($0).start < fields.keyRange($1).start }
        if written.count == 1 { return written[0] }
        let place = written.count > 1 ? fields.keyRange(written[1]) : fields.keyRange("kind")
        findings.error(
            rule, written.isEmpty ? none : "\(many), not \(written.count)", at: place,
            help: "one of: \(keys.joined(separator: ", "))")
        return nil
    }

    /// The registrations under `tokens` or `fids` in the file itself. Malformed ones are reported.
    static func registrations(_ key: String, in fields: Fields, _ findings: inout Findings) -> [Registration] {
        let kind: Registration.Kind = key == "fids" ? .fid : .token
        guard let node = fields[key] else { return [] }
        guard let items = node.sequence else {
            findings.error(.wrongType, "'\(key)' must be a list, not \(node.kindName)", at: node.range)
            return []
        }
        var registrations: [Registration] = []
        registrations.reserveCapacity(items.count)
        for item in items {
            if let text = item.scalar?.text, let registration = Registration(text, kind: kind) {
                registrations.append(registration)
            } else {
                findings.error(
                    .registrationForm, "the entry is not a \(kind.rawValue)", at: item.range, help: kind.form)
            }
        }
        return registrations
    }
}

extension Registration.Kind {
    /// What such a registration looks like, for people.
    var form: String {
        switch self {
        case .fid: "a fid is 22 characters of A-Z a-z 0-9 _ - and begins with c, d, e or f"
        case .token: "a token is 100 to 4096 characters of A-Z a-z 0-9 _ - :"
        }
    }
}
