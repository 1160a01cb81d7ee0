/// What of a run did not succeed, for those who do not see its report.
extension Report {
    /// A sentence for each: `tide@once: 2 rejected, SENDER_ID_MISMATCH`.
    package var failings: [String] {
        steps.filter { $0.hasFailed(withRest: true) }.map(\.failing) + missedOccurrences.map(\.words)
    }

    /// The code that stands for most of it. `nil` if no request failed, or if there is nothing to read about it.
    package var mainCode: String? {
        let failed = steps.filter { $0.hasFailed(withRest: true) }.sorted { $0.refused > $1.refused }
        return failed.compactMap(\.mainCode).first { CodeExplanation.names.contains($0) }
    }
}

extension StepReport {
    fileprivate var failing: String {
        let rest = isStanding ? [] : [(held, "held"), (pending, "pending")]
        let figures = ([(refused, "rejected")] + rest).filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
        let reason = stopped?.words ?? mainCode
        return "\(occurrence ?? id.rawValue): \((figures + [reason].compactMap(\.self)).joined(separator: ", "))"
    }

    /// The code that stopped it, or that most of its failures have. The dead are no failure, but those are that herald
    /// does not believe dead, except where they were to leave.
    fileprivate var mainCode: String? {
        switch stopped {
        case .answered(let code, _)?, .refused(_, let code)?: return code
        default: break
        }
        let kinds = failureKinds.filter {
            $0.action != .forgotten && ($0.action != .kept || action != .unsubscribe)
        }
        return kinds.max { $0.count < $1.count }?.code
    }
}
