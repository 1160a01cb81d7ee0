internal import FCM

/// A part of a snapshot that is being read, and where it is. It trusts nothing: a text that may be shown on a terminal
/// must have only characters that herald itself writes there.
struct SnapshotPart {
    let value: JSONValue?
    private let path: String

    init(_ value: JSONValue?, path: String = "") { (self.value, self.path) = (value, path) }

    func problem(_ words: String) -> SnapshotProblem { .damaged("\(path.isEmpty ? "the document" : path) \(words)") }

    private func absent(_ kind: String) -> SnapshotProblem {
        problem(value == nil ? "is missing" : "is not \(kind)")
    }

    /// The code that reads it decides whether it may be missing.
    subscript(_ key: String) -> SnapshotPart { SnapshotPart(value?[key], path: path.isEmpty ? key : "\(path).\(key)") }

    /// `nil` if it is not there.
    func optional(_ key: String) -> SnapshotPart? { value?[key] == nil ? nil : self[key] }

    func unlessNull<Value>(
        _ read: (SnapshotPart) throws -> Value
    ) throws -> Value? {
        value == .null ? nil : try read(self)
    }

    // MARK: Lists

    /// Reads objects that each have a name of their own under `key`.
    func list<Name: Hashable, Value>(
        _ key: String, _ name: (SnapshotPart) throws -> Name,
        _ read: (SnapshotPart) throws -> Value
    ) throws -> [Name: Value] {
        var found: [Name: Value] = [:]
        for item in try items() {
            guard item.value?.object != nil else { throw item.absent("an object") }
            guard found.updateValue(try read(item), forKey: try name(item[key])) == nil else {
                throw item[key].problem("stands twice in the list")
            }
        }
        return found
    }

    func names() throws -> Set<String> {
        var names: Set<String> = []
        for item in try items() {
            guard names.insert(try item.name()).inserted else { throw item.problem("stands twice in the list") }
        }
        return names
    }

    func items() throws -> [SnapshotPart] {
        guard let items = value?.array else { throw absent("a list") }
        return items.enumerated().map { SnapshotPart($1, path: "\(path)[\($0)]") }
    }

    // MARK: Values

    func bool() throws -> Bool {
        guard case .bool(let value)? = value else { throw absent("true or false") }
        return value
    }

    /// The numbers of recipients end there, so no count can be larger.
    private static let mostRecipients = Int(KnownRecipient.firstFormer) - 1

    func count() throws -> Int {
        guard let number = value?.int, (0...Int64(Self.mostRecipients)).contains(number) else {
            throw absent("a whole number from 0 to \(Self.mostRecipients)")
        }
        return Int(number)
    }

    func check(_ sum: Int) throws {
        guard sum <= Self.mostRecipients else { throw problem("counts more than \(Self.mostRecipients)") }
    }

    /// Any number that a state may have and that counts no recipients.
    func number() throws -> Int64 {
        guard let number = value?.int, (0..<1 << 62).contains(number) else { throw absent("a whole number from 0") }
        return number
    }

    func date() throws -> Date {
        guard let date = value?.string.flatMap({ Date(rfc3339: $0) }) else { throw absent("an RFC 3339 time") }
        return date
    }

    func text() throws -> String {
        guard let text = value?.string, Self.isLine(text) else { throw absent("a line of ASCII text") }
        return text
    }

    /// One line or two, as a watermark has them (`Watermark.lines`).
    func lines() throws -> String {
        guard let text = value?.string, text.split(separator: "\n", maxSplits: 1).allSatisfy(Self.isLine) else {
            throw absent("a line of ASCII text, or two")
        }
        return text
    }

    private static func isLine(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= 1000 && text.utf8.allSatisfy { 0x20..<0x7F ~= $0 }
    }

    /// Text that means something.
    func word<Value>(_ read: (String) -> Value?) throws -> Value {
        guard let value = value?.string.flatMap(read) else { throw absent("a value that it can have") }
        return value
    }

    // MARK: Names

    /// The name of a campaign or an audience.
    func name() throws -> String { try word { $0.utf8.isName ? $0 : nil } }

    func id() throws -> String {
        try word { text in
            let isTaken = text.utf8.consists(upTo: 64) {
                $0.isLowercaseLetter || $0.isUppercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-")
            }
            return isTaken ? text : nil
        }
    }

    func digest() throws -> String {
        let prefix = "sha256:"
        return try word { text in
            let digits = text.utf8.dropFirst(prefix.utf8.count)
            let isHexadecimal = digits.allSatisfy { $0.isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
            return text.hasPrefix(prefix) && digits.count == 64 && isHexadecimal ? text : nil
        }
    }

    /// What an approval is of, as `campaign:welcome`.
    func resource() throws -> String { try word { Self.isLine($0) ? Definition.Key($0)?.text : nil } }

    func occurrence() throws -> OccurrenceID { try word { OccurrenceID(read: $0) } }
}

// A regular expression would be parsed anew at each call, and a snapshot may have ten thousand names.

extension OccurrenceID {
    /// `nil` if herald never wrote such an id.
    fileprivate init?(read text: String) {
        guard let at = text.utf8.firstIndex(of: UInt8(ascii: "@")), text.utf8[..<at].isName else { return nil }
        var rest = text.utf8[at...].dropFirst()
        guard rest.drop("once") || rest.dropTime(), rest.dropNumber(after: "#"), rest.dropNumber(after: "~"),
            rest.isEmpty
        else { return nil }
        self.init(rawValue: text)
    }
}

extension Collection<UInt8> {
    fileprivate func consists(upTo limit: Int, of isAllowed: (UInt8) -> Bool) -> Bool {
        1...limit ~= count && allSatisfy(isAllowed)
    }

    fileprivate var isName: Bool {
        let isLetterOrDigit = { (byte: UInt8) in byte.isLowercaseLetter || byte.isDigit }
        return first.map(isLetterOrDigit) ?? false
            && consists(upTo: 63) { isLetterOrDigit($0) || "._-".utf8.contains($0) }
    }
}

extension Substring.UTF8View {
    /// `false` if it does not begin with the word.
    fileprivate mutating func drop(_ word: String) -> Bool {
        guard starts(with: word.utf8) else { return false }
        self = dropFirst(word.utf8.count)
        return true
    }

    /// As in `2026-12-01T08:00:00Z`, or in local time `2026-12-01T08:00` and `2026-12-01T08:00:30`.
    fileprivate mutating func dropTime() -> Bool {
        guard drop(digitsOf: "0000-00-00T00:00") else { return false }
        if drop(digitsOf: ":00") { _ = drop("Z") }
        return true
    }

    /// Digits where the form has zeros, and the same elsewhere.
    private mutating func drop(digitsOf form: String) -> Bool {
        let (text, form) = (prefix(form.utf8.count), form.utf8)
        let fits = zip(text, form).allSatisfy { $1 == UInt8(ascii: "0") ? $0.isDigit : $0 == $1 }
        guard text.count == form.count, fits else { return false }
        self = dropFirst(form.count)
        return true
    }

    /// What may be there: the sign and up to 19 digits. `false` if other text follows the sign.
    fileprivate mutating func dropNumber(after sign: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: sign) else { return true }
        let digits = dropFirst().prefix(while: \.isDigit)
        self = dropFirst(1 + digits.count)
        return 1...19 ~= digits.count
    }
}
