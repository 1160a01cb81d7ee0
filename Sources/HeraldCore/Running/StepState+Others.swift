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
        guard !deaths.awaitingOthers.isEmpty else { return nil }
        if report.stopped != nil || report.isStanding || context.fatal != nil {
            for death in deaths.awaitingOthers {
                if isBelieved(context) {
                    // The next plan takes the other registration.
                    leave(death, to: nil, &context)
                } else {
                    recordRejection(of: death.addressee, death.failure, context)
                    fail(death, .kept, context)
                }
            }
            deaths.awaitingOthers = []
            return nil
        }
        stage = .findingOthers
        let recipients = RecipientSet(deaths.awaitingOthers.map(\.id).sorted())
        let formers = context.recorded.formers.filter { recipients.contains($0.value) }
        return .findOthers(recipients, formers: RecipientSet(formers.keys.sorted()))
    }

    mutating func tryOthers(
        _ found: [RecipientID: [Registration]], _ now: Moment, _ context: inout RunContext
    ) {
        let isBelieved = isBelieved(context)
        for death in deaths.awaitingOthers {
            let id = death.id
            if let earlier = deaths.unproven.removeValue(forKey: id), isBelieved { noteLeft(earlier.death, context) }
            // The one that another step of the run changed to comes first.
            let others = [context.reregistered[id]].compactMap(\.self) + (found[id] ?? [])
            guard let other = deaths.next(of: others, after: death) else {
                recordRejection(of: death.addressee, death.failure, context)
                if isBelieved {
                    outcomes.forgotten.insert(id)
                    context.reregistered[id] = nil
                    report.forgotten += 1
                }
                fail(death, isBelieved ? .forgotten : .kept, context)
                continue
            }
            if isBelieved {
                leave(death, to: other, &context)
            } else {
                report.rejected -= 1
                withdrawRejection(of: id)
                deaths.unproven[id] = .init(death: death, other: other)
            }
            queue.retries.putBack(
                Addressee(id: id, registration: other, values: death.addressee.values), now: now.elapsed)
        }
        deaths.awaitingOthers = []
    }

    /// If another registration was tried in doubt: it works, so FCM is to be believed about the one before.
    mutating func proveOther(of id: RecipientID, _ context: inout RunContext) {
        guard let unproven = deaths.unproven.removeValue(forKey: id) else { return }
        noteLeft(unproven.death, context)
        change(unproven.death.addressee, to: unproven.other, &context)
    }

    /// The registration is dead. The recipient counts as before.
    private mutating func leave(_ death: DeadRegistrations.Death, to other: Registration?, _ context: inout RunContext)
    {
        noteLeft(death, context)
        report.rejected -= 1
        withdrawRejection(of: death.id)
        change(death.addressee, to: other, &context)
    }

    private mutating func noteLeft(_ death: DeadRegistrations.Death, _ context: RunContext) {
        report.forgotten += 1
        report.replaced += 1
        fail(death, .forgotten, context)
    }

    private mutating func change(_ addressee: Addressee, to other: Registration?, _ context: inout RunContext) {
        let id = addressee.id
        work.noteChange(of: id, formers: context.formers(of: id, with: other))
        // Nothing is left to do. To forget the recipient again would bury its living registration.
        if isReplaced(addressee, context) { return }
        outcomes.forgotten.insert(id)
        outcomes.changed[id] = other
        context.reregistered[id] = other
    }

    /// Whether another step of the run has changed the recipient to another registration since this one was read.
    func isReplaced(_ addressee: Addressee, _ context: RunContext) -> Bool {
        context.reregistered[addressee.id].map { $0 != addressee.registration } ?? false
    }
}
