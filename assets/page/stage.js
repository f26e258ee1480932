// The table as everybody sees it: the felt, and the plates of those who play. It keeps nothing that was covered again.
import { avatar, picture } from "./draw.js";
import { bot, card, cell, made, place, plate, showTime } from "./parts.js";

// Where the cards of a round of eight lie, seen from above.
const ROUND = ["1/1", "1/2", "1/3", "2/3", "3/3", "3/2", "3/1", "2/1"];

export function countRing(counting) {
  const ring = made("div", "count", made("b", "", String(counting.beats)));
  ring.setAttribute("aria-hidden", "true");
  ring.beats = counting.beats;
  return ring;
}

// Fills the ring as the beats fall; the number is the beat as the table says it.
export function showBeat(ring, beat) {
  if (!ring || !beat) return;
  ring.style.setProperty("--fallen", beat / ring.beats);
  ring.firstChild.textContent = String(beat);
}

function middle(told) {
  if (!told.number) return null;
  return made("p", "middle", made("span", "", told.game), made("b", "", String(told.number)));
}

function round(places, told) {
  const node = made("div", places.length === ROUND.length ? "round" : "row");
  places.forEach((one, index) => {
    const each = place(one);
    if (places.length === ROUND.length) each.style.gridArea = `${ROUND[index]}`;
    node.append(each);
  });
  const inner = told.counting ? countRing(told.counting) : middle(told);
  if (inner) node.append(inner);
  return node;
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
  const ring = of("ring");
  if (ring.length) found.push(round(ring, told));
  else if (told.counting) found.push(countRing(told.counting));
  for (const spots of [["open", "held", "deck"], ["row"], [""]]) {
    const row = of(...spots);
    if (row.length) found.push(made("div", "row", ...row.map(place)));
  }
  for (const row of told.rows) found.push(made("div", "row cells", ...row.map(cell)));
  if (told.card && !ring.length) found.push(made("div", "close-up", card(told.card)));
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

export class Stage {
  // `felt` and the elements that plates are dealt to, one after the other.
  constructor(felt, ...seats) {
    this.felt = felt;
    this.seats = seats;
  }

  show(told) {
    this.felt.hidden = !told.game;
    if (!told.game) {
      [this.felt, ...this.seats].forEach((node) => node.replaceChildren());
      clearInterval(this.ticking);
      return;
    }
    const plates = [...told.people.map((one) => plate(one, told.won.includes(one.chair))), ...told.bots.map(bot)];
    const share = Math.ceil(told.people.length / this.seats.length);
    this.seats.forEach((node, index) => node.replaceChildren(
      ...plates.slice(index * share, index + 1 < this.seats.length ? (index + 1) * share : plates.length)));
    this.felt.replaceChildren(...felt(told));
    this.runClocks();
  }

  // While a clock runs, all of them are looked at four times a second.
  runClocks() {
    clearInterval(this.ticking);
    const clocks = [this.felt, ...this.seats].flatMap((node) => [...node.querySelectorAll(".clock")]);
    if (clocks.some((one) => one.told.runs)) this.ticking = setInterval(() => clocks.forEach(showTime), 250);
  }

  beat(beat) {
    showBeat(this.felt.querySelector(".count"), beat);
  }

  finish(rows, say) {
    if (!rows.length) return;
    this.felt.append(made("ol", "finish", ...rows.map((row) =>
      made("li", row.counts ? "counts" : "", `${row.name} ${row.ms > 0 ? "+" : ""}${row.ms} ms`))));
    if (say) this.felt.append(made("p", "", say));
  }
}
