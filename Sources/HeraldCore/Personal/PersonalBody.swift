package import FCM

/// The JSON body of a class's requests. What its recipients share is encoded once; values are escaped as they are
/// written into it, by their position: in a JSON string, or percent-encoded in a link.
package struct PersonalBody: Hashable, Sendable {
    /// A slot with the default as it stands in JSON. It holds no reference: to count references takes time for each
    /// recipient.
    private struct Step: Hashable, Sendable {
        /// Where the slot is in the shared bytes.
        var place: Int
        var size: MessageTemplate.SlotSize
        /// Where the default is among `fallbacks`.
        var fallback: Range<Int>
    }

    private var steps: [Step] = []
    /// All but the values and the address.
    private var shared = MessageFrame.opening
    private var fallbacks: [UInt8] = []
    /// Where the address is in the shared bytes.
    private var addressPlace = 0
    private var isStyled = false
    private let layout: RowLayout
    private let language: LanguageTag?

    /// - Parameter language: of the texts. `nil` if it is unknown.
    init(_ message: MessageTemplate, _ layout: RowLayout, language: LanguageTag?, validateOnly: Bool) throws {
        (self.layout, self.language) = (layout, language)
        try append(message)
        addressPlace = MessageFrame.close(&shared, validateOnly: validateOnly)
    }

    /// In the order and form of `JSONValue.bytes`.
    private mutating func append(_ message: MessageTemplate) throws {
        switch message {
        case .fixed(let value): shared += try value.bytes()
        case .text(let parts):
            shared.append(UInt8(ascii: "\""))
            for part in parts {
                switch part {
                case .literal(let text): shared += [UInt8].escaped(text)
                case .slot(let slot): append(slot)
                }
            }
            shared.append(UInt8(ascii: "\""))
        case .array(let items):
            shared.append(UInt8(ascii: "["))
            for (place, item) in items.enumerated() {
                if place > 0 { shared.append(UInt8(ascii: ",")) }
                try append(item)
            }
            shared.append(UInt8(ascii: "]"))
        case .object(let members):
            shared.append(UInt8(ascii: "{"))
            for (place, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if place > 0 { shared.append(UInt8(ascii: ",")) }
                shared += try JSONValue.string(member.key).bytes()
                shared.append(UInt8(ascii: ":"))
                try append(member.value)
            }
            shared.append(UInt8(ascii: "}"))
        }
    }

    private mutating func append(_ slot: MessageTemplate.Slot) {
        let start = fallbacks.count
        fallbacks += [UInt8].escaped(String(decoding: slot.fallback ?? [], as: UTF8.self))
        steps.append(Step(place: shared.count, size: slot.size, fallback: start..<fallbacks.count))
        if slot.writing == .number || slot.writing == .date { isStyled = true }
    }

    /// The complete body for one recipient.
    package func bytes(to address: Address, _ values: FieldValues) -> [UInt8] {
        layout.read(values) { row in
            let style = isStyled ? row.style(in: language) : nil
            var bytes: [UInt8] = []
            bytes.reserveCapacity(
                steps.reduce(shared.count + MessageFrame.size(of: address)) { $0 + row.longest($1.size) })
            var written = 0
            for step in steps {
                bytes += shared[written..<step.place]
                written = step.place
                if row.values[step.size.field].isMissing {
                    bytes += fallbacks[step.fallback]
                } else {
                    row.write(escaping: step.size, style, to: &bytes)
                }
            }
            bytes += shared[written..<addressPlace]
            MessageFrame.write(address, to: &bytes)
            bytes += shared[addressPlace...]
            return bytes
        }
    }
}
