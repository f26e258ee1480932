// One's own seat: a large button for each choice. It draws what the server tells and says what was touched.
import { keepAwake } from "./awake.js";
import { Clock, instant, readings } from "./clock.js";
import { avatar, cutOff, picture, raised } from "./draw.js";
import { Link } from "./link.js";
import { card, made, token } from "./parts.js";
import { countRing, showBeat, Stage } from "./stage.js";
import { showService } from "./ways.js";

const at = (id) => document.getElementById(id);
const BACK_MS = 6000;
const ANSWER_MS = 2000;
const KEPT_LINES = 4;
const FEW = 4;
// How many there are at most; how many of them stand side by side on a page that is upright, on its side, small.
const PAD_SHAPES = [[6, 3, 3, 3], [9, 3, 5, 4], [16, 4, 6, 5], [Infinity, 5, 10, 5]];
const KEY_SHAPES = [[9, 3, 3, 3], [15, 3, 5, 3], [Infinity, 4, 8, 5]];
const ENDED = [4403, 4410];
// Why a phone that has its seat may not press in this game.
const BARRED = ["unfit", "wire"];
const NO_OFFER = { number: -1, options: [], pictures: [], firsts: [], numbers: [], chairs: [], extras: [], fact: false };
const key = location.hash.slice(1);
const pin = /^[0-9]{6}$/.test(key) ? key : "";
const stage = new Stage(at("felt"), at("people"));
let token128 = /^[0-9a-f]{32}$/.test(key) ? key : "";
let link = null;
let chairs = null;
let wanted = null;
let offer = NO_OFFER;
let table = { people: [] };
let refusal = "";
let barred = "";
let over = false;
let touched = 0;
let unanswered = 0;
let extra = false;
let wasSeated = false;

const send = (message) => link !== null && link.send(message);
const clock = new Clock(send);
const mine = () => (chairs === null ? null : chairs.mine);
const own = () => table.people.find((one) => one.chair === mine());

function buzz(pattern) {
  if (navigator.vibrate) navigator.vibrate(pattern);
}

function notice(text) {
  at("notice").textContent = text;
  at("notice").hidden = !text;
}

// Choices ---------------------------------------------------------------------------------------------------

// Every press is answered: by the table, or after two seconds by this page.
function awaitAnswer() {
  clearTimeout(unanswered);
  unanswered = setTimeout(unheard, ANSWER_MS);
}

function answered() {
  clearTimeout(unanswered);
  unanswered = 0;
}

function unheard() {
  unanswered = 0;
  at("became").textContent = at("became").dataset.unheard;
  enable(true);
}

function enable(enabled) {
  [...at("choices").querySelectorAll("button")].forEach((one) => { one.disabled = !enabled; });
}

function press(event, choice) {
  if (!event.isTrusted) return;
  const message = { type: "press", offer: offer.number, at: instant(event) };
  if (offer.options.length > 1 || choice >= offer.options.length) message.choice = choice;
  at("became").textContent = "";
  if (!send(message)) {
    unheard();
    return;
  }
  awaitAnswer();
  clock.ask();
  buzz(20);
  if (!offer.fact) enable(false);
}

function choiceButton(text, choice, several, wide = false) {
  const node = made("button", text.length > 3 ? "choice word" : "choice", made("span", "", text));
  if (wide) node.classList.add("wide");
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
  const who = chairs.chairs.find((one) => one.chair === offer.chairs[choice]);
  if (offer.pictures[choice] || who) {
    node.classList.add("shown");
    node.prepend(who ? avatar(who.shape, who.colour, who.chair + 1) : picture(offer.pictures[choice], ""));
  }
  else if (offer.fact) node.prepend(raised());
  else if (!several) node.prepend(at("who").querySelector(".avatar").cloneNode(true));
  return node;
}

