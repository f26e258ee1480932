// A live connection that is never silently dead: the page says something four times a second, and where it does
// not, that is told after one, so within 2 s by a slow phone, and a new connection is tried until one holds.
const TICK_MS = 100;
const QUIET_MS = 1000;
const WAKE_MS = 500;
const DEAD_MS = 3000;
const AGAIN_MS = [500, 1000, 2000, 4000];

export class Link {
  // `hello`: what is said first; `take`: called with each message; `lost`: called while nothing is heard, with the
  // seconds to the next try (0: now), and with null once something is heard again; `ended`: called with the code of
  // a connection that the page closed, and says whether to try again.
  constructor(path, { hello, take, lost, ended }) {
    this.path = path;
    this.told = { hello, take, lost, ended };
    this.live = null;
    this.tries = 0;
    this.heardAt = 0;
    this.dueAt = 0;
    this.quiet = false;
    setInterval(() => this.look(), TICK_MS);
    document.addEventListener("visibilitychange", () => this.wake());
    addEventListener("pageshow", () => this.wake());
    addEventListener("online", () => this.wake());
    this.open();
  }

  get isOpen() {
    return this.live !== null && this.live.readyState === WebSocket.OPEN;
  }

  send(message) {
    if (this.isOpen) this.live.send(JSON.stringify(message));
    return this.isOpen;
  }

  open() {
    const live = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}${this.path}`);
    this.live = live;
    this.heardAt = performance.now();
    live.addEventListener("open", () => this.send(this.told.hello()));
    live.addEventListener("message", (event) => {
      if (live !== this.live) return;
      this.heardAt = performance.now();
      this.tries = 0;
      this.hear();
      this.told.take(JSON.parse(event.data));
    });
    live.addEventListener("close", (event) => {
      if (live !== this.live) return;
      if (this.told.ended(event.code)) this.drop();
      else this.live = null;
    });
  }

  // A connection that says nothing is left to itself: it may never even close.
  drop() {
    const left = this.live;
    this.live = null;
    this.dueAt = performance.now() + AGAIN_MS[Math.min(this.tries, AGAIN_MS.length - 1)];
    this.tries += 1;
    if (left !== null) left.close();
    this.look();
  }

  hear() {
    if (this.quiet) this.told.lost(null);
    this.quiet = false;
  }

  look() {
    if (document.hidden) return;
    const now = performance.now();
    if (this.live === null) {
      if (!this.dueAt) return;
      if (now >= this.dueAt) this.tryNow();
      else this.missing(Math.ceil((this.dueAt - now) / 1000));
    } else if (now - this.heardAt > DEAD_MS) this.drop();
    else if (now - this.heardAt > QUIET_MS) this.missing(0);
  }

  missing(seconds) {
    this.quiet = true;
    this.told.lost(seconds);
  }

  tryNow() {
    this.dueAt = 0;
    const left = this.live;
    this.open();
    if (left !== null) left.close();
    if (this.quiet) this.told.lost(0);
  }

  // The phone slept, or found its network again: what it heard before says nothing.
  wake() {
    if (document.hidden) return;
    if (this.live === null && this.dueAt) this.tryNow();
    else this.heardAt = Math.max(this.heardAt, performance.now() - QUIET_MS + WAKE_MS);
  }
}
