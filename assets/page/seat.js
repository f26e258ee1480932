// One's own seat: a large button for each choice. It draws what the server tells and says what was touched.
import { keepAwake } from "./awake.js";
import { Clock, instant, readings } from "./clock.js";
import { avatar } from "./draw.js";
import { made, token } from "./parts.js";
import "./ways.js";

const at = (id) => document.getElementById(id);
const AGAIN_MS = [500, 1000, 2000, 4000];
const BACK_MS = 6000;
const KEPT_LINES = 4;
const ENDED = [4403, 4410];
let live = null;
let tries = 0;
let mine = null;
let offer = { number: null, options: [], fact: false };
let people = [];
let fallen = 0;
let refusal = "";
let ended = false;
let touched = 0;
let hint = "";

function send(message) {
  if (live !== null && live.readyState === WebSocket.OPEN) live.send(JSON.stringify(message));
}

const clock = new Clock(send);

function notice(text) {
  at("notice").textContent = text;
  at("notice").hidden = !text;
}

// Choices ---------------------------------------------------------------------------------------------------

function press(event, choice) {
  if (!event.isTrusted) return;
  const message = { type: "press", offer: offer.number, at: instant(event) };
  if (offer.options.length > 1) message.choice = choice;
  send(message);
  clock.ask();
  if (navigator.vibrate) navigator.vibrate(15);
  at("became").textContent = "";
  if (!offer.fact) [...at("choices").children].forEach((one) => { one.disabled = true; });
}

function choiceButton(text, choice, several) {
  const node = made("button", "choice", made("span", "", text));
  // A hand or a Stop counts as the finger comes down; one of several is chosen by a whole tap.
  if (!several) {
    node.addEventListener("pointerdown", (event) => {
      touched = event.timeStamp;
      press(event, choice);
    });
  }
  node.addEventListener("click", (event) => {
    if (several || event.timeStamp - touched > 1500 || event.detail === 0) press(event, choice);
  });
  return node;
}

// What the table says of taps and holds is about wired buttons, and what it says to others is theirs: here each
// choice has a button of its own.
function showHint() {
  const own = people.find((one) => one.chair === mine);
  const concerns = offer.options.length === 1 || (own && own.asked && !offer.options.length);
  at("hint").textContent = concerns ? hint : "";
}

function showOffer(told) {
  const same = told.number === offer.number && told.options.join("\n") === offer.options.join("\n")
    && told.fact === offer.fact;
  offer = told;
  at("play").hidden = mine === null;
  showHint();
  if (same) return;
  const several = told.options.length > 1;
  const buttons = told.options.map((text, choice) => choiceButton(text, choice, several));
  at("choices").className = told.options.length > 4 ? "many" : "";
  at("choices").replaceChildren(...buttons);
  if (!buttons.length) at("choices").append(made("p", "none", at("play").dataset.none));
}

// Chairs ----------------------------------------------------------------------------------------------------

function showChairs(told) {
  mine = told.mine;
  document.body.classList.toggle("holds", mine !== null);
  at("pick").hidden = mine !== null;
  at("play").hidden = mine === null;
  for (const id of ["why", "may", "leave"]) at(id).hidden = mine === null;
  const own = told.chairs.find((one) => one.chair === mine);
  at("who").replaceChildren(...(own ? [avatar(own.shape, own.colour, own.chair + 1), made("b", "", own.name)] : []));
  document.body.style.setProperty("--seat", own ? `var(--seat-${own.colour})` : "");
  const asked = told.chairs.find((one) => one.chair === told.asked);
  if (asked || mine !== null) refusal = "";
  at("asked").textContent = asked ? at("asked").dataset.yes.replace("{name}", asked.name)
    : told.open ? refusal : at("asked").dataset.closed;
  at("chairs").replaceChildren(...told.chairs.map((one) => {
    const node = made("button", one.chair === told.asked ? "chair asked" : "chair",
      avatar(one.shape, one.colour, one.chair + 1), made("span", "", one.name));
    node.disabled = !one.free || !told.open;
    node.setAttribute("aria-pressed", String(one.chair === told.asked));
    node.addEventListener("click", () => send({ type: "ask", chair: one.chair }));
    return node;
  }));
  if (mine !== null) notice(told.fit ? "" : at("notice").dataset.slow);
  showMine();
}