// Many cards to choose from are keys with their own art, and a button says which it will be.
function pad() {
  const sure = made("button", "main");
  sure.id = "sure";
  sure.disabled = true;
  let chosen = 0;
  sure.addEventListener("click", (event) => press(event, chosen));
  const keys = offer.options.map((text, choice) => {
    const node = made("button", "key", picture(offer.pictures[choice], text));
    node.setAttribute("aria-pressed", "false");
    node.addEventListener("click", () => {
      chosen = choice;
      keys.forEach((one) => one.setAttribute("aria-pressed", String(one === node)));
      sure.textContent = text;
      sure.disabled = false;
    });
    return node;
  });
  const pad = made("div", "pad", ...keys);
  across(pad, keys, PAD_SHAPES);
  return [pad, sure];
}

// So many keys stand side by side: an upright page has less room across, one on its side less room down.
function across(node, keys, shapes) {
  const wide = keys.filter((one) => one.classList.contains("wide")).length;
  const many = keys.length - wide;
  const columns = shapes.find(([most]) => many <= most)[innerWidth > innerHeight ? 2 : innerHeight < 700 ? 3 : 1];
  node.style.setProperty("--across", columns);
  node.style.setProperty("--down", Math.ceil(many / columns) + wide);
}

// A choice in two steps: the first values, then the second ones of the one that was touched, and the way back.
function firstStep() {
  const several = [...new Set(offer.firsts)];
  return several.flatMap((first) => {
    const under = offer.options.flatMap((_, choice) => (offer.firsts[choice] === first ? [choice] : []));
    if (!first || under.length === 1) return under.map((choice) => choiceButton(offer.options[choice], choice, true, !first));
    const number = offer.numbers[under[0]];
    const node = made("button", number ? "choice" : "choice word", made("span", "", number || first));
    if (number) node.setAttribute("aria-label", first);
    node.addEventListener("click", () => showKeys(secondStep(under)));
    return [node];
  });
}

function secondStep(under) {
  const back = backButton(() => showKeys(firstStep()));
  return [...under.map((choice) => choiceButton(offer.options[choice], choice, true)), back];
}

function backButton(go) {
  const back = made("button", "choice wide", made("span", "", "\u2190"));
  back.setAttribute("aria-label", at("choices").dataset.back);
  back.addEventListener("click", go);
  return back;
}

function showKeys(keys) {
  across(at("choices"), keys, KEY_SHAPES);
  at("choices").replaceChildren(...keys);
}

// What may be done at any time stands in the place of the choices until it was said, or put away.
function showExtras() {
  extra = true;
  at("choices").className = "many";
  showKeys([...offer.extras.map((text, place) => choiceButton(text, offer.options.length + place, true)),
    backButton(() => showOffer(offer))]);
  showMode();
}

function showOffer(told) {
  const same = told.number === offer.number && told.options.join("\n") === offer.options.join("\n")
    && told.fact === offer.fact;
  offer = { ...NO_OFFER, ...told };
  at("extras").hidden = !offer.extras.length;
  if (!same || extra) {
    extra = false;
    const { options, pictures } = offer;
    const isPad = options.length > FEW && !offer.firsts.length && pictures.length > 0 && pictures.every(Boolean);
    const several = options.length > 1;
    at("choices").className = isPad ? "keys" : options.length > FEW ? "many" : "";
    showKeys(isPad ? pad() : offer.firsts.length ? firstStep() : options.map((text, choice) => choiceButton(text, choice, several)));
  }
  showMode();
}

// What is seen: the button while something is asked, and else the table.
function showMode() {
  const pressing = offer.options.length > 0 || extra;
  if (pressing && !document.body.classList.contains("pressing")) buzz(40);
  document.body.classList.toggle("pressing", pressing);
  document.body.classList.toggle("many", offer.options.length > FEW);
  at("choices").hidden = !pressing;
  at("felt").hidden = pressing;
  at("people").hidden = pressing;
  at("mine").hidden = !pressing || !own();
  at("say").hidden = pressing && !table.broken;
  // What the table says of taps and holds is about wired buttons, and what it says to others is theirs.
  const concerns = offer.options.length === 1 || (own() && own().asked && !pressing);
  at("hint").textContent = concerns ? table.hint || "" : "";
  // A seat that this game asks nothing is told why, and what its phone is good for meanwhile.
  if (offer.number >= 0) barred = "";
  at("idle").textContent = chairs !== null && (!table.game || offer.number < 0) ? barred || chairs.use_said : "";
}

