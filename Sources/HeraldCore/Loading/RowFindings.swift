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

    /// The range of the first registration in a row. All registrations in the row must be well-formed.
    mutating func registration(
        from values: [(kind: Registration.Kind, text: Range<Int>)], of text: UnsafeBufferPointer<UInt8>, at line: Int,
        help: String? = nil
    ) -> UnsafeBufferPointer<UInt8>? {
        var found: UnsafeBufferPointer<UInt8>?
        for value in values where !value.text.isEmpty {
            let registration = UnsafeBufferPointer(rebasing: text[value.text])
            guard Registration.kind(of: registration) == value.kind else {
                add(.listRow, line, "the row has a malformed \(value.kind.rawValue)", help: value.kind.form)
                return nil
            }
            found = found ?? registration
        }
        if found == nil { add(.listRow, line, "the row has no registration", help: help) }
        return found
    }

    var diagnostics: [Diagnostic] {
        guard withheld > 0 else { return shown }
        let words =
            isFull
            ? "more than \(Self.limit) rows of '\(file)' are malformed; the rest was not read"
            : "\(count(withheld, "more malformed row")) in '\(file)'"
        return shown + [.error(.listRow, words, at: SourceRange(file: file))]
    }
}
