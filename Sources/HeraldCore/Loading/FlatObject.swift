/// A JSON object in the simple form that lists have: no nesting, no escapes, ASCII names, integers. Any other form is
/// left to a JSON parser.
struct FlatObject {
    /// A member: the range of its name in the line, and its value as filters see it.
    struct Member {
        enum Kind { case text, null, other }

        var name: Range<Int>
        var value: Range<Int>
        var kind: Kind
    }

    private(set) var members: [Member] = []

    /// Reads a line. `false` if it is not an object in this form.
    mutating func read(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        members.removeAll(keepingCapacity: true)
        var place = 0
        guard Self.take("{", line, &place) else { return false }
        if Self.take("}", line, &place) { return Self.isEnd(line, place) }
        repeat {
            guard let name = Self.takeText(line, &place, isASCII: true), Self.take(":", line, &place),
                let member = Self.takeValue(of: name, line, &place)
            else { return false }
            // A parser refuses an object with two values of one name.
            if members.contains(where: { line[$0.name].elementsEqual(line[name]) }) { return false }
            members.append(member)
        } while Self.take(",", line, &place)
        return Self.take("}", line, &place) && Self.isEnd(line, place)
    }

    /// The member of that name.
    func member(_ name: String, of line: UnsafeBufferPointer<UInt8>) -> Member? {
        members.first { line[$0.name].elementsEqual(name.utf8) }
    }

    private static func skipSpace(_ line: UnsafeBufferPointer<UInt8>, _ place: inout Int) {
        while place < line.count, line[place] == UInt8(ascii: " ") || line[place] == UInt8(ascii: "\t") { place += 1 }
    }

    private static func isEnd(_ line: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
        var place = place
        skipSpace(line, &place)
        return place == line.count
    }

    private static func take(
        _ sign: Unicode.Scalar, _ line: UnsafeBufferPointer<UInt8>, _ place: inout Int
    ) -> Bool {
        skipSpace(line, &place)
        guard place < line.count, line[place] == UInt8(ascii: sign) else { return false }
        place += 1
        return true
    }

    /// Reads a text and returns its range without quotes.
    private static func takeText(
        _ line: UnsafeBufferPointer<UInt8>, _ place: inout Int, isASCII: Bool
    ) -> Range<Int>? {
        guard take("\"", line, &place) else { return nil }
        let begin = place
        while place < line.count {
            switch line[place] {
            case UInt8(ascii: "\""):
                place += 1
                return begin..<(place - 1)
            case UInt8(ascii: "\\"), 0..<0x20: return nil
            case 0x80...: if isASCII { return nil }
            default: break
            }
            place += 1
        }
        return nil
    }

    private static func takeValue(
        of name: Range<Int>, _ line: UnsafeBufferPointer<UInt8>, _ place: inout Int
    ) -> Member? {
        skipSpace(line, &place)
        guard place < line.count else { return nil }
        if line[place] == UInt8(ascii: "\"") {
            return takeText(line, &place, isASCII: false).map { Member(name: name, value: $0, kind: .text) }
        }
        let begin = place
        while place < line.count, line[place].isLetterOrDigit { place += 1 }
        let word = line[begin..<place]
        if word.elementsEqual("null".utf8) { return Member(name: name, value: begin..<begin, kind: .null) }
        let isBoolean = word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8)
        // A parser keeps the digits of all other numbers, too.
        let isNumber =
            (1...18).contains(word.count) && word.allSatisfy(\.isDigit)
            && (word.count == 1 || word.first != UInt8(ascii: "0"))
        return isBoolean || isNumber ? Member(name: name, value: begin..<place, kind: .other) : nil
    }
}

extension UInt8 {
    /// The characters of booleans, null and integers.
    fileprivate var isLetterOrDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
