// The desk without a script is whole; with one its pages follow what happens, and leave alone what is being filled in.
const RESTS_MS = 300;
const RESTS_TIMES = 3;
const TURNS_MS = 9000;
const AGAIN_MS = 2000;
// The stream speaks every ten seconds. A page that hears nothing (a proxy that keeps what it should pass on, a desk that hangs)
// says so, and asks by itself.
const SILENT_MS = 15000;
const SMALLEST = 0.56;
const PAGED = 0.8;
const at = (id) => document.getElementById(id);
const touched = new WeakSet();
document.body.classList.add("scripted");

document.addEventListener("input", (event) => {
  if (event.target.form) touched.add(event.target.form);
});
document.addEventListener("change", (event) => {
  if (event.target.id === "lang") event.target.form.submit();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});
// A second press of the same button asks for nothing new.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
// After a refusal the forms hold what was typed, not what is saved.
if (at("refusal")) for (const form of document.querySelectorAll("main form")) touched.add(form);

function local(root) {
  for (const one of root.querySelectorAll("time[datetime]")) {
    const when = new Date(one.dateTime);
    if (!Number.isNaN(when.valueOf())) {
      one.textContent = when.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
    }
  }
}

function filling(part) {
  const forms = part.matches("form") ? [part] : [...part.querySelectorAll("form")];
  const here = document.activeElement;
  return forms.some((form) => touched.has(form)) || (part.contains(here) && here.matches("input, select, textarea"));
}

function taken(page) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(part.id);
    if (!fresh) continue;
    local(fresh);
    if (fresh.innerHTML === part.innerHTML) continue;
    if (filling(part)) {
      if (fresh.dataset.seen !== part.dataset.seen) at("changed").hidden = false;
      continue;
    }
    const focused = part.contains(document.activeElement) ? document.activeElement.id : "";
    const shown = [...part.querySelectorAll("[data-turning]")].map((one) => one.scrollTop);
    part.replaceWith(document.adoptNode(fresh));
    if (focused) at(focused)?.focus();
    fitted();
    fresh.querySelectorAll("[data-turning]").forEach((one, place) => { one.scrollTop = shown[place] ?? 0; });
  }
}

// A page that takes long to make is asked for less often.
let next = 0;
let waiting = null;
let missed = false;
async function refresh() {
  waiting = null;
  const began = performance.now();
  next = Infinity;
  try {
    const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
    if (answer.redirected) location.assign(answer.url);  // to the login
    else if (answer.ok) taken(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    at("lost").hidden = false;
  }
  next = performance.now() + Math.max(RESTS_MS, RESTS_TIMES * (performance.now() - began));
  if (missed) changed();
}

function changed() {
  missed = next === Infinity;
  if (!missed) waiting ??= setTimeout(refresh, Math.max(0, next - performance.now()));
}

// What was painted is of some instant before the stream began, so its first number asks, too.
// A browser has six connections for all its tabs: those that nobody sees give theirs back.
let live = null;
let heardAt = 0;
function hear() {
  heardAt = performance.now();
  at("late").hidden = true;
}
function lookAtStream() {
  if (document.hidden || !live || performance.now() - heardAt < SILENT_MS) return;
  at("late").hidden = !at("lost").hidden;
  changed();
}
// A stream that is refused does not come back by itself: the page says whether to log in again, or is asked later.
function refused() {
  at("lost").hidden = false;
  if (live?.readyState !== EventSource.CLOSED) return;
  live = null;
  changed();
  setTimeout(listen, AGAIN_MS);
}
function listen() {
  if (document.hidden) {
    live?.close();
    live = null;
  } else if (!live) {
    live = new EventSource("/live");
    heardAt = performance.now();
    live.addEventListener("message", () => { hear(); changed(); });
    live.addEventListener("alive", hear);
    live.addEventListener("open", () => { at("lost").hidden = true; });
    live.addEventListener("error", refused);
  }
}
if (document.querySelector("[data-live]")) {
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => { live?.close(); live = null; });
  addEventListener("pageshow", listen);
  setInterval(lookAtStream, SILENT_MS / 3);
  listen();
}

// A big screen shows a whole list, in letters as large as fit; one that would be too small goes page by page.
const longer = (part) => part.scrollHeight > part.clientHeight + 1;
function fitted() {
  for (const part of document.querySelectorAll("[data-turning]")) {
    const set = (size) => part.style.setProperty("--fit", size);
    let size = 1;
    for (set(size); longer(part) && size > SMALLEST; set(size)) size -= 0.04;
    if (longer(part)) set(PAGED);
    part.classList.toggle("more", longer(part));
  }
}
setInterval(() => {
  for (const part of document.querySelectorAll("[data-turning]")) {
    const end = part.scrollTop + part.clientHeight >= part.scrollHeight - 4;
    part.scrollTop = end ? 0 : part.scrollTop + part.clientHeight * 0.85;
    part.classList.toggle("more", part.scrollTop + part.clientHeight < part.scrollHeight - 4);
  }
}, TURNS_MS);
addEventListener("resize", fitted);
fitted();
local(document);
