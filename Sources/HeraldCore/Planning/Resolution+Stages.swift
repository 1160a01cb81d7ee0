/// What a decision to go on means for an occurrence that opens in stages.
extension RecordedState {
    /// Whether it accepts what came of the open stage.
    func opensNextStage(of occurrence: RecordedOccurrence, _ campaign: Campaign) -> Bool {
        if occurrence.halt == .stage { return true }
        let stages = campaign.delivery.stages
        // Whoever corrects a message wants the open stage to be judged and to soak all the same. Where a person opens
        // the next one, this is the word for it.
        if occurrence.halt != nil || occurrence.isChanged(in: campaign) {
            return occurrence.stages.last?.isOver == true && stages?.soak == .manual
        }
        // The same decision once more cuts no soak short.
        return stages.map { $0.soak == .manual || isToBeHalted(occurrence, by: $0.limits) } ?? true
    }

    /// Whether the next run halts the open stage, so that plans offer to go on already.
    private func isToBeHalted(_ occurrence: RecordedOccurrence, by limits: StageLimits) -> Bool {
        guard let last = occurrence.stages.last, let ledger = occurrence.ledger else { return false }
        let figures = StageFigures(ledger, dead: dead) - last.before
        let known = figures.unknown - ledger[.intended].count
        return limits.exceeded(by: figures - last.excused(unknown: known)) != nil
    }
}
