// Hides what does not have all the words that are typed.
"use strict";
const field = document.getElementById("find"), found = document.getElementById("found");
const plain = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const all = [...document.querySelectorAll("[data-find]")].map(part => [part, plain(part.textContent)]);
if (field) field.parentElement.hidden = false;
field?.addEventListener("input", () => {
  const words = plain(field.value).split(/\s+/).filter(word => word);
  const shown = all.filter(([part, text]) => !(part.hidden = !words.every(word => text.includes(word))));
  found.textContent = words.length ? shown.length + " of " + all.length : "";
});
