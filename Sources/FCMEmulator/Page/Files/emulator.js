// Values are inserted as text only. A message can never become markup.
"use strict";
const api = "/emulator/v1/";
// The token of the printed link is a cookie by now.
if (location.search) history.replaceState(null, "", "/");
const $ = id => document.getElementById(id);

function element(tag, options = {}, ...children) {
  const { on = {}, data = {}, aria = {}, ...properties } = options;
  const made = Object.assign(document.createElement(tag), properties);
  for (const [name, act] of Object.entries(on)) made.addEventListener(name, act);
  for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, value);
  Object.assign(made.dataset, data);
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

// Shows items in their order. What has not changed stays as it is, focus and scrolling included.
const shown = new WeakMap();
function list(container, items, key, draw) {
  const before = shown.get(container) ?? new Map(), after = new Map();
  const focus = container.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  for (const [index, item] of items.entries()) {
    const name = key(item, index), text = JSON.stringify(item), old = before.get(name);
    after.set(name, old?.text === text ? old : { text, node: draw(item, old?.node) });
  }
  shown.set(container, after);
  const nodes = [...after.values()].map(each => each.node), wanted = new Set(nodes);
  for (const child of [...container.children]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, index) => {
    if (container.children[index] !== node) container.insertBefore(node, container.children[index] ?? null);
  });
  if (focus === undefined || container.contains(document.activeElement)) return;
  container.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
}

async function call(path, method = "GET", body) {
  const reply = await fetch(api + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(failure(text) ?? `${method} ${path}: ${reply.status}`);
  return text;
}
const read = async path => JSON.parse(await call(path));
function failure(text) { try { return JSON.parse(text).error.message; } catch { return undefined; } }

function attempt(act) {
  return async (...values) => {
    try { await act(...values); $("problem").hidden = true; } catch (error) {
      $("reason").textContent = error.message;
      $("problem").hidden = false;
      refresh();
    }
  };
}
$("dismiss").addEventListener("click", () => { $("problem").hidden = true; });

// Faults

const presets = [
  ["none", []],
  ["sends: every other one 503", [{ match: { service: "send", every: 2 }, do: { status: 503, code: "UNAVAILABLE" } }]],
  ["sends: 429, retry after 2 s", [{ match: { service: "send" }, do: { status: 429, quota: "project", retry_after: "2" } }]],
  ["sends: 1 s late", [{ match: { service: "send" }, do: { delay_ms: 1000 } }]],
  ["sends: delivered and answered 500", [{ match: { service: "send" }, do: { status: 500, code: "INTERNAL", deliver: true } }]],
  ["topics: 503", [{ match: { service: "topics" }, do: { status: 503, code: "UNAVAILABLE" } }]],
];
const sorted = (_, value) => value?.constructor === Object
  ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1)) : value;
const same = (one, other) => JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
const custom = element("option", { value: "custom", hidden: true });
$("faults").append(...presets.map(([name], index) => element("option", { value: index, textContent: name })), custom);
$("faults").addEventListener("change", attempt(() => call("faults", "PUT", presets[$("faults").value][1])));
$("off").addEventListener("click", attempt(() => call("faults", "PUT", [])));

function showFaults(script) {
  const known = presets.findIndex(([, entries]) => same(entries, script.map(({ counts, ...entry }) => entry)));
  custom.hidden = known >= 0;
  custom.textContent = `a script of ${script.length}`;
  $("faults").value = known >= 0 ? known : "custom";
  $("faults").className = script.length ? "active" : "";
  $("script").hidden = script.length === 0;
  list($("entries"), script.slice(0, 50), (_, index) => index, entry =>
    element("li", {}, element("code", { textContent: `${JSON.stringify(entry.match)} → ${JSON.stringify(entry.do)}` }),
      element("small", { textContent: `${entry.counts.faulted} of ${entry.counts.matched}` })));
}

// Time

let skew = 0;
const time = text => text.slice(11, 19);
function tick() { $("clock").textContent = new Date(Date.now() + skew).toISOString().replace("T", " ").slice(0, 19) + " UTC"; }
setInterval(tick, 1000);
for (const button of document.querySelectorAll("[data-advance]"))
  button.addEventListener("click", attempt(() => call("clock", "POST", { advance: button.dataset.advance })));

function span(seconds) {
  const parts = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]].map(([unit, size]) => {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    return count ? `${count} ${unit}` : "";
  });
  return parts.filter(Boolean).slice(0, 2).join(" ");
}

// Devices

const short = name => name.length > 24 ? `${name.slice(0, 23)}…` : name;
const names = { ios: "iOS", android: "Android", web: "Web" };
const fresh = new Map();

function note({ entry, isReplaced, registration }) {
  const isCard = entry.shown && entry.app !== "foreground" && !isReplaced;
  const isFresh = Date.now() - (fresh.get(entry.message_id) ?? 0) < 5000;
  const title = entry.shown?.title ?? (entry.message_type === "deleted_messages" ? "messages were deleted" : null)
    ?? (entry.shown ? null : "data");
  const how = [time(entry.received), entry.topic && `topic ${entry.topic}`, isReplaced ? "replaced" : null, entry.callback];
  return element("button", { className: `note${isCard ? "" : " silent"}${isFresh ? " fresh" : ""}`,
      data: { key: `${registration} ${entry.message_id} ${entry.received}` },
      on: { click: attempt(() => choose(entry.message_id, entry, registration)) } },
    title === null ? null : element("b", { textContent: title }),
    entry.shown?.body ? element("span", { textContent: entry.shown.body }) : null,
    element("small", { textContent: how.filter(Boolean).join(" · ") }));
}

