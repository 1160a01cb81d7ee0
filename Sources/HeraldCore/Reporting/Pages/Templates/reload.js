// Loads the page again once a file of the workspace has changed.
"use strict";
const shown = document.querySelector('meta[name="version"]').content;
async function look() {
  try {
    const reply = await fetch("/version", { cache: "no-store" });
    if (reply.ok && (await reply.text()) !== shown) { location.reload(); return; }
  } catch { /* The server has ended, or begins again. */ }
  setTimeout(look, 700);
}
look();
