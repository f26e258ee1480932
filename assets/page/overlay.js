// The overlay of a stream: the public table on a transparent page. What cannot be up to date is not shown.
import { avatar } from "./draw.js";
import { bot, card, made, plate } from "./parts.js";

const at = (id) => document.getElementById(id);
const STALE_MS = 25000;
const RULING_MS = 8000;
let heardAt = 0;
let ruledAt = 0;
let beat = null;
let stream = null;

function middle(told) {
  if (told.won.length) {
    const winners = told.people.filter((one) => told.won.includes(one.chair));
    return [made("div", "winners", ...winners.map((one) => avatar(one.shape, one.colour, one.chair + 1)))];
  }
  if (told.counting) {
    beat = made("p", "beats", ...Array.from({ length: told.counting.beats }, () => made("i", "")));
    return [made("div", "count", made("b", "", String(told.counting.number || told.counting.beats)), beat)];
  }
  return told.card ? [made("div", "close-up", card(told.card))] : [];
}

function table(told) {
  beat = null;
  document.body.classList.toggle("on", Boolean(told.game));
  if (!told.game) return;
  document.body.classList.toggle("broken", Boolean(told.broken));
  at("game").textContent = told.game;
  at("headline").textContent = told.headline;
  if (told.say) ruled(told.say);
  at("middle").replaceChildren(...middle(told));
  const plates = told.people.map((one) => plate({ ...one, choices: [] }, told.won.includes(one.chair)));
  at("seats").replaceChildren(...plates, ...told.bots.map(bot));
  at("seats").style.setProperty("--seats", plates.length + told.bots.length);
  document.body.dataset.seq = told.seq;
}

function ruled(text) {
  at("say").textContent = text;
  ruledAt = Date.now();
}

function take(message) {
  switch (message.type) {
    case "table": table(message); break;
    case "line": ruled(message.text); break;
    case "count":
      if (beat) [...beat.children].forEach((dot, index) => dot.classList.toggle("fallen", index < message.beat));
      break;
    case "away": document.body.classList.remove("on"); break;
  }
}

function listen() {
  const more = new URLSearchParams(location.search);
  more.set("lang", document.documentElement.lang);
  stream = new EventSource(`/overlay/events?${more}`);
  for (const kind of ["open", "alive"]) stream.addEventListener(kind, () => { heardAt = Date.now(); });
  stream.addEventListener("message", (event) => {
    heardAt = Date.now();
    take(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    document.body.classList.remove("on");
    if (stream.readyState !== EventSource.CLOSED) return;
    fetch(`/overlay/events?${more}`, { method: "HEAD" }).then(
      (answer) => { if (answer.status === 403) refused(); else setTimeout(listen, 3000); },
      () => setTimeout(listen, 3000),
    );
  });
}

function refused() {
  at("headline").textContent = at("headline").dataset.revoked;
  at("game").textContent = "";
  at("seats").replaceChildren();
  at("middle").replaceChildren();
  at("say").textContent = "";
  document.body.classList.add("on");
}

setInterval(() => {
  if (heardAt && Date.now() - heardAt > STALE_MS) {
    heardAt = 0;
    stream.close();
    document.body.classList.remove("on");
    setTimeout(listen, 3000);
  }
  if (ruledAt && Date.now() - ruledAt > RULING_MS) {
    at("say").textContent = "";
    ruledAt = 0;
  }
}, 1000);

listen();
