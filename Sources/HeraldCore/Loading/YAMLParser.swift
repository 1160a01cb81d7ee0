internal import CLibYAML

/// libyaml's parser over bytes in memory, which must outlive it. It stands at one event at a time.
///
/// The parts of an event are read only on request, because most events of a long list are not needed.
final class YAMLParser {
    enum Event {
        case scalar
        /// A scalar of more than ``maximumScalar`` bytes. Its text is not copied.
        case longScalar
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        case alias
        case documentStart
        case documentEnd
        case streamEnd
    }

    /// 1 MiB. No message is larger, and this keeps memory at one copy of the text.
    static let maximumScalar = 1 << 20

    struct SyntaxError: Error {
        var message: String
        var position: TextRange.Position
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: UnsafeBufferPointer<UInt8>

    /// libyaml compares each declared handle with all earlier ones, which takes quadratic time.
    static let maximumTagHandles = 100

    /// `nil` only if memory cannot be allocated.
    static func over(_ bytes: UnsafeBufferPointer<UInt8>) -> YAMLParser? {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            return nil
        }
        return YAMLParser(parser, bytes)
    }

    private init(_ parser: UnsafeMutablePointer<yaml_parser_t>, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.parser = parser
        event = .allocate(capacity: 1)
        event.initialize(to: yaml_event_t())
        // libyaml would count a byte order mark as a column of the first line, and so as indentation.
        input = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? .init(rebasing: bytes[3...]) : bytes
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    /// The position of the scanner in characters. It is at most ``size``.
    var consumed: Int { Int(parser.pointee.mark.index) }
    /// The size in bytes.
    var size: Int { input.count }

    deinit {
        yaml_event_delete(event)
        event.deallocate()
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// Moves to the next event.
    func next() throws(SyntaxError) -> Event {
        while true {
            yaml_event_delete(event)
            guard yaml_parser_parse(parser, event) == 1 else { throw syntaxError() }
            switch event.pointee.type {
            case YAML_SCALAR_EVENT:
                return event.pointee.data.scalar.length <= Self.maximumScalar ? .scalar : .longScalar
            case YAML_SEQUENCE_START_EVENT: return .sequenceStart
            case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
            case YAML_MAPPING_START_EVENT: return .mappingStart
            case YAML_MAPPING_END_EVENT: return .mappingEnd
            case YAML_ALIAS_EVENT: return .alias
            case YAML_DOCUMENT_START_EVENT: return .documentStart
            case YAML_DOCUMENT_END_EVENT: return .documentEnd
            case YAML_STREAM_END_EVENT: return .streamEnd
            default: continue
            }
        }
    }

    /// The range of the event.
    var range: TextRange {
        TextRange(start: .init(event.pointee.start_mark), end: .init(event.pointee.end_mark))
    }

    /// Call this only if the event is a scalar.
    var scalar: Node.Scalar {
        let scalar = event.pointee.data.scalar
        return Node.Scalar(
            text: String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self),
            isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    }

    /// The anchor before a value, or the one that an alias names.
    var anchor: String? {
        let text =
            switch event.pointee.type {
            case YAML_SCALAR_EVENT: event.pointee.data.scalar.anchor
            case YAML_SEQUENCE_START_EVENT: event.pointee.data.sequence_start.anchor
            case YAML_MAPPING_START_EVENT: event.pointee.data.mapping_start.anchor
            case YAML_ALIAS_EVENT: event.pointee.data.alias.anchor
            default: UnsafeMutablePointer<yaml_char_t>?.none
            }
        return text.map { String(cString: $0) }
    }

    /// The tag before a value.
    var tag: String? {
        let text =
            switch event.pointee.type {
            case YAML_SCALAR_EVENT: event.pointee.data.scalar.tag
            case YAML_SEQUENCE_START_EVENT: event.pointee.data.sequence_start.tag
            case YAML_MAPPING_START_EVENT: event.pointee.data.mapping_start.tag
            default: UnsafeMutablePointer<yaml_char_t>?.none
            }
        return text.map { String(cString: $0) }
    }

    /// The place where a file declares more than ``maximumTagHandles`` tag handles. herald does not use tags. Texts
    /// that look like declarations count too.
    var excessiveTagHandle: TextRange.Position? {
        var rest = input[...]
        var count = 0
        while let place = rest.firstPlace(of: UInt8(ascii: "%")) {
            rest = input[(place + 1)...]
            guard place == 0 || input[place - 1] == UInt8(ascii: "\n"), rest.starts(with: "TAG".utf8) else { continue }
            count += 1
            if count > Self.maximumTagHandles { return position(ofByte: place) }
        }
        return nil
    }

    private func syntaxError() -> SyntaxError {
        var message = parser.pointee.problem.map { String(cString: $0) } ?? "the text cannot be read as YAML"
        if let context = parser.pointee.context { message += " (\(String(cString: context)))" }
        // For a character that YAML does not allow, libyaml gives only the byte and no mark.
        let position =
            parser.pointee.error == YAML_READER_ERROR
            ? position(ofByte: Int(parser.pointee.problem_offset)) : .init(parser.pointee.problem_mark)
        // Without a last line break, libyaml reports the end of a file on a line that does not exist.
        return SyntaxError(message: message, position: min(position, self.position(ofByte: input.count)))
    }

    private func position(ofByte offset: Int) -> TextRange.Position {
        var (line, start) = (1, 0)
        let before = input.prefix(offset)
        while let end = before[start...].firstPlace(of: UInt8(ascii: "\n")) { (line, start) = (line + 1, end + 1) }
        // Every first byte of a character differs from 10xxxxxx.
        return TextRange.Position(line: line, column: 1 + before[start...].count { $0 & 0b1100_0000 != 0b1000_0000 })
    }
}

extension TextRange.Position {
    /// libyaml counts lines and columns from 0, columns in characters.
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
