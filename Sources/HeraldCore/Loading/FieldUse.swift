internal import FCM

/// The fields that campaigns use, looked up in the audiences that declare them.
struct FieldUse {
    private let audiences: [Audience]
    /// Those that may use fields.
    private let campaigns: [Campaign]
    private let sources: AudienceSources
    private let groups: [GroupName: Group]

    init(_ workspace: Workspace) {
        (audiences, campaigns, groups) = (workspace.audiences, workspace.campaignsWithRows, workspace.groupsByName)
        sources = AudienceSources(campaigns.isEmpty ? [] : audiences)
    }

    /// Compiles the messages of personal campaigns.
    ///
    /// - Parameter report: takes what is wrong with a campaign whose messages cannot be compiled.
    func resolve(_ campaigns: inout [Campaign], _ report: (Diagnostic) -> Void) {
        guard self.campaigns.contains(where: { $0.personal != nil }) else { return }
        for place in campaigns.indices where campaigns[place].personal != nil {
            let fields = source(of: campaigns[place])?.fields.map(\.value)
            if let problem = campaigns[place].resolveFields(in: fields) {
                report(.error(.placeholder, problem.words, at: campaigns[place].message.range))
            }
        }
    }

    /// The audience whose list or registrations a campaign's recipients come from. `nil` for registrations in the file of
    /// the campaign or of a group, and if one request reaches the whole target.
    private func source(of campaign: Campaign) -> Audience? {
        if case .audience(let name)? = campaign.valueOwner(groups) { sources[name] } else { nil }
    }

    /// - Parameter isSkipped: whether the rows of lists are left unread.
    func check(listsSkipped isSkipped: Bool) -> [Diagnostic] {
        var found = FindingsOfFiles()
        var faulty: Set<SourceRange> = []
        for audience in audiences { checkSamples(of: audience, &faulty, &found) }
        for campaign in campaigns {
            checkZones(of: campaign, &found)
            checkSeeds(of: campaign, &found)
        }
        for campaign in campaigns {
            guard let personal = campaign.personal, let audience = source(of: campaign),
                case .list = audience.source
            else { continue }
            checkNames(of: personal, audience, &found)
            checkSamples(of: audience, for: campaign, faulty, &found)
            if let advice = campaign.numberAdvice { found.add(at: advice.range) { _ in advice } }
            if isSkipped { found.add(at: campaign.name.range) { _ in .rowsUnchecked(campaign, audience) } }
        }
        return found.diagnostics
    }

    private func checkNames(of personal: Personal, _ audience: Audience, _ found: inout FindingsOfFiles) {
        let fields = Dictionary(audience.fields.map { ($0.value.name, $0) }) { first, _ in first }
        for name in personal.names where fields[name.value] == nil {
            found.add(at: name.range) { advice in
                let near = advice.nearest(to: name.value, among: fields.keys.sorted())
                return .error(
                    .unknownField, "audience '\(audience.name.value)' has no field '\(name.value)'", at: name.range,
                    notes: [.init("declare it in the audience's 'fields'", at: audience.name.range)],
                    help: near.map { "did you mean '\($0)'?" }, replacement: near)
            }
        }
        guard let locale = personal.locale, let field = fields[locale.value], field.value.kind != .locale else {
            return
        }
        found.add(at: locale.range) { _ in
            .error(
                .fieldType, "field '\(locale.value)' is of type \(field.value.kind.rawValue), not locale",
                at: locale.range, notes: [.init("declared here", at: field.range)], help: "write type: locale there")
        }
    }

    /// The fields that a campaign's own schedule and window go by. Where the workspace's window goes by a field that a list
    /// does not have, everybody has its default zone.
    private func checkZones(of campaign: Campaign, _ found: inout FindingsOfFiles) {
        var seen: Set<SourceRange> = []
        for name in campaign.namesOfZones where name.range.file == campaign.name.range.file {
            if seen.insert(name.range).inserted { checkZone(name, of: campaign, &found) }
        }
    }

    private func checkZone(_ name: Located<String>, of campaign: Campaign, _ found: inout FindingsOfFiles) {
        guard let audience = source(of: campaign) else { return checkZoneTarget(of: campaign, name, &found) }
        let field = audience.fields.first { $0.value.name == name.value }
        guard let field else {
            let fields = audience.fields.map(\.value.name).sorted()
            return found.add(at: name.range) { advice in
                let near = advice.nearest(to: name.value, among: fields)
                return .error(
                    .unknownField, "audience '\(audience.name.value)' has no field '\(name.value)'", at: name.range,
                    notes: [
                        .init("declare it in the audience's 'fields', with type: timezone", at: audience.name.range)
                    ],
                    help: near.map { "did you mean '\($0)'?" }, replacement: near)
            }
        }
        guard field.value.kind != .timezone else { return }
        found.add(at: name.range) { _ in
            .error(
                .fieldType, "field '\(name.value)' is of type \(field.value.kind.rawValue), not timezone",
                at: name.range,
                notes: [.init("declared here", at: field.range)], help: "write type: timezone there")
        }
    }

    /// Only rows of lists have zones.
    private func checkZoneTarget(of campaign: Campaign, _ name: Located<String>, _ found: inout FindingsOfFiles) {
        if case .audience = campaign.valueOwner(groups) { return }
        if campaign.zoneField == name, campaign.target.value.isOneRequest(campaign.delivery) {
            let target = campaign.target.value.named.key
            return found.add(at: name.range) { _ in
                .error(
                    .zoneTarget, "one request to a \(target) reaches everybody at the same instant", at: name.range,
                    help: target == "group"
                        ? "add delivery: {members: each}, or write one zone: timezone: Europe/Rome"
                        : "send to an audience, or write one zone for everybody: timezone: Europe/Rome")
            }
        }
        found.add(at: name.range) { _ in
            .warning(
                .zoneUnknown, "no row of a list says the zone of these recipients, so all have the default zone",
                at: name.range, help: "send to an audience with a list, or write the zone alone: timezone: Europe/Rome")
        }
    }

