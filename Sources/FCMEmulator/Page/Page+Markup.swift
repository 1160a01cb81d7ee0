extension Page {
    static let html = #"""
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>herald emulator</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/emulator/page.css">
        <script src="/emulator/page.js" defer></script>
        <header>
          <h1>herald emulator</h1>
          <p id="live" role="status">connecting</p>
          <p class="time"><time id="clock"></time> <small id="ahead"></small>
            <button data-advance="1h" aria-label="Put the clock forward by an hour">+1 h</button>
            <button data-advance="1d" aria-label="Put the clock forward by a day">+1 day</button></p>
          <label>Faults <select id="faults"></select></label>
          <label>Find <input id="find" type="search" placeholder="a registration" spellcheck="false"
            autocomplete="off"></label>
        </header>
        <main>
          <section aria-labelledby="devices-title">
            <h2 id="devices-title">Devices <small id="count"></small></h2>
            <p id="empty" hidden>None yet. A device turns up here as soon as something is sent to it, or when it subscribes:
              <code>curl <span id="origin"></span>/v1/projects/demo-herald/messages:send -d '{"message": {"fid":
              "d000000000000000000001", "notification": {"title": "High tide"}}}'</code></p>
            <div id="devices"></div>
          </section>
          <aside aria-label="Sends, topics, groups, faults">
            <section id="script" aria-labelledby="script-title" hidden>
              <h2 id="script-title">Faults in force <button id="off">switch off</button></h2>
              <ul id="entries"></ul>
            </section>
            <section aria-labelledby="sends-title"><h2 id="sends-title">Sends</h2><ol id="sends"></ol></section>
            <section aria-labelledby="topics-title"><h2 id="topics-title">Topics</h2><ul id="topics"></ul></section>
            <section aria-labelledby="groups-title"><h2 id="groups-title">Groups</h2><ul id="groups"></ul></section>
          </aside>
        </main>
        <dialog id="message" aria-labelledby="message-title">
          <div>
            <header><h2 id="message-title">Message <small id="what"></small></h2><button id="close">Close</button></header>
            <div class="pair">
              <section><h3>As it was sent</h3><pre id="sent" tabindex="0"></pre></section>
              <section><h3>As the device gets it <code id="who"></code></h3><pre id="got" tabindex="0"></pre></section>
            </div>
          </div>
        </dialog>
        <p id="news" class="heard" role="status"></p>
        <div id="problem" role="alert" hidden><span id="reason"></span> <button id="dismiss">Dismiss</button></div>
        <noscript>This page needs its script.</noscript>
        </html>
        """#
}
