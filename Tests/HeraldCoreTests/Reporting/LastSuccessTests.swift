import HeraldCore
import Testing

/// When a run last ended well, which figures keep while runs fail.
@Suite struct LastSuccessTests {
    private static let time = Date(timeIntervalSince1970: 1_795_000_000)

    @Test func `figures say when a run last ended well, and it is read back`() {
        let text = MetricsDocument(DocumentSamples.report, lastSuccess: Self.time).text
        let project = DocumentSamples.report.project
        #expect(
            text.contains(
                "\nherald_run_last_success_timestamp_seconds{project=\"\(project)\"} 1795000000\n"))
        #expect(MetricsDocument.lastSuccess(in: text, project: project) == Self.time)
        // Another project's runs are none of this one.
        #expect(MetricsDocument.lastSuccess(in: text, project: project + "2") == nil)
    }

    @Test(arguments: ["", "herald_run_last_success_timestamp_seconds{project=\"p\"} soon\n", "\u{0}\n{}\n"])
    func `a text without it has none`(_ text: String) {
        #expect(MetricsDocument.lastSuccess(in: text, project: "p") == nil)
        #expect(!MetricsDocument(DocumentSamples.report).text.contains("last_success"))
    }
}
