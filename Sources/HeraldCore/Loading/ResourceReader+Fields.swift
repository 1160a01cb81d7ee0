extension ResourceReader {
    static let fieldKeys = KeyTable(["type", "max", "column"])
    /// No text of a message has more.
    private static let longestText = 4096

    /// The columns of an audience's own list that messages may use.
    ///
    /// - Parameter source: `nil` if it has a mistake.
    static func declaredFields(
        _ audience: Fields, _ source: Audience.Source?, _ findings: inout Findings
    ) -> [Located<Field>] {
        guard let node = audience["fields"] else { return [] }
        guard let entries = node.mapping else {
            findings.error(.wrongType, "'fields' must be a mapping, not \(node.kindName)", at: node.range)
            return []
        }
        checkSource(of: audience, source, &findings)
        if entries.count > RowValues.maximumFields {
            findings.error(
                .fieldColumn, "'fields' has \(entries.count) entries, more than \(RowValues.maximumFields)",
                at: audience.keyRange("fields"), help: "keep those that messages use")
        }
        var columns: [String: TextRange] = [:]
        return entries.compactMap { entry in
            guard isFieldName(entry, &findings), let field = field(entry, &findings) else { return nil }
            if let first = columns.updateValue(field.place, forKey: field.value.column) {
                findings.diagnostics.append(
                    .error(
                        .fieldColumn, "column '\(field.value.column)' is named twice", at: findings.at(field.place),
                        notes: [.init("first named here", at: findings.at(first))]))
            }
            return Located(field.value, at: findings.at(entry.keyRange))
        }
    }

    /// Only a list with columns of its own has fields.
    private static func checkSource(
        of audience: Fields, _ source: Audience.Source?, _ findings: inout Findings
    ) {
        let (problem, help): (String, String)
        switch source {
        case .list(let path, _):
            guard path.value.listEnding == "txt" else { return }
            (problem, help) = ("a .txt list has no columns", "make it a .csv or .ndjson list")
        case .inline:
            problem = "registrations that stand in the file have no columns"
            help = "put them into a .csv or .ndjson list"
        case .audience(let name):
            problem = "an audience that is made from another has the fields of that one"
            help = "declare them in audience '\(name.value)', or in the one that it is made from"
        case nil: return
        }
        findings.error(.fieldColumn, problem, at: audience.keyRange("fields"), help: help)
    }

    private static func isFieldName(_ entry: Node.Entry, _ findings: inout Findings) -> Bool {
        if isFieldName(entry.key) { return true }
        findings.error(
            .fieldName, "'\(entry.key)' cannot be a field's name", at: entry.keyRange,
            help: "letters, digits and underscores, not a digit first; 'column' says what the list calls it")
        return false
    }

    /// `[A-Za-z_][A-Za-z0-9_]*`
    static func isFieldName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !first.isDigit else { return false }
        return text.utf8.allSatisfy {
            $0.isLowercaseLetter || $0.isUppercaseLetter || $0.isDigit || $0 == UInt8(ascii: "_")
        }
    }

    /// - Returns: The field, and the place of its column's name.
    private static func field(_ entry: Node.Entry, _ findings: inout Findings) -> (value: Field, place: TextRange)? {
        guard let keys = Fields(entry.value, "'\(entry.key)'", fieldKeys, &findings) else { return nil }
        let kind: FieldKind = keys.choice("type", &findings) ?? .text
        var field = Field(name: entry.key, kind: kind)
        field.maximum = keys.int("max", in: 1...longestText, &findings)
        if field.maximum != nil, kind != .text {
            findings.error(
                .invalidValue, "'max' limits the characters of a text, and the field's type is \(kind.rawValue)",
                at: keys.keyRange("max"))
        }
        guard let column = keys.string("column", &findings) else { return (field, entry.keyRange) }
        guard !column.value.isEmpty else {
            findings.diagnostics.append(.error(.invalidValue, "'column' must not be empty", at: column.range))
            return (field, entry.keyRange)
        }
        field.column = column.value
        return (field, column.range.text ?? entry.keyRange)
    }

    /// Rows for reviewers without lists.
    static func samples(
        _ audience: Fields, of declared: [Located<Field>], _ findings: inout Findings
    ) -> [Located<[String: Located<String>]>] {
        guard let node = audience["samples"] else { return [] }
        guard let rows = node.sequence else {
            findings.error(.wrongType, "'samples' must be a list, not \(node.kindName)", at: node.range)
            return []
        }
        if audience["fields"] == nil {
            findings.error(
                .missingKey, "'samples' has no meaning without 'fields'", at: audience.keyRange("samples"),
                help: "declare in 'fields' which columns messages may use")
            return []
        }
        let fields = Dictionary(declared.map { ($0.value.name, $0.value) }) { first, _ in first }
        let names = declared.map(\.value.name)
        return rows.compactMap { row in
            guard let entries = row.mapping else {
                findings.error(.wrongType, "a sample must be a mapping, not \(row.kindName)", at: row.range)
                return nil
            }
            let errors = findings.errors
            var values: [String: Located<String>] = [:]
            for entry in entries {
                if let field = fields[entry.key] {
                    values[entry.key] = entry.value.sample(of: field, &findings)
                } else {
                    let near = findings.advice.nearest(to: entry.key, among: names)
                    findings.error(
                        .unknownField, "the audience has no field '\(entry.key)'", at: entry.keyRange,
                        help: near.map { "did you mean '\($0)'?" } ?? "it has: \(names.joined(separator: ", "))",
                        replacement: near)
                }
            }
            return findings.errors == errors ? Located(values, at: findings.at(row.range)) : nil
        }
    }
}

extension Node {
    /// The text of a sample's value. Numbers and dates may stand without quotes where the field's type leaves no doubt.
    fileprivate func sample(of field: Field, _ findings: inout Findings) -> Located<String>? {
        if let scalar, scalar.isPlain {
            switch (PlainScalar(scalar.text), field.kind) {
            case (.int, .integer), (.int, .decimal), (.double, .decimal), (.trap("a date"), .date):
                return Located(scalar.text, at: findings.at(range))
            default: break
            }
        }
        return string("'\(field.name)'", &findings)
    }
}