// Chairs ----------------------------------------------------------------------------------------------------

function ask() {
  try {
    sessionStorage.setItem("name", at("name").value.trim());
  } catch (refused) { /* a private window keeps nothing */ }
  refusal = "";
  send({ type: "ask", chair: wanted, name: at("name").value.trim() });
}

function sign(one) {
  const state = one.chair === chairs.asked ? "chair asked" : "chair";
  const node = made("button", state, avatar(one.shape, one.colour, one.chair + 1),
    made("span", "", one.free ? one.name : at("chairs").dataset.taken));
  node.disabled = !one.free || !chairs.open;
  node.setAttribute("aria-pressed", String(one.chair === wanted));
  node.setAttribute("aria-label", one.free ? one.name : `${one.name}: ${at("chairs").dataset.taken}`);
  node.addEventListener("click", () => {
    wanted = one.chair;
    showChairs();
  });
  return node;
}

function showChairs() {
  const seated = mine() !== null;
  const seat = chairs.chairs.find((one) => one.chair === mine());
  document.body.classList.toggle("holds", seated);
  at("pick").hidden = seated;
  at("play").hidden = !seated;
  for (const id of ["why", "may", "leave"]) at(id).hidden = !seated;
  at("watch").hidden = seated;
  at("who").replaceChildren(...(seat ? [avatar(seat.shape, seat.colour, seat.chair + 1), made("b", "", calledName() || seat.name)] : []));
  document.body.style.setProperty("--seat", seat ? `var(--seat-${seat.colour})` : "");
  const asked = chairs.chairs.find((one) => one.chair === chairs.asked);
  if (asked || seated) refusal = "";
  if (asked || (seated && !wasSeated)) became("");
  wasSeated = seated;
  at("asked").textContent = asked ? at("asked").dataset.yes.replace("{name}", asked.name)
    : chairs.open ? refusal : at("asked").dataset.closed;
  document.body.classList.toggle("asking", Boolean(asked));
  at("use").textContent = asked ? "" : chairs.use_said;
  const free = chairs.chairs.filter((one) => one.free);
  if (!free.some((one) => one.chair === wanted)) wanted = free.length ? free[0].chair : null;
  at("chairs").replaceChildren(...chairs.chairs.map(sign));
  const choice = chairs.chairs.find((one) => one.chair === wanted);
  at("sit").hidden = !choice || choice === asked || !chairs.open;
  at("where").hidden = at("sit").hidden;
  if (choice) at("sit").textContent = at("sit").dataset.sit.replace("{name}", choice.name);
  showSeat();
  if (seated) notice(chairs.fit ? "" : at("notice").dataset.slow);
  showMine();
  showMode();
}

function calledName() {
  return at("name").value.trim();
}

// The table -------------------------------------------------------------------------------------------------

// Before a game the felt shows whose phone this is.
function showSeat() {
  const seat = chairs === null ? null : chairs.chairs.find((one) => one.chair === mine());
  if (!table.game && seat) stage.lay([[made("div", "asked-now", avatar(seat.shape, seat.colour, seat.chair + 1)), 1.6, 1.6]]);
}

// What lies in front of whoever sits here.
function showMine() {
  const person = own();
  document.body.classList.toggle("turn", Boolean(person && person.asked));
  document.body.classList.toggle("up", Boolean(person && person.raised));
  at("tokens").replaceChildren(...(person ? person.tokens.map(token) : []));
  if (person && person.hand) {
    const hand = made("span", "hand", String(person.hand));
    hand.setAttribute("role", "img");
    hand.setAttribute("aria-label", person.hand_said);
    at("tokens").append(hand);
  }
  at("note").textContent = person ? person.note : "";
}

