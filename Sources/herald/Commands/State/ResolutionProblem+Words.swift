import HeraldCore

extension ResolutionProblem {
    /// Why an occurrence cannot be resolved this way, and what to do instead.
    func failure(for occurrence: String, in state: RecordedState) -> CommandFailure {
        if case .noOccurrence = self {
            return CommandFailure(
                .wrong, "the state has no occurrence '\(occurrence)'", for: occurrence,
                among: state.occurrences.keys.map(\.rawValue), help: "'herald state show' lists them")
        }
        return CommandFailure(.wrong, words(for: occurrence), help: help)
    }

    private func words(for occurrence: String) -> String {
        switch self {
        case .noOccurrence: "there is no occurrence '\(occurrence)'"
        case .nobodyUncertain: "\(occurrence) has no recipients with an unknown outcome"
        case .alreadyFinished: "\(occurrence) is over already"
        case .noCampaign(let name, let revision):
            "no file declares campaign '\(name)' with revision \(revision), so nothing more of \(occurrence) can be sent"
        case .nobodyRejected(let code, _): "nobody was refused \(occurrence) with '\(code)'"
        case .allDead(let number):
            "FCM calls the \(count(number, "registration")) dead that \(occurrence) was refused for"
        case .changed:
            "the message, target or time of \(occurrence) changed since, so nothing more of it would be sent"
        case .reachedOtherwise:
            "\(occurrence) began with another kind of target, and who has it would get it again"
        case .disabled: "the campaign is disabled, so nothing of \(occurrence) would be sent"
        case .paused: "the campaign is paused, so nothing of \(occurrence) would be sent"
        case .tooLate(.late(let since)):
            "\(occurrence) is later than max_lateness allows since \(since.rfc3339): nobody would be sent it"
        case .tooLate(.expired(let expiry)):
            "\(occurrence) expired at \(expiry.rfc3339), by its expires_after, so nothing more of it is sent"
        }
    }

    private var help: String {
        switch self {
        case .noOccurrence, .nobodyUncertain, .alreadyFinished:
            "nothing is to be settled; 'herald state show' shows what is"
        case .noCampaign: "bring that back, or end it with --abandon"
        case .nobodyRejected(_, let known):
            known.isEmpty ? "nothing is to be tried again" : "name one of these codes: \(known.joined(separator: ", "))"
        case .allDead:
            "let a run find others in the lists, or use 'herald state revive' if they live; then try again"
        case .changed: "change the file back, or use --accept or --abandon"
        case .reachedOtherwise: "change the file back, or end it with --abandon"
        case .disabled: "set 'enabled: true' first"
        case .paused(let campaign):
            "'\((["herald resume"] + (campaign.map { [$0] } ?? [])).joined(separator: " "))' first"
        case .tooLate(.late): "set a longer max_lateness in the campaign's file, or use --abandon"
        case .tooLate(.expired): "use --accept or --abandon to settle unknown outcomes"
        }
    }
}
