internal import FCM

extension Workspace {
    /// What its files decide, except for the settings.
    package var definitions: [Definition] {
        let sources = AudienceSources(campaigns.contains(where: \.sendsSamples) ? audiences : [])
        let excluding = settings.suppress.isEmpty ? [] : topicsThatOnlyExclude
        return audiences.map(\.definition)
            + topics.map { $0.definition(onlyExcludes: excluding.contains($0.name.value)) } + groups.map(\.definition)
            + campaigns.map { $0.definition(sample: sample(forSeedsOf: $0, sources), runEvery: settings.runEvery) }
    }

    /// What seeds get in a personal campaign who have no row in its target's list: values by field. Empty where none may.
    private func sample(forSeedsOf campaign: Campaign, _ sources: AudienceSources) -> [(field: String, value: String)] {
        guard campaign.sendsSamples, let messages = campaign.content.personal else { return [] }
        var owner: String?
        switch campaign.target.value {
        case .audience(let name): owner = name
        case .group(let name):
            if case .audience(let members)? = groups.first(where: { $0.name.value == name })?.members {
                owner = members.value
            }
        case .topic, .condition, .registrations: break
        }
        let sample = owner.flatMap { sources[$0] }?.samples.first?.value
        return messages.content.fields.compactMap { field in sample?[field.name].map { (field.name, $0.value) } }
    }
}

extension Audience {
    fileprivate var definition: Definition {
        var fields = FieldList()
        switch source {
        case .list(let path, let columns):
            if let origin {
                fields.addOrigin(origin)
            } else {
                fields.add("source.file", .string(path.value.inWorkspace(from: path.range.file)))
            }
            fields.add("source.columns.token", columns.token.map { .string($0.value) })
            fields.add("source.columns.fid", columns.fid.map { .string($0.value) })
            fields.add("source.columns.seen", columns.seen.map { .string($0.value) })
        case .inline(let registrations): fields.add("source.registrations", registrations)
        case .audience(let name): fields.add("source.audience", .string(name.value))
        }
        for filter in filters.sorted(by: { $0.column.value < $1.column.value }) { fields.addFilter(filter) }
        if let followUp {
            fields.add("outcome.campaign", .string(followUp.campaign.value))
            fields.add("outcome.is", Set(followUp.outcomes.map(\.rawValue)))
            fields.add("outcome.occurrence", followUp.occurrence.map { .string($0.value) })
        }
        fields.add("exclude", exclude)
        for field in self.fields.map(\.value).sorted(by: { $0.name < $1.name }) { fields.addField(field) }
        if !samples.isEmpty { fields.add("samples", .array(samples.map(\.value.json)), isDecision: false) }
        fields.add("previous_names", previousNames)
        return Definition(
            kind: .audience, name: name.value, previousNames: Set(previousNames.map(\.value)), fields: fields.all,
            uses: Set(uses.map { .init(kind: .audience, name: $0.value) }))
    }
}

extension Topic {
    /// - Parameter onlyExcludes: whether who is suppressed stays in it, because of what campaigns go to.
    fileprivate func definition(onlyExcludes: Bool) -> Definition {
        var fields = FieldList()
        fields.add("subscribers", subscribers)
        fields.add("exclude", exclude)
        fields.add("prune", .bool(prune), usually: true)
        // What is not said has no field: approvals from before these keys still hold.
        fields.add("drift", drift == .keep ? nil : .string(drift.rawValue))
        fields.add("adopt", adopt ? true : nil)
        fields.add("keeps_suppressed", onlyExcludes ? true : nil)
        fields.add("previous_names", Set(previousNames.map(\.value.rawValue)))
        return Definition(
            kind: .topic, name: name.value.rawValue, previousNames: Set(previousNames.map(\.value.rawValue)),
            fields: fields.all, uses: Set((subscribers + exclude).map { .init(kind: .audience, name: $0.value) }))
    }
}

extension Group {
    fileprivate var definition: Definition {
        var fields = FieldList()
        var uses: Set<Definition.Key> = []
        switch members {
        case .audience(let name):
            fields.add("members.audience", .string(name.value))
            uses = [.init(kind: .audience, name: name.value)]
        case .inline(let registrations): fields.add("members.registrations", registrations)
        }
        return Definition(
            kind: .group, name: name.value.rawValue, previousNames: [], fields: fields.all, uses: uses)
    }
}

extension Campaign {
    /// Whether a message of it may be filled with a sample.
    fileprivate var sendsSamples: Bool { personal != nil && delivery.stages?.seeds != nil }

    /// - Parameters:
    ///   - sample: what fills the message for seeds who have no row.
    ///   - runEvery: how often something calls `run`.
    fileprivate func definition(sample: [(field: String, value: String)], runEvery: Duration) -> Definition {
        var fields = FieldList()
        fields.addSchedule(schedule)
        fields.addTarget(target.value)
        fields.add("exclude", exclude)
        fields.add("suppressed", suppressed)
        fields.add("message", of: .object(message.value))
        if let personal { fields.addPersonal(personal) }
        fields.add("enabled", .bool(enabled), usually: true)
        fields.add("revision", .int(Int64(revision)), usually: 1)
        fields.addDelivery(delivery)
        for (field, value) in sample { fields.add("delivery.seeds.sample".path(to: field), .string(value)) }
        // What came due before the run before the last is late then. What is usual has no field: approvals from before
        // this one still hold.
        if schedule.catchUp == .none, runEvery != Settings.usualRunEvery {
            fields.add("runner.every", .string(runEvery.written))
        }
        fields.addFrequency(delivery.frequency)
        fields.add("acknowledge.broadcast", .bool(acknowledged.broadcast), usually: false)
        fields.add("acknowledge.max_recipients", acknowledged.maxRecipients.map { .int(Int64($0)) })
        fields.add("previous_names", previousNames)
        // With it begins the draw of variants and stages. Where it is the only one, the names say it.
        if previousNames.count > 1 { fields.add("previous_names.first", .string(previousNames[0].value)) }
        fields.add("description", description.map { .string($0) }, isDecision: false)
        fields.add("owner", owner.map { .string($0) }, isDecision: false)
        return Definition(
            kind: .campaign, name: name.value, previousNames: Set(previousNames.map(\.value)), fields: fields.all,
            uses: target.value.uses.union(otherAudiences.map { .init(kind: .audience, name: $0.value) }))
    }
}

extension Campaign.Target {
    fileprivate var uses: Set<Definition.Key> {
        switch self {
        case .topic, .condition: Set(topics.map { .init(kind: .topic, name: $0.rawValue) })
        case .group(let name): [.init(kind: .group, name: name.rawValue)]
        case .audience(let name): [.init(kind: .audience, name: name)]
        case .registrations: []
        }
    }
}

/// Fields in the order in which they were added.

extension [String: Located<String>] {
    /// The values of a sample, by field.
    fileprivate var json: JSONValue { .object(mapValues { .string($0.value) }) }
}
