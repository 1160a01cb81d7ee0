extension JSONValue {
    /// Why a text is not taken for JSON.
    package enum StrictProblem: Error, Hashable, Sendable {
        /// - Parameter offset: the first byte that does not fit.
        case syntax(offset: Int)
        case tooDeep
        case duplicateName(String)
    }

    /// Reads a document from a stranger: every name at most once in its object, and no deeper than `depth`. Parsers differ
    /// in which of two equal names counts, so neither does.
    package init(strictly bytes: [UInt8], depth: Int) throws(StrictProblem) {
        var parser = StrictParser(bytes)
        self = try parser.document(depth)
    }
}

/// RFC 8259, without any leniency.
private struct StrictParser {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document(_ depth: Int) throws(JSONValue.StrictProblem) -> JSONValue {
        let value = try value(depth)
        skipSpace()
        guard place == bytes.count else { throw problem }
        return value
    }

    private var problem: JSONValue.StrictProblem { .syntax(offset: place) }
    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: sign) else { return false }
        place += 1
        return true
    }

    /// - Parameter depth: how many levels there may be below.
    private mutating func value(_ depth: Int) throws(JSONValue.StrictProblem) -> JSONValue {
        if take("{") { return .object(try members(depth)) }
        if take("[") { return .array(try items(depth)) }
        if take("\"") { return .string(try text()) }
        return try word()
    }

    private mutating func members(_ depth: Int) throws(JSONValue.StrictProblem) -> [String: JSONValue] {
        guard depth > 0 else { throw .tooDeep }
        var members: [String: JSONValue] = [:]
        if take("}") { return members }
        repeat {
            guard take("\"") else { throw problem }
            let name = try text()
            guard take(":") else { throw problem }
            guard members.updateValue(try value(depth - 1), forKey: name) == nil else { throw .duplicateName(name) }
        } while take(",")
        guard take("}") else { throw problem }
        return members
    }

    private mutating func items(_ depth: Int) throws(JSONValue.StrictProblem) -> [JSONValue] {
        guard depth > 0 else { throw .tooDeep }
        var items: [JSONValue] = []
        if take("]") { return items }
        repeat { items.append(try value(depth - 1)) } while take(",")
        guard take("]") else { throw problem }
        return items
    }

    /// A number, or `true`, `false`, `null`.
    private mutating func word() throws(JSONValue.StrictProblem) -> JSONValue {
        skipSpace()
        let begin = place
        while let byte = next, !",]} \t\r\n".utf8.contains(byte) { place += 1 }
        switch String(decoding: bytes[begin..<place], as: UTF8.self) {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case let text:
            if let number = Int64(text), String(number) == text { return .int(number) }
            if let number = JSONValue(digits: text) { return number }
            place = begin
            throw problem
        }
    }

    /// What follows a quotation mark, up to the next one.
    private mutating func text() throws(JSONValue.StrictProblem) -> String {
        var text: [UInt8] = []
        while let byte = next, byte >= 0x20 {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = String(validating: text, as: UTF8.self) else { throw problem }
                return valid
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escaped()).utf8)
            default: text.append(byte)
            }
        }
        throw problem
    }

    /// What a backslash and the bytes behind it stand for.
    private mutating func escaped() throws(JSONValue.StrictProblem) -> Unicode.Scalar {
        guard let byte = next else { throw problem }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw problem
        }
        let first = try codeUnit()
        guard UTF16.isLeadSurrogate(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw problem }
            return scalar
        }
        guard next == UInt8(ascii: "\\") else { throw problem }
        place += 1
        guard next == UInt8(ascii: "u") else { throw problem }
        place += 1
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
        else { throw problem }
        return scalar
    }

    private mutating func codeUnit() throws(JSONValue.StrictProblem) -> UInt16 {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.isHexDigit),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw problem }
        place += 4
        return unit
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { Character(Unicode.Scalar(self)).isHexDigit && self < 0x80 }
}
