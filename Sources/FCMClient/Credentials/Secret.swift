/// A part of a credential that no output may contain. Printing it shows its length only.
struct Secret: RawRepresentable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue }
    init(_ text: String) { rawValue = text }

    var description: String { "secret (\(rawValue.utf8.count) bytes)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
