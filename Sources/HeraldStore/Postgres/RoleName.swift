/// The name of a role in PostgreSQL, which may hold almost any characters.
package struct RoleName: Hashable, Sendable {
    /// In SQL, between quotation marks.
    let quoted: String

    /// `nil` if no role can have the name. PostgreSQL cuts a longer name off, so that it would be another role, and takes
    /// `public` for everybody, quoted or not.
    package init?(_ name: String) {
        guard (1...63).contains(name.utf8.count), !["public", "none"].contains(name),
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        else { return nil }
        quoted = "\"\(name.replacing("\"", with: "\"\""))\""
    }
}
