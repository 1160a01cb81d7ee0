import FCM
import FCMClient
import Foundation
import HeraldCore
import HeraldStore
import Synchronization

/// Lists from servers.
extension ListFetch {
    enum Downloaded {
        /// The last list is still what the server has. It counts as fetched now.
        case unchanged(FetchedList)
        case whole(FetchedList.Version?)
    }

    func download(
        _ source: Audience.WebSource, _ wanted: Wanted, into draft: ListDraft
    ) async throws(FetchProblem) -> Downloaded {
        let origin = wanted.origin
        let source = try sources.expanded(source)
        let last = known(of: wanted, source, draft)
        let request = try sources.download(source, origin)
        let (file, signals) = (draft.file, signals)
        let size = Mutex(0)
        let asked = last?.version.map { Download.Version(tag: $0.tag, modified: $0.modified) }
        let found = await Self.unlessStopped(signals) { () async throws(Download.Problem) in
            try await request.get(since: asked, within: origin.timeout) { bytes in
                let total = size.withLock { size in
                    size += bytes.count
                    return size
                }
                return total <= ListWriter.limit && writeAll(bytes, to: file)
            }
        }
        let answer: Download.Answer
        switch found {
        case nil: throw .stopped
        case .success(let whole): answer = whole
        case .failure(.timeout): throw .timeout(origin.timeout)
        case .failure(.refused): throw size.withLock { $0 } > ListWriter.limit ? .tooLarge : .unwritable
        case .failure(let problem): throw .download(problem)
        }
        switch answer {
        case .unchanged:
            guard var last else { throw .download(.status(304)) }
            (last.fetched, last.seconds) = (draft.begin, machine.now().timeIntervalSince(draft.begin))
            try ListDraft.write(last, beside: draft.path)
            return .unchanged(last)
        case .whole(let version):
            if draft.isPacked { try draft.unpack() }
            return .whole(
                FetchedList.Version(
                    tag: version.tag, modified: version.modified, of: source, salt: UUID().uuidString.lowercased()))
        }
    }

    /// `nil` after a signal.
    private static func unlessStopped<Value: Sendable, Problem>(
        _ signals: Signals, _ body: @escaping @Sendable () async throws(Problem) -> Value
    ) async -> Result<Value, Problem>? {
        await withTaskGroup(of: Result<Value, Problem>?.self) { group in
            group.addTask { await Result.of(body) }
            group.addTask {
                while signals.first == 0, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(100)) }
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    /// The last list, if it is whole, can still be used, and is what the server answered to the same question.
    ///
    /// - Parameter source: with the values of its variables.
    private func known(of wanted: Wanted, _ source: Audience.WebSource, _ draft: ListDraft) -> FetchedList? {
        guard !isForced, var last = FetchedList(beside: draft.path), last.origin == wanted.origin.digest,
            last.version?.isOf(source) ?? false,
            case .success(let content) = FetchedList.check(
                draft.path, for: wanted.audience, among: workspace.audiences),
            content.digest == last.digest
        else { return nil }
        last.columns = content.columns
        return last
    }
}
