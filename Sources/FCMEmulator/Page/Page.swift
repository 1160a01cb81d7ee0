/// The page at `/` for a browser, from `Files`. It loads nothing from other servers and runs only its own script.
struct Page {
    private let type: String
    private let bytes: [UInt8]

    /// `nil` if the call is not for the page. A call with a `Metadata-Flavor` header is not from a browser.
    init?(_ call: Call) {
        guard call.method == "GET", call.header(.metadataFlavor) == nil else { return nil }
        switch call.path {
        case [""]: (type, bytes) = ("text/html", PackageResources.emulator_html)
        case ["emulator", "page.css"]: (type, bytes) = ("text/css", PackageResources.emulator_css)
        case ["emulator", "page.js"]: (type, bytes) = ("text/javascript", PackageResources.emulator_js)
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
            ], body: [bytes])
    }

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
