internal import FCM

/// Checks the lines of a list one by one, and keeps only the current row in memory. A malformed row is reported by its
/// line number and never shown, since it may be a registration.
struct ListReader {
    /// The file's attributes, in its order and with repeats; complete after `end`. `nil` for a form
    /// without attributes, and for a file that names none.
    private(set) var attributes: [String]?
    private(set) var rows: RowFindings
    /// What the header, or the first object, calls the columns.
    private(set) var columns: [String] = []
    private let form: Form
    private let names: ColumnNames
    private let registrations: [(kind: Registration.Kind, name: String)]
    /// The attributes that filters use.
    private let asked: [String]
    private var header: ListHeader?
    private var csv = CSVRow()
    private var object = FlatObject()
    /// The attributes of the objects read so far. Without filters, only those of the first one.
    private var found: Set<String> = []
    private var hasSeen = false
    private var hasRows = false

    private enum Form { case csv, text, ndjson }

    /// How many levels an object may have.
    private static let depth = 100

    struct Row {
        /// Well-formed.
        let registrations: RowRegistrations
        /// In seconds since 1970, if the list knows.
        let seen: UInt32?
        /// The number of its first line.
        let line: Int
    }

    /// Takes a row, and a look at its value for each of the attributes asked for.
    typealias Taker = (_ row: Row, _ look: Look) -> Void

    /// Calls `body` with the value, and returns what that returns; `nil` if the file does not have the attribute.
    typealias Look = (_ asked: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Int) -> Int?

    /// - Parameters:
    ///   - file: Its ending gives the form: `.csv` (header row), `.txt` (one on each line) or `.ndjson` (an object on
    /// each line).
    ///   - asked: The attributes that filters use.
    init(_ file: String, _ names: ColumnNames = ColumnNames(), asked: [String]) {
        (self.names, self.asked) = (names, asked)
        registrations = names.registrations
        rows = RowFindings(file: file)
        form =
            switch file.listEnding {
            case "csv": .csv
            case "ndjson": .ndjson
            default: .text
            }
    }

    /// The columns to read that the file does not have, after `end`. Objects may lack registrations one by one.
    var missing: Set<String> {
        switch form {
        case .text: []
        case .csv: columns.isEmpty ? [] : names.all.subtracting(columns)
        case .ndjson: hasRows && !hasSeen ? names.all.subtracting(registrations.map(\.name)) : []
        }
    }

