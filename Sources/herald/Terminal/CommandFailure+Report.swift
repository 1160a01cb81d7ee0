import FCMClient
import HeraldCore

extension CommandFailure {
    /// Why a finished run is not a success; `nil` if it is one. If there are several reasons, the first of these
    /// counts: interrupted, unknown, refused, failed.
    ///
    /// - Parameter signal: The signal that ended the run, if one did.
    init?(_ report: Report, at endpoint: Endpoint, signal: Int32) {
        switch report.result {
        case .interrupted: self.init(.interrupted(signal: signal))
        case .unknown:
            self.init(
                .unknown,
                "some may or may not have got their message; they are held and not sent it again; "
                    + "'herald state resolve' settles it: \(Self.unsettled(report))")
        case .refused: self.init(.refused, "a guard stopped a step; the report says which")
        case .failed where report.isUnreachable, .running where report.isUnreachable:
            let hint = endpoint.isLoopback ? "; is 'herald emulator' running there?" : ""
            let reason = report.steps.lazy.compactMap(\.stopped).first ?? "nothing answers"
            self.init(.failed, "\(endpoint): \(reason)\(hint)")
        case .failed where !report.silenced.isEmpty:
            let names = report.silenced.joined(separator: ", ")
            self.init(
                .failed,
                "a clock was fast, and nothing of \(names) comes due; 'herald state rewind CAMPAIGN' sets it right")
        case .failed, .running: self.init(.failed, "not everything succeeded; the report lists what did not")
        case .ok: return nil
        }
    }

    private static func unsettled(_ report: Report) -> String {
        let occurrences = report.steps.filter { $0.unknown > 0 }.compactMap(\.occurrence)
        return occurrences.prefix(3).joined(separator: ", ") + (occurrences.count > 3 ? ", …" : "")
    }
}
