internal import FCM

/// What a list holds: its registrations, and of its attributes those that somebody asks for.
struct ListRows {
    /// In the order of the file.
    var registrations: [Registration] = []
    /// By name, each as long as `registrations`; empty text where a row has none.
    var columns: [String: [String]]
    /// The attributes that the file has, in its order, repeated ones repeatedly. `nil` for a form without attributes.
    private(set) var attributes: [String]?

    private let asked: [String]

    /// Reads a list by its ending: `.csv` (header row), `.txt` (one a line), `.ndjson` (an object a line).
    /// A malformed row is reported by its line and never echoed.
    init(reading source: SourceText, columns asked: Set<String>, _ findings: inout [Diagnostic]) {
        self.asked = asked.sorted()
        columns = Dictionary(uniqueKeysWithValues: asked.map { ($0, []) })
        var rows = RowFindings(file: source.file)
        switch source.file.listEnding {
        case "csv": readCSV(source, &rows)
        case "ndjson": readNDJSON(source, &rows)
        default: readText(source, &rows)
        }
        findings += rows.diagnostics
    }

    private mutating func readText(_ source: SourceText, _ rows: inout RowFindings) {
        for (number, line) in ListLines(source.bytes, &rows) {
            if rows.isFull { break }
            let text = line.trimmed
            if text.isEmpty || text.first == UInt8(ascii: "#") { continue }
            if let registration = Registration(String(decoding: text, as: UTF8.self)) {
                registrations.append(registration)
            } else {
                rows.add(number, "is neither a token nor a fid")
            }
        }
    }

    private mutating func readCSV(_ source: SourceText, _ rows: inout RowFindings) {
        var header: Header?
        var places: [(name: String, index: Int)] = []
        for (number, line) in ListLines(source.bytes, &rows) {
            if rows.isFull { break }
            if line.trimmed.isEmpty { continue }
            guard let fields = CSVRow.fields(of: line) else {
                rows.add(number, "has a quote that is not closed, or text beside a quoted field")
                if header == nil { return }
                continue
            }
            guard let known = header else {
                header = Header(fields, at: number, &rows)
                if header == nil { return }
                attributes = fields.filter { Registration.Kind(rawValue: $0) == nil }
                places = asked.compactMap { name in fields.firstIndex(of: name).map { (name, $0) } }
                continue
            }
            guard fields.count == known.count else {
                rows.add(number, "has \(fields.count) fields where the header has \(known.count)")
                continue
            }
            let values = known.registrations.map { (kind: $0.kind, text: fields[$0.index]) }
            guard let registration = rows.registration(from: values, at: number) else { continue }
            registrations.append(registration)
            for (name, index) in places { columns[name]?.append(fields[index]) }
        }
        if header == nil, rows.diagnostics.isEmpty {
            rows.add(.listFormat, 1, "'\(source.file)' has no header row", help: "name a column token or fid")
        }
    }

    private mutating func readNDJSON(_ source: SourceText, _ rows: inout RowFindings) {
        var seen: Set<String> = []
        for (number, line) in ListLines(source.bytes, &rows) {
            if rows.isFull { break }
            if line.trimmed.isEmpty { continue }
            guard case .object(let object)? = try? JSONValue(parsing: line) else {
                rows.add(number, "is not a JSON object")
                continue
            }
            if !asked.isEmpty { seen.formUnion(object.keys) }
            var values: [(kind: Registration.Kind, text: String)] = []
            var isText = true
            for kind in [Registration.Kind.fid, .token] {
                switch object[kind.rawValue] {
                case .string(let text): values.append((kind, text))
                case nil, .null: break
                default: isText = false
                }
            }
            if !isText {
                rows.add(number, "has a registration that is not text")
            } else if let registration = rows.registration(from: values, at: number) {
                registrations.append(registration)
                for name in asked { columns[name]?.append(object[name]?.attribute ?? "") }
            }
        }
        // A list without rows has whatever somebody asks for.
        let names = registrations.isEmpty ? seen.union(asked) : seen
        attributes = names.filter { Registration.Kind(rawValue: $0) == nil }.sorted()
    }
}

extension String {
    /// `csv`, `txt` or `ndjson`, whether compressed or not; `nil` for what is no list.
    var listEnding: String? {
        let name = hasSuffix(".gz") ? dropLast(3) : self[...]
        return ["csv", "txt", "ndjson"].first { name.hasSuffix(".\($0)") }
    }
}

extension JSONValue {
    /// As a filter sees it: text as it is, nothing for null, all else as JSON.
    fileprivate var attribute: String {
        switch self {
        case .string(let text): text
        case .null: ""
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double, .array, .object: (try? bytes()).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }
}

/// Which columns of a CSV hold registrations: the fid first, since FCM prefers it to the token.
private struct Header {
    var count: Int
    var registrations: [(kind: Registration.Kind, index: Int)] = []

    init?(_ names: [String], at line: Int, _ rows: inout RowFindings) {
        count = names.count
        for kind in [Registration.Kind.fid, .token] {
            let indices = names.indices.filter { names[$0] == kind.rawValue }
            if indices.count > 1 {
                rows.add(.listColumn, line, "column '\(kind.rawValue)' stands twice")
                return nil
            }
            if let index = indices.first { registrations.append((kind, index)) }
        }
        if registrations.isEmpty {
            rows.add(
                .listColumn, line, "the header has no column 'token' or 'fid'",
                help: "name one of its columns so, in lower case; commas part the columns")
            return nil
        }
    }
}
