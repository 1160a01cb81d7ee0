internal import FCM

/// A part of a snapshot that is being read, and where it is. It trusts nothing: what is shown on a terminal later has
/// only the characters that herald itself would have written.
struct SnapshotPart {
    private let value: JSONValue?
    private let path: String

    init(_ value: JSONValue?, path: String = "") { (self.value, self.path) = (value, path) }

    func problem(_ words: String) -> SnapshotProblem { .damaged("\(path.isEmpty ? "the document" : path) \(words)") }

    private func absent(_ kind: String) -> SnapshotProblem {
        problem(value == nil ? "is missing" : "is not \(kind)")
    }

    /// What it is a part of decides whether it may be missing.
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

    private func items() throws -> [SnapshotPart] {
        guard let items = value?.array else { throw absent("a list") }
        return items.enumerated().map { SnapshotPart($1, path: "\(path)[\($0)]") }
    }

    // MARK: Values

    func bool() throws -> Bool {
        guard case .bool(let value)? = value else { throw absent("true or false") }
        return value
    }

    /// The numbers of recipients end there, so nothing can be counted that is more.
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
        guard let text = value?.string, text.utf8.count <= 1000, text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else {
            throw absent("a line of ASCII text")
        }
        return text
    }

    /// Text that means something.
    func word<Value>(_ read: (String) -> Value?) throws -> Value {
        guard let value = value?.string.flatMap(read) else { throw absent("a value that it can have") }
        return value
    }

    // MARK: Names

    /// The name of a campaign or an audience.
    func name() throws -> String {
        try word { $0.wholeMatch(of: #/[a-z0-9][a-z0-9._\-]{0,62}/#) == nil ? nil : $0 }
    }

    func id() throws -> String {
        try word { $0.wholeMatch(of: #/[A-Za-z0-9\-]{1,64}/#) == nil ? nil : $0 }
    }

    func digest() throws -> String {
        try word { $0.wholeMatch(of: #/sha256:[0-9a-f]{64}/#) == nil ? nil : $0 }
    }

    func occurrence() throws -> OccurrenceID {
        try word { text in
            let pattern =
                #/[a-z0-9][a-z0-9._\-]{0,62}@(once|[0-9\-]{10}T[0-9:]{8}Z)(#[0-9]{1,19})?(~[0-9]{1,19})?/#
            return text.wholeMatch(of: pattern) == nil ? nil : OccurrenceID(rawValue: text)
        }
    }
}
