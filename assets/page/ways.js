// What every page for people has: large print and a language. Both stand in the address, for nothing is kept.
const at = (id) => document.getElementById(id);

function again(name, value) {
  const query = new URLSearchParams(location.search);
  query.set(name, value);
  location.replace(`${location.pathname}?${query}${location.hash}`);
}

const large = new URLSearchParams(location.search).get("large") === "1";
document.documentElement.classList.toggle("large", large);
at("large").setAttribute("aria-pressed", String(large));
at("large").addEventListener("click", () => again("large", large ? "0" : "1"));
at("lang").value = document.documentElement.lang;
at("lang").addEventListener("change", () => again("lang", at("lang").value));

// What is rarely wanted is behind a button of three dots; Escape and a second touch put it away.
const more = at("more");

export function showService(shown) {
  at("service").hidden = !shown;
  more.setAttribute("aria-expanded", String(shown));
}

if (more) {
  more.addEventListener("click", () => showService(at("service").hidden));
  addEventListener("keydown", (event) => { if (event.key === "Escape") showService(false); });
}
