internal import FCM

/// Checks the lines of a list one by one, and keeps only the current row in memory. A malformed row is reported by its
/// line number and never shown, since it may be a registration.
struct ListReader {
    /// The file's attributes, in its order and with repeats; complete after `end`. `nil` for a form
    /// without attributes, and for a file that names none.
    private(set) var attributes: [String]?
    private(set) var rows: RowFindings
    private let form: Form
    /// The attributes that filters use.
    private let asked: [String]
    private var header: Header?
    private var csv = CSVRow()
    private var object = FlatObject()
    /// The attributes of the objects read so far.
    private var seen: Set<String> = []
    private var hasRows = false

    private enum Form { case csv, text, ndjson }

    /// Takes a row: its registration, which is well-formed, and its value for each of the attributes asked for; `nil`
    /// if the file does not have that attribute.
    typealias Taker = (_ registration: UnsafeBufferPointer<UInt8>, _ value: (_ asked: Int) -> String?) -> Void

    /// - Parameters:
    ///   - file: Its ending gives the form: `.csv` (header row), `.txt` (one on each line) or `.ndjson` (an object on
    /// each line).
    ///   - asked: The attributes that filters use.
    init(_ file: String, asked: [String]) {
        self.asked = asked
        rows = RowFindings(file: file)
        form =
            switch file.listEnding {
            case "csv": .csv
            case "ndjson": .ndjson
            default: .text
            }
    }

    /// `false` if the rest of the file need not be read.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>, at number: Int, _ take: Taker) -> Bool {
        if rows.isFull { return false }
        let text = line.trimmed
        if text.isEmpty { return true }
        switch form {
        case .text: readText(text, number, take)
        case .csv: return readCSV(line, number, take)
        case .ndjson: readNDJSON(line, number, take)
        }
        return true
    }

    mutating func noteTooLong(at number: Int) { rows.addLast(number, "is longer than 8 KiB") }

    /// Called after the last line.
    mutating func end() {
        switch form {
        case .text: break
        case .csv:
            if header == nil, rows.diagnostics.isEmpty {
                rows.add(
                    .listFormat, 1, "'\(rows.file)' has no header row", help: "name a column token or fid")
            }
        case .ndjson:
            // In a list without rows no attribute can be missing.
            let names = hasRows ? seen : seen.union(asked)
            attributes = names.filter { Registration.Kind(rawValue: $0) == nil }.sorted()
        }
    }

    private mutating func readText(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ number: Int, _ take: Taker) {
        if text.first == UInt8(ascii: "#") { return }
        let registration = UnsafeBufferPointer(rebasing: text)
        if Registration.kind(of: registration) != nil {
            take(registration) { _ in nil }
        } else {
            rows.add(number, "is neither a token nor a fid")
        }
    }

    private mutating func readCSV(
        _ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ take: Taker
    ) -> Bool {
        guard csv.read(line) else {
            rows.add(number, "has a quote that is not closed, or text beside a quoted field")
            return header != nil
        }
        guard let header else {
            let names = csv.fields.map { String(decoding: csv.text[$0], as: UTF8.self) }
            header = Header(names, asked: asked, at: number, &rows)
            if header != nil { attributes = names.filter { Registration.Kind(rawValue: $0) == nil } }
            return header != nil
        }
        guard csv.fields.count == header.count else {
            rows.add(number, "has \(csv.fields.count) fields where the header has \(header.count)")
            return true
        }
        let values = header.registrations.map { (kind: $0.kind, text: csv.fields[$0.index]) }
        csv.text.withUnsafeBufferPointer { text in
            guard let registration = rows.registration(from: values, of: text, at: number) else { return }
            take(registration) { asked in
                header.places[asked].map { String(decoding: text[csv.fields[$0]], as: UTF8.self) }
            }
        }
        return true
    }

    private mutating func readNDJSON(
        _ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ take: Taker
    ) {
        if object.read(line) { return readFlat(line, number, take) }
        guard case .object(let object)? = try? JSONValue(parsing: line) else {
            rows.add(number, "is not a JSON object")
            return
        }
        if !asked.isEmpty { seen.formUnion(object.keys) }
        var values: [(kind: Registration.Kind, text: Range<Int>)] = []
        var text: [UInt8] = []
        for kind in [Registration.Kind.fid, .token] {
            switch object[kind.rawValue] {
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
        text.withUnsafeBufferPointer { text in
            guard let registration = rows.registration(from: values, of: text, at: number) else { return }
            hasRows = true
            take(registration) { object[asked[$0]]?.attribute ?? "" }
        }
    }
}

extension ListReader {
    /// Reads the row in `object`. Nearly all rows are flat objects, and this builds no tree of values for them.
    private mutating func readFlat(_ line: UnsafeBufferPointer<UInt8>, _ number: Int, _ take: Taker) {
        if !asked.isEmpty {
            for member in object.members { seen.insert(String(decoding: line[member.name], as: UTF8.self)) }
        }
        var values: [(kind: Registration.Kind, text: Range<Int>)] = []
        for kind in [Registration.Kind.fid, .token] {
            guard let member = object.member(kind.rawValue, of: line) else { continue }
            switch member.kind {
            case .text: values.append((kind, member.value))
            case .null: break
            case .other:
                rows.add(number, "has a registration that is not text")
                return
            }
        }
        guard let registration = rows.registration(from: values, of: line, at: number) else { return }
        hasRows = true
        take(registration) { attribute in
            object.member(asked[attribute], of: line).map { String(decoding: line[$0.value], as: UTF8.self) } ?? ""
        }
    }
}

extension String {
    /// `csv`, `txt` or `ndjson`, whether compressed or not; `nil` if the name is not a list's.
    var listEnding: String? {
        let name = hasSuffix(".gz") ? dropLast(3) : self[...]
        return ["csv", "txt", "ndjson"].first { name.hasSuffix(".\($0)") }
    }
}

extension JSONValue {
    /// The value as a filter sees it: text as it is, an empty text for null, everything else as JSON.
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

/// The columns of a CSV that are used.
private struct Header {
    var count: Int
    /// The fid comes first, since FCM prefers it to the token.
    var registrations: [(kind: Registration.Kind, index: Int)] = []
    /// The columns of the attributes that were asked for.
    var places: [Int?]

    init?(_ names: [String], asked: [String], at line: Int, _ rows: inout RowFindings) {
        count = names.count
        places = asked.map { names.firstIndex(of: $0) }
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
