package import FCM

/// Why a step ended before everybody was tried.
package enum StopReason: Hashable, Sendable {
    /// Somebody asked the run to stop, or the conductor of a shared send ends it.
    case interrupted
    case tooLate(Lateness)
    /// A guard blocks it, or nobody approved it.
    case guarded(String)
    /// A guard that judges what FCM answers stopped it. An override names it so.
    case forbidden(Guard, name: String, finding: String)
    /// It would have to wait for other steps, or for longer than it may.
    case waiting(String)
    /// Google has ended the service that it needs.
    case ended(String)
    /// FCM's answer holds for every recipient.
    case answered(code: String, message: String)
    /// FCM asks for a longer pause than a run waits.
    case paused(Duration)
    /// FCM refused that many messages of a personal campaign in a row.
    case refused(Int, code: String)
    /// More than `limit` percent were rejected.
    case rejected(Int, of: Int, limit: Int)
    /// The figures of a stage are over a limit.
    case stage(StageShare, StageExcess)
    /// The state has no key of the group that it sends to.
    case noKey(GroupName)
    /// FCM does not have the group that it sends to any more.
    case noGroup(GroupName)
    case unwritableMessage
    /// A process that helps cannot read what its recipients' messages need.
    case noRows
    /// Something ended the whole run.
    case fatal(String)
    /// A saved report has only the words.
    case saved(String)

    /// Whether herald may have stopped the send itself, so that it waits for a person.
    package var isHalt: Bool {
        switch self {
        case .rejected, .refused, .stage, .guarded, .forbidden: true
        default: false
        }
    }

    /// As a report shows it.
    package var words: String {
        switch self {
        case .interrupted: "the run was stopped"
        case .tooLate(let lateness): "\(lateness.setting) has passed"
        case .guarded(let reason), .waiting(let reason), .ended(let reason), .fatal(let reason), .saved(let reason):
            reason
        case .forbidden(let kind, let name, let finding):
            "guard \(kind.rawValue): \(finding) (--override \(kind.rawValue)=\(name))"
        case .answered(let code, let message): "\(code): \(message)"
        case .paused(let length): "FCM asks to be left alone for \(length.components.seconds) s"
        case .refused(let count, let code): "FCM refused the messages of \(count) recipients in a row (\(code))"
        case .rejected(let count, let all, let limit):
            "\(count.grouped) of \(all.grouped) were rejected, more than \(limit) %"
        case .stage(let share, let excess): "stage \(share.words) was halted: \(excess.words)"
        case .noKey(let group): "herald has not made group '\(group)' at FCM, so there is no key to send to"
        case .noGroup(let group): "FCM does not have group '\(group)' any more; the next run makes it again, and sends"
        case .unwritableMessage: "the message cannot be written as JSON"
        case .noRows:
            "the state does not have the rows of the recipients any more, or they cannot be read; the run sends to them"
        }
    }
}
