import FCM
import Foundation
import HeraldTestSupport
import Testing

@testable import HeraldCore

/// What plans, reports, metrics and previews show of personal messages.
struct PersonalDocumentTests {
    private static let people = ["Ann,it", "Bob,en", ",it", "Zoë,de"]
    private static let secret = "Zoë"

    private func document(_ personal: PersonalSamples) throws -> PlanDocument {
        var document = PlanDocument(
            Proposal(Plan(at: PlanScenario.now, workspaceDigest: ""), personal.overview()), id: "p",
            created: PlanScenario.now)
        let change = WorkspaceChange(kind: .campaign, name: "mine", action: .added, fields: [])
        (document.declared, document.texts) = (personal.workspace.campaigns, try personal.workspace.shownTexts())
        document.comparison = .init(base: String(repeating: "a", count: 40), changes: [change])
        return document
    }

    // MARK: Plans

    @Test func `a plan counts texts and names the first bad rows`() throws {
        let document = try document(PersonalSamples(Self.people))
        // An iPhone gets {"aps":{},"text":"Ciao Ann"}.
        let expected: JSONValue = [
            [
                "campaign": "mine", "locales": ["it": 1, "en": 2], "variants": [:], "held_out": 0,
                "bad_rows": ["missing": 1],
                "bad_lines": [["list": "l.csv", "line": 4, "kind": "missing", "field": "name"]],
                "largest_bytes": 28, "longest": ["locale": "it", "bytes": 28, "list": "l.csv", "line": 2],
            ]
        ]
        #expect(document.json["personal"] == expected)
        let text = document.rendered(as: PlanFormat.text)
        #expect(text.contains("Personal messages:\n  mine: en 2, it 1; at most 28 of 4,096 bytes\n"))
        #expect(text.contains("    largest message: locale it, 28 bytes, from l.csv, line 2\n"))
        #expect(text.contains("    1 bad row: 1 missing\n"))
        #expect(
            text.contains(
                "    l.csv, line 4: there is no value for 'name', and the message gives no default\n"))
    }

    @Test(arguments: [PlanFormat.text, .json, .markdown, .html])
    func `no form of a plan shows a value`(_ format: PlanFormat) throws {
        let people = Self.people + ["\(Self.secret) Maria,it"]
        let shown = try document(PersonalSamples(people, texts: PersonalSamples.notifications)).rendered(as: format)
        #expect(shown.contains("Ciao ▒▒▒▒▒▒▒▒▒"))
        #expect(!shown.contains(Self.secret))
        #expect(!shown.contains("Maria"))
    }

    @Test(arguments: [("Massimiliano", "▒▒▒▒▒▒▒▒▒▒▒▒"), (String(repeating: "ë", count: 21), "▒×21")])
    func `a plan shows the largest message without its values`(_ name: String, _ marks: String) throws {
        let people = ["Ann,en", "\(name),it", ",it", "Bob,en"]
        let document = try document(PersonalSamples(people, texts: PersonalSamples.notifications))
        let size = #"{"aps":{"alert":{"body":"Nice.","title":"Ciao \#(name)"}}}"#.utf8.count
        #expect(
            document.json["personal"]?.array?.first?["longest"] == [
                "locale": "it", "bytes": .int(Int64(size)), "list": "l.csv", "line": 3,
                "title": .string("Ciao \(marks)"), "body": "Nice.",
            ])
        #expect(
            document.rendered(as: PlanFormat.text).contains(
                "    largest message: locale it, \(size) bytes, from l.csv, line 3\n    │ Ciao \(marks)\n    │ Nice.\n")
        )
    }

    @Test func `a row counts in the variant that makes its message largest`() throws {
        let personal = try PersonalSamples(["Ann,en"], variants: PersonalSamples.variants)
        let longest = try #require(personal.overview().personal.first?.longest)
        #expect(longest.message.recipients == MessageClass(variant: "b"))
        #expect(longest.message.message == ["data": ["text": "Hey ▒▒▒"]])
    }

    @Test func `each text is drawn under its name, with a sample of its locale`() throws {
        let document = try document(PersonalSamples(Self.people, texts: PersonalSamples.notifications))
        let shown = document.rendered(as: PlanFormat.markdown)
        let texts = shown.split(separator: "<details><summary>").dropFirst()
        #expect(texts.count == 2)
        #expect(texts.first?.hasPrefix("<code>mine: locale en, filled with sample 2</code></summary>") == true)
        #expect(texts.first?.contains("│ Hi Dana\n") == true)
        #expect(texts.last?.hasPrefix("<code>mine: locale it, filled with sample 1</code></summary>") == true)
        #expect(texts.last?.contains("│ Ciao Chris\n") == true)
        #expect(document.rendered(as: PlanFormat.html).contains("<h3>locale it, filled with sample 1</h3>"))
    }

    @Test func `without samples defaults are drawn`() throws {
        let personal = try PersonalSamples(Self.people, samples: "", texts: PersonalSamples.notifications)
        let shown = try document(personal).rendered(as: PlanFormat.markdown)
        #expect(shown.contains("│ Ciao a te\n"))
        #expect(shown.contains("│ Hi {{ name }}\n"))
        #expect(!shown.contains("default:"))
    }

    @Test func `those who are held out are counted apart`() throws {
        let people = (1...300).map { "N\($0),en" }
        let overview = try #require(
            try PersonalSamples(people, variants: PersonalSamples.variants).overview().personal.first)
        #expect(overview.variants.keys.sorted() == ["a", "b"])
        #expect(overview.heldOut > 50)
        #expect(overview.variants.values.reduce(0, +) + overview.heldOut == 300)
        #expect(overview.locales == ["en": 300 - overview.heldOut])
    }

    @Test func `a campaign that is not due yet counts whom it will be sent to`() throws {
        let schedule = "schedule: {at: 2030-01-01T08:00:00Z}"
        let personal = try PersonalSamples(["Ann,en", ",en"], badRows: "skip", schedule: schedule)
        #expect(personal.overview().upcoming.map(\.recipients) == [1])
        let headline = try document(personal).headline
        #expect(headline.contains("to 1 recipient,"), "\(headline)")
    }

    @Test(arguments: [("error", 1), ("skip", 0)])
    func `a campaign that is not due yet has a warning`(_ badRows: String, _ warnings: Int) throws {
        let schedule = "schedule: {at: 2030-01-01T08:00:00Z}"
        let overview = try PersonalSamples(Self.people, badRows: badRows, schedule: schedule).overview()
        #expect(overview.warnings.count { $0.contains("guard personal_rows") } == warnings)
        #expect(overview.personal.first?.skipsBadRows == (badRows == "skip"))
    }

    @Test func `a campaign that is due has the guard and no warning`() throws {
        let overview = try PersonalSamples(Self.people).overview()
        #expect(!overview.warnings.contains { $0.contains("personal_rows") })
    }

    // MARK: Reports

    private var report: Report {
        var report = DocumentSamples.report
        var (it, none) = (StepReport.ClassFigures(), StepReport.ClassFigures())
        (it.planned, it.accepted, it.rejected) = (90, 86, 4)
        (none.planned, none.skipped) = (10, 10)
        report.steps[2].locales = ["it": it, "en": none]
        report.steps[2].variants = ["none": none, "a": it]
        (report.steps[2].leftOut.heldOut, report.steps[2].leftOut.gone) = (10, 1)
        report.steps[2].leftOut.dead = 2
        return report
    }

    @Test func `a report is read back with its texts`() throws {
        let document = ReportDocument(report)
        let read = try ReportDocument(reading: Array(document.rendered(as: OutputFormat.json).utf8)).report
        #expect(read.steps[2].locales == report.steps[2].locales)
        #expect(read.steps[2].variants == report.steps[2].variants)
        #expect(read.steps[2].leftOut == report.steps[2].leftOut)
        let step = document.json["steps"]?.array?[2]
        #expect(
            step?["variants"]?["none"] == [
                "planned": 10, "accepted": 0, "rejected": 0, "unknown": 0, "skipped": 10, "held": 0, "pending": 0,
            ])
        #expect(step?["skipped_because"]?["held_out"] == 10 && step?["skipped_because"]?["gone"] == 1)
        #expect(step?["skipped_because"]?["bad_rows"] == 0 && step?["skipped_because"]?["dead"] == 2)
    }

    @Test func `an account that does not add up is malformed`() throws {
        let text = ReportDocument(report).rendered(as: OutputFormat.json)
        let wrong = text.replacing("\"planned\" : 90", with: "\"planned\" : 91")
        #expect(wrong != text)
        #expect(throws: ReportDocument.ReadingError.self) { try ReportDocument(reading: Array(wrong.utf8)) }
    }

    @Test func `the text has a line for each kind`() {
        let text = ReportDocument(report).text(.plain)
        #expect(text.contains("    locales: en 0 of 10 (10 skipped), it 86 of 90 (4 rejected)\n"))
        #expect(text.contains("    variants: a 86 of 90 (4 rejected), none 0 of 10 (10 skipped)\n"))
        #expect(text.contains("    skipped: 10 held out, 1 not on the list any more, 2 with dead registrations\n"))
    }

    @Test(arguments: [ReportFormat.markdown, .html])
    func `pages have a table of texts`(_ format: ReportFormat) {
        let shown = ReportDocument(report).rendered(as: format)
        #expect(shown.contains("Texts"))
        #expect(shown.contains("locale it"))
        #expect(shown.contains("variant none"))
    }

    @Test func `metrics name campaign and text`() {
        let text = MetricsDocument(report).text
        #expect(
            text.contains(
                #"herald_run_locale_accepted{project="tide-app",campaign="tide-rome",locale="it"} 86"# + "\n"))
        #expect(
            text.contains(
                #"herald_run_variant_skipped{project="tide-app",campaign="tide-rome",variant="none"} 10"# + "\n"))
        #expect(text.split(separator: "\n").count { $0 == "# TYPE herald_run_locale_planned gauge" } == 1)
        #expect(!MetricsDocument(DocumentSamples.report).text.contains("locale"))
    }

    // MARK: Previews

    private func previews(_ choice: TextChoice = TextChoice()) throws -> [Preview] {
        let personal = try PersonalSamples(Self.people, variants: PersonalSamples.variants)
        return try choice.texts(of: personal.send, personal.samples).map {
            try Preview(
                of: personal.send, showing: $0,
                in: PreviewSamples.surroundings((1...4).map { Registration.fid($0) }), at: PreviewSamples.now)
        }
    }

    @Test func `a preview shows each text with a sample's values`() throws {
        let previews = try previews()
        #expect(
            previews.compactMap { $0.text?.words } == [
                "locale en, variant a", "locale it, variant a", "locale en, variant b", "locale it, variant b",
            ])
        #expect(previews.map(\.devices.count) == [3, 3, 3, 3])
        let document = PreviewDocument(previews[1])
        #expect(
            document.json["text"] == ["locale": "it", "variant": "a", "filled_with": "sample", "sample": 1])
        #expect(document.text(.plain).contains("locale it, variant a, filled with sample 1\n"))
    }

    @Test func `a request that is filled with a sample names nobody`() throws {
        let shown = try previews().filter { !$0.requests.isEmpty }
        #expect(!shown.isEmpty)
        for preview in shown {
            #expect(preview.requests.first?.body["message"]?["fid"] == "<registration>")
        }
        let row = try #require(try previews(TextChoice(sample: 1, variant: "b")).first)
        #expect(row.text?.sample == 1)
    }

    @Test func `the page shows the texts side by side`() throws {
        let html = PreviewsDocument(try previews()).html
        #expect(html.contains("Side by side: mine"))
        #expect(html.contains("locale it, variant b"))
        #expect(!html.contains(Self.secret))
    }
}
