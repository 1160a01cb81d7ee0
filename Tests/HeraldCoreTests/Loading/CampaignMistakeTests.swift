import HeraldCore
import HeraldTestSupport
import Testing

/// The example campaigns of this repository, each with one mistake made in a copy.
struct CampaignMistakeTests {
    /// A piece of a file and what to write instead. `▸` and `◂` mark what the diagnostic must underline.
    struct Slip: Sendable, CustomTestStringConvertible {
        var rules: [Rule]
        var file: String
        var piece: String
        var instead: String
        /// YAML stops reading here, so the file's other mistakes are not found.
        var hidesOthers = false

        init(_ rules: Rule..., in file: String, _ piece: String, _ instead: String, hidesOthers: Bool = false) {
            (self.rules, self.file, self.piece, self.instead) = (rules, file, piece, instead)
            self.hidesOthers = hidesOthers
        }

        var testDescription: String { "\(file): \(instead)" }
    }

    static let slips = [
        // Settings
        Slip(.unknownReference, in: "herald.yaml", "suppress: [erased]", "suppress: [▸erazed◂]"),
        Slip(.invalidValue, in: "herald.yaml", "{every: 5m}", "{every: ▸5◂}"),
        Slip(.ambiguousScalar, in: "herald.yaml", "\"123456789012\"", "▸123456789012◂"),
        Slip(.wrongType, in: "herald.yaml", "max_unsubscribe_percent: 30", "max_unsubscribe_percent: ▸130◂"),
        Slip(.unknownKey, in: "herald.yaml", "ramp: 60s", "▸rampe◂: 60s"),
        // Audiences, topics, groups, lists
        Slip(.fileUnreadable, in: "audiences.yaml", "lists/venice.csv", "▸lists/venezia.csv◂"),
        Slip(.whereColumn, in: "audiences.yaml", "{locale: [en, de]}", "{▸lokale◂: [en, de]}"),
        Slip(.unknownKey, in: "audiences.yaml", "{at_least: 4000}", "{▸at_last◂: 4000}"),
        Slip(.wrongType, in: "audiences.yaml", "{below: 2025-01-01}", "{below: ▸2025-13-01◂}"),
        Slip(.listFormat, in: "audiences.yaml", "lists/rome-coast.csv", "▸lists/rome-coast.xls◂"),
        Slip(
            .oneSource, in: "audiences.yaml", "source: {file: lists/opted-out.txt}",
            "source: {file: lists/opted-out.txt}\n▸from◂: team", hidesOthers: true),
        Slip(.unknownReference, in: "topics.yaml", "subscribers: [venice]", "subscribers: [▸venize◂]"),
        Slip(.wrongType, in: "topics.yaml", "prune: false", "prune: ▸off◂"),
        Slip(.unknownReference, in: "groups.yaml", "audience: station-lido", "audience: ▸station-lida◂"),
        Slip(.listRow, in: "lists/erased.txt", "#", "▸x◂\n#", hidesOthers: true),
        // Targets
        Slip(.unknownReference, in: "acqua-alta-venice.yaml", "topic: tides-venice", "topic: ▸tides-venize◂"),
        Slip(
            .oneTarget, in: "ostia-gauge-moved.yaml", "{audience: rome-coast}",
            "{audience: rome-coast, ▸topic◂: tides-rome}"),
        Slip(.registrationForm, in: "beta-charts.yaml", "eDEMO-team___-0003-web", "▸eDEMO-team___-0003◂"),
        Slip(.unknownReference, in: "weekend-fishing.yaml", "[trieste]", "[▸triest◂]"),
        Slip(.unknownReference, in: "mistral-gale.yaml", "any: [tides-sardinia,", "any: [▸tides-sardegna◂,"),
        Slip(
            .broadcast, in: "tsunami-warning.yaml",
            "\"!('alerts-off' in topics)\"   # FCM's own language; quotes within quotes\nacknowledge: [broadcast]",
            "▸\"!('alerts-off' in topics)\"◂   # FCM's own language; quotes within quotes\nacknowledge: []"),
        // Messages
        Slip(
            .imageURL, in: "acqua-alta-venice.yaml", "https://marea.example/charts/venezia.png", "▸charts/venezia.png◂"),
        Slip(.ambiguousScalar, in: "acqua-alta-venice.yaml", "\"115\"", "▸115◂"),
        Slip(.ambiguousScalar, in: "acqua-alta-venice.yaml", "\"10:40\"", "▸10:40◂"),
        Slip(.invalidValue, in: "acqua-alta-venice.yaml", "priority: HIGH", "priority: ▸URGENT◂"),
        Slip(.unknownKey, in: "acqua-alta-venice.yaml", "collapse_key:", "▸collapse_keys◂:"),
        Slip(.color, in: "acqua-alta-venice.yaml", "\"#0B5FA5\"", "▸\"#0B5\"◂"),
        Slip(.wrongType, in: "acqua-alta-venice.yaml", "icon: ic_wave", "sticky: ▸yes◂"),
        Slip(.nullValue, in: "acqua-alta-venice.yaml", "title: Acqua alta in Venice", "title: ▸~◂"),
        Slip(
            .linkURL, in: "acqua-alta-venice.yaml", "link: https://marea.example/spots/venezia",
            "link: ▸http://marea.example◂"),
        Slip(
            .analyticsLabel, in: "acqua-alta-venice.yaml", "analytics_label: acqua-alta-venice",
            "analytics_label: ▸acqua alta◂"),
        Slip(.reservedKey, in: "ostia-gauge-moved.yaml", "old_gauge:", "▸from◂:"),
        Slip(.ttlRange, in: "ostia-gauge-moved.yaml", "{priority: NORMAL}", "{priority: NORMAL, ttl: ▸40d◂}"),
        Slip(.duplicateKey, in: "mistral-gale.yaml", "{kind: gale, force:", "{kind: gale, ▸kind◂:"),
        Slip(.apnsHeader, in: "mackerel-run.yaml", "apns-priority: \"10\"", "apns-priority: ▸\"7\"◂"),
        Slip(.apsKey, in: "mackerel-run.yaml", "category:", "▸categori◂:"),
        Slip(.apsValue, in: "mackerel-run.yaml", "thread-id: fishing", "badge: ▸-1◂"),
        Slip(.webNotification, in: "mackerel-run.yaml", "tag: fishing", "dir: ▸left◂"),
        Slip(.silentPriority, in: "forecast-refresh.yaml", "apns-priority: \"5\"", "apns-priority: ▸\"10\"◂"),
        Slip(
            .apsMissing, in: "mose-exercise.yaml", "payload:\n      aps: {sound: default, thread-id: venezia}",
            "▸payload◂:\n      sound: default"),
        Slip(
            .unfinishedText, in: "summer-season-2027.yaml", "title: The bathing season is open",
            "title: ▸The {{season}} is open◂"),
        Slip(.cutText, in: "mackerel-run.yaml", "Mackerel are in\n", "▸Mackerel are◂ #1 in\n"),
        // Schedules and delivery
        Slip(
            .allowUnused, .scheduleTime, in: "summer-season-2027.yaml",
            "# herald: allow round-time the season opens on the hour, as announced\n  at: 2027-06-01T09:00 ",
            "▸# herald: allow round-time the season opens on the hour, as announced◂\n  at: ▸2027-06-01T9:00◂ "),
        Slip(.scheduleZone, in: "weekend-fishing.yaml", "timezone: Europe/Rome", "timezone: ▸Europe/Roma◂"),
        Slip(.shortLateness, in: "weekend-fishing.yaml", "max_lateness: 6h", "max_lateness: ▸1m◂"),
        Slip(.scheduleNever, in: "station-briefing.yaml", "\"30 6 * * *\"", "▸\"0 6 31 2 *\"◂"),
        Slip(.invalidValue, in: "station-briefing.yaml", "catch_up: none", "catch_up: ▸never◂"),
        Slip(.invalidValue, in: "station-briefing.yaml", "members: each", "members: ▸all◂"),
        Slip(.invalidValue, in: "acqua-alta-venice.yaml", "expires_after: 4h", "expires_after: ▸4 hours◂"),
        Slip(.invalidValue, in: "mackerel-run.yaml", "rate: 200/s", "rate: ▸200◂"),
        // The file itself
        Slip(
            .missingKey, in: "ostia-gauge-moved.yaml", "kind: campaign\nname: ostia-gauge-moved",
            "▸kind◂: campaign\n# It has no name.", hidesOthers: true),
        Slip(
            .yamlSyntax, in: "mose-exercise.yaml", "title: Flood barrier exercise today",
            "title: ▸Flood barrier: an exercise today◂", hidesOthers: true),
        Slip(.yamlSyntax, in: "mose-exercise.yaml", "    title: Flood", "    ▸\t◂title: Flood", hidesOthers: true),
    ]

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../campaigns")
        .path

