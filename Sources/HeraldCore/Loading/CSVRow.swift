/// Reads one row of a CSV file (RFC 4180, without line breaks in quoted fields) after the other, and reuses its memory.
struct CSVRow {
    /// The text of all fields, without quotes.
    private(set) var text: [UInt8] = []
    /// The range of each field in the text.
    private(set) var fields: [Range<Int>] = []

    /// Reads a line. `false` if a quote is not closed, or if there is text next to it.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        text.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        var rest = line[...]
        while true {
            let begin = text.count
            if rest.first == UInt8(ascii: "\"") {
                guard takeQuoted(&rest) else { return false }
            } else {
                let end = rest.firstPlace(of: UInt8(ascii: ",")) ?? rest.endIndex
                let field = rest[rest.startIndex..<end]
                if field.firstPlace(of: UInt8(ascii: "\"")) != nil { return false }
                text.append(contentsOf: field)
                rest = rest[end...]
            }
            fields.append(begin..<text.count)
            guard let separator = rest.first else { return true }
            guard separator == UInt8(ascii: ",") else { return false }
            rest.removeFirst()
        }
    }

    /// Reads a quoted field from the start. A doubled quote stands for one.
    private mutating func takeQuoted(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        rest.removeFirst()
        while let quote = rest.firstPlace(of: UInt8(ascii: "\"")) {
            text.append(contentsOf: rest[rest.startIndex..<quote])
            rest = rest[(quote + 1)...]
            guard rest.first == UInt8(ascii: "\"") else { return true }
            text.append(UInt8(ascii: "\""))
            rest.removeFirst()
        }
        return false
    }
}
