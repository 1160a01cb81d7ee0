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

    private static let html = #"""
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>herald emulator</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/emulator/page.css">
        <script src="/emulator/page.js" defer></script>
        <header>
          <h1>herald emulator</h1>
          <p id="live" role="status">connecting</p>
          <p><output id="clock"></output>
            <button data-advance="1h">+1 h</button><button data-advance="1d">+1 day</button></p>
          <label>Faults <select id="faults"></select></label>
          <label>Find <input id="find" type="search" placeholder="a registration" spellcheck="false"></label>
        </header>
        <main>
          <section aria-label="Devices">
            <h2>Devices <small id="count"></small></h2>
            <div id="devices"></div>
          </section>
          <aside>
            <section aria-label="Message" id="message" hidden>
              <h2>Message</h2>
              <div class="pair">
                <div><h3>As it was sent</h3><pre id="sent"></pre></div>
                <div><h3>As the device gets it</h3><pre id="got"></pre></div>
              </div>
            </section>
            <section><h2>Sends</h2><ol id="sends"></ol></section>
            <section><h2>Topics</h2><ul id="topics"></ul></section>
            <section><h2>Groups</h2><ul id="groups"></ul></section>
          </aside>
        </main>
        <p id="problem" role="alert" hidden></p>
        <noscript>This page needs its script.</noscript>
        </html>
        """#
}