function showTable(told) {
  table = { people: [], ...told };
  at("headline").textContent = told.headline;
  at("say").textContent = told.say || "";
  document.body.classList.toggle("broken", Boolean(told.broken));
  const beside = told.counting ? countRing(told.counting) : told.card && told.card.art ? card(told.card) : "";
  at("beside").replaceChildren(beside);
  stage.show({ won: [], ...table, people: table.people.map((one) => (one.chair === mine() ? { ...one, name: at("people").dataset.you } : one)) });
  showSeat();
  showMine();
  if (!at("answer").hidden && told.seq !== Number(at("answer").dataset.seq || told.seq)) at("answer").hidden = true;
  at("answer").dataset.seq = String(told.seq);
  showMode();
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

function became(text) {
  at("became").textContent = text;
}

function take(message) {
  switch (message.type) {
    case "time": clock.answered(message.n); break;
    case "you":
      token128 = message.token;
      location.replace(`#${message.token}`);
      clock.begin();
      break;
    case "chairs":
      chairs = message;
      showChairs();
      break;
    case "offer": showOffer(message); break;
    case "counted":
      answered();
      if (message.text) became(message.text);
      if (message.verdict !== "taken") enable(true);
      break;
    case "refused":
      if (BARRED.includes(message.why)) barred = message.text;
      // falls through
    case "back":
      answered();
      refusal = message.text;
      at("asked").textContent = message.text;
      became(message.text);
      break;
    case "answer": showAnswer(message.lines); break;
    case "table": notice(message.unsaved || ""); showTable(message); break;
    case "line": heard(message.text); break;
    case "count":
      stage.beat(message.beat);
      showBeat(at("beside").querySelector(".count"), message.beat);
      break;
    case "finish": stage.finish(message.rows, message.say); break;
    case "lesson": at("lesson").textContent = message.text.join(" · "); break;
    case "away": notice(at("notice").dataset.away); break;
    case "no": case "end": over = true; notice(message.text); break;
  }
}

// Connection ------------------------------------------------------------------------------------------------

function back() {
  location.replace(`/${location.search}`);
}

function hello() {
  over = false;
  return { type: "enter", [token128 ? "token" : "pin"]: token128 || pin, lang: document.documentElement.lang, readings: readings() };
}

function lost(seconds) {
  const isLost = seconds !== null;
  if (isLost && over) return; // the table said why
  if (isLost && at("lost").hidden) {
    if (unanswered) unheard();
    buzz([60, 80, 60]);
    at("cut").replaceChildren(cutOff(at("who").querySelector("polygon")));
    showService(false);
  }
  document.body.classList.toggle("lost", isLost);
  at("lost").hidden = !isLost;
  at("kept").hidden = mine() === null;
  at("again").textContent = seconds ? at("again").dataset.in.replace("{seconds}", seconds) : at("again").dataset.now;
}

function ended(code) {
  clock.end();
  showOffer(NO_OFFER);
  if (!ENDED.includes(code)) return true;
  setTimeout(back, BACK_MS);
  return false;
}

function service(id, message) {
  at(id).addEventListener("click", () => {
    showService(false);
    send(message);
  });
}

document.addEventListener("visibilitychange", () => clock.anew());
addEventListener("pageshow", () => clock.anew());
at("extras").addEventListener("click", () => {
  showService(false);
  showExtras();
});
service("why", { type: "wonder", about: "why" });
service("may", { type: "wonder", about: "may" });
service("leave", { type: "leave" });
at("watch").addEventListener("click", () => location.replace(pin ? `/watch${location.search}#${pin}` : `/${location.search}`));
at("sit").addEventListener("click", ask);
at("try").addEventListener("click", () => link.tryNow());
try {
  at("name").value = sessionStorage.getItem("name") || "";
} catch (refused) { /* a private window keeps nothing */ }

keepAwake(at("awake"));
if (token128 || pin) link = new Link("/phone", { hello, take, lost, ended });
else back();
