extension String {
    /// Decodes percent-encoding once. `nil` for a stray `%` or for bytes that are not UTF-8.
    ///
    /// - Parameter plusIsSpace: in a query `+` means a space, in a path it does not.
    init?(percentDecoding text: Substring, plusIsSpace: Bool = false) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexDigit, let low = rest.next()?.hexDigit else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        self.init(validating: bytes, as: UTF8.self)
    }

    /// `topic_name` as `topicName`, the other name that proto3 JSON accepts.
    var lowerCamelCased: String {
        var name = ""
        var raises = false
        for character in self {
            if character == "_" {
                raises = true
            } else {
                name += raises ? character.uppercased() : String(character)
                raises = false
            }
        }
        return name
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
