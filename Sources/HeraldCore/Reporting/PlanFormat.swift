/// How a plan is shown.
package enum PlanFormat: String, CaseIterable, Sendable {
    case text, json, markdown, html
}

extension PlanDocument {
    /// The only switch over these formats. The result ends with a line break.
    package func rendered(as format: PlanFormat, _ style: TextStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .json: json.prettyText
        case .markdown: markdown
        case .html: html
        }
    }
}
