/// How a saved report is shown. JSON is not among them, since the file is JSON already.
package enum ReportFormat: String, CaseIterable, Sendable {
    case text, markdown, html, junit
}

extension ReportDocument {
    /// The only switch over these formats. The result ends with a line break.
    package func rendered(as format: ReportFormat, _ style: TextStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .markdown: markdown
        case .html: html
        case .junit: junit
        }
    }
}
