internal import FCM

/// The malformed rows of a list: the first ones are reported one by one, the others only counted.
struct RowFindings {
    /// How many malformed rows are reported one by one.
    static let shownRows = 20
    /// After this many malformed rows reading stops, because the file is not a list.
    static let limit = 10_000

    let file: String
    private var shown: [Diagnostic] = []
    private var withheld = 0

    init(file: String) { self.file = file }

    /// Whether reading on is useless.
    var isFull: Bool { shown.count + withheld > Self.limit }

    /// Adds a malformed row. `problem` goes on from "the row": "is …" or "has …".
    mutating func add(_ line: Int, _ problem: String) {
        add(.listRow, line, "the row \(problem)")
    }

    mutating func add(_ rule: Rule, _ line: Int, _ message: String, help: String? = nil) {
        guard shown.count < Self.shownRows else {
            withheld += 1
            return
        }
        shown.append(.error(rule, message, at: SourceRange(file: file, text: .line(line)), help: help))
    }

    /// Adds a row after which reading stops. It is always reported.
    mutating func addLast(_ line: Int, _ problem: String) {
        if shown.count == Self.shownRows {
            shown.removeLast()
            withheld += 1
        }
        add(line, problem)
    }

    /// Takes the next of a row's registrations, in the order of `ColumnNames.registrations`. `false` if it is malformed, or
    /// another installation's, which is reported.
    ///
    /// - Parameter listed: those of the row so far. Empty texts are none.
    mutating func take(
        _ text: UnsafeBufferPointer<UInt8>, as kind: Registration.Kind, in columns: ColumnNames, at line: Int,
        into listed: inout RowRegistrations?
    ) -> Bool {
        if text.isEmpty { return true }
        let found = Registration.kind(of: text)
        guard found == kind else {
            add(Self.mistake(found, in: columns[kind], of: kind), at: line)
            return false
        }
        guard let fid = listed?.first else {
            listed = RowRegistrations(text)
            return true
        }
        let installation = text.prefix(Registration.keyLength(of: text))
        // Without one it would count as another recipient, and the device would get the message twice.
        if installation.count == text.count { return true }
        guard installation.elementsEqual(fid) else {
            add(
                .listRow, line, "the row has a token of another installation than its fid",
                help: "if the fids are right, write columns: {fid: \(columns[.fid].inYAML)} beside 'file'")
            return false
        }
        listed?.other = text
        return true
    }

    private static func mistake(
        _ found: Registration.Kind?, in column: String, of kind: Registration.Kind
    ) -> (message: String, help: String) {
        guard let found else { return ("the row has a malformed \(kind.rawValue)", kind.form) }
        return (
            "the row has a \(found.rawValue) where a \(kind.rawValue) belongs",
            "if '\(column)' has \(found.rawValue)s, write columns: {\(found.rawValue): \(column.inYAML)} beside 'file'"
        )
    }

    private mutating func add(_ mistake: (message: String, help: String), at line: Int) {
        add(.listRow, line, mistake.message, help: mistake.help)
    }

    mutating func addWithoutRegistration(_ line: Int, help: String? = nil) {
        add(.listRow, line, "the row has no registration", help: help)
    }

    var diagnostics: [Diagnostic] {
        guard withheld > 0 else { return shown }
        let words =
            isFull
            ? "more than \(Self.limit.grouped) rows of '\(file)' are malformed; the rest was not read"
            : "\(count(withheld, "more malformed row")) in '\(file)'"
        return shown + [.error(.listRow, words, at: SourceRange(file: file))]
    }
}
