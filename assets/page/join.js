// The join page: whoever comes by the QR code has the PIN in the address, everybody else types it.
import "./ways.js";

const pin = location.hash.slice(1);
const form = document.getElementById("join");
form.hidden = false;
if (/^[0-9]{6}$/.test(pin)) {
  form.elements.pin.value = pin;
  form.elements.to[0].focus();
} else {
  form.elements.pin.focus();
}
let to = "/seat";
[...form.elements.to].forEach((one) => one.addEventListener("click", () => { to = one.value; }));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  location.assign(`${to}${location.search}#${form.elements.pin.value.trim()}`);
});
