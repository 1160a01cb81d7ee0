/// The rows of a campaign's recipients, and what a personal campaign makes of them.
extension Resolver {
    /// Adds the rows that decide who gets which text, and who is in which stage. Seeds without a row get the first
    /// sample, and no seed is in a holdout.
    func addRows(of owner: RecipientIndex.Owner, to send: inout DesiredSend) throws(RecipientIndexError) {
        let campaign = send.campaign
        guard let messages = campaign.content.personal else {
            if campaign.delivery.stages != nil { send.rows = PersonalRows(of: owner, in: values, []) }
            return
        }
        let judged = try judged(send.members, for: .init(campaign.name.value, to: owner, messages))
        var census = RowCensus(judged, messages)
        var rows = PersonalRows(of: owner, in: values, messages.content.fields)
        let heldOut = send.seeds.isEmpty ? [] : census.takeOutOfHoldouts(send.seeds)
        if !heldOut.isEmpty {
            try rows.each(of: heldOut) { row in
                census.add(row.id, messages.judge(seed: row.values, key: row.key, isSample: false), messages)
            }
        }
        let others = send.guests.isEmpty ? [] : send.guests.subtracting(judged.all)
        if let seeds = campaign.delivery.stages?.seeds, let sample = workspace.samples(for: campaign).first,
            !others.isEmpty
        {
            try values.file().each(of: others, in: .audience(seeds.value)) { row in
                census.add(row.id, messages.judge(seed: sample, key: row.key, isSample: true), messages)
            }
            rows.fill(others, with: sample)
        }
        (send.census, send.rows) = (census, rows)
    }

    /// What a personal campaign makes of the rows of some of its owner's members.
    private func judged(
        _ members: RecipientSet, for send: RowJudging.Send
    ) throws(RecipientIndexError) -> JudgedRows {
        if let judged = judged[send.campaign]?.limited(to: members) { return judged }
        var judging = RowJudging(for: [send], [.init(owner: send.owner, columns: values.columns(of: send.owner))])
        try values.file().each(of: members, in: send.owner) { judging.add($0, of: 0) }
        return judging.finish()[0]
    }
}
