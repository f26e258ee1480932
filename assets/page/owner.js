// The owner's pages: one PIN, kept as long as this tab; each page asks the table for one thing.
import { avatar } from "./draw.js";
import { made } from "./parts.js";
import "./ways.js";

const at = (id) => document.getElementById(id);
const PIN = "owner";
const SIGNS = { ok: "✓", untried: "?", absent: "–", fault: "!" };
const [, what, number] = location.pathname.split("/");
const said = at("notice").dataset;

function notice(text) {
  at("notice").textContent = text;
  at("notice").hidden = !text;
}

function seat(one) {
  return made("span", "seat", avatar(one.shape, one.colour, one.chair + 1), made("span", "", one.name));
}

function link(path, text) {
  const node = made("a", "", text);
  node.href = `${path}${location.search}`;
  return node;
}

function games(told) {
  if (!told.games.length) {
    notice(said.none);
    return [];
  }
  return [made("ol", "games", ...told.games.map((one) => made("li", "sheet",
    made("h2", "", `${one.game} · ${one.when}`),
    made("p", "seats-of", ...one.chairs.map(seat)),
    one.won.length ? made("p", "won-by", made("b", "", `${said.won}: `), ...one.won.map(seat)) : null,
    made("p", "ways", link(`/recap/${one.number}`, said.recap), link(`/log/${one.number}`, said.log)))))];
}

function log(told) {
  return [made("h2", "", `${told.title} · ${told.when}`), made("ol", "log", ...told.lines.map((line) =>
    made("li", line.gone ? "gone" : "", made("span", "at", line.at),
      made(line.gone ? "s" : "span", "", line.text))))];
}

function doctor(told) {
  const list = made("ul", "parts", ...told.findings.map((one) => made("li", `sheet ${one.state}`,
    made("h2", "", made("span", "sign", SIGNS[one.state]), one.part), made("p", "", one.what),
    one.fix ? made("p", "fix", `→ ${one.fix}`) : null)));
  list.lang = "en";
  return [list];
}

// The recap is a page of its own; its styles are set by script, for the policy takes none from a page.
function recap(told) {
  const styles = [...told.html.matchAll(/<style>([^]*?)<\/style>/g)].map((one) => one[1]);
  const bare = told.html.replace(/<style>[^]*?<\/style>/g, "").replace(/ style="/g, ' data-set="')
    .replace("<main>", '<div class="main">').replace("</main>", "</div>");
  const page = new DOMParser().parseFromString(bare, "text/html");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles.join("\n").replace(/:root|body(?=\{)/g, "#shown").replace(/main,/g, ".main,"));
  document.adoptedStyleSheets = [sheet];
  document.body.classList.add("recap");
  const nodes = [...page.body.childNodes].map((one) => document.adoptNode(one));
  const node = made("div", "", ...nodes);
  for (const one of node.querySelectorAll("[data-set]")) one.style.cssText = one.dataset.set;
  return [node];
}

// The stream's address stands in a field to be copied; a delay is a part of it.
function stream(told) {
  const field = made("input", "address");
  const delay = made("input", "delay");
  const renew = made("button", "", said.renew);
  const shown = () => { field.value = `${told.address}${Number(delay.value) ? `&delay=${delay.value}` : ""}`; };
  field.readOnly = true;
  field.setAttribute("aria-label", said.how);
  field.addEventListener("focus", () => field.select());
  Object.assign(delay, { type: "range", min: 0, max: 60, step: 5, value: 0 });
  const label = made("label", "delay-of", `${said.delay}: `, made("output", "", "0"), " s", delay);
  delay.addEventListener("input", () => { label.querySelector("output").textContent = delay.value; shown(); });
  renew.addEventListener("click", () => ask(sessionStorage.getItem(PIN), true));
  shown();
  return [made("p", "", said.how), field, label, renew];
}

const SHOW = { games, log, doctor, recap, stream };

function ask(pin, renew = false) {
  const live = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/owner`);
  let answered = false;
  notice(said.making);
  live.addEventListener("open", () => live.send(JSON.stringify(
    { type: "look", pin, what, number: Number(number) || 0, lang: document.documentElement.lang, renew })));
  live.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.type === "making") {
      notice(message.parts > 1 ? `${said.making} ${Math.round((100 * message.part) / message.parts)} %` : said.making);
      return;
    }
    answered = true;
    live.close();
    if (message.type === "no") {
      if (message.why === "pin" || message.why === "rest") {
        sessionStorage.removeItem(PIN);
        form();
      }
      notice(message.text);
      at("notice").dataset.why = message.why;
      return;
    }
    sessionStorage.setItem(PIN, pin);
    notice("");
    at("shown").replaceChildren(...SHOW[what](message.told));
    document.title = document.querySelector("nav [aria-current]").textContent;
    const wanted = location.hash && document.querySelector(location.hash);
    if (wanted) wanted.scrollIntoView();
  });
  live.addEventListener("close", () => { if (!answered) { notice(said.lost); setTimeout(() => ask(pin), 3000); } });
}

function form() {
  at("ask").hidden = false;
  at("pin").value = "";
  at("pin").focus();
}

at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  at("ask").hidden = true;
  ask(at("pin").value.trim());
});
for (const one of document.querySelectorAll("nav a")) {
  if (new URL(one.href).pathname === `/${what}`) one.setAttribute("aria-current", "page");
  one.href += location.search;
}
const known = sessionStorage.getItem(PIN);
if (known) ask(known);
else form();
