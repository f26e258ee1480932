// Shapes of the chairs as the table's screen has them (companion/ui/toolkit/sprites.py), and pictures of the decks.
const SVG = "http://www.w3.org/2000/svg";
export const SHAPES = {
  circle: "0,-1 0.13,-0.99 0.26,-0.97 0.38,-0.92 0.5,-0.87 0.61,-0.79 0.71,-0.71 0.79,-0.61 0.87,-0.5 0.92,-0.38 0.97,-0.26 0.99,-0.13 1,0 0.99,0.13 0.97,0.26 0.92,0.38 0.87,0.5 0.79,0.61 0.71,0.71 0.61,0.79 0.5,0.87 0.38,0.92 0.26,0.97 0.13,0.99 0,1 -0.13,0.99 -0.26,0.97 -0.38,0.92 -0.5,0.87 -0.61,0.79 -0.71,0.71 -0.79,0.61 -0.87,0.5 -0.92,0.38 -0.97,0.26 -0.99,0.13 -1,0 -0.99,-0.13 -0.97,-0.26 -0.92,-0.38 -0.87,-0.5 -0.79,-0.61 -0.71,-0.71 -0.61,-0.79 -0.5,-0.87 -0.38,-0.92 -0.26,-0.97 -0.13,-0.99",
  triangle: "0,-0.96 1.08,0.81 -1.08,0.81",
  square: "-0.89,-0.89 0.89,-0.89 0.89,0.89 -0.89,0.89",
  diamond: "0,-1.2 1.08,0 0,1.2 -1.08,0",
  star: "0,-1.2 0.45,-0.61 1.14,-0.37 0.72,0.23 0.71,0.97 0,0.76 -0.71,0.97 -0.72,0.23 -1.14,-0.37 -0.45,-0.61",
  hexagon: "0,-1.06 0.92,-0.53 0.92,0.53 0,1.06 -0.92,0.53 -0.92,-0.53",
  cross: "-0.5,-1.02 0.5,-1.02 0.5,-0.5 1.02,-0.5 1.02,0.5 0.5,0.5 0.5,1.02 -0.5,1.02 -0.5,0.5 -1.02,0.5 -1.02,-0.5 -0.5,-0.5",
  heart: "0,-0.34 0,-0.37 0.03,-0.46 0.1,-0.58 0.21,-0.69 0.36,-0.77 0.55,-0.79 0.73,-0.74 0.89,-0.62 0.99,-0.46 1.03,-0.28 0.99,-0.08 0.89,0.1 0.73,0.28 0.55,0.44 0.36,0.6 0.21,0.75 0.1,0.88 0.03,0.98 0,1.05 0,1.08 0,1.05 -0.03,0.98 -0.1,0.88 -0.21,0.75 -0.36,0.6 -0.55,0.44 -0.73,0.28 -0.89,0.1 -0.99,-0.08 -1.03,-0.28 -0.99,-0.46 -0.89,-0.62 -0.73,-0.74 -0.55,-0.79 -0.36,-0.77 -0.21,-0.69 -0.1,-0.58 -0.03,-0.46 0,-0.37",
};

export function avatar(shape, colour, number) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-1.5 -1.5 3 3");
  svg.setAttribute("class", "avatar");
  svg.setAttribute("aria-hidden", "true");
  const outline = document.createElementNS(SVG, "polygon");
  outline.setAttribute("points", SHAPES[shape]);
  outline.style.fill = `var(--seat-${colour})`;
  const text = document.createElementNS(SVG, "text");
  text.setAttribute("text-anchor", "middle");
  text.setAttribute("y", "0.34");
  text.textContent = String(number);
  const edge = outline.cloneNode();
  edge.setAttribute("class", "edge");
  svg.append(edge, outline, text);
  return svg;
}

export function picture(source, words) {
  const image = document.createElement("img");
  image.src = source;
  image.alt = words;
  image.decoding = "async";
  return image;
}

const HAND = "M28 28V62M43 16V60M58 18V60M73 30V62M88 46L72 70M28 56Q26 92 52 92Q74 92 76 58Z";

export function raised() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 104");
  svg.setAttribute("class", "raised");
  svg.setAttribute("aria-hidden", "true");
  for (let times = 0; times < 2; times += 1) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", HAND);
    svg.append(path);
  }
  return svg;
}

function drawn(parent, tag, values) {
  const node = document.createElementNS(SVG, tag);
  Object.keys(values).forEach((name) => node.setAttribute(name, values[name]));
  parent.append(node);
  return node;
}

// This phone, with its seat's sign, and the table, with nothing between them.
export function cutOff(sign) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 350 190");
  drawn(svg, "rect", { x: 8, y: 10, width: 96, height: 170, rx: 18, class: "phone" });
  drawn(svg, "rect", { x: 222, y: 42, width: 120, height: 106, rx: 34, class: "felt" });
  drawn(svg, "path", { d: "M114 95H130M196 95H212", class: "wire" });
  drawn(svg, "circle", { cx: 163, cy: 95, r: 25, class: "stop" });
  drawn(svg, "path", { d: "M153 85L173 105M173 85L153 105", class: "cross" });
  if (sign) drawn(svg, "g", { transform: "translate(56 95) scale(26)" }).append(sign.cloneNode());
  return svg;
}
