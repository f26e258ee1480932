// The phone's side of comparing clocks: it says when it asked and when the answer came, and decides nothing.
export const ASKS_MS = 250;
export const HERE_MS = 1000;
const READINGS = 32;
const LOOKS_MS = 120;

// How coarse this clock is: its next values, as it shows them.
export function readings() {
  const begun = performance.now();
  const seen = [begun];
  for (let now = begun; seen.length < READINGS && now - begun < LOOKS_MS; now = performance.now()) {
    if (now !== seen[seen.length - 1]) seen.push(now);
  }
  return seen;
}

// When a finger came down, by the clock of performance.now(); browsers that stamp events otherwise are not believed.
export function instant(event) {
  const now = performance.now();
  return event.timeStamp > 0 && event.timeStamp <= now && now - event.timeStamp < 1000 ? event.timeStamp : now;
}

export class Clock {
  constructor(send) {
    this.send = send;
    this.number = 0;
    this.timers = [];
  }

  begin() {
    this.end();
    this.timers = [setInterval(() => this.ask(), ASKS_MS), setInterval(() => this.here(), HERE_MS)];
    for (let times = 0; times < 4; times += 1) setTimeout(() => this.ask(), 40 * times);
    this.here();
  }

  end() {
    this.timers.forEach(clearInterval);
    this.timers = [];
  }

  ask() {
    this.number += 1;
    this.send({ type: "time", n: this.number, t0: performance.now() });
  }

  answered(number) {
    this.send({ type: "timed", n: number, t3: performance.now() });
  }

  here() {
    this.send({ type: "here", now: performance.now(), date: Date.now(), seen: !document.hidden });
  }

  // The page was hidden or shown: what was asked before says nothing any more.
  anew() {
    this.send({ type: "anew", now: performance.now() });
    this.here();
  }
}
