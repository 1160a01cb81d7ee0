/// One row of a CSV file (RFC 4180, quoted fields on one line).
enum CSVRow {
    /// The row's fields, or `nil` when a quote is not closed or has text beside it.
    static func fields(of line: ArraySlice<UInt8>) -> [String]? {
        var fields: [String] = []
        var rest = line
        while true {
            let field: String
            if rest.first == UInt8(ascii: "\"") {
                guard let text = takeQuoted(&rest) else { return nil }
                field = text
            } else {
                let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
                let text = rest[rest.startIndex..<end]
                if text.contains(UInt8(ascii: "\"")) { return nil }
                field = String(decoding: text, as: UTF8.self)
                rest = rest[end...]
            }
            fields.append(field)
            guard let separator = rest.first else { return fields }
            guard separator == UInt8(ascii: ",") else { return nil }
            rest.removeFirst()
        }
    }

    /// Takes a quoted field from the front; a doubled quote stands for one.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        var text: [UInt8] = []
        rest.removeFirst()
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            text += rest[rest.startIndex..<quote]
            rest = rest[(quote + 1)...]
            guard rest.first == UInt8(ascii: "\"") else { return String(decoding: text, as: UTF8.self) }
            text.append(UInt8(ascii: "\""))
            rest.removeFirst()
        }
        return nil
    }
}
