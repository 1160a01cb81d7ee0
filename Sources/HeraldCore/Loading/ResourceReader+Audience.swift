internal import FCM

extension ResourceReader {
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
        var origin: Audience.Origin?
        switch key {
        case "source":
            let inner = fields[key].flatMap { Fields($0, "'source'", sourceKeys, &findings) }
            let found = inner.flatMap { list($0, of: name?.value ?? "", &findings) }
            (source, origin) = (found?.source, found?.origin)
        case "from": source = fields.string(key, &findings).map { .audience($0) }
        default: source = .inline(registrations(key, in: fields, &findings))
        }
        let declared = declaredFields(fields, source, &findings)
        let samples = samples(fields, of: declared, &findings)
        let followUp = followUp(fields, &findings)
        guard let name, let source else { return nil }
        return Audience(
            name: name, source: source, origin: origin, filters: filters, followUp: followUp, exclude: exclude,
            previousNames: previous, fields: declared, samples: samples)
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
        case .token: "a token is 100 to 4,096 characters of A-Z a-z 0-9 _ - :"
        }
    }
}
