/// What a browser shows of the emulator, at `/`. It loads nothing from elsewhere and runs no script but its own.
struct Page {
    private let type: String
    private let text: String

    /// `nil` where the call is none of the page's. Who says what flavour of metadata he wants is no browser.
    init?(_ call: Call) {
        guard call.method == "GET", call.header(.metadataFlavor) == nil else { return nil }
        switch call.path {
        case [""]: (type, text) = ("text/html", Self.html)
        case ["emulator", "page.css"]: (type, text) = ("text/css", Self.style)
        case ["emulator", "page.js"]: (type, text) = ("text/javascript", Self.script)
        default: return nil
        }
    }

    var answer: Answer {
        Answer(
            contentType: "\(type); charset=UTF-8",
            headers: [
                (name: "Content-Security-Policy", value: Self.policy),
                (name: "X-Content-Type-Options", value: "nosniff"),
                (name: "Referrer-Policy", value: "no-referrer"), (name: "Cache-Control", value: "no-store"),
                // Some look for a metadata server without saying that they do.
                (name: "Metadata-Flavor", value: "Google"),
            ], body: [Array(text.utf8)])
    }

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
