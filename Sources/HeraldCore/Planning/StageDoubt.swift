/// What a snapshot leaves open of an occurrence's stages: it says neither whom it is for, nor who has an outcome, nor
/// who is dead. A forecast shows at least what the plan from the state does.
struct StageDoubt {
    /// How many of those who are listed may be dead.
    private let mayBeDead: Int
    /// How many are not tried again, listed or not.
    private let spent: Int
    /// How many are tried again, listed or not.
    private let repeated: Int
    /// Whether the state knows the occurrence. Then whoever was listed after their wave, or whose clock had passed it when
    /// it was first seen, is no part of it.
    private let isRecorded: Bool

    init(mayBeDead: Int, _ send: Plan.Send, _ ledger: Ledger, isRecorded: Bool) {
        let resent = send.delivery.onUnknown == .resend ? ledger.uncertain.count : 0
        (self.mayBeDead, self.isRecorded) = (mayBeDead, isRecorded)
        spent = ledger.settled.count - resent
        repeated = ledger.entries.union(of: [.deferred, .again]).count + resent
    }

    /// Any of those whose stage comes later may be tried again.
    func moveAny(of drawn: inout Partition<StageShare>, later first: StageShare, to share: StageShare) {
        let later = drawn.union(of: drawn.states.filter { $0 > first })
        drawn.move(RecipientSet(later.prefix(repeated)), to: share)
    }

    /// What came of a stage. How many of the rejected are dead is known as of the snapshot, or of when it was halted.
    static func figures(_ figures: StageFigures, of last: RecordedStage) -> StageFigures {
        var before = last.before
        (before.rejected, before.dead) = (before.rejected + before.dead, 0)
        var counted = figures - before
        let dead = min(last.figures?.dead ?? 0, counted.rejected)
        (counted.rejected, counted.dead) = (counted.rejected - dead, dead)
        return counted
    }

    /// Whether nobody may be left of those whose stage is open.
    ///
    /// - Parameters:
    ///   - members: those of them whose clock has reached it.
    ///   - late: for whom it is too late, so that they may have been skipped.
    fileprivate func mayBeOver(_ staging: StageSorting, _ members: RecipientSet, late: RecipientSet) -> Bool {
        let late = isRecorded ? late : []
        let (members, open) = (members.subtracting(late), staging.open.subtracting(late))
        // Whoever was listed after it had begun is no part of it. That may be all seeds, or all who seem to be left.
        guard let last = staging.recorded.last else { return isRecorded || mayBeNobody(open.count) }
        if last.share == staging.current {
            let left = min(members.count - spent, last.planned - (spent - last.before.outcomes))
            return last.isOver || mayBeNobody(left)
        }
        // Whoever has an outcome was in an earlier stage, unless the stages were others then.
        let earlier = staging.drawn.union(of: staging.drawn.states.filter { $0 <= last.share })
        return mayBeNobody(open.subtracting(earlier).count - max(0, spent - earlier.count))
    }

    /// Of many not all are dead.
    private func mayBeNobody(_ count: Int) -> Bool {
        count <= 0 || count <= min(mayBeDead, StageLimits.fewestOutcomes - 1)
    }

    /// Whether nobody seems to be left of the open stage, which is over. Waves have new people.
    fileprivate func isOver(_ staging: StageSorting, _ members: RecipientSet) -> Bool {
        let last = staging.recorded.last
        return !staging.soaksOnce && last?.share == staging.current && last?.isOver == true && members.count <= spent
            && !hasOtherSeeds(staging)
    }

    /// Whether the seeds are not those who got it first. An edit may make a seed of anybody whose stage comes later.
    private func hasOtherSeeds(_ staging: StageSorting) -> Bool {
        let seeds = staging.drawn[.seeds].count
        return seeds > 0 && staging.recorded.first { $0.share == .seeds }?.planned != seeds
    }
}

extension StageSorting {
    /// See `StageDoubt.mayBeOver`. Never in a plan from the state.
    func mayBeOver(_ members: RecipientSet, late: RecipientSet) -> Bool {
        doubt?.mayBeOver(self, members, late: late) ?? false
    }

    /// Whether somebody may be left although the stage may be over. Never in a plan from the state.
    func mayGoOn(_ members: RecipientSet) -> Bool { doubt.map { !$0.isOver(self, members) } ?? false }
}
