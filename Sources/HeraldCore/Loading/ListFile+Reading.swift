internal import FCM

extension ListFile {
    /// The longest line of a list, in bytes.
    static let maximumLineLength = 8 << 10
    /// Malformed rows that are shown one by one; the rest are counted.
    static let shownRows = 20

    /// Reads a list by its ending: `.csv` (header row), `.txt` (one a line), `.ndjson` (an object a line).
    /// A malformed row is reported by its line and never echoed.
    init(reading source: SourceText, at path: Located<String>, _ findings: inout [Diagnostic]) {
        var rows = RowFindings(file: source.file)
        switch source.file.split(separator: ".").last {
        case "csv": registrations = Self.csv(source, &rows)
        case "ndjson": registrations = Self.ndjson(source, &rows)
        default: registrations = Self.text(source, &rows)
        }
        self.path = path
        findings += rows.diagnostics
    }

    static let endings = ["csv", "txt", "ndjson"]

    private static func text(_ source: SourceText, _ rows: inout RowFindings) -> [Registration] {
        var registrations: [Registration] = []
        for (number, line) in Lines(source.bytes, &rows) {
            let text = line.trimmed
            if text.isEmpty || text.first == UInt8(ascii: "#") { continue }
            if let registration = Registration(String(decoding: text, as: UTF8.self)) {
                registrations.append(registration)
            } else {
                rows.add(number, "is neither a token nor a fid")
            }
        }
        return registrations
    }

    private static func csv(_ source: SourceText, _ rows: inout RowFindings) -> [Registration] {
        var registrations: [Registration] = []
        var header: Header?
        for (number, line) in Lines(source.bytes, &rows) {
            if line.trimmed.isEmpty { continue }
            guard let fields = CSVRow.fields(of: line) else {
                rows.add(number, "has a quote that is not closed, or text beside a quoted field")
                if header == nil { return [] }
                continue
            }
            guard let columns = header else {
                header = Header(fields, at: number, &rows)
                if header == nil { return [] }
                continue
            }
            guard fields.count == columns.count else {
                rows.add(number, "has \(fields.count) fields where the header has \(columns.count)")
                continue
            }
            let values = columns.registrations.map { (kind: $0.kind, text: fields[$0.index]) }
            if let registration = rows.registration(from: values, at: number) { registrations.append(registration) }
        }
        if header == nil, rows.diagnostics.isEmpty {
            rows.add(.listFormat, 1, "'\(source.file)' has no header row", help: "name a column token or fid")
        }
        return registrations
    }

    private static func ndjson(_ source: SourceText, _ rows: inout RowFindings) -> [Registration] {
        var registrations: [Registration] = []
        for (number, line) in Lines(source.bytes, &rows) {
            if line.trimmed.isEmpty { continue }
            guard case .object(let object)? = try? JSONValue(parsing: line) else {
                rows.add(number, "is not a JSON object")
                continue
            }
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
            }
        }
        return registrations
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

/// What is wrong with a list's rows, the first of them one by one, the rest as a number.
struct RowFindings {
    let file: String
    private var shown: [Diagnostic] = []
    private var withheld = 0

    init(file: String) { self.file = file }

    /// A malformed row; `problem` says what it "is" or "has".
    mutating func add(_ line: Int, _ problem: String) {
        add(.listRow, line, "the row \(problem)")
    }

    mutating func add(_ rule: Rule, _ line: Int, _ message: String, help: String? = nil) {
        guard shown.count < ListFile.shownRows else {
            withheld += 1
            return
        }
        shown.append(.error(rule, message, at: SourceRange(file: file, text: .line(line)), help: help))
    }

    /// The first of a row's registrations that is there; all that are there must be well-formed.
    mutating func registration(
        from values: [(kind: Registration.Kind, text: String)], at line: Int
    ) -> Registration? {
        var found: Registration?
        for value in values where !value.text.isEmpty {
            guard let registration = Registration(value.text, kind: value.kind) else {
                add(.listRow, line, "the row has a malformed \(value.kind.rawValue)", help: value.kind.form)
                return nil
            }
            found = found ?? registration
        }
        if found == nil { add(line, "has no registration") }
        return found
    }

    var diagnostics: [Diagnostic] {
        guard withheld > 0 else { return shown }
        let rest = Diagnostic.error(
            .listRow, "\(withheld) more malformed rows in '\(file)'", at: SourceRange(file: file))
        return shown + [rest]
    }
}

/// The lines of a list with their numbers (from 1), without line breaks and byte order mark. Too long ones are reported.
private struct Lines: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>
    private var number = 0

    init(_ bytes: [UInt8], _ rows: inout RowFindings) {
        rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        var start = rest.startIndex
        var line = 1
        while start < rest.endIndex {
            let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let hasReturn = end > start && rest[end - 1] == UInt8(ascii: "\r")
            if end - start - (hasReturn ? 1 : 0) > ListFile.maximumLineLength {
                rows.add(line, "is longer than 8 KiB")
                rest = rest[..<start]
                break
            }
            start = end + 1
            line += 1
        }
    }

    mutating func next() -> (Int, ArraySlice<UInt8>)? {
        guard !rest.isEmpty else { return nil }
        number += 1
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        var line = rest[rest.startIndex..<end]
        rest = end < rest.endIndex ? rest[(end + 1)...] : []
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return (number, line)
    }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at either end.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return self[first...last]
    }
}
