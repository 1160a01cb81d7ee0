import FCM

/// Writes one line of NDJSON. The members keep the order in which they are added.
struct JSONLine {
    private var bytes = [UInt8(ascii: "{")]

    mutating func add(_ name: String, _ value: String) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func add(_ name: String, _ value: Int?) {
        begin(name)
        bytes += (value.map { String($0) } ?? "null").utf8
    }

    mutating func add(_ name: String, _ value: Bool) {
        begin(name)
        bytes += (value ? "true" : "false").utf8
    }

    /// - Parameter document: JSON without line breaks. It is inserted as it is.
    mutating func add(_ name: String, document: some Sequence<UInt8>) {
        begin(name)
        bytes += document
    }

    consuming func finished() -> [UInt8] {
        bytes += "}\n".utf8
        return bytes
    }

    private mutating func begin(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes += name.utf8
        bytes += "\":".utf8
    }
}
