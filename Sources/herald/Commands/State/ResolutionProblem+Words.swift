import HeraldCore

extension ResolutionProblem {
    /// Why an occurrence cannot be resolved this way.
    func words(for occurrence: String, in state: RecordedState) -> String {
        switch self {
        case .noOccurrence:
            let near = suggestion(for: occurrence, among: state.occurrences.keys.map(\.rawValue))
            return "the state has no occurrence '\(occurrence)'\(near.map { "; did you mean '\($0)'?" } ?? "")"
        case .nobodyUncertain: return "\(occurrence) has no recipients with an unknown outcome"
        case .alreadyFinished: return "\(occurrence) is over already"
        case .noCampaign(let name, let revision):
            return
                "no file declares campaign '\(name)' with revision \(revision), so nothing more of \(occurrence) can be sent; "
                + "bring that back, or end it with --abandon"
        case .nobodyRejected(let code, let known):
            let others = known.isEmpty ? "nobody was" : "there are: \(known.joined(separator: ", "))"
            return "nobody was refused \(occurrence) with '\(code)'; \(others)"
        case .allDead(let number):
            return "FCM calls the \(count(number, "registration")) dead that \(occurrence) was refused for; "
                + "let a run find another in the lists, or believe they live ('herald state revive'), and try again"
        case .changed:
            return "the message, target or time of \(occurrence) changed since, so nothing more of it would be sent; "
                + "change the file back, or use --accept or --abandon"
        case .reachedOtherwise:
            return "\(occurrence) began with another kind of target, and who has it would get it again; "
                + "change the file back, or end it with --abandon"
        case .disabled:
            return "the campaign is disabled, so nothing of \(occurrence) would be sent; set 'enabled: true' first"
        case .paused(let campaign):
            let resume = (["herald resume"] + (campaign.map { [$0] } ?? [])).joined(separator: " ")
            return "the campaign is paused, so nothing of \(occurrence) would be sent; '\(resume)' first"
        case .tooLate(.late(let since)):
            return "\(occurrence) is later than max_lateness allows since \(since.rfc3339): nobody would be sent it; "
                + "a longer max_lateness in the campaign's file would allow it"
        case .tooLate(.expired(let expiry)):
            return "\(occurrence) expired at \(expiry.rfc3339), by its expires_after, so nothing more of it is sent; "
                + "--accept or --abandon settles unknown outcomes"
        }
    }
}
