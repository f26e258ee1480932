// The join page: whoever comes by the QR code has the PIN in the address, everybody else types it.
const pin = location.hash.slice(1);
const form = document.getElementById("join");
if (/^[0-9]{6}$/.test(pin)) {
  location.replace(`/watch${location.search}#${pin}`);
} else {
  form.hidden = false;
  document.getElementById("pin").focus();
}
form.addEventListener("submit", (event) => {
  event.preventDefault();
  location.assign(`/watch${location.search}#${document.getElementById("pin").value.trim()}`);
});
