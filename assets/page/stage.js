// The table as everybody sees it: the felt, and the plates of those who play. It keeps nothing that was covered again.
import { avatar, picture } from "./draw.js";
import { bot, card, cell, made, place, plate, showTime } from "./parts.js";

// Where the cards of a round of eight lie, seen from above.
const ROUND = ["1/1", "1/2", "1/3", "2/3", "3/3", "3/2", "3/1", "2/1"];
const OVERLAP = 0.58;

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
  const isRound = places.length === ROUND.length;
  const across = isRound ? 3 : Math.ceil(Math.sqrt(places.length));
  const node = made("div", "round", ...places.map((one, index) => {
    const each = place(one);
    if (isRound) each.style.gridArea = `${ROUND[index]}`;
    return each;
  }));
  node.style.setProperty("--across", across);
  const inner = !isRound ? null : told.counting ? countRing(told.counting) : middle(told);
  if (inner) node.append(inner);
  return [node, across, across];
}

function signs(people) {
  return people.map((one) => avatar(one.shape, one.colour, one.chair + 1));
}

function winner(one) {
  return made("span", "winner", avatar(one.shape, one.colour, one.chair + 1), picture("/art/crown", ""));
}

function area(one) {
  const cards = one.places.flatMap((each) => [each.card, ...each.on_top]);
  return made("div", "area", ...signs([one]), made("p", "row", ...cards.map((each) => card(each))));
}

function areas(people, box) {
  const longest = Math.max(...people.map((one) => one.places.reduce((many, each) => many + 1 + each.on_top.length, 0)));
  const room = (across) => [1.4 * Math.ceil(people.length / across), across * (1 + OVERLAP * (longest - 1)) + 0.4];
  const size = ([lines, wide]) => Math.min((0.88 * box.clientWidth) / wide, (0.58 * box.clientHeight) / lines);
  const across = people.length > 1 && size(room(2)) > size(room(1)) ? 2 : 1;
  const node = made("div", "areas", ...people.map(area));
  node.style.setProperty("--across", across);
  return [node, ...room(across)];
}

function heap(one) {
  return made("p", "", one.art ? picture(one.art, "") : null, made("b", "", String(one.count)), made("span", "", one.words));
}

// What lies in the middle: each with the lines of cards that it is high, and the cards that it is wide.
function felt(told, box) {
  const of = (...spots) => told.places.filter((one) => spots.includes(one.spot));
  if (told.won.length) {
    const won = told.people.filter((one) => told.won.includes(one.chair));
    const found = [[made("div", "winners", ...won.map(winner)), 1.3, Math.max(2.6, 1.2 * won.length)]];
    if (told.decided.length) found.push([made("div", "row", ...told.decided.map((one) => card(one))), 1, told.decided.length]);
    return found;
  }
  const found = [];
  const ring = of("ring");
  if (ring.length) found.push(round(ring, told));
  if (told.counting && ring.length !== ROUND.length) found.push([countRing(told.counting), 0.8, 2]);
  for (const spots of [["open", "held", "deck"], ["row"], [""]]) {
    const row = of(...spots);
    if (row.length) found.push([made("div", "row", ...row.map(place)), Math.ceil(row.length / 6), Math.min(row.length, 6)]);
  }
  for (const row of told.rows) found.push([made("div", "row cells", ...row.map(cell)), 1.1, Math.max(2, row.length)]);
  if (told.card && !ring.length) found.push([made("div", "row", card(told.card)), 1, 1.6]);
  if (told.heaps.length) found.push([made("div", "heaps", ...told.heaps.map(heap)), 0.25, 1.4]);
  const before = told.people.filter((one) => one.places.length);
  if (before.length) found.push(areas(before, box));
  if (!found.length) found.push([made("div", "asked-now", ...signs(told.people.filter((one) => one.asked))), 1.5, 2.4]);
  return found;
}

export class Stage {
  // `felt` and the elements that plates are dealt to, one after the other.
  constructor(felt, ...seats) {
    this.felt = felt;
    this.seats = seats;
    this.people = [];
    this.lines = 1;
  }

  show(told) {
    clearInterval(this.ticking);
    document.body.classList.toggle("paused", Boolean(told.paused));
    document.body.classList.toggle("over", Boolean(told.over && told.won.length));
    this.felt.hidden = false;
    if (!told.game) {
      this.lay([[made("div", "asked-now", picture("/icon.svg", "")), 1.6, 1.6]]);
      this.seats.forEach((node) => node.replaceChildren());
      return;
    }
    this.people = told.people;
    const plates = [...told.people.map((one) => plate(one, told.won.includes(one.chair))), ...told.bots.map(bot)];
    document.body.classList.toggle("many-people", plates.length > 5);
    document.body.style.setProperty("--people", plates.length < 5 ? plates.length : Math.ceil(plates.length / 2));
    const won = told.people.find((one) => told.won.includes(one.chair));
    document.body.style.setProperty("--won", won ? `var(--seat-${won.colour})` : "");
    const share = Math.ceil(told.people.length / this.seats.length);
    this.seats.forEach((node, index) => node.replaceChildren(
      ...plates.slice(index * share, index + 1 < this.seats.length ? (index + 1) * share : plates.length)));
    this.lay(felt(told, this.felt));
    this.runClocks();
  }

  // Cards are as large as all that lies here leaves room for.
  lay(found) {
    this.lines = found.reduce((sum, [, lines]) => sum + lines, 0);
    this.felt.style.setProperty("--lines", this.lines);
    this.felt.style.setProperty("--wide", Math.max(...found.map(([, , wide]) => wide)));
    this.felt.replaceChildren(...found.map(([node]) => node));
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

  // A photo finish: a lane for each press, by its time.
  finish(rows, say) {
    if (!rows.length) return;
    const last = Math.max(1, ...rows.map((row) => row.ms));
    const lanes = rows.map((row) => {
      const who = this.people.find((one) => one.chair === row.chair);
      const lane = made("i", "");
      lane.style.setProperty("--at", 0.04 + (0.92 * Math.max(0, row.ms)) / last);
      if (who) lane.style.setProperty("--seat", `var(--seat-${who.colour})`);
      return made("li", row.counts ? "counts" : "", made("span", "", row.name), lane,
        made("span", "", `${row.ms > 0 ? "+" : ""}${row.ms} ms`));
    });
    this.felt.append(made("ol", "finish", ...lanes));
    if (say) this.felt.append(made("p", "finish", say));
    this.felt.style.setProperty("--lines", this.lines + 0.22 * (rows.length + (say ? 1 : 0)) + 0.3);
  }
}
