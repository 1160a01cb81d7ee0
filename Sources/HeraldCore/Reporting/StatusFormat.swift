/// How a status is shown.
package enum StatusFormat: String, CaseIterable, Sendable {
    case text, json, html
}

extension StatusDocument {
    /// The only switch over these formats. The result ends with a line break.
    package func rendered(as format: StatusFormat, _ style: TextStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .json: json.prettyText
        case .html: html
        }
    }
}
