import HeraldCore

extension ResolutionProblem {
    /// Why an occurrence cannot be resolved this way.
    func words(for occurrence: String, in state: RecordedState) -> String {
        switch self {
        case .noOccurrence:
            let near = suggestion(for: occurrence, among: state.occurrences.keys.map(\.rawValue))
            return "the state has no occurrence '\(occurrence)'\(near.map { "; did you mean '\($0)'?" } ?? "")"
        case .nobodyUncertain: return "of \(occurrence) there is nobody of whom it is unknown whether they got it"
        case .alreadyFinished: return "\(occurrence) is over already"
        case .noCampaign(let name, let revision):
            return "no file declares campaign '\(name)' with revision \(revision); it can only be abandoned"
        case .nobodyRejected(let code, let known):
            let others = known.isEmpty ? "nobody was" : "there are: \(known.joined(separator: ", "))"
            return "nobody was refused \(occurrence) with '\(code)'; \(others)"
        case .tooLate(let since):
            return "\(occurrence) is later than max_lateness allows since \(since.rfc3339): nobody would be sent it; "
                + "a longer max_lateness in the campaign's file would allow it"
        }
    }
}