    /// `false` if the rest of the file need not be read.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>, at number: Int, _ take: Taker) -> Bool {
        if rows.isFull { return false }
        if csv.isOpen { return readCSV(line, number, take) }
        let text = line.trimmed
        if text.isEmpty { return true }
        switch form {
        case .text: readText(text, number, take)
        case .csv: return readCSV(line, number, take)
        case .ndjson: readNDJSON(line, number, take)
        }
        return true
    }

    mutating func noteTooLong(at number: Int) {
        rows.addLast(csv.isOpen ? csv.firstLine : number, "is longer than 8 KiB")
        csv.abandon()
    }

    /// Called after the last line.
    mutating func end() {
        if csv.isOpen { rows.add(csv.quoteLine, "has a quote that is not closed") }
        switch form {
        case .text: break
        case .csv:
            if header == nil, columns.isEmpty, rows.diagnostics.isEmpty {
                rows.add(
                    .listFormat, 1, "'\(rows.file)' has no header row", help: "name a column token or fid")
            }
        case .ndjson:
            // In a list without rows no attribute can be missing.
            attributes = (hasRows ? found : found.union(asked)).filter { !names.holdsRegistrations($0) }.sorted()
        }
    }

    private mutating func readText(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ number: Int, _ take: Taker) {
        if text.first == UInt8(ascii: "#") { return }
        let registration = UnsafeBufferPointer(rebasing: text)
        if Registration.kind(of: registration) != nil {
            take(Row(registrations: .init(registration), seen: nil, line: number)) { _, _ in nil }
        } else {
            rows.add(number, "is neither a token nor a fid")
        }
    }

    private mutating func readCSV(
        _ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ take: Taker
    ) -> Bool {
        switch csv.read(line, at: number) {
        case .complete: break
        case .open:
            if csv.size <= ListScanner.maximumLength { return true }
            rows.addLast(csv.quoteLine, "has a quote that is not closed within 8 KiB")
            csv.abandon()
            return false
        case .malformed:
            rows.add(
                max(csv.firstLine, csv.quoteLine),
                "has text beside a quoted field, or a quote within a field that does not begin with one")
            return header != nil
        }
        let number = csv.firstLine
        if csv.size > ListScanner.maximumLength {
            rows.addLast(number, "is longer than 8 KiB")
            return false
        }
        if csv.isVerbatim { return takeCSV(line, number, take) }
        return csv.text.withUnsafeBufferPointer { takeCSV($0, number, take) }
    }

    /// - Parameter text: what the ranges of the fields are in.
    private mutating func takeCSV(_ text: UnsafeBufferPointer<UInt8>, _ number: Int, _ take: Taker) -> Bool {
        guard let header else {
            let written = csv.fields.map { String(decoding: text[$0], as: UTF8.self) }
            if written.contains(where: { $0.utf8.contains(UInt8(ascii: "\r")) }) {
                // A file whose lines all end so is a header alone: a list without rows, which holds nobody back.
                rows.add(
                    .listFormat, number, "the header has a carriage return (CR) without a line feed (LF)",
                    help: "save the list with LF or CRLF at the ends of its lines")
                return false
            }
            columns = written
            header = ListHeader(columns, names, asked: asked, at: number, &rows)
            if header != nil { attributes = columns.filter { !names.holdsRegistrations($0) } }
            return header != nil
        }
        guard csv.fields.count == header.count else {
            rows.add(number, "has \(count(csv.fields.count, "field")) where the header has \(header.count)")
            return true
        }
        var listed: RowRegistrations?
        for (kind, index) in header.registrations {
            let field = UnsafeBufferPointer(rebasing: text[csv.fields[index]])
            guard rows.take(field, as: kind, in: names, at: number, into: &listed) else { return true }
        }
        guard let listed else {
            rows.addWithoutRegistration(number)
            return true
        }
        guard let seen = seen(header.seen.map { UnsafeBufferPointer(rebasing: text[csv.fields[$0]]) }, number) else {
            return true
        }
        take(Row(registrations: listed, seen: seen, line: number)) { asked, body in
            header.places[asked].map { body(UnsafeBufferPointer(rebasing: text[csv.fields[$0]])) }
        }
        return true
    }

    /// When a row was last seen; no time if its list does not know. `nil` if the text is no time, which is reported.
    private mutating func seen(_ text: UnsafeBufferPointer<UInt8>?, _ number: Int) -> UInt32?? {
        guard let text, !text.isEmpty else { return .some(nil) }
        let time = RFC3339Time(text)
        if let seconds = time.flatMap({ UInt32(exactly: $0.seconds) }) { return seconds }
        let words = "time in '\(names.seen ?? "")'"
        let problem = time == nil ? "malformed \(words)" : "\(words) before 1970 or after 2106"
        rows.add(
            .listRow, number, "the row has a \(problem)",
            help: "write times as 2026-12-01T09:00:00Z, at most 2106-02-07T06:28:15Z; leave unknown ones empty")
        return .none
    }

    private mutating func readNDJSON(
        _ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ take: Taker
    ) {
        if object.read(line) { return readFlat(line, number, take) }
        let members: [String: JSONValue]
        do throws(JSONValue.StrictProblem) {
            guard let found = try JSONValue(strictly: Array(line), depth: Self.depth).object else {
                throw JSONValue.StrictProblem.syntax(offset: 0)
            }
            members = found
        } catch {
            rows.add(number, error.ofRow)
            return
        }
        if columns.isEmpty { columns = members.keys.sorted() }
        if !asked.isEmpty { found.formUnion(members.keys) }
        var values: [(kind: Registration.Kind, text: Range<Int>)] = []
        var text: [UInt8] = []
        for (kind, name) in registrations {
            switch members[name] {
            case .string(let value):
                let begin = text.count
                text.append(contentsOf: value.utf8)
                values.append((kind, begin..<text.count))
            case nil, .null: break
            default:
                rows.add(number, "has a registration that is not text")
                return
            }
        }
        var time = ""
        if let name = names.seen, let value = members[name] {
            hasSeen = true
            time = value.attribute
        }
        time.withUTF8 { time in
            text.withUnsafeBufferPointer { text in
                guard let listed = listed(in: values, of: text, number), let seen = seen(time, number)
                else { return }
                hasRows = true
                take(Row(registrations: listed, seen: seen, line: number)) { attribute, body in
                    var text = members[asked[attribute]]?.attribute ?? ""
                    return text.withUTF8(body)
                }
            }
        }
    }

    /// The row's registrations, if all are well-formed. If it has none, the likely column is named.
    private mutating func listed(
        in values: [(kind: Registration.Kind, text: Range<Int>)], of text: UnsafeBufferPointer<UInt8>, _ number: Int
    ) -> RowRegistrations? {
        var listed: RowRegistrations?
        for (kind, range) in values {
            let value = UnsafeBufferPointer(rebasing: text[range])
            guard rows.take(value, as: kind, in: names, at: number, into: &listed) else { return nil }
        }
        if listed == nil {
            rows.addWithoutRegistration(number, help: values.isEmpty && !hasRows ? names.advice(on: columns) : nil)
        }
        return listed
    }
}

