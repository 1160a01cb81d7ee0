/// What the rows of a campaign's recipients make of its personal messages. It holds no value of a row.
package struct PersonalOverview: Hashable, Sendable {
    package var campaign: String
    /// How many recipients are sent the text of each locale. The message itself is under the default locale, or under
    /// `MessageClass.unnamed`.
    package var locales: [String: Int] = [:]
    /// How many recipients are sent each variant, without the holdouts.
    package var variants: [String: Int] = [:]
    /// How many are in a variant that is sent nothing.
    package var heldOut = 0
    /// How many rows make no message, by the kind of mistake.
    package var badRows: [RowMistake.Kind: Int] = [:]
    package var firstBad: [BadLine] = []
    /// Whether a person has decided that bad rows are left out.
    package var skipsBadRows = false
    /// The bytes that count against FCM's limit, of the largest message at most.
    package var largest = 0
    package var longest: Longest?

    /// The largest message, and where its row is.
    package struct Longest: Hashable, Sendable {
        package var message: LongestMessage
        /// As in `locales`.
        package var locale: String
        /// The list's path as its audience writes it. `nil` for a registration that stands in a file.
        package var list: String?
    }

    package struct BadLine: Hashable, Sendable {
        /// The list's path as its audience writes it.
        package var list: String
        package var line: Int
        package var mistake: RowMistake
    }

    package init(campaign: String) { self.campaign = campaign }

    package var bad: Int { badRows.values.reduce(0, +) }
}

extension PersonalOverview {
    /// - Parameters:
    ///   - classes: whom it counts, by the text that they get. Holdouts included.
    ///   - bad: whose rows make no message.
    fileprivate init(
        _ wanted: DesiredSend, _ messages: PersonalMessages, _ census: RowCensus, _ classes: Partition<MessageClass>,
        bad: RecipientSet
    ) {
        self.init(campaign: wanted.campaign.name.value)
        for (recipients, number) in classes.counts {
            if recipients.isHoldout {
                heldOut += number
                continue
            }
            locales[recipients.localeName(default: messages.content.defaultLocale), default: 0] += number
            if let variant = recipients.variant { variants[variant, default: 0] += number }
        }
        (badRows, largest) = (census.counts(among: bad), census.largest)
        let counted = classes.all
        longest = census.longest.flatMap {
            guard counted.contains($0.id) else { return nil }
            let locale = $0.recipients.localeName(default: messages.content.defaultLocale)
            return Longest(message: $0, locale: locale, list: $0.line > 0 ? wanted.list : nil)
        }
        skipsBadRows = wanted.campaign.personal?.badRows == .skip
        if let list = wanted.list {
            firstBad = census.firstBad.filter { $0.line > 0 && bad.contains($0.id) }.map {
                .init(list: list, line: $0.line, mistake: $0.mistake)
            }
        }
    }
}

extension Planner {
    /// What becomes of the rows of each selected campaign, whether it is due or not.
    mutating func noteRows(selected campaigns: Set<String>) {
        guard !listsSkipped else { return }
        let selected = desired.sends.filter { campaigns.isEmpty || campaigns.contains($0.campaign.name.value) }
        overview.personal = selected.compactMap { wanted in
            guard let messages = wanted.campaign.content.personal, let census = wanted.census else { return nil }
            let (classes, bad) = counted(wanted, census)
            return PersonalOverview(
                wanted, messages, census, classes.mapMembers { $1.subtracting(unreachable) },
                bad: bad.subtracting(unreachable))
        }
        for send in selected {
            overview.warnings += send.smallVariants(without: unreachable).map {
                "\($0.words) (campaign '\(send.campaign.name.value)')"
            }
        }
    }

    /// Everybody whom the list has now. Where the plan goes on with what has begun, those who are still sent it, in the
    /// text that they were given when it began.
    private func counted(
        _ wanted: DesiredSend, _ census: RowCensus
    ) -> (classes: Partition<MessageClass>, bad: RecipientSet) {
        let all = Partition(disjoint: census.classes)
        let going = sends.compactMap { step -> Plan.Send? in
            guard case .send(let send) = step.work, send.campaign == wanted.campaign.name.value else { return nil }
            return send
        }
        // A snapshot does not say who has it.
        guard sizes == nil, !going.isEmpty, going.allSatisfy(\.isResumed) else { return (all, census.bad) }
        var (classes, bad) = (Partition<MessageClass>(), RecipientSet())
        for send in going {
            let ahead = send.waves?.ahead.all ?? []
            let later = send.staging?.ahead.all ?? []
            let begun = send.assignment ?? state.occurrences[send.occurrence]?.classes ?? Partition()
            // Whose clock is ahead was given no text yet, whatever their stage.
            let parts = [
                begun.without { !$0.isHoldout }, all.intersection(ahead), begun.intersection(later), send.classes,
            ]
            for part in parts {
                for recipients in part.states { classes.move(part[recipients], to: recipients) }
            }
            bad.formUnion(send.leftOut.bad.union(census.bad.intersection(ahead)))
        }
        return (classes, bad)
    }

    /// A campaign that is due has the guard. Before, there is still time to correct the list.
    mutating func adviseOnRows() {
        let coming = Set(overview.upcoming.map(\.occurring.campaign))
        let refused = Set(plan.refusals.filter { $0.kind == .personalRows }.map(\.name))
        for wanted in desired.sends where refusesBadRows(wanted.campaign) {
            let (name, bad) = (wanted.campaign.name.value, badRows(of: wanted))
            guard bad > 0, coming.contains(name), !refused.contains(name) else { continue }
            overview.warnings.append(
                "\(count(bad, "row")) of campaign '\(name)' \(bad == 1 ? "makes" : "make") no message. "
                    + "Correct the list or set bad_rows: skip; otherwise the guard personal_rows stops the campaign "
                    + "when it is due.")
        }
    }

    /// How many bad rows may stop a campaign. Where it comes once, those whose wave is fixed are left out without a
    /// question.
    private func badRows(of wanted: DesiredSend) -> Int {
        let bad = (wanted.census?.bad ?? []).subtracting(unreachable)
        if wanted.campaign.schedule.repeats { return bad.count }
        let known = (occurrences[wanted.campaign.name.value] ?? []).map(\.occurrence).filter { $0.finished == nil }
        return known.reduce(bad) { $0.subtracting($1.waves.all) }.count
    }
}
