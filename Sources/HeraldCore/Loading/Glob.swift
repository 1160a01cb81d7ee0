/// A path pattern: `*` and `?` match within one part of a path, `**` matches any number of parts.
struct Glob {
    private let parts: [[Character]]

    init(_ pattern: String) {
        parts = pattern.split(separator: "/").filter { $0 != "." }.map { Array($0) }
    }

    func matches(_ path: String) -> Bool {
        Self.match(parts, path.split(separator: "/").map { Array($0) }, isStar: { $0 == ["*", "*"] }) { part, name in
            Self.match(part, name, isStar: { $0 == "*" }) { $0 == "?" || $0 == $1 }
        }
    }

    /// On a mismatch after a star, the star takes one more element and matching goes on from there. The time is at most
    /// the product of both lengths.
    private static func match<Piece, Text>(
        _ pattern: [Piece], _ text: [Text], isStar: (Piece) -> Bool, covers: (Piece, Text) -> Bool
    ) -> Bool {
        var (p, t) = (0, 0)
        var star: (p: Int, t: Int)?
        while t < text.count {
            if p < pattern.count, isStar(pattern[p]) {
                star = (p, t)
                p += 1
            } else if p < pattern.count, covers(pattern[p], text[t]) {
                p += 1
                t += 1
            } else if let last = star {
                star = (last.p, last.t + 1)
                (p, t) = (last.p + 1, last.t + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy(isStar)
    }
}
