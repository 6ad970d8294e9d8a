// Creates elements of a page, and reads the colours of its stylesheet for the charts.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** Returns the element with this id. */
export function byId(id: string): HTMLElement | null {
  return document.getElementById(id);
}

/** Creates an element with text or children. */
export function element(
  name: string,
  properties: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElement {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) created.setAttribute(key, value);
  created.append(...children);
  return created;
}

/** Creates an SVG element with text or children. */
export function vector(
  name: string,
  properties: Readonly<Record<string, string | number>> = {},
  ...children: readonly (Node | string)[]
): SVGElement {
  const created = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(properties)) created.setAttribute(key, String(value));
  created.append(...children);
  return created;
}

/** The colours that have been read, by name. */
const colours = new Map<string, string>();

/** Returns a colour of the stylesheet by its name (`accent`, `s0`, ...), for the current theme. */
export function colour(name: string): string {
  let value = colours.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, value);
  }
  return value;
}

/** Clears the cached colours. Call it after a change of theme. */
export function forgetColours(): void {
  colours.clear();
}

/** Returns a colour (`#rrggbb` or `#rgb`) with an opacity from 0 to 1. */
export function faint(hex: string, opacity: number): string {
  const sixDigits = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex;
  const alpha = Math.round(opacity * 255)
    .toString(16)
    .padStart(2, '0');
  return sixDigits + alpha;
}

/** Resolves after the browser has drawn the preceding changes. */
export function waitForPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Returns a function that calls `draw` before the next frame, once for any number of calls. */
export function oncePerFrame(draw: () => void): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      draw();
    });
  };
}