function phone(device, old) {
  const { registration, platform, online, state, topics, waiting, dropped } = device;
  const change = body => call(`devices/${encodeURIComponent(registration)}`, "PUT", body);
  const losses = Object.entries(dropped).map(([why, count]) => `${why.replaceAll("_", " ")} ${count}`).join(", ");
  const more = topics.length > 3 ? ` and ${topics.length - 3} more` : "";
  const facts = [state === "active" ? null : `registration ${state.replaceAll("_", " ")}`,
    topics.length ? `follows ${topics.slice(0, 3).join(", ")}${more}` : null,
    waiting.length ? `${waiting.length} waiting` : null, losses ? `lost: ${losses}` : null].filter(Boolean);
  const article = old ?? element("article", {}, element("div"), element("div", { className: "screen" }));
  article.className = `phone ${platform}${online ? "" : " offline"}`;
  article.setAttribute("aria-label", `${names[platform]} device ${registration}`);
  const app = element("select", { data: { key: `app ${registration}` }, aria: { label: "App" },
    on: { change: event => attempt(change)({ app: event.target.value }) } },
    ...["foreground", "background", "terminated"].map(value => element("option", { value, textContent: value })));
  app.value = device.app;
  const key = `online ${registration}`, [head, screen] = article.children;
  const focus = head.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  head.replaceChildren(
    element("h3", {}, element("code", { textContent: short(registration), title: registration }),
      element("span", { textContent: names[platform] })),
    element("div", { className: "controls" },
      element("button", { textContent: online ? "online" : "offline", data: { key }, aria: { pressed: online, label: "Online" },
        on: { click: attempt(() => change({ online: !online })) } }), app),
    element("small", { className: "facts", textContent: facts.join(" · ") }));
  [...head.querySelectorAll("[data-key]")].find(each => each.dataset.key === focus)?.focus({ preventScroll: true });
  const visible = new Set(device.shown.map(each => each.message_id));
  list(screen, device.inbox.toReversed().map(entry => ({ entry, registration,
    isReplaced: Boolean(entry.shown) && entry.app !== "foreground" && !visible.has(entry.message_id) })),
    item => `${item.entry.message_id} ${item.entry.received}`, note);
  return article;
}

// Messages

let devices = [];
async function choose(id, entry, registration) {
  const line = id ? (await call(`ledger?message_id=${encodeURIComponent(id)}`)).trim() : "";
  const sent = line ? JSON.parse(line) : null;
  $("what").textContent = sent ? `${sent.time.replace("T", " ").slice(0, 19)} UTC · to ${sent.fan_out} · ${id}` : "";
  $("sent").textContent = sent ? JSON.stringify({ message: { ...sent.target, ...sent.message } }, null, 2)
    : "Nobody sent this: it tells the app that messages for it were thrown away.";
  $("who").textContent = registration ?? "";
  $("got").textContent = entry ? JSON.stringify(entry, null, 2) : "None of the devices on this page got it.";
  $("message").showModal();
}
$("close").addEventListener("click", () => $("message").close());
$("message").addEventListener("click", event => { if (event.target === $("message")) $("message").close(); });

function chooseSend(id) {
  const device = devices.find(each => each.inbox.some(entry => entry.message_id === id));
  return choose(id, device?.inbox.find(entry => entry.message_id === id), device?.registration);
}

const row = (name, figure) => element("li", {}, element("span", { textContent: name }),
  element("small", { textContent: figure }));
const send = each => element("li", {}, element("button", { className: "send", data: { key: each.message_id },
    on: { click: attempt(() => chooseSend(each.message_id)) } },
  element("span", { textContent: Object.entries(each.target).map(([kind, name]) => `${kind} ${short(name)}`).join("") }),
  element("small", { textContent: `to ${each.fan_out}` })));
const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;

// What is shown follows what happens.

let wanted = false, busy = false, news = 0;
async function refresh() {
  wanted = true;
  if (busy) return;
  busy = true;
  while (wanted) {
    wanted = false;
    try { await show(); } catch { live(false); }
    await new Promise(done => setTimeout(done, 150));
  }
  busy = false;
}

async function show() {
  const [all, script] = await Promise.all([
    read(`overview?find=${encodeURIComponent($("find").value)}`), read("faults")]);
  skew = Date.parse(all.time) - Date.now();
  tick();
  $("ahead").textContent = all.ahead_seconds ? `${span(all.ahead_seconds)} ahead` : "";
  showFaults(script);
  devices = all.devices;
  $("count").textContent = devices.length < all.registrations ? `${devices.length} of ${all.registrations}` : `${devices.length}`;
  $("empty").hidden = all.registrations > 0;
  list($("devices"), devices, device => device.registration, phone);
  list($("sends"), all.sends, each => each.message_id, send);
  list($("topics"), all.topics, topic => topic.topic, topic => row(topic.topic, `${topic.members} subscribed`));
  list($("groups"), all.groups, (group, index) => `${index} ${group.name}`, group => row(group.name, count(group.members, "member", "members")));
  if (news) $("news").textContent = count(news, "message was sent", "messages were sent");
  news = 0;
}

function live(on) { $("live").textContent = on ? "live" : "not connected"; $("live").className = on ? "on" : ""; }
$("origin").textContent = location.origin;
$("find").addEventListener("input", refresh);
const eventLog = new EventSource(api + "events");
eventLog.onopen = () => { live(true); refresh(); };
eventLog.onerror = () => live(false);
eventLog.onmessage = event => {
  const change = JSON.parse(event.data);
  if (change.change === "delivery") {
    news += 1;
    fresh.set(change.message_id, Date.now());
    for (const [id, when] of fresh) if (Date.now() - when > 5000) fresh.delete(id);
  }
  if (change.change === "reset") $("message").close();
  refresh();
};
