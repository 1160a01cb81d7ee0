internal import Dispatch
internal import Synchronization

/// Sorts full arenas into a file on another core, one at a time, while the caller fills the next one.
final class EntrySpill: Sendable {
    private struct Work {
        /// Whether an arena is being sorted.
        var isBusy = false
        /// The last arena, empty again.
        var arena: SortArena?
        var runs: [SortedEntries.Run] = []
        /// How many bytes the file has.
        var size = 0
        /// The first error. After it, nothing more is written.
        var problem: RecipientIndexError?
    }

    private let file: SpillFile
    private let queue = DispatchQueue(label: "herald.sort")
    private let work = Mutex(Work())
    /// Counts the arenas that have been sorted.
    private let ended = DispatchSemaphore(value: 0)

    init(in folder: String) throws(RecipientIndexError) { file = try SpillFile(in: folder) }

    /// Takes a full arena, as soon as the one before is in the file.
    ///
    /// - Returns: That one, empty again. `nil` if this is the first.
    func exchange(_ full: SortArena) throws(RecipientIndexError) -> SortArena? {
        let before = try wait().arena
        work.withLock { ($0.isBusy, $0.arena) = (true, nil) }
        queue.async { self.sort(full) }
        return before
    }

    /// The runs in the file, when all arenas are in it.
    func finish() throws(RecipientIndexError) -> [SortedEntries.Run] { try wait().runs }

    private func wait() throws(RecipientIndexError) -> Work {
        while work.withLock({ $0.isBusy }) { ended.wait() }
        let work = work.withLock { $0 }
        if let problem = work.problem { throw problem }
        return work
    }

    private func sort(_ arena: SortArena) {
        let begin = work.withLock { $0.size }
        var (end, problem) = (begin, RecipientIndexError?.none)
        do throws(RecipientIndexError) {
            try arena.drain { (block) throws(RecipientIndexError) in
                try file.write(block, at: end)
                end += block.count
            }
        } catch {
            problem = error
        }
        work.withLock { work in
            if problem == nil { work.runs.append(.file(file, begin..<end)) }
            (work.isBusy, work.arena, work.size, work.problem) = (false, arena, end, problem)
        }
        ended.signal()
    }
}
