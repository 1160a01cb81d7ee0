/// The page at `/` for a browser. It loads nothing from other servers and runs only its own script.
struct Page {
    private let type: String
    private let text: String

    /// `nil` if the call is not for the page. A call with a `Metadata-Flavor` header is not from a browser.
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
                // Some clients look for a metadata server without sending the header.
                (name: "Metadata-Flavor", value: "Google"),
            ], body: [Array(text.utf8)])
    }

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
