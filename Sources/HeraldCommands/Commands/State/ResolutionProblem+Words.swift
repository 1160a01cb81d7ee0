import HeraldCore

extension ResolutionProblem {
    /// Why an occurrence cannot be resolved this way, and what to do instead.
    func failure(for occurrence: String, in state: RecordedState) -> CommandFailure {
        switch self {
        case .noOccurrence:
            CommandFailure(
                .wrong, "the state has no occurrence '\(occurrence)'", for: occurrence,
                among: state.occurrences.keys.map(\.rawValue), help: "'herald state show' lists them")
        case .nobodyUncertain:
            .wrong("\(occurrence) has no recipients with an unknown outcome", Self.nothingToResolve)
        case .alreadyFinished: .wrong("\(occurrence) is over already", Self.nothingToResolve)
        case .noCampaign(let name, let revision):
            .wrong(
                "no file declares campaign '\(name)' with revision \(revision), so herald cannot send more of \(occurrence)",
                "restore the campaign's file, or end the occurrence with --abandon")
        case .nobodyRejected(let code, let known):
            .wrong(
                "nobody was refused \(occurrence) with '\(code)'",
                known.isEmpty
                    ? "there is nobody to try again" : "name one of these codes: \(known.joined(separator: ", "))")
        case .nobodyReachable(let number):
            .wrong(
                "\(occurrence) cannot be sent again to the \(count(number, "recipient")): their registrations are dead or erased, or they are not in its target any more",
                "let a run find others in the lists, or use 'herald state revive' if they live; then try again. "
                    + "--accept and --abandon settle unknown outcomes")
        case .changed:
            .wrong(
                "the message, target or time of \(occurrence) changed since, so nothing more of it would be sent",
                "change the file back, or use --accept or --abandon")
        case .reachedOtherwise:
            .wrong(
                "\(occurrence) began with another kind of target, and who has it would get it again",
                "change the file back, or end it with --abandon")
        case .noMorePersonal:
            .wrong(
                "\(occurrence) began with personal messages, and the campaign now sends everybody the same",
                "bring 'personal' back in the file, or end the occurrence with --abandon")
        case .sentBefore(let earlier):
            .wrong(
                "another campaign began \(occurrence), and this one was sent already as \(earlier): some would get it again",
                "end \(occurrence) with --abandon")
        case .timeTaken(let other):
            .wrong(
                "\(other) has the same time, so some would get the message of \(occurrence) twice",
                "end \(occurrence) with --abandon")
        case .disabled:
            .wrong("the campaign is disabled, so nothing of \(occurrence) would be sent", "set 'enabled: true' first")
        case .halted:
            .wrong(
                "\(occurrence) waits for a person, so nothing of it would be sent",
                "let it go on with 'herald state resolve \(occurrence) --continue' first; 'herald plan' says why it waits"
            )
        case .paused(let campaign):
            .wrong(
                "the campaign is paused, so nothing of \(occurrence) would be sent",
                "'\((["herald resume"] + (campaign.map { [$0] } ?? [])).joined(separator: " "))' first")
        case .tooLate(.late(let since)):
            .wrong(
                "\(occurrence) is later than max_lateness allows since \(since.rfc3339): nobody would be sent it",
                "set a longer max_lateness in the campaign's file, or use --abandon")
        case .tooLate(.expired(let expiry)):
            .wrong(
                "\(occurrence) expired at \(expiry.rfc3339), by its expires_after, so nothing more of it is sent",
                "end it with --abandon; --accept says that whoever may have got it did")
        }
    }

    private static let nothingToResolve = "there is nothing to resolve; 'herald state show' lists what there is"
}

extension CommandFailure {
    fileprivate static func wrong(_ message: String, _ help: String) -> CommandFailure {
        CommandFailure(.wrong, message, help: help)
    }
}
