// Keeps the page alive: replaces the inside of a section when the emulator says that it has changed.
"use strict";

const live = document.getElementById("live");

function replace(id, html) {
  const section = document.getElementById(id);
  if (!section) return;
  const focused = section.contains(document.activeElement) ? document.activeElement.id : "";
  section.innerHTML = html;
  if (focused) document.getElementById(focused)?.focus();
}

if (live) {
  const events = new EventSource("/events");
  events.onmessage = (event) => Object.entries(JSON.parse(event.data)).forEach(([id, html]) => replace(id, html));
  events.onopen = () => { live.textContent = "live"; };
  events.onerror = () => { live.textContent = "not connected"; };
}
