/// A path pattern: `*` and `?` within one part of a path, `**` for any number of parts.
struct Glob {
    private let parts: [[Character]]

    init(_ pattern: String) {
        parts = pattern.split(separator: "/").map { Array($0) }
    }

    func matches(_ path: String) -> Bool {
        Self.match(parts[...], path.split(separator: "/").map { Array($0) }[...])
    }

    private static func match(_ pattern: ArraySlice<[Character]>, _ path: ArraySlice<[Character]>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        if first == ["*", "*"] {
            return (path.startIndex...path.endIndex).contains { match(pattern.dropFirst(), path[$0...]) }
        }
        guard let part = path.first, matchPart(first[...], part[...]) else { return false }
        return match(pattern.dropFirst(), path.dropFirst())
    }

    /// Two fingers: on a mismatch behind a `*`, the star swallows one more character. Never worse than a product.
    private static func matchPart(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
        var (p, t) = (pattern.startIndex, text.startIndex)
        var star: (p: Int, t: Int)?
        while t < text.endIndex {
            if p < pattern.endIndex, pattern[p] == "*" {
                star = (p, t)
                p += 1
            } else if p < pattern.endIndex, pattern[p] == "?" || pattern[p] == text[t] {
                p += 1
                t += 1
            } else if let last = star {
                star = (last.p, last.t + 1)
                (p, t) = (last.p + 1, last.t + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == "*" }
    }
}
