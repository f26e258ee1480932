// Keeps the screen on where the browser lets a page do so: over plain HTTP hardly any does, and then a sentence says what to do.
let lock = null;

async function hold(told) {
  if (!navigator.wakeLock || document.hidden) return;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => { lock = null; });
    told.hidden = true;
  } catch (refused) {
    told.hidden = false; // battery saver
  }
}

// A lock ends when the page is hidden, so it is asked for again whenever the page is seen.
export function keepAwake(told) {
  hold(told);
  document.addEventListener("visibilitychange", () => { if (lock === null) hold(told); });
}
