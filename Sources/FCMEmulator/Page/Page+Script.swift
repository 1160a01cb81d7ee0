extension Page {
    /// Text reaches the document as text only: no markup is ever made of what a message says.
    static let script = #"""
        "use strict";
        const api = "/emulator/v1/";
        const $ = id => document.getElementById(id);
        const fresh = new Set();
        let chosen = null;

        function element(tag, options = {}, ...children) {
          const { on = {}, data = {}, ...properties } = options;
          const made = Object.assign(document.createElement(tag), properties);
          for (const [name, act] of Object.entries(on)) made.addEventListener(name, act);
          Object.assign(made.dataset, data);
          made.append(...children.filter(child => child !== null && child !== undefined));
          return made;
        }

        async function call(path, method = "GET", body) {
          const reply = await fetch(api + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
          const text = await reply.text();
          if (!reply.ok) throw new Error(failure(text) ?? `${method} ${path}: ${reply.status}`);
          return text;
        }
        const read = async path => JSON.parse(await call(path));
        function failure(text) { try { return JSON.parse(text).error.message; } catch { return null; } }

        function attempt(act) {
          return async (...values) => {
            try { await act(...values); $("problem").hidden = true; } catch (error) {
              $("problem").textContent = error.message;
              $("problem").hidden = false;
            }
          };
        }

        const faults = [
          ["none", []],
          ["sends: every other one 503", [{ match: { service: "send", every: 2 }, do: { status: 503, code: "UNAVAILABLE" } }]],
          ["sends: 429, retry after 2 s", [{ match: { service: "send" }, do: { status: 429, quota: "project", retry_after: "2" } }]],
          ["sends: 1 s late", [{ match: { service: "send" }, do: { delay_ms: 1000 } }]],
          ["sends: delivered and answered 500", [{ match: { service: "send" }, do: { status: 500, code: "INTERNAL", deliver: true } }]],
          ["topics: 503", [{ match: { service: "topics" }, do: { status: 503, code: "UNAVAILABLE" } }]],
        ];
        $("faults").append(...faults.map(([name], index) => element("option", { value: index, textContent: name })));
        $("faults").addEventListener("change", attempt(() => call("faults", "PUT", faults[$("faults").value][1])));
        for (const button of document.querySelectorAll("[data-advance]"))
          button.addEventListener("click", attempt(() => call("clock", "POST", { advance: button.dataset.advance })));
        $("find").addEventListener("input", () => refresh());

        const short = name => name.length > 28 ? `${name.slice(0, 22)}…` : name;
        const time = text => text.slice(11, 19);

        function note(device, entry) {
          const shown = entry.app === "foreground" ? null : entry.shown;
          const words = shown ? null : entry.message_type ?? "data";
          return element("button", {
              className: `note${shown ? "" : " silent"}${fresh.has(entry.message_id) ? " fresh" : ""}`,
              on: { click: attempt(() => choose(device, entry)) } },
            shown ? element("b", { textContent: shown.title ?? "" }) : element("span", { textContent: words }),
            shown ? element("span", { textContent: shown.body ?? "" }) : null,
            element("span", { className: "faint",
              textContent: [time(entry.received), entry.topic, entry.callback].filter(Boolean).join(" · ") }));
        }

        function control(device, label, change, pressed) {
          const button = element("button", { textContent: label, on: {
            click: attempt(() => call(`devices/${encodeURIComponent(device.registration)}`, "PUT", change)) } });
          if (pressed !== undefined) button.setAttribute("aria-pressed", pressed);
          return button;
        }

        function phone(device) {
          const dropped = Object.entries(device.dropped).map(([why, count]) => `${why} ${count}`).join(", ");
          const facts = [device.state === "active" ? null : device.state,
            device.waiting.length ? `${device.waiting.length} waiting` : null, dropped ? `lost: ${dropped}` : null];
          return element("article", { className: `phone ${device.platform}${device.online ? "" : " away"}` },
            element("h3", {}, element("code", { textContent: short(device.registration), title: device.registration }),
              element("span", { textContent: device.platform })),
            element("div", { className: "controls" },
              control(device, device.online ? "online" : "away", { online: !device.online }, device.online),
              ...["foreground", "background", "terminated"].map(app => control(device, app, { app }, device.app === app))),
            element("div", { className: "faint", textContent: facts.filter(Boolean).join(" · ") }),
            element("div", { className: "screen" }, ...device.inbox.toReversed().map(entry => note(device, entry))));
        }

        async function choose(device, entry) {
          chosen = entry.message_id;
          const lines = (await call("ledger")).trim().split("\n").filter(Boolean).map(line => JSON.parse(line));
          const sent = lines.findLast(line => line.message_id === chosen);
          $("sent").textContent = JSON.stringify(sent ? { ...sent.target, ...sent.message } : null, null, 2);
          $("got").textContent = JSON.stringify(entry, null, 2);
          $("message").hidden = false;
        }

        const row = (name, figure) => element("li", {}, element("span", { textContent: name }),
          element("small", { textContent: figure }));

        let wanted = false, busy = false;
        async function refresh() {
          wanted = true;
          if (busy) return;
          busy = true;
          while (wanted) {
            wanted = false;
            await attempt(show)();
            await new Promise(done => setTimeout(done, 150));
          }
          busy = false;
        }

        async function show() {
          const all = await read(`overview?find=${encodeURIComponent($("find").value)}`);
          $("clock").textContent = all.time.replace("T", " ").slice(0, 19) + " UTC ";
          $("count").textContent = all.devices.length < all.registrations
            ? `${all.devices.length} of ${all.registrations}` : `${all.registrations}`;
          $("devices").replaceChildren(...all.devices.map(phone));
          $("sends").replaceChildren(...all.sends.map(send =>
            row(Object.entries(send.target).map(([kind, name]) => `${kind} ${short(name)}`).join(""), `to ${send.fan_out}`)));
          $("topics").replaceChildren(...all.topics.map(topic => row(topic.topic, `${topic.members} subscribed`)));
          $("groups").replaceChildren(...all.groups.map(group => row(group.name, `${group.members} members`)));
          fresh.clear();
        }

        const feed = new EventSource(api + "events");
        const live = on => { $("live").textContent = on ? "live" : "not connected"; $("live").className = on ? "on" : ""; };
        feed.onopen = () => { live(true); refresh(); };
        feed.onerror = () => live(false);
        feed.onmessage = event => {
          const change = JSON.parse(event.data);
          if (change.change === "delivery") fresh.add(change.message_id);
          if (change.change === "reset") {
            $("message").hidden = true;
            $("faults").value = 0;
          }
          refresh();
        };
        refresh();
        """#
}