// The table -------------------------------------------------------------------------------------------------

// What lies in front of whoever sits here.
function showMine() {
  const own = people.find((one) => one.chair === mine);
  document.body.classList.toggle("turn", Boolean(own && own.asked));
  at("mine").hidden = !own;
  at("tokens").replaceChildren(...(own ? own.tokens.map(token) : []));
  if (own && own.hand) {
    const hand = made("span", "hand", String(own.hand));
    hand.setAttribute("role", "img");
    hand.setAttribute("aria-label", own.hand_said);
    at("tokens").append(hand);
  }
  at("note").textContent = own ? own.note : "";
}

function showBeats() {
  [...at("beats").children].forEach((dot, index) => dot.classList.toggle("fallen", index < fallen));
}

function showTable(told) {
  at("headline").textContent = told.headline;
  hint = told.hint || "";
  at("say").textContent = told.say || "";
  people = told.people || [];
  showHint();
  document.body.classList.toggle("broken", Boolean(told.broken));
  showMine();
  const beats = told.counting ? told.counting.beats : 0;
  if (!beats) fallen = 0;
  at("beats").replaceChildren(...Array.from({ length: beats }, () => made("i", "")));
  showBeats();
  if (!at("answer").hidden && told.seq !== Number(at("answer").dataset.seq || told.seq)) at("answer").hidden = true;
  at("answer").dataset.seq = String(told.seq);
}

function showAnswer(lines) {
  const shown = lines.length ? lines : [at("answer").dataset.none];
  at("answer").replaceChildren(...shown.map((line) => made("p", "", line)));
  at("answer").hidden = false;
  at("answer").focus();
}

function heard(text) {
  at("told").append(made("p", "", text));
  while (at("told").children.length > KEPT_LINES) at("told").firstChild.remove();
}

function take(message) {
  switch (message.type) {
    case "time": clock.answered(message.n); break;
    case "you": location.replace(`#${message.token}`); tries = 0; break;
    case "chairs": showChairs(message); break;
    case "offer": showOffer(message); break;
    case "counted":
      if (message.text) at("became").textContent = message.text;
      if (message.verdict !== "taken") [...at("choices").children].forEach((one) => { one.disabled = false; });
      break;
    case "refused":
    case "back":
      refusal = message.text;
      at("asked").textContent = message.text;
      at("became").textContent = message.text;
      break;
    case "answer": showAnswer(message.lines); break;
    case "table": notice(message.unsaved || ""); showTable(message); break;
    case "line": heard(message.text); break;
    case "count": fallen = message.beat; showBeats(); break;
    case "lesson": at("lesson").textContent = message.text.join(" · "); break;
    case "away": notice(at("notice").dataset.away); break;
    case "no": case "end": ended = true; notice(message.text); break;
  }
}

// Connection ------------------------------------------------------------------------------------------------

function back() {
  location.replace(`/${location.search}`);
}

function connect() {
  const key = location.hash.slice(1);
  const known = /^[0-9a-f]{32}$/.test(key);
  if (!known && !/^[0-9]{6}$/.test(key)) {
    back();
    return;
  }
  ended = false;
  live = new WebSocket(`ws://${location.host}/phone`);
  live.addEventListener("open", () => {
    const lang = document.documentElement.lang;
    send({ type: "enter", [known ? "token" : "pin"]: key, lang, readings: readings() });
    clock.begin();
  });
  live.addEventListener("message", async (event) => {
    take(JSON.parse(typeof event.data === "string" ? event.data : await event.data.text()));
  });
  live.addEventListener("close", (event) => {
    clock.end();
    showOffer({ number: -1, options: [], fact: false });
    if (ENDED.includes(event.code)) {
      setTimeout(back, BACK_MS);
      return;
    }
    if (!ended) notice(at("notice").dataset.lost);
    setTimeout(connect, AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
    tries += 1;
  });
}

document.addEventListener("visibilitychange", () => clock.anew());
addEventListener("pageshow", () => clock.anew());
at("why").addEventListener("click", () => send({ type: "wonder", about: "why" }));
at("may").addEventListener("click", () => send({ type: "wonder", about: "may" }));
at("leave").addEventListener("click", () => send({ type: "leave" }));

keepAwake(at("awake"));
connect();
