import FCM
import Foundation
import HeraldCore
import Synchronization

/// What a run writes to disk as it goes: the report, failures beyond those the report shows, and receipts.
struct RunFiles: Sendable {
    let reportPath: String
    private let failures: LineFile
    private let receipts: LineFile?
    private let shown: FailureCount

    /// How many failures each step had so far.
    private final class FailureCount: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func next(_ step: String) -> Int {
            counts.withLock { counts in
                let number = counts[step, default: 0] + 1
                counts[step] = number
                return number
            }
        }
    }

    init(report reportPath: String, receipts: String?, _ console: Console) throws {
        self.reportPath = reportPath
        let base = reportPath.hasSuffix(".json") ? String(reportPath.dropLast(5)) : reportPath
        failures = LineFile(path: "\(base).failures.ndjson", of: "failures", console)
        // A file with this name is from an earlier run that had the same name.
        unlink("\(base).failures.ndjson")
        self.receipts = receipts.map { LineFile(path: $0, of: "receipts", console) }
        try self.receipts?.open()
        shown = FailureCount()
    }

    func save(_ report: Report) throws {
        try PrivateFile.write(ReportDocument(report).json.prettyText, to: reportPath)
    }

    func note(_ step: String, _ failure: Report.Failure) {
        guard shown.next(step) > StepReport.shownFailures, var members = failure.json.object else { return }
        members["step"] = .string(step)
        failures.append(JSONValue.object(members).compactText)
    }

    /// Called for every message that was accepted, if receipts were asked for.
    var receiver: (@Sendable (Receipt) -> Void)? {
        guard let receipts else { return nil }
        return { receive($0, receipts) }
    }

    private func receive(_ receipt: Receipt, _ receipts: LineFile) {
        var members: [String: JSONValue] = [
            "step": .string(receipt.step), "registration": receipt.registration.map { .string($0) } ?? .null,
            "message_id": .string(receipt.messageID),
        ]
        if let text = receipt.text {
            members["locale"] = .string(text.locale)
            members["variant"] = text.variant.map { .string($0) } ?? .null
        }
        receipts.append(JSONValue.object(members).compactText)
    }
}
