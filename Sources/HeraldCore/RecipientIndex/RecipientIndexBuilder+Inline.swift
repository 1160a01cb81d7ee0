internal import FCM

extension RecipientIndexBuilder {
    /// Registrations that stand in the file of an audience, a group or a campaign.
    struct InlineRows {
        var owner: RecipientIndex.Owner
        /// The audience itself and those made from it. Empty for a group or a campaign.
        var takers: [RowClassifier.Taker]
        /// The place among all lists.
        var place: Int
        var registrations: [Registration]

        var source: RowSource { RowSource(inline: registrations, of: owner, takers: takers) }
    }

    /// In the order of their places. Registrations in later places are preferred to earlier ones.
    var inlineRows: [InlineRows] {
        var rows: [InlineRows] = []
        for (place, audience) in workspace.audiences.enumerated() {
            guard case .inline(let registrations) = audience.source else { continue }
            let name = audience.name.value
            rows.append(
                InlineRows(
                    owner: .audience(name), takers: takers(of: [name]), place: place, registrations: registrations))
        }
        var place = workspace.audiences.count
        let add = { (owner: RecipientIndex.Owner, registrations: [Registration]) in
            rows.append(InlineRows(owner: owner, takers: [], place: place, registrations: registrations))
            place += 1
        }
        for group in workspace.groups {
            if case .inline(let listed) = group.members { add(.group(group.name.value), listed) }
        }
        for place in workspace.campaigns.indices {
            guard case .registrations(let listed) = workspace.campaigns[place].target.value else { continue }
            add(.campaign(workspace.campaigns[place].name.value), listed)
        }
        return rows
    }

    /// The order of all sources. The best of a recipient's registrations depends on nothing else but this and the rows.
    func order(_ inline: [InlineRows]) -> [UInt8] {
        let lists = workspace.audiences.filter { if case .audience = $0.source { false } else { true } }
        let others = inline.filter(\.takers.isEmpty)
        return RowSource.order(of: lists.map { .audience($0.name.value) } + others.map(\.owner))
    }
}
