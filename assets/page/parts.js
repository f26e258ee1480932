// What a table is made of on every page: cards, tokens, the plates of those who play.
import { avatar, picture, raised } from "./draw.js";

export function made(tag, name, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

export function token(one) {
  if (one.chip) return made("span", `chip ${one.chip}`, one.value);
  const node = made("span", "token", one.art ? picture(one.art, "") : made("span", "counter"));
  if (one.count > 1) node.append(made("b", "", String(one.count)));
  return node;
}

export function card(one, onTop = []) {
  const node = made("span", one.back ? "card back" : "card");
  node.append(one.art ? picture(one.art, one.back ? "" : one.label) : made("b", "", one.label));
  if (one.turned) node.style.rotate = `${one.turned}deg`;
  if (onTop.length) node.append(made("span", "on-top", ...onTop.map((each) => card(each))));
  return node;
}

// A clock goes on by this device's own time from what it showed when the table told.
export function clock(one) {
  const node = made("span", "clock");
  Object.assign(node, { told: one, at: performance.now() });
  showTime(node);
  return node;
}

// What a clock says now; time that runs down is rounded up, so that 0:00 is the end.
export function showTime(node) {
  const { reading, runs, whole } = node.told;
  const gone = runs ? performance.now() - node.at : 0;
  const seconds = whole ? Math.ceil(Math.max(0, reading - gone) / 1000) : Math.floor((reading + gone) / 1000);
  node.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function place(one) {
  const node = made("span", one.marked ? "place marked" : "place");
  node.append(one.card ? card(one.card, one.on_top) : made("span", "card empty"));
  if (one.number) node.append(made("span", "number", String(one.number)));
  return node;
}

export function plate(one, won) {
  const state = won ? "won" : one.asked ? "asked" : one.choices.length ? "may" : "wait";
  const name = made("h2", "", avatar(one.shape, one.colour, one.chair + 1), made("span", "", one.name));
  const tokens = made("p", "tokens", ...one.tokens.map(token));
  if (one.hand) {
    const hand = made("span", "hand", `${one.hand}`);
    hand.setAttribute("role", "img");
    hand.setAttribute("aria-label", one.hand_said);
    tokens.append(hand);
  }
  const choices = made("ul", "choices", ...one.choices.map((each) => {
    const sign = made("span", `press ${each.press}`);
    sign.setAttribute("aria-hidden", "true");
    return made("li", each.marked ? "marked" : "", sign, made("span", "", each.text));
  }));
  if (one.clock) name.append(clock(one.clock));
  const node = made("article", `plate ${state}`, name, tokens);
  if (one.note) node.append(made("p", "note", one.note));
  else if (one.choices.length && one.choices.length < 5) node.append(choices);
  if (one.raised) node.append(raised());
  node.style.setProperty("--seat", `var(--seat-${one.colour})`);
  return node;
}

export function cell(one) {
  const sign = one.who ? avatar(one.who.shape, one.who.colour, one.who.chair + 1) : one.art ? picture(one.art, "") : null;
  const told = one.clock ? clock(one.clock) : one.value !== null ? made("b", "", one.value) : null;
  return made("span", one.lit ? "cell lit" : "cell", sign, told, one.words ? made("span", "", one.words) : null);
}

export function bot(one) {
  const node = made("article", one.asked ? "plate asked" : "plate wait", made("h2", "", one.name));
  node.append(made("p", "tokens", ...one.tokens.map(token), made("span", "hand", String(one.hand))));
  if (one.says) node.append(made("p", "note", one.says));
  return node;
}

export function ring(places) {
  const node = made("div", "ring");
  places.forEach((one, index) => {
    const each = place(one);
    each.style.setProperty("--turn", `${(index * 360) / places.length - 90}deg`);
    node.append(each);
  });
  return node;
}