    /// Seeds who are not on the list have no row that fills a personal message.
    private func checkSeeds(of campaign: Campaign, _ found: inout FindingsOfFiles) {
        guard campaign.personal != nil, let seeds = campaign.delivery.stages?.seeds else { return }
        let audience = source(of: campaign)
        guard audience?.samples.isEmpty ?? true else { return }
        found.add(at: seeds.range) { _ in
            .error(
                .stageSeeds, "nothing fills the message to seeds who are not on the list", at: seeds.range,
                notes: audience.map { [.init("audience '\($0.name.value)' has no samples", at: $0.name.range)] } ?? [],
                help: audience == nil
                    ? "send to an audience with a list and samples, or leave seeds out"
                    : "give that audience a sample: seeds get its first one")
        }
    }

    // MARK: Samples

    /// What is wrong with an audience's samples for any campaign.
    private func checkSamples(
        of audience: Audience, _ faulty: inout Set<SourceRange>, _ found: inout FindingsOfFiles
    ) {
        guard !audience.samples.isEmpty else { return }
        let content = PersonalContent(message: [:], fields: audience.fields.map(\.value), seed: "")
        guard let messages = try? PersonalMessages(content) else { return }
        for sample in audience.samples {
            guard let mistake = messages.mistake(in: sample.value) else { continue }
            faulty.insert(sample.range)
            found.add(at: sample.range) { _ in .bad(sample, mistake, content, for: nil) }
        }
    }

    /// What is wrong with an audience's samples for one campaign.
    private func checkSamples(
        of audience: Audience, for campaign: Campaign, _ faulty: Set<SourceRange>, _ found: inout FindingsOfFiles
    ) {
        guard let messages = campaign.content.personal else { return }
        for sample in audience.samples where !faulty.contains(sample.range) {
            guard let mistake = messages.mistake(in: sample.value) else { continue }
            found.add(at: sample.range) { _ in .bad(sample, mistake, messages.content, for: campaign) }
        }
    }

}

extension Workspace {
    /// Fields whose columns lists lack, or may not give away.
    ///
    /// - Parameter attributes: returns the columns of an audience's list. `nil` if it was not read.
    func columnProblems(attributes: (String) -> [String]?) -> [Diagnostic] {
        var advice = Advice()
        return audiences.flatMap { audience -> [Diagnostic] in
            guard !audience.fields.isEmpty, case .list(let path, let columns) = audience.source,
                path.value.listEnding != "txt"
            else { return [] }
            let attributes = attributes(audience.name.value)
            return audience.fields.compactMap { field in
                let column = Located(field.value.column, at: field.range)
                if columns.names.holdsRegistrations(column.value) {
                    return .error(
                        .fieldColumn, "column '\(column.value)' holds registrations", at: column.range,
                        help: "no message may show a registration; choose another column")
                }
                return attributes.flatMap { .missing(column, of: path.value, $0, rule: .fieldColumn, &advice) }
            }
        }
    }
}

extension PersonalMessages {
    /// What the check of rows says of a sample. `nil` if it is good.
    fileprivate func mistake(in sample: [String: Located<String>]) -> RowMistake? {
        let values = FieldValues(content.fields.map { sample[$0.name]?.value })
        return if case .bad(let mistake) = judge(sample: values) { mistake } else { nil }
    }
}

extension Diagnostic {
    /// A warning for a campaign that skips bad rows, which may leave a sample bad on purpose.
    ///
    /// - Parameter campaign: the campaign that the sample is bad for. `nil` if it is bad for any.
    fileprivate static func bad(
        _ sample: Located<[String: Located<String>]>, _ mistake: RowMistake, _ content: PersonalContent,
        for campaign: Campaign?
    ) -> Diagnostic {
        let field = mistake.field ?? ""
        let kind = mistake.kind == .wrongType ? content.fields.first { $0.name == field }?.kind : nil
        var diagnostic = Diagnostic.error(
            .sampleRow, kind.map { "'\(field)' is not \($0.words)" } ?? mistake.words,
            at: sample.value[field]?.range ?? sample.range,
            notes: campaign.map { [.init("for campaign '\($0.name.value)'", at: $0.name.range)] } ?? [])
        if campaign?.personal?.badRows == .skip { diagnostic.severity = .warning }
        return diagnostic
    }

    fileprivate static func rowsUnchecked(_ campaign: Campaign, _ audience: Audience) -> Diagnostic {
        let samples = audience.samples.count
        var diagnostic = Diagnostic.warning(
            .rowsUnchecked,
            samples == 0
                ? "the rows of the list are not checked, and audience '\(audience.name.value)' has no samples"
                : "the rows of the list are not checked, only \(count(samples, "sample"))", at: campaign.name.range)
        diagnostic.severity = .info
        return diagnostic
    }
}

extension FieldKind {
    /// With its article.
    fileprivate var words: String {
        switch self {
        case .text: "a text"
        case .integer: "a whole number of 64 bits"
        case .decimal: "a decimal number with a point, such as 12.50"
        case .date: "a date, such as 2027-05-31"
        case .locale: "a language tag"
        case .timezone: "a time zone"
        }
    }
}
