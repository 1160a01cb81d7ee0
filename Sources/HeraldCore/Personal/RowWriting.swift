internal import FCM

extension PersonalRow {
    /// What numbers and dates look like to this recipient.
    ///
    /// - Parameter text: the language of the text. `nil` if it is unknown.
    func style(in text: LanguageTag?) -> LocaleStyle? { text.flatMap { LocaleStyle.of($0, for: locale) } }

    /// Appends what stands in a slot, as text.
    func write(_ slot: MessageTemplate.Slot, _ style: LocaleStyle?, to bytes: inout [UInt8]) {
        if values[slot.field].isMissing {
            bytes += slot.fallback ?? []
        } else if !writeEncoded(slot.size, style, to: &bytes) {
            bytes.append(contentsOf: self[slot.field])
        }
    }

    /// Appends the value that stands in a slot, as part of a JSON string.
    func write(escaping slot: MessageTemplate.SlotSize, _ style: LocaleStyle?, to bytes: inout [UInt8]) {
        if !writeEncoded(slot, style, to: &bytes) { bytes.append(escaping: self[slot.field]) }
    }

    /// Appends a value that is written in another form than the row's. It needs no escapes in JSON: neither
    /// percent-encoding nor the table of languages has a character that would need one.
    ///
    /// - Returns: whether there was one.
    private func writeEncoded(
        _ slot: MessageTemplate.SlotSize, _ style: LocaleStyle?, to bytes: inout [UInt8]
    ) -> Bool {
        let text = self[slot.field]
        switch (slot.writing, style) {
        case (.link, _): bytes.append(percentEncoding: text)
        case (.number, let style?): return style.write(number: text, to: &bytes)
        case (.date, let style?): return style.write(date: text, to: &bytes)
        case (.text, _), (.number, nil), (.date, nil): return false
        }
        return true
    }

    /// At least as many bytes as a slot has in a JSON string.
    func longest(_ slot: MessageTemplate.SlotSize) -> Int {
        let value = values[slot.field]
        return switch slot.writing {
        case _ where value.isMissing: slot.fallback
        case .text: value.count + value.escapes
        case .link: value.count + 2 * value.encoded
        case .number: LocaleStyle.longestNumber(value.count)
        case .date: LocaleStyle.longestDate
        }
    }
}

extension [UInt8] {
    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    mutating func append(percentEncoding text: some Sequence<UInt8>) {
        for byte in text {
            if byte.isUnreserved {
                append(byte)
            } else {
                append(UInt8(ascii: "%"))
                append(Self.hexadecimal[Int(byte >> 4)])
                append(Self.hexadecimal[Int(byte & 0xF)])
            }
        }
    }

    /// Appends text as it stands in a JSON string of `JSONValue`'s. Rows that passed their check have only quotation marks
    /// and backslashes to escape.
    mutating func append(escaping text: some Collection<UInt8>) {
        if text.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
            append(contentsOf: Self.escaped(String(decoding: text, as: UTF8.self)))
        } else {
            append(contentsOf: text)
        }
    }

    /// A text as it stands between the quotation marks of a JSON string.
    static func escaped(_ text: String) -> ArraySlice<UInt8> {
        // A text has no number that JSON could not write.
        ((try? JSONValue.string(text).bytes()) ?? []).dropFirst().dropLast()
    }
}
