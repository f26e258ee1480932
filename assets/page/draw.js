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
  svg.append(outline, text);
  return svg;
}

export function picture(source, words) {
  const image = document.createElement("img");
  image.src = source;
  image.alt = words;
  image.decoding = "async";
  return image;
}

const HAND = "M26 30V58M42 16V56M58 18V56M74 30V58M12 50L30 74M26 58Q28 92 52 92Q74 92 74 58";

export function raised() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 104");
  svg.setAttribute("class", "raised");
  svg.setAttribute("aria-hidden", "true");
  for (let times = 0; times < 2; times += 1) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", `${HAND}M36 70H64`);
    svg.append(path);
  }
  return svg;
}
