/// What to do with local times that a clock change skips or repeats.
package struct DST: Hashable, Sendable {
    package enum Gap: String, Hashable, Sendable, CaseIterable {
        /// Fire at the first instant after the gap.
        case next
        case skip
    }

    package enum Overlap: String, Hashable, Sendable, CaseIterable {
        case first, second, both
    }

    package var gap: Gap
    package var overlap: Overlap

    package init(gap: Gap = .next, overlap: Overlap = .first) {
        self.gap = gap
        self.overlap = overlap
    }
}
