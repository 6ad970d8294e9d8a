// DOM access of the page, and the colours that its charts take from the stylesheet.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

export function byId(id: string): HTMLElement | null {
  return document.getElementById(id);
}

/** Creates an element with text or children. */
export function element(
  name: string,
  properties: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function vector(
  name: string,
  properties: Readonly<Record<string, string | number>> = {},
  ...children: readonly (Node | string)[]
): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

const colours = new Map<string, string>();

/** Returns a colour of the stylesheet by its name (`accent`, `s0`, ...), for the current theme. */
export function colour(name: string): string {
  let known = colours.get(name);
  if (known === undefined) colours.set(name, (known = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()));
  return known;
}

/** Clears the cached colours. Call it after a change of theme. */
export function forgetColours(): void {
  colours.clear();
}

/** Returns `#rrggbb` or `#rgb` with an opacity from 0 to 1. */
export function faint(hex: string, opacity: number): string {
  const full = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex;
  return (
    full +
    Math.round(opacity * 255)
      .toString(16)
      .padStart(2, '0')
  );
}

/** Resolves after the browser has drawn the preceding changes. */
export function waitForPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Returns a function that calls `draw` at most once a frame. */
export function oncePerFrame(draw: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };
}
