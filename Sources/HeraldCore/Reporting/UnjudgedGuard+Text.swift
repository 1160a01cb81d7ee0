extension [UnjudgedGuard] {
    private static var shownNames: Int { 5 }

    /// Guards with the same reason share a line.
    var lines: [String] {
        var lines: [(guards: String, reason: String)] = []
        for entry in self {
            let rest = entry.names.count - Self.shownNames
            let shown =
                entry.names.prefix(Self.shownNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
            let subject = entry.kind.rawValue + (entry.names.isEmpty ? "" : " (\(shown))")
            if let last = lines.indices.last, lines[last].reason == entry.reason {
                lines[last].guards += ", \(subject)"
            } else {
                lines.append((subject, entry.reason))
            }
        }
        return lines.map { "\($0.guards): \($0.reason)" }
    }
}
