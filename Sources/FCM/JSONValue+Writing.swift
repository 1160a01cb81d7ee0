/// Why a value cannot be written as JSON.
enum JSONWritingError: Error {
    /// A number that is infinite, or none.
    case notFinite
}

extension JSONValue {
    /// The document's UTF-8 bytes: sorted keys, slashes unescaped, no line break at the end.
    ///
    /// Digests in recorded states were made of these bytes, so they must never change.
    package func bytes(pretty: Bool = false) throws -> [UInt8] {
        var writer = JSONWriter(isPretty: pretty)
        try writer.write(self)
        return writer.bytes
    }

    /// One line of an NDJSON file, without its end. Empty if a number is infinite, or none.
    package var compactText: String { String(decoding: (try? bytes()) ?? [], as: UTF8.self) }

    /// The same line in ASCII alone, for a database whose encoding may lack some characters.
    package var asciiText: String {
        var bytes: [UInt8] = []
        for unit in compactText.utf16 {
            if unit < 0x80 {
                bytes.append(UInt8(unit))
            } else {
                let digits = String(unit, radix: 16)
                bytes += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A number in the digits of its author. `nil` if the text is no JSON number (RFC 8259), or if it is too large for
    /// the 64-bit floating-point numbers that receivers read.
    package init?(digits text: String) {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = rest.takeDigits()
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard !rest.takeDigits().isEmpty else { return nil }
        }
        if let sign = rest.first, sign | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() }
            guard !rest.takeDigits().isEmpty else { return nil }
        }
        guard rest.isEmpty, let value = Double(text), value.isFinite else { return nil }
        self = .digits(text)
    }
}

extension Substring.UTF8View {
    /// Removes the decimal digits at the start and returns them.
    fileprivate mutating func takeDigits() -> Substring.UTF8View {
        let digits = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        self = self[digits.endIndex...]
        return digits
    }
}

/// Writes JSON in the form of Foundation's encoder, which cannot write a number in given digits.
private struct JSONWriter {
    let isPretty: Bool
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    init(isPretty: Bool) { self.isPretty = isPretty }

    mutating func write(_ value: JSONValue) throws {
        switch value {
        case .null: put("null")
        case .bool(let value): put(value ? "true" : "false")
        case .int(let value): put(String(value))
        case .double(let value): put(try Self.text(value))
        case .digits(let text): put(text)
        case .string(let text): put(escaping: text)
        case .array(let items):
            try writeList(items, "[", "]") { item, writer in try writer.write(item) }
        case .object(let members):
            try writeList(members.sorted { $0.key < $1.key }, "{", "}") { member, writer in
                writer.put(escaping: member.key)
                writer.put(writer.isPretty ? " : " : ":")
                try writer.write(member.value)
            }
        }
    }

    private mutating func writeList<Item>(
        _ items: [Item], _ open: String, _ close: String, _ write: (Item, inout JSONWriter) throws -> Void
    ) throws {
        put(open)
        depth += 1
        if isPretty { put("\n") }
        for (place, item) in items.enumerated() {
            if place > 0 { put(isPretty ? ",\n" : ",") }
            indent()
            try write(item, &self)
        }
        depth -= 1
        if isPretty { put("\n") }
        indent()
        put(close)
    }

    private mutating func indent() {
        if isPretty { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth)) }
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func put(escaping text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): put(#"\""#)
            case UInt8(ascii: "\\"): put(#"\\"#)
            case 0x08: put(#"\b"#)
            case 0x09: put(#"\t"#)
            case 0x0A: put(#"\n"#)
            case 0x0C: put(#"\f"#)
            case 0x0D: put(#"\r"#)
            case ..<0x20: put(#"\u00"# + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The shortest text that is read as the same value, without a fraction of zero.
    private static func text(_ value: Double) throws -> String {
        guard value.isFinite else { throw JSONWritingError.notFinite }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
