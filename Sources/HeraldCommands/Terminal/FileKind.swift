import Foundation

/// A kind of file that herald writes where a person says. Whatever else is there stays: a mistyped path could name the
/// state or a list.
enum FileKind {
    case plan, report, snapshot, metrics, feedback
    /// Events or receipts, to which more are added.
    case lines

    /// Throws if a file is there that is neither of this kind nor empty.
    func requireReplaceable(_ path: String) throws(CommandFailure) {
        let place = FilePlace(path)
        guard place.isFile, place.size != 0 else { return }
        if let bytes = try? Data(contentsOf: URL(filePath: place.path), options: .mappedIfSafe), isOne(bytes) { return }
        throw CommandFailure(
            .wrong, "\(path) is no \(words) and stays as it is", help: "name another file, or remove it first")
    }

    private func isOne(_ bytes: Data) -> Bool {
        signs.starts.contains { bytes.starts(with: $0.utf8) } && bytes.range(of: Data(signs.mark.utf8)) != nil
    }

    private var words: String {
        switch self {
        case .plan: "plan"
        case .report: "report"
        case .snapshot: "snapshot"
        case .metrics: "file of metrics"
        case .feedback: "file of 'herald feedback'"
        case .lines: "file of JSON lines"
        }
    }

    /// How such a file may begin, and what is somewhere in it.
    private var signs: (starts: [String], mark: String) {
        switch self {
        case .plan: (["{"], "\"herald.plan/")
        case .report: (["{"], "\"herald.report/")
        case .snapshot: (["{"], "\"herald.snapshot/")
        case .metrics: (["#"], "herald_")
        case .feedback: (["{\"died\":", "{\"campaign\":"], "\"registration\":")
        case .lines: (["{\""], ":")
        }
    }
}
