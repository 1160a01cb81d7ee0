extension StepReport {
    /// The account of those who get the same text of a personal campaign.
    package struct ClassFigures: Hashable, Sendable {
        package var planned = 0
        package var accepted = 0
        package var rejected = 0
        package var unknown = 0
        package var skipped = 0
        package var held = 0

        /// Nobody of them is missing from the other figures.
        package var pending: Int { planned - accepted - rejected - unknown - skipped - held }

        package init() {}

        package static func + (one: Self, other: Self) -> Self {
            var sum = one
            sum.planned += other.planned
            sum.accepted += other.accepted
            sum.rejected += other.rejected
            sum.unknown += other.unknown
            sum.skipped += other.skipped
            sum.held += other.held
            return sum
        }
    }

    /// How many recipients a send left out.
    package struct LeftOutCounts: Hashable, Sendable {
        package var heldOut = 0
        /// Who took part when the occurrence began, and is not on the list any more.
        package var gone = 0
        /// Who took part when the occurrence began, and is on the list with dead registrations only.
        package var dead = 0

        /// Whom the run skipped for good.
        package var reasons: [SkipReason: Int] = [:]

        package init() {}

        mutating func add(_ other: Self) {
            heldOut += other.heldOut
            (gone, dead) = (gone + other.gone, dead + other.dead)
            reasons.merge(other.reasons, uniquingKeysWith: +)
        }

        var count: Int { heldOut + gone + dead + reasons.values.reduce(0, +) }

        mutating func subtract(_ other: Self) {
            heldOut -= other.heldOut
            (gone, dead) = (gone - other.gone, dead - other.dead)
            reasons.merge(other.reasons.mapValues { -$0 }, uniquingKeysWith: +)
            reasons = reasons.filter { $0.value > 0 }
        }

        init(_ send: Plan.Send) {
            let leftOut = send.leftOut
            (heldOut, gone, dead) = (leftOut.heldOut.count, leftOut.gone.count, leftOut.dead.count)
            reasons = send.skipped.mapMembers { $1.subtracting(send.undecided) }.counts
            if !leftOut.bad.isEmpty { reasons[.badRow] = leftOut.bad.count }
        }
    }

    /// Works out the accounts of the texts from what the state has by now. Earlier runs' recipients are not in it.
    ///
    /// - Parameters:
    ///   - ledger: the outcomes of the occurrence.
    ///   - begun: who takes part in it, each with their text.
    mutating func noteTexts(
        of send: Plan.Send, _ messages: PersonalMessages, _ ledger: Ledger, begun: Partition<MessageClass>
    ) {
        let all = send.assignment ?? begun
        let leftOut = send.leftOut.heldOut.union(send.leftOut.missing).union(send.leftOut.bad)
        let skipped = send.skipped.all.subtracting(send.undecided).union(leftOut)
        let others = send.members.union(send.discovered).union(send.refused).union(send.undecided).subtracting(skipped)
        (locales, variants) = ([:], [:])
        for recipients in all.states {
            var figures = ClassFigures()
            let members = all[recipients].intersection(others)
            figures.skipped = all[recipients].intersection(skipped).count
            figures.planned = members.count + figures.skipped
            figures.accepted = ledger[.accepted].intersection(members).count
            figures.rejected = ledger[.rejected].intersection(members).count
            figures.unknown = ledger.uncertain.union(ledger[.abandoned]).intersection(members).count
            if isBlocked || standing == .held { figures.held = figures.pending }
            guard figures.planned > 0 else { continue }
            let locale = recipients.localeName(default: messages.content.defaultLocale)
            locales[locale, default: ClassFigures()] = locales[locale, default: ClassFigures()] + figures
            guard let variant = recipients.variant else { continue }
            variants[variant, default: ClassFigures()] = variants[variant, default: ClassFigures()] + figures
        }
    }

    /// Whether everybody who is left is held.
    private var isBlocked: Bool { held > 0 && pending == 0 }
}
