// Whoever comes by the QR code has the PIN in the address and is taken to the seats at once; everybody else types it.
import "./ways.js";

const SIX_DIGITS = /^[0-9]{6}$/;
const form = document.getElementById("join");
let to = "/seat";

function go(pin) {
  location.replace(`${to}${location.search}#${pin}`);
}

[...form.elements.to].forEach((one) => one.addEventListener("click", () => { to = one.value; }));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  go(form.elements.pin.value.trim());
});
if (SIX_DIGITS.test(location.hash.slice(1))) {
  go(location.hash.slice(1));
} else {
  form.hidden = false;
  form.elements.pin.focus();
}
