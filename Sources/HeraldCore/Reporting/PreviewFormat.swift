/// How previews are shown.
package enum PreviewFormat: String, CaseIterable, Sendable {
    case text, json, html
}

extension PreviewDocument {
    /// The only switch over these formats. The result ends with a line break.
    package func rendered(as format: PreviewFormat, _ style: TextStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .json: json.prettyText
        case .html: PreviewsDocument([preview]).html
        }
    }
}

extension PreviewsDocument {
    package func rendered(as format: PreviewFormat, _ style: TextStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .json: json.prettyText
        case .html: html
        }
    }
}
