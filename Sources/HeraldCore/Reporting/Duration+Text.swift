extension Duration {
    /// For people, in the two largest units it has: `40 s`, `1 min 40 s`, `2 h 5 min`. Rounded up to seconds.
    package var roughText: String {
        var rest = Int(seconds.rounded(.up))
        var parts: [String] = []
        for (unit, size) in [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)] {
            let count = rest / size
            rest %= size
            if count > 0 { parts.append("\(count) \(unit)") } else if !parts.isEmpty { break }
            if parts.count == 2 { break }
        }
        return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
    }

    /// As `roughText`, with a decimal below ten seconds: `1.2 s`.
    var briefText: String {
        let tenths = Int((seconds * 10).rounded())
        return (0..<100).contains(tenths) ? "\(tenths / 10).\(tenths % 10) s" : roughText
    }
}
