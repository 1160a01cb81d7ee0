extension Plan {
    /// What a clock that was fast left of a campaign.
    package struct Silenced: Hashable, Sendable {
        package var campaign: String
        package var until: Date
        package var kind = Kind.mark

        package enum Kind: Hashable, Sendable {
            /// Nothing comes due before.
            case mark
            /// What is due then, or at no time, is over with nobody tried.
            case ended
            /// Some are left out of what is due then, or at no time, and nobody was tried.
            case leftOut
            /// Messages count for caps as sent then.
            case starts
        }

        var finding: String {
            switch kind {
            case .mark: "nothing of campaign '\(campaign)' comes due before \(until.rfc3339)"
            case .ended: "campaign '\(campaign)' counts as over, but was sent to nobody"
            case .leftOut: "campaign '\(campaign)' was sent to nobody yet, and some of its recipients count as left out"
            case .starts: "what was sent of campaign '\(campaign)' counts for caps as sent at \(until.rfc3339)"
            }
        }

        package var sentence: String {
            "a clock was fast: \(finding); 'herald state rewind \(campaign)' sets it right"
        }
    }
}
