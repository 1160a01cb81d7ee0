internal import Crypto
internal import FCM
internal import Mustache

/// A self-contained page: no fonts, pictures or scripts from elsewhere. The templates, styles and scripts in `Templates`
/// are embedded in the program.
enum Page: String, CaseIterable {
    case plan, preview, report, status
    // Of a site only.
    case start, month, campaign, changes, runs

    /// - Parameters:
    ///   - values: What the template names. Every text in it is shown as text and never acts as markup.
    ///   - frame: The site that the page is part of.
    func rendered(_ values: JSONValue, in frame: SiteFrame? = nil) -> String {
        guard let frame, let members = values.object else { return filled(values) }
        var site = frame.values
        site["policy"] = .string(policy)
        return filled(.object(members.merging(["site": .object(site)]) { $1 }))
    }

    private func filled(_ values: JSONValue) -> String {
        guard let page = Self.library.render(values.shown, withTemplate: rawValue) else {
            preconditionFailure("there is no template '\(rawValue)'")
        }
        return page
    }

    static let files: [(name: String, bytes: [UInt8])] = [
        ("bar", PackageResources.bar_mustache), ("bars", PackageResources.bars_mustache),
        ("calendar", PackageResources.calendar_css), ("campaign", PackageResources.campaign_mustache),
        ("changes", PackageResources.changes_mustache), ("find", PackageResources.find_mustache),
        ("head", PackageResources.head_mustache), ("mock", PackageResources.mock_mustache),
        ("month", PackageResources.month_mustache), ("phones", PackageResources.phones_css),
        ("plan", PackageResources.plan_mustache), ("preview", PackageResources.preview_mustache),
        ("report", PackageResources.report_mustache), ("runs", PackageResources.runs_mustache),
        ("search", PackageResources.search_js), ("start", PackageResources.start_mustache),
        ("status", PackageResources.status_mustache), ("style", PackageResources.style_css),
        ("weeks", PackageResources.weeks_mustache),
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

// MARK: What a page of a site may do

extension Page {
    /// Of styles and scripts, a page of a site has only those that its template has.
    private var policy: String { Self.policies[self] ?? "default-src 'none'" }

    private static let policies = Dictionary(
        uniqueKeysWithValues: Page.allCases.map { page in
            let empty = page.filled(.object(["site": .object([:])]))
            let sources = [("style", "style-src"), ("script", "script-src")].compactMap { tag, rule in
                empty.part(between: "<\(tag)>", and: "</\(tag)>").map { "\(rule) 'sha256-\($0.digest)'" }
            }
            let rules =
                ["default-src 'none'"] + sources + ["img-src data:", "base-uri 'none'", "form-action 'none'"]
            return (page, rules.joined(separator: "; "))
        })
}

extension String {
    fileprivate func part(between start: String, and end: String) -> String? {
        guard let begin = firstRange(of: start), let finish = self[begin.upperBound...].firstRange(of: end) else {
            return nil
        }
        return String(self[begin.upperBound..<finish.lowerBound])
    }

    /// SHA-256 in base64.
    fileprivate var digest: String { Data(SHA256.hash(data: Array(utf8))).base64EncodedString() }
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
