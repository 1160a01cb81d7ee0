internal import CLibYAML

/// libyaml's event stream over bytes in memory. The bytes must outlive it.
final class YAMLParser {
    /// An event as the composer needs it.
    enum Event {
        case scalar(Node.Scalar, anchor: String?, tag: String?)
        /// A scalar of more than `maximumScalar` bytes, whose text is not copied.
        case longScalar
        case sequenceStart(anchor: String?, tag: String?)
        case sequenceEnd
        case mappingStart(anchor: String?, tag: String?)
        case mappingEnd
        case alias(String)
        case documentStart
        case documentEnd
        case streamEnd
    }

    /// 1 MiB: no message is larger, and a file has room for its text only once.
    static let maximumScalar = 1 << 20

    struct SyntaxError: Error {
        var message: String
        var position: TextRange.Position
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeBufferPointer<UInt8>

    /// `nil` only when memory is short.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        // libyaml would count a byte order mark as the first line's first column, and so as its indentation.
        input = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? .init(rebasing: bytes[3...]) : bytes
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            return nil
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// The next event and where it stands.
    func next() throws(SyntaxError) -> (Event, TextRange) {
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
            defer { yaml_event_delete(&event) }
            if let converted = Self.convert(event) {
                let range = TextRange(start: .init(event.start_mark), end: .init(event.end_mark))
                return (converted, range)
            }
        }
    }

    private static func convert(_ event: yaml_event_t) -> Event? {
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            guard scalar.length <= maximumScalar else { return .longScalar }
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return .scalar(
                Node.Scalar(text: text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE),
                anchor: string(scalar.anchor), tag: string(scalar.tag))
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return .sequenceStart(anchor: string(start.anchor), tag: string(start.tag))
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return .mappingStart(anchor: string(start.anchor), tag: string(start.tag))
        case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        case YAML_ALIAS_EVENT: return .alias(string(event.data.alias.anchor) ?? "")
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_STREAM_END_EVENT: return .streamEnd
        default: return nil
        }
    }

    private static func string(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private func syntaxError() -> SyntaxError {
        var message = parser.pointee.problem.map { String(cString: $0) } ?? "the text cannot be read as YAML"
        if let context = parser.pointee.context { message += " (\(String(cString: context)))" }
        // For a character that YAML does not allow libyaml sets no mark, only the byte.
        let position =
            parser.pointee.error == YAML_READER_ERROR
            ? position(ofByte: Int(parser.pointee.problem_offset)) : .init(parser.pointee.problem_mark)
        // At the end of a file without a last line break libyaml stands on a line that is not there.
        return SyntaxError(message: message, position: min(position, self.position(ofByte: input.count)))
    }

    private func position(ofByte offset: Int) -> TextRange.Position {
        let before = input.prefix(offset)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // A scalar's first byte is any but 10xxxxxx.
        let column = (line.last ?? before).count { $0 & 0b1100_0000 != 0b1000_0000 }
        return TextRange.Position(line: line.count, column: column + 1)
    }
}

extension TextRange.Position {
    /// libyaml counts lines and columns from zero, columns in characters.
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
