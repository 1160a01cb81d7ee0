/// Keeps the code of a Swift file. Comments and the text of strings are left out, so that no word of theirs is taken for
/// a name; what a string interpolates is code and stays.
struct CodeReader {
    private let source: [UInt8]
    private var position = 0
    private var kept: [UInt8] = []

    static func code(of text: String) -> String {
        var reader = CodeReader(source: Array(text.utf8))
        reader.readCode(isInterpolated: false)
        return String(decoding: reader.kept, as: UTF8.self)
    }

    private init(source: [UInt8]) { self.source = source }

    /// - Parameter isInterpolated: whether it ends at the parenthesis that closes an interpolation.
    private mutating func readCode(isInterpolated: Bool) {
        var depth = 0
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: "/") where isNext("//"): skipLine()
            case UInt8(ascii: "/") where isNext("/*"): skipComment()
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                if let hashes = openingHashes { readString(hashes: hashes) } else { keep() }
            case UInt8(ascii: "("):
                depth += 1
                keep()
            case UInt8(ascii: ")"):
                if isInterpolated, depth == 0 { return }
                depth -= 1
                keep()
            default: keep()
            }
        }
    }

    private mutating func keep() {
        kept.append(source[position])
        position += 1
    }

    private mutating func skipLine() {
        while position < source.count, source[position] != UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func skipComment() {
        var depth = 0
        repeat {
            if isNext("/*") {
                depth += 1
                advance(by: 2)
            } else if isNext("*/") {
                depth -= 1
                advance(by: 2)
            } else {
                advance(by: 1)
            }
        } while depth > 0 && position < source.count
    }

    /// How many `#` stand before the quotation mark, if a string begins here.
    private var openingHashes: Int? {
        let hashes = source[position...].prefix { $0 == UInt8(ascii: "#") }.count
        let mark = position + hashes
        return mark < source.count && source[mark] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func readString(hashes: Int) {
        advance(by: hashes)
        let marks = isNext("\"\"\"") ? "\"\"\"" : "\""
        advance(by: marks.utf8.count)
        let fence = String(repeating: "#", count: hashes)
        let (end, escape) = (marks + fence, "\\" + fence)
        kept.append(UInt8(ascii: "\""))
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: "\"") where isNext(end):
                advance(by: end.utf8.count)
                kept.append(UInt8(ascii: "\""))
                return
            case UInt8(ascii: "\\") where isNext(escape + "("):
                advance(by: escape.utf8.count + 1)
                kept.append(UInt8(ascii: " "))
                readCode(isInterpolated: true)
                advance(by: 1)
            case UInt8(ascii: "\\") where isNext(escape): advance(by: escape.utf8.count + 1)
            default: position += 1
            }
        }
    }

    private mutating func advance(by length: Int) { position = min(position + length, source.count) }

    private func isNext(_ text: String) -> Bool { source[position...].starts(with: text.utf8) }
}
