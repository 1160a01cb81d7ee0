internal import FCM

/// A message whose texts are compiled: literals and slots.
indirect enum MessageTemplate: Hashable, Sendable {
    /// A part without slots.
    case fixed(JSONValue)
    case text([Part])
    case array([MessageTemplate])
    case object([String: MessageTemplate])

    enum Part: Hashable, Sendable {
        case literal(String)
        case slot(Slot)
    }

    /// Where a row's value goes.
    struct Slot: Hashable, Sendable {
        /// The place of the field among the campaign's.
        var field: Int
        var writing: Writing
        /// What is written if the row has no value, percent-encoded if that is how values are written.
        var fallback: [UInt8]?
    }

    /// What the size of a slot's text depends on. It holds no reference: to count references takes time for each row.
    struct SlotSize: Hashable, Sendable {
        var field: Int
        var writing: Writing
        /// At least the bytes of the default in a JSON string.
        var fallback: Int
    }

    /// How a value is written.
    enum Writing: Hashable, Sendable {
        /// As the row has it.
        case text
        /// In the language of the text.
        case number
        case date
        /// Percent-encoded.
        case link
    }
}

extension MessageTemplate {
    /// - Parameters:
    ///   - fields: what placeholders may name, in the order of a row's values.
    ///   - isWritten: whether numbers and dates are written in the text's language where people read them.
    init(
        _ message: [String: JSONValue], fields: [Field], isWritten: Bool
    ) throws(PersonalProblem) {
        if let problem = PlaceholderPlaces.problems(in: message, fields: fields.map(\.name)).first { throw problem }
        let compiler = Compiler(fields: fields, isWritten: isWritten)
        self = try compiler.compiled(.object(message), at: [])
    }

    private struct Compiler {
        let fields: [Field]
        let isWritten: Bool

        func compiled(_ value: JSONValue, at path: [String]) throws(PersonalProblem) -> MessageTemplate {
            switch value {
            case .string(let text) where TextTemplate.isTemplate(text):
                do {
                    return .text(parts(of: try TextTemplate(parsing: text), at: PlaceholderPlaces.place(at: path)))
                } catch {
                    throw PersonalProblem(path: path, words: error.words)
                }
            case .array(let items):
                var compiled: [MessageTemplate] = []
                for (index, item) in items.enumerated() {
                    compiled.append(try self.compiled(item, at: path + [String(index)]))
                }
                return compiled.allSatisfy(\.isFixed) ? .fixed(value) : .array(compiled)
            case .object(let members):
                var compiled: [String: MessageTemplate] = [:]
                for (key, member) in members { compiled[key] = try self.compiled(member, at: path + [key]) }
                return compiled.values.allSatisfy(\.isFixed) ? .fixed(value) : .object(compiled)
            default: return .fixed(value)
            }
        }

        private func parts(of text: TextTemplate, at place: PlaceholderPlaces.Place) -> [Part] {
            let isLink = text.isLink(at: place)
            return text.parts.compactMap { part in
                switch part {
                case .literal(let text): .literal(text)
                case .placeholder(let placeholder):
                    fields.firstIndex { $0.name == placeholder.field }.map { field in
                        let fallback = placeholder.fallback.map { isLink ? $0.percentEncodedSegment : $0 }
                        return .slot(
                            Slot(
                                field: field, writing: isLink ? .link : writing(of: fields[field].kind, at: place),
                                fallback: fallback.map { Array($0.utf8) }))
                    }
                }
            }
        }

        private func writing(of kind: FieldKind, at place: PlaceholderPlaces.Place) -> Writing {
            guard isWritten, place == .text else { return .text }
            switch kind {
            case .text, .locale, .timezone: return .text
            case .integer, .decimal: return .number
            case .date: return .date
            }
        }
    }

    private var isFixed: Bool { if case .fixed = self { true } else { false } }
}

extension MessageTemplate.Slot {
    var size: MessageTemplate.SlotSize {
        .init(
            field: field, writing: writing,
            fallback: [UInt8].escaped(String(decoding: fallback ?? [], as: UTF8.self)).count)
    }
}

extension MessageTemplate {
    /// All slots, each as often as it stands in the message.
    var slots: [Slot] {
        switch self {
        case .fixed: []
        case .text(let parts): parts.compactMap { if case .slot(let slot) = $0 { slot } else { nil } }
        case .array(let items): items.flatMap(\.slots)
        case .object(let members): members.values.flatMap(\.slots)
        }
    }

    /// Every text that has slots.
    var texts: [[Part]] {
        switch self {
        case .fixed: []
        case .text(let parts): [parts]
        case .array(let items): items.flatMap(\.texts)
        case .object(let members): members.values.flatMap(\.texts)
        }
    }

    /// - Parameter write: appends what stands in a slot.
    func filled(_ write: (Slot, inout [UInt8]) -> Void) -> JSONValue {
        switch self {
        case .fixed(let value): return value
        case .array(let items): return .array(items.map { $0.filled(write) })
        case .object(let members): return .object(members.mapValues { $0.filled(write) })
        case .text(let parts):
            var bytes: [UInt8] = []
            for part in parts {
                switch part {
                case .literal(let text): bytes += text.utf8
                case .slot(let slot): write(slot, &bytes)
                }
            }
            return .string(String(decoding: bytes, as: UTF8.self))
        }
    }
}
