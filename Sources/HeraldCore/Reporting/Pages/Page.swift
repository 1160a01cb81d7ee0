internal import FCM
internal import Mustache

/// A self-contained page: no fonts, pictures or scripts from elsewhere. The templates, styles and scripts in `Templates`
/// are embedded in the program.
enum Page: String {
    case plan, preview, report

    /// - Parameter values: What the template names. Every text in it is shown as text and never acts as markup.
    func rendered(_ values: JSONValue) -> String {
        guard let page = Self.library.render(values.shown, withTemplate: rawValue) else {
            preconditionFailure("there is no template '\(rawValue)'")
        }
        return page
    }

    static let files: [(name: String, bytes: [UInt8])] = [
        ("bars", PackageResources.bars_mustache), ("calendar", PackageResources.calendar_css),
        ("head", PackageResources.head_mustache), ("mock", PackageResources.mock_mustache),
        ("phones", PackageResources.phones_css), ("plan", PackageResources.plan_mustache),
        ("preview", PackageResources.preview_mustache), ("report", PackageResources.report_mustache),
        ("style", PackageResources.style_css),
    ]

    private static let library: MustacheLibrary = {
        MustacheContentTypes.register(Markup(), named: "MARKUP")
        var library = MustacheLibrary()
        for (name, bytes) in files {
            do {
                try library.register(String(decoding: bytes, as: UTF8.self), named: name)
            } catch {
                preconditionFailure("the template '\(name)' cannot be read: \(error)")
            }
        }
        return library
    }()
}

/// Escapes each Unicode scalar by itself.
///
/// The library's own escaping looks at whole grapheme clusters. It does not see the `<` that shares one with a character
/// before it, such as U+111C2, or the quotation mark that shares one with an accent behind it.
private struct Markup: MustacheContentType {
    func escapeText(_ text: String) -> String { text.escapedForMarkup }
}

/// What a template sees where there is no value. Without it, the library would take a value of the same name from
/// around it.
private struct Nothing: MustacheCustomRepresentation {
    let representation: Any? = nil
}

extension JSONValue {
    /// In the library's form. Control characters of texts are made visible, so that none acts on the text around it.
    fileprivate var shown: Any {
        switch self {
        case .string(let text): text.visible
        case .digits(let text): text.visible
        case .int(let number): number
        case .double(let number): number
        case .bool(let value): value
        case .array(let elements): elements.map(\.shown)
        case .object(let members): members.mapValues(\.shown)
        case .null: Nothing()
        }
    }
}
