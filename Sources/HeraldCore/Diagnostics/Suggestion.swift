/// The candidate that is nearest to the typed text. `nil` if even that one needs more than one edit for three
/// characters.
package func suggestion(for typed: String, among candidates: some Sequence<String>) -> String? {
    let limit = max(1, typed.count / 3)
    // The cost of an edit distance is the product of both lengths. Names this long are not typing mistakes.
    guard typed.count <= 64 else { return nil }
    let length = typed.unicodeScalars.count
    return candidates.lazy
        .filter { abs($0.unicodeScalars.count - length) <= limit }
        .map { (distance: editDistance(typed, $0), name: $0) }
        .filter { $0.distance <= limit }
        .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?
        .name
}

/// Suggests names for unknown ones. A suggestion is slow to find, so their number is limited to what a person can have
/// written.
struct Advice {
    static let limit = 100
    static let maximumCandidates = 2000
    private var given = 0

    mutating func nearest(to typed: String, among candidates: @autoclosure () -> some Collection<String>) -> String? {
        guard given < Self.limit else { return nil }
        given += 1
        let candidates = candidates()
        return candidates.count <= Self.maximumCandidates ? suggestion(for: typed, among: candidates) : nil
    }
}

/// Levenshtein's distance. Swapping two neighbours counts as one edit.
private func editDistance(_ one: String, _ other: String) -> Int {
    let (a, b) = (Array(one.lowercased().unicodeScalars), Array(other.lowercased().unicodeScalars))
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforeLast = Array(repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
        var row = [i] + Array(repeating: 0, count: b.count)
        for j in 1...b.count {
            let substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
            row[j] = min(last[j] + 1, row[j - 1] + 1, substitution)
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                row[j] = min(row[j], beforeLast[j - 2] + 1)
            }
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
