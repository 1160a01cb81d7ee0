/// Parts of a send.
extension Plan.Send {
    /// Those with a bad row who are no part of it. As long as nobody takes part, rows may be corrected for that.
    var badForGood: RecipientSet {
        guard let assignment, !assignment.isEmpty else { return [] }
        return leftOut.bad.subtracting(assignment.all)
    }

    /// The same send without any requests. It only accounts for what a crash left.
    func withoutRequests(leftByCrash discovered: RecipientSet) -> Plan.Send {
        var copy = self
        copy.members = []
        (copy.recipients, copy.whole) = (0, 0...0)
        copy.discovered = discovered
        (copy.classes, copy.assignment, copy.leftOut) = (Partition(), nil, Plan.LeftOut())
        (copy.closings, copy.skipped, copy.staging) = (Partition(), Partition(), nil)
        (copy.keepingOutcome, copy.repeated, copy.seeds, copy.undecided) = ([], [], [], [])
        (copy.returning, copy.again) = ([], Ledger())
        (copy.refused, copy.refusedIfStopped, copy.missed) = ([], [], nil)
        // Who is in its new waves is decided when it goes on. Until then it does not end, also where all of them have
        // bad rows.
        if copy.waves?.fresh.isEmpty == false { copy.staysOpen = true }
        copy.waves?.forgetFresh()
        return copy
    }

    /// Both parts of one occurrence, for their account.
    func joined(with other: Plan.Send) -> Plan.Send {
        var whole = self
        whole.members.formUnion(other.members)
        whole.discovered.formUnion(other.discovered)
        whole.refused.formUnion(other.refused)
        // Who waited for caps is decided about, or waits on.
        for reason in other.skipped.states { whole.skipped.move(other.skipped[reason], to: reason) }
        whole.undecided = undecided.subtracting(other.skipped.all).union(other.undecided)
        whole.refusedIfStopped = other.refusedIfStopped
        whole.leftOut.heldOut.formUnion(other.leftOut.heldOut)
        whole.leftOut.bad.formUnion(other.leftOut.bad)
        whole.leftOut.gone.formUnion(other.leftOut.gone)
        whole.leftOut.dead.formUnion(other.leftOut.dead)
        whole.assignment = other.assignment ?? assignment
        return whole
    }
}
