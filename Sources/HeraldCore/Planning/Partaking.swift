/// Who of a campaign's recipients is sent what, and who is left out.
struct Partaking {
    /// Who is to be sent the message.
    var members: RecipientSet
    /// Who of them gets which text.
    var classes: Partition<MessageClass>
    /// Who gets which text, holdouts included, for the state. `nil` if the state has it already.
    var assignment: Partition<MessageClass>?
    var leftOut = Plan.LeftOut()

    /// For a campaign that sends everybody the same.
    ///
    /// - Parameters:
    ///   - begun: whom the occurrence is for since it began; nobody if it begins now, or if that is not known.
    ///   - joining: who is part of it from now on, too.
    ///   - tried: who has an outcome and is not sent it again.
    init(_ members: RecipientSet, begun: RecipientSet, joining: RecipientSet, tried: RecipientSet) {
        classes = Partition()
        if begun.isEmpty {
            self.members = members
            assignment = Partition(disjoint: [MessageClass(): members.union(tried)])
        } else {
            let partakers = begun.union(joining)
            self.members = members.intersection(partakers)
            leftOut.gone = begun.subtracting(tried).subtracting(members)
            if !joining.isEmpty { assignment = Partition(disjoint: [MessageClass(): partakers]) }
        }
    }

    /// For a personal campaign.
    ///
    /// - Parameters:
    ///   - wanted: what the files and lists say now.
    ///   - begun: who takes part since the occurrence began, each with their text; empty for one that begins now.
    ///   - joining: who takes part from now on, too.
    ///   - isResumed: whether the occurrence has begun. If not, the state opens it anew.
    ///   - tried: who has an outcome.
    ///   - repeated: who of them is sent it again.
    init(
        _ members: RecipientSet, of messages: PersonalMessages, _ wanted: DesiredSend,
        begun: Partition<MessageClass>, joining: RecipientSet, isResumed: Bool, tried: RecipientSet,
        repeated: RecipientSet
    ) {
        let settled = tried.subtracting(repeated)
        let census = wanted.census ?? RowCensus()
        guard !begun.isEmpty else {
            let rest = members.subtracting(settled)
            let all = Partition(disjoint: census.classes).intersection(rest)
            // Those who have an outcome stay a part of it, in none of these texts: their rows choose one if a person has
            // them tried again.
            var known = all
            if !all.isEmpty { known.move(settled, to: MessageClass(locale: MessageClass.unknownLocale)) }
            assignment = known
            leftOut.heldOut = all.members(where: \.isHoldout)
            leftOut.bad = census.bad.intersection(rest)
            classes = all.without { $0.isHoldout }
            self.members = classes.all
            return
        }
        let dealt = wanted.dealing(begun, among: members.subtracting(settled), messages)
        if !isResumed || dealt != begun {
            assignment = dealt
            let known = isResumed ? begun.members(where: \.isHoldout) : []
            leftOut.heldOut = dealt.members(where: \.isHoldout).subtracting(known)
        }
        // Who left the list, or has a bad row by now, is left out.
        let sent = dealt.without { $0.isHoldout }
        classes = Partition(
            disjoint: Dictionary(
                sent.states.filter { messages.index(of: $0) != nil }.map { recipients in
                    let present = sent[recipients].intersection(members).subtracting(settled)
                    return (recipients, wanted.withGoodRows(present, for: recipients, messages))
                }, uniquingKeysWith: { $0.union($1) }))
        self.members = classes.all
        let missing = sent.all.subtracting(settled).subtracting(self.members)
        leftOut.bad = missing.intersection(members)
        leftOut.gone = missing.subtracting(leftOut.bad)
        guard !joining.isEmpty else { return }
        join(Partition(disjoint: census.classes).intersection(joining), dealt)
        leftOut.bad.formUnion(census.bad.intersection(joining))
    }

    /// Adds those who were no part of it before.
    private mutating func join(_ joining: Partition<MessageClass>, _ begun: Partition<MessageClass>) {
        var all = begun
        for recipients in joining.states { all.move(joining[recipients], to: recipients) }
        assignment = all
        leftOut.heldOut.subtract(joining.all)
        leftOut.heldOut.formUnion(joining.members(where: \.isHoldout))
        for recipients in joining.states where !recipients.isHoldout {
            classes.move(joining[recipients], to: recipients)
        }
        members = classes.all
    }
}

extension PersonalMessages {
    /// Who is recorded with the message itself was to read it in another language, perhaps, than it is in now. Their
    /// rows choose anew where the languages are not those of before, as far as anybody knows.
    ///
    /// - Parameter served: who has it and keeps what is recorded.
    func forgettingLanguages(
        of begun: Partition<MessageClass>, besides served: RecipientSet
    ) -> Partition<MessageClass> {
        let recorded = Set(begun.states.compactMap { $0.locale.flatMap { LanguageTag($0) } })
        let isOther = content.defaultLocale.flatMap { LanguageTag($0) }.map(recorded.contains) ?? false
        guard isOther || content.localeKeys.keys.contains(where: { !recorded.contains($0) }) else { return begun }
        var result = begun
        for recipients in begun.states where recipients.locale == nil && !recipients.isHoldout {
            let unknown = MessageClass(locale: MessageClass.unknownLocale, variant: recipients.variant)
            result.move(begun[recipients].subtracting(served), to: unknown)
        }
        return result
    }
}

