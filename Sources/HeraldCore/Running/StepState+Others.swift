internal import FCM

/// An installation is dead only if every registration that lists name for it is dead. The others are tried when all
/// other recipients have been, because looking for them may mean to read the lists again.
extension StepState {
    /// Whether a list may name another living registration of the recipient. Leaving a topic takes the registration that
    /// joined.
    func mayHaveOthers(_ addressee: Addressee, _ context: RunContext) -> Bool {
        work.action != .unsubscribe && context.withOthers.contains(addressee.id)
    }

    /// `nil` if there is nothing to look for.
    mutating func findOthers(_ now: Moment, _ context: inout RunContext) -> StepEffect? {
        if isUnfinished { return nil }
        judgeDead(&context)
        guard !awaitingOthers.isEmpty else { return nil }
        if report.stopped != nil || report.isStanding || context.fatal != nil {
            for death in awaitingOthers {
                if isBelieved(context) {
                    // The next plan takes the other registration.
                    leave(death, to: nil, context)
                } else {
                    recordRejection(of: death.0, death.1, context)
                    fail(death.0, death.1, death.attempts, .kept, context)
                }
            }
            awaitingOthers = []
            return nil
        }
        stage = .findingOthers
        return .findOthers(RecipientSet(awaitingOthers.map(\.0.id).sorted()))
    }

    mutating func tryOthers(_ found: [RecipientID: [Registration]], _ now: Moment, _ context: RunContext) {
        let isBelieved = isBelieved(context)
        for death in awaitingOthers {
            let id = death.0.id
            if let registration = death.0.registration { triedDead[id, default: []].insert(registration) }
            let others = (found[id] ?? []).filter { !(triedDead[id]?.contains($0) ?? false) }
            guard let other = others.first else {
                recordRejection(of: death.0, death.1, context)
                if isBelieved {
                    outcomes.forgotten.insert(id)
                    report.forgotten += 1
                }
                fail(death.0, death.1, death.attempts, isBelieved ? .forgotten : .kept, context)
                continue
            }
            if isBelieved {
                leave(death, to: other, context)
            } else {
                report.rejected -= 1
                outcomes.withdrawRejection(of: id)
                unproven[id] = Unproven(death: death, other: other)
            }
            queue.retries.putBack(Addressee(id: id, registration: other), now: now.elapsed)
        }
        awaitingOthers = []
    }

    /// The other registration works, so FCM is to be believed about the one before.
    mutating func prove(_ unproven: Unproven, _ context: RunContext) {
        let (addressee, failure, attempts) = unproven.death
        report.forgotten += 1
        changed += 1
        outcomes.forgotten.insert(addressee.id)
        outcomes.changed[addressee.id] = unproven.other
        reregistered.insert(addressee.id)
        fail(addressee, failure, attempts, .forgotten, context)
    }

    /// The registration is dead. The recipient counts as not tried.
    private mutating func leave(_ death: Death, to other: Registration?, _ context: RunContext) {
        let (addressee, failure, attempts) = death
        report.rejected -= 1
        report.forgotten += 1
        changed += 1
        if let other {
            outcomes.change(addressee.id, to: other)
            reregistered.insert(addressee.id)
        } else {
            outcomes.withdrawRejection(of: addressee.id)
            outcomes.forgotten.insert(addressee.id)
        }
        fail(addressee, failure, attempts, .forgotten, context)
    }
}