    /// A copy of the campaigns
    private static func copy() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for file in try FileManager.default.subpathsOfDirectory(atPath: root) where !file.hasPrefix(".") {
            guard let data = FileManager.default.contents(atPath: "\(root)/\(file)") else { continue }
            try folder.write(Array(data), to: file)
        }
        return folder
    }

    private static func diagnostics(of slips: [Slip]) throws -> (found: Set<Place>, expected: Set<Place>, shown: String)
    {
        let folder = try copy()
        var marked: [String: String] = [:]
        for slip in slips {
            let text = try marked[slip.file] ?? folder.read(slip.file)
            let parts = text.split(separator: slip.piece, maxSplits: 1, omittingEmptySubsequences: false)
            try #require(parts.count == 2, "\(slip.file) has no \(slip.piece)")
            marked[slip.file] = parts.joined(separator: slip.instead)
        }
        var expected: Set<Place> = []
        for (file, text) in marked {
            let text = MarkedText(text)
            try folder.write(text.text, to: file)
            let ranges = zip(text.positions, text.ends).map { TextRange(start: $0, end: $1 ?? $0) }
            let rules = slips.filter { $0.file == file }.flatMap { slip in
                zip(slip.rules, (slip.instead.matches(of: #/▸([^◂]*)◂/#).map { String($0.1) })).map { $0 }
            }
            // Each marked range belongs to some mistake and says the same there.
            for range in ranges {
                let line = text.text.split(separator: "\n", omittingEmptySubsequences: false)[range.start.line - 1]
                let stretch = String(
                    String.UnicodeScalarView(
                        line.unicodeScalars.prefix(range.end.column - 1).dropFirst(range.start.column - 1)))
                let rule = try #require(rules.first { $0.1 == stretch }?.0, "\(stretch)")
                expected.insert(Place(rule: rule, range: SourceRange(file: file, text: range)))
            }
        }
        let loaded = try WorkspaceLoader.load(folder)
        return (Set(loaded.diagnostics.map { Place(rule: $0.rule, range: $0.range) }), expected, loaded.shown)
    }

    struct Place: Hashable {
        var rule: Rule
        var range: SourceRange
    }

    @Test func `the campaigns as they are have nothing to complain of`() throws {
        #expect(try Self.diagnostics(of: []).found == [])
    }

    @Test(arguments: slips)
    func `a slip is pointed at, and nothing else`(_ slip: Slip) throws {
        let (found, expected, shown) = try Self.diagnostics(of: [slip])
        #expect(!expected.isEmpty)
        #expect(found == expected, "\(shown)")
    }

    @Test func `all slips are pointed at together`() throws {
        let (found, expected, _) = try Self.diagnostics(of: Self.slips.filter { !$0.hidesOthers })
        #expect(expected.count > 40)
        #expect(found.subtracting(expected) == [])
        #expect(expected.subtracting(found) == [])
    }
}