extension ListReader {
    /// Reads the row in `object`. Nearly all rows are flat objects, and this builds no tree of values for them.
    private mutating func readFlat(_ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ take: Taker) {
        if columns.isEmpty { columns = names(in: line) }
        if !asked.isEmpty { found.formUnion(names(in: line)) }
        var values: [(kind: Registration.Kind, text: Range<Int>)] = []
        for (kind, name) in registrations {
            guard let member = object.member(name, of: line) else { continue }
            switch member.kind {
            case .text: values.append((kind, member.value))
            case .null: break
            case .other:
                rows.add(number, "has a registration that is not text")
                return
            }
        }
        let time = names.seen.flatMap { object.member($0, of: line) }
        if time != nil { hasSeen = true }
        guard let listed = listed(in: values, of: line, number),
            let seen = seen(time.map { UnsafeBufferPointer(rebasing: line[$0.value]) }, number)
        else { return }
        hasRows = true
        take(Row(registrations: listed, seen: seen, line: number)) { attribute, body in
            let value = object.member(asked[attribute], of: line)?.value
            return body(UnsafeBufferPointer(rebasing: line[value ?? 0..<0]))
        }
    }

    private func names(in line: UnsafeBufferPointer<UInt8>) -> [String] {
        object.members.map { String(decoding: line[$0.name], as: UTF8.self) }
    }
}

extension String {
    /// `csv`, `txt` or `ndjson`, whether compressed or not; `nil` if the name is not a list's.
    var listEnding: String? {
        let name = hasSuffix(".gz") ? dropLast(3) : self[...]
        return ["csv", "txt", "ndjson"].first { name.hasSuffix(".\($0)") }
    }
}

extension JSONValue.StrictProblem {
    /// It goes on from "the row".
    fileprivate var ofRow: String {
        switch self {
        case .syntax: "is not a JSON object"
        case .tooDeep: "has objects or lists that are nested too deep"
        case .duplicateName: "has two values of one name"
        }
    }
}

extension JSONValue {
    /// The value as a filter sees it: text and numbers as they are written, an empty text for null, everything else as JSON.
    fileprivate var attribute: String {
        switch self {
        case .string(let text): text
        case .null: ""
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double, .digits, .array, .object: compactText
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Without spaces and tabs at either end.
    fileprivate var trimmed: Slice<Self> {
        var rest = self[...]
        let isSpace = { (byte: UInt8?) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        while isSpace(rest.first) { rest.removeFirst() }
        while isSpace(rest.last) { rest.removeLast() }
        return rest
    }
}
