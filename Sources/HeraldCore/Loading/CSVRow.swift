/// Reads one row of a CSV file (RFC 4180) after the other, and reuses its memory. A quoted field may go on over several
/// lines; the breaks in it are read as line feeds.
struct CSVRow {
    /// What a line did to the row.
    enum Reading {
        case complete
        /// A quote is open: the row goes on in the next line.
        case open
        /// There is text beside a quoted field, or a quote within another field.
        case malformed
    }

    /// The text of all fields, without quotes. Empty if the row is verbatim.
    private(set) var text: [UInt8] = []
    /// The range of each field in the text or, if the row is verbatim, in its line.
    private(set) var fields: [Range<Int>] = []
    /// Whether the row is one line without quotes, as nearly all are. Its text need not be copied.
    private(set) var isVerbatim = false
    /// The number of the row's first line.
    private(set) var firstLine = 0
    /// The line of the quote that was opened last.
    private(set) var quoteLine = 0
    private(set) var isOpen = false
    /// The bytes of its lines so far.
    private(set) var size = 0
    /// Where the open field begins in the text.
    private var openField = 0

    /// Reads a line: the rest of the open row, or the beginning of the next one.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>, at number: Int) -> Reading {
        var rest = line[...]
        var begin = openField
        if isOpen {
            size += line.count + 1
            text.append(UInt8(ascii: "\n"))
            guard takeQuoted(&rest) else { return .open }
        } else {
            text.removeAll(keepingCapacity: true)
            fields.removeAll(keepingCapacity: true)
            (firstLine, size) = (number, line.count)
            isVerbatim = rest.firstPlace(of: UInt8(ascii: "\"")) == nil
            if isVerbatim {
                split(rest)
                return .complete
            }
            guard let end = takeField(&rest, at: number) else { return isOpen ? .open : .malformed }
            begin = end
        }
        while true {
            fields.append(begin..<text.count)
            guard let separator = rest.first else { return .complete }
            guard separator == UInt8(ascii: ",") else { return .malformed }
            rest.removeFirst()
            guard let next = takeField(&rest, at: number) else { return isOpen ? .open : .malformed }
            begin = next
        }
    }

    private mutating func split(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
        var rest = line
        while let comma = rest.firstPlace(of: UInt8(ascii: ",")) {
            fields.append(rest.startIndex..<comma)
            rest = rest[(comma + 1)...]
        }
        fields.append(rest.startIndex..<rest.endIndex)
    }

    /// Gives up the open row.
    mutating func abandon() { isOpen = false }

    /// Reads a field from the start and returns where it begins in the text. `nil` if it is malformed, or if it goes on
    /// in the next line.
    private mutating func takeField(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>, at number: Int) -> Int? {
        let begin = text.count
        guard rest.first == UInt8(ascii: "\"") else {
            let end = rest.firstPlace(of: UInt8(ascii: ",")) ?? rest.endIndex
            let field = rest[rest.startIndex..<end]
            if field.firstPlace(of: UInt8(ascii: "\"")) != nil { return nil }
            text.append(contentsOf: field)
            rest = rest[end...]
            return begin
        }
        rest.removeFirst()
        (quoteLine, openField) = (number, begin)
        return takeQuoted(&rest) ? begin : nil
    }

    /// Reads the rest of a quoted field, behind its first quote. A doubled quote stands for one. `false` if the field
    /// goes on in the next line.
    private mutating func takeQuoted(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        while let quote = rest.firstPlace(of: UInt8(ascii: "\"")) {
            text.append(contentsOf: rest[rest.startIndex..<quote])
            rest = rest[(quote + 1)...]
            guard rest.first == UInt8(ascii: "\"") else {
                isOpen = false
                return true
            }
            text.append(UInt8(ascii: "\""))
            rest.removeFirst()
        }
        text.append(contentsOf: rest)
        isOpen = true
        return false
    }
}
