// The public table: draws what the server tells, judges nothing, keeps nothing that was covered again.
import { avatar, picture } from "./draw.js";
import { bot, card, made, place, plate, ring } from "./parts.js";
import "./ways.js";

const at = (id) => document.getElementById(id);
const AGAIN_MS = [500, 1000, 2000, 4000];
const KEPT_LINES = 4;
let tries = 0;
let beat = null;

function notice(text) {
  at("notice").textContent = text;
  at("notice").hidden = !text;
}

function felt(told) {
  const of = (...spots) => told.places.filter((one) => spots.includes(one.spot));
  const found = [];
  if (told.won.length) {
    const winners = told.people.filter((one) => told.won.includes(one.chair));
    found.push(made("div", "winners", ...winners.map((one) => avatar(one.shape, one.colour, one.chair + 1))));
    if (told.decided.length) found.push(made("div", "row", ...told.decided.map((one) => card(one))));
    return found;
  }
  if (told.counting) {
    const shown = made("div", "count", made("b", "", String(told.counting.number || told.counting.beats)));
    beat = made("p", "beats", ...Array.from({ length: told.counting.beats }, () => made("i", "")));
    shown.append(beat);
    found.push(shown);
  }
  const round = of("ring");
  if (round.length) {
    const circle = ring(round);
    if (told.counting) circle.append(found.pop());
    found.push(circle);
  }
  const high = of("open", "held", "deck");
  if (high.length) found.push(made("div", "row", ...high.map(place)));
  const stacks = of("row");
  if (stacks.length) found.push(made("div", "row", ...stacks.map(place)));
  const rest = of("");
  if (rest.length) found.push(made("div", "row", ...rest.map(place)));
  if (told.card) found.push(made("div", "close-up", card(told.card)));
  if (told.heaps.length) {
    found.push(made("div", "heaps", ...told.heaps.map((heap) =>
      made("p", "", heap.art ? picture(heap.art, "") : null, made("b", "", String(heap.count)),
        made("span", "", heap.words)))));
  }
  const before = told.people.filter((one) => one.places.length);
  if (before.length) {
    found.push(made("div", "areas", ...before.map((one) => made("div", "area",
      avatar(one.shape, one.colour, one.chair + 1), made("p", "row", ...one.places.flatMap((each) => [each.card, ...each.on_top]).map((each) => card(each)))))));
  }
  return found;
}

function table(told) {
  document.body.classList.toggle("over", Boolean(told.over));
  document.body.classList.toggle("broken", Boolean(told.broken));
  at("headline").textContent = told.headline;
  at("game").textContent = told.game;
  at("hint").textContent = told.hint || "";
  at("say").textContent = told.say || "";
  notice(told.unsaved || "");
  beat = null;
  if (!told.game) {
    for (const id of ["left", "right", "felt"]) at(id).replaceChildren();
    return;
  }
  const plates = told.people.map((one) => plate(one, told.won.includes(one.chair)));
  const half = Math.ceil(plates.length / 2);
  at("left").replaceChildren(...plates.slice(0, half));
  at("right").replaceChildren(...plates.slice(half), ...told.bots.map(bot));
  at("felt").replaceChildren(...felt(told));
}

function heard(text) {
  const log = at("told");
  log.append(made("p", "", text));
  while (log.children.length > KEPT_LINES) log.firstChild.remove();
}

function finish(rows, say) {
  if (!rows.length) return;
  const node = made("ol", "finish", ...rows.map((row) =>
    made("li", row.counts ? "counts" : "", `${row.name} ${row.ms > 0 ? "+" : ""}${row.ms} ms`)));
  at("felt").append(node);
  if (say) at("felt").append(made("p", "", say));
}

function take(message) {
  switch (message.type) {
    case "table": tries = 0; table(message); break;
    case "line": case "back": heard(message.text); break;
    case "count":
      if (beat) [...beat.children].forEach((dot, index) => dot.classList.toggle("fallen", index < message.beat));
      break;
    case "finish": finish(message.rows, message.say); break;
    case "lesson": at("lesson").textContent = message.text.join(" · "); break;
    case "away": notice(at("notice").dataset.away); break;
    case "no": notice(message.text); break;
  }
}

function connect() {
  const pin = location.hash.slice(1);
  if (!/^[0-9]{6}$/.test(pin)) {
    location.replace(`/${location.search}`);
    return;
  }
  const live = new WebSocket(`ws://${location.host}/live`);
  live.addEventListener("open", () => {
    live.send(JSON.stringify({ type: "watch", pin, lang: document.documentElement.lang }));
  });
  live.addEventListener("message", async (event) => {
    take(JSON.parse(typeof event.data === "string" ? event.data : await event.data.text()));
  });
  live.addEventListener("close", (event) => {
    if (event.code === 4403) {
      setTimeout(() => location.replace(`/${location.search}`), 4000);
      return;
    }
    if (event.code !== 4429) notice(at("notice").dataset.lost);
    setTimeout(connect, AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
    tries += 1;
  });
}

connect();
