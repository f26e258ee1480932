// The public table: draws what the server tells, judges nothing.
import { Link } from "./link.js";
import { made } from "./parts.js";
import { Stage } from "./stage.js";
import "./ways.js";

const at = (id) => document.getElementById(id);
const KEPT_LINES = 4;
const PIN_WRONG = 4403;
const stage = new Stage(at("felt"), at("left"), at("right"));
const pin = location.hash.slice(1);

function notice(text) {
  at("notice").textContent = text;
  at("notice").hidden = !text;
}

function back() {
  location.replace(`/${location.search}`);
}

function table(told) {
  document.body.classList.toggle("broken", Boolean(told.broken));
  at("headline").textContent = told.headline;
  at("game").textContent = told.game;
  at("hint").textContent = told.hint || "";
  at("say").textContent = told.say || "";
  notice(told.unsaved || "");
  stage.show({ won: [], ...told });
}

function heard(text) {
  at("told").append(made("p", "", text));
  while (at("told").children.length > KEPT_LINES) at("told").firstChild.remove();
}

function take(message) {
  switch (message.type) {
    case "table": table(message); break;
    case "line": case "back": heard(message.text); break;
    case "count": stage.beat(message.beat); break;
    case "finish": stage.finish(message.rows, message.say); break;
    case "lesson": at("lesson").textContent = message.text.join(" · "); break;
    case "away": notice(at("notice").dataset.away); break;
    case "no": notice(message.text); break;
  }
}

function lost(seconds) {
  document.body.classList.toggle("lost", seconds !== null);
  notice(seconds === null ? "" : at("notice").dataset.lost);
}

function ended(code) {
  if (code === PIN_WRONG) setTimeout(back, 4000);
  return code !== PIN_WRONG;
}

if (/^[0-9]{6}$/.test(pin)) {
  const hello = () => ({ type: "watch", pin, lang: document.documentElement.lang });
  new Link("/live", { hello, take, lost, ended });
} else {
  back();
}
