/// Whom the target has that a campaign's file says now, of those whom a decision has tried again.
extension RecordedState {
    /// Whether only lists tell that: a person let it go on with another target, and no run has sent anything to that.
    ///
    /// - Parameter campaign: the campaign as the files have it now.
    package func targetMatters(to id: OccurrenceID, _ resolution: Resolution, _ campaign: Campaign?) -> Bool {
        guard let campaign, let occurrence = occurrences[id], occurrence.finished == nil, occurrence.classes.isEmpty,
            !campaign.target.value.isOneRequest(campaign.delivery), !occurrence.isChanged(in: campaign)
        else { return false }
        return occurrence.ledger?.members(triedAgainBy: resolution).isEmpty == false
    }

    /// Those of the members whom the target does not have, as far as that is known. Who takes part stays in it: whoever
    /// left the list may come back.
    ///
    /// - Parameter wanted: what lists say (`targetMatters`).
    package func outsiders(
        among members: RecipientSet, of id: OccurrenceID, _ campaign: Campaign?, _ wanted: DesiredSend?
    ) -> RecipientSet {
        guard let campaign, let occurrence = occurrences[id], !occurrence.isChanged(in: campaign) else { return [] }
        if campaign.target.value.isOneRequest(campaign.delivery) { return members.subtracting(.target) }
        guard let wanted, wanted.isKnown, wanted.undecidedByOthers.isEmpty else { return members.intersection(.target) }
        return members.subtracting(wanted.members)
    }
}
