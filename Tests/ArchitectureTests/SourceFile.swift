/// What one Swift file declares, names and imports.
///
/// It is told by names alone, without types: members of an extension, functions and operators leave no name behind that
/// says where they come from.
struct SourceFile {
    let name: String
    /// Types at the top level that other files can name.
    private(set) var declared: Set<String> = []
    /// Types that only this file can name without saying inside which type they are: nested ones and private ones.
    private(set) var own: Set<String> = []
    /// The words of its code, types of its own among them. A nested type counts by the name of the type around it.
    private(set) var named: Set<String> = []
    private(set) var imported: Set<String> = []

    private static let keywords: Set<String> = [
        "actor", "associatedtype", "class", "enum", "protocol", "struct", "typealias",
    ]
    private static let modifiers: Set<String> = [
        "fileprivate", "final", "indirect", "internal", "nonisolated", "open", "package", "private", "public",
    ]

    /// - Parameter module: what a name of this module may be written behind, with a dot.
    init(name: String, text: String, module: String = "") {
        self.name = name
        var depth = 0
        var isPrivate = false
        var (before, last) = ("", "")
        for token in Self.tokens(of: CodeReader.code(of: text)) {
            defer { (before, last) = (last, token) }
            switch token {
            case "{": depth += 1
            case "}": depth -= 1
            default: break
            }
            if last == "import" {
                imported.insert(token)
            } else if Self.keywords.contains(last), token.first?.isUppercase == true {
                if depth == 0, !isPrivate { declared.insert(token) } else { own.insert(token) }
            } else if last != "." || before == module {
                named.insert(token)
            }
            if ["fileprivate", "private"].contains(token) {
                isPrivate = true
            } else if !Self.modifiers.contains(token), !Self.keywords.contains(token) {
                isPrivate = false
            }
        }
    }

    /// Words, and every other sign but white space by itself.
    private static func tokens(of code: String) -> [String] {
        var tokens: [String] = []
        var word: [UInt8] = []
        for byte in code.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                word.append(byte)
                continue
            default: break
            }
            if !word.isEmpty { tokens.append(String(decoding: word, as: UTF8.self)) }
            word = []
            if byte > UInt8(ascii: " ") { tokens.append(String(UnicodeScalar(byte))) }
        }
        return word.isEmpty ? tokens : tokens + [String(decoding: word, as: UTF8.self)]
    }
}