extension DesiredSend {
    /// Deals a text of now to those whose recorded one the campaign does not have any more. Whoever has a bad row keeps
    /// what is recorded.
    fileprivate func dealing(
        _ begun: Partition<MessageClass>, among members: RecipientSet, _ messages: PersonalMessages
    ) -> Partition<MessageClass> {
        var dealt = begun
        // What was for everybody was in no language.
        let hasTexts = begun.states.contains { $0 != MessageClass() }
        for recorded in begun.states where !recorded.isHoldout && messages.index(of: recorded) == nil {
            let left = begun[recorded].intersection(members)
            if let text = messages.text(of: recorded) {
                dealt.move(left, to: text)
                continue
            }
            for (own, people) in classes(of: left, messages) {
                dealt.move(people, to: hasTexts ? messages.text(in: recorded, else: own) : own)
            }
        }
        return dealt
    }

    /// The texts that rows choose for members. Whoever has a bad row has none.
    private func classes(
        of members: RecipientSet, _ messages: PersonalMessages
    ) -> [MessageClass: RecipientSet] {
        var classes = (census?.classes ?? [:]).mapValues { $0.intersection(members) }
        let others = classes.values.reduce(into: members) { $0.subtract($1) }.subtracting(census?.bad ?? [])
        guard !others.isEmpty, let rows else { return classes }
        do throws(RecipientIndexError) {
            try rows.each(of: others) { row in
                guard case .good(let place, _) = messages.judge(row.values, key: row.key) else { return }
                classes[messages.classes[place], default: []].insert(row.id)
            }
        } catch {
            // The same error comes again before they are sent to, and refuses the run.
        }
        return classes
    }

    /// Those whose rows make a message of a class. Where the rows of now choose another text, they are checked again for
    /// the one that was recorded.
    fileprivate func withGoodRows(
        _ members: RecipientSet, for recipients: MessageClass, _ messages: PersonalMessages
    ) -> RecipientSet {
        let checked = (census?.classes ?? [:]).filter { $0.key.locale == recipients.locale }
            .values.reduce(into: RecipientSet()) { $0.formUnion($1) }
        var good = members.intersection(checked)
        let others = members.subtracting(good)
        guard !others.isEmpty, let rows else { return good }
        var bad = RecipientSet()
        do throws(RecipientIndexError) {
            try rows.each(of: others) { row in
                if messages.mistake(in: row.values, for: recipients) == nil {
                    good.insert(row.id)
                } else {
                    bad.insert(row.id)
                }
            }
        } catch {
            // The same error comes again before they are sent to, and refuses the run.
            good.formUnion(others.subtracting(bad))
        }
        // Whoever left the target since, and is only a seed now, has no row of it any more.
        for (id, values) in rows.substitutes(for: others.subtracting(good).subtracting(bad))
        where messages.mistake(in: values, for: recipients) == nil {
            good.insert(id)
        }
        return good
    }
}

extension Partition {
    /// Without the states that pass.
    func without(_ isLeftOut: (State) -> Bool) -> Self {
        Partition(
            disjoint: Dictionary(
                states.filter { !isLeftOut($0) }.map { ($0, self[$0]) }, uniquingKeysWith: { $0.union($1) }))
    }

    /// Recipients in any of the states that pass.
    func members(where isWanted: (State) -> Bool) -> RecipientSet { union(of: states.filter(isWanted)) }

    /// The same states with only these members.
    func intersection(_ members: RecipientSet) -> Self {
        mapMembers { $1.intersection(members) }
    }

    /// The same states with other members, of whom none may be in two.
    func mapMembers(_ members: (State, RecipientSet) -> RecipientSet) -> Self {
        Partition(
            disjoint: Dictionary(states.map { ($0, members($0, self[$0])) }, uniquingKeysWith: { $0.union($1) }))
    }
}

extension Plan {
    /// Recipients whom a send leaves out. They count as skipped.
    package struct LeftOut: Hashable, Sendable {
        /// Those who take part from now on in a variant of a personal campaign that is sent nothing.
        package var heldOut = RecipientSet()
        /// Whose row makes no personal message.
        package var bad = RecipientSet()
        /// Those with a bad row whom guard `personal_rows` asks about: who takes part from now on, and whose clock is
        /// ahead. The latter are not left out yet.
        package var asked = RecipientSet()
        /// Whom the occurrence is for, and who is not on the list any more.
        package var gone = RecipientSet()
        /// Whom the occurrence is for, and whom the list names by dead registrations only.
        package var dead = RecipientSet()

        package var count: Int { heldOut.count + bad.count + missing.count }

        /// Whom the occurrence is for, and who cannot be sent it now.
        var missing: RecipientSet { gone.union(dead) }

        /// Whoever is on the list is not gone.
        ///
        /// - Parameters:
        ///   - listed: who is on it.
        ///   - dead: who cannot be sent anything.
        ///   - ahead: who is sent it later. A clock that was fast may have fixed their wave.
        mutating func tellApart(_ listed: RecipientSet, dead: RecipientSet, ahead: RecipientSet?) {
            gone.subtract(gone.intersection(listed).intersection(ahead ?? []))
            self.dead = gone.intersection(listed).intersection(dead)
            gone.subtract(self.dead)
        }
    }
}
