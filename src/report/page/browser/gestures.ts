// Moves and zooms a time window by wheel, drag, pinch and keys. Without the focus of the chart, the wheel scrolls the page.

import type { TimeWindow } from './timeWindow.ts';

/** The drawing area of a chart, and what a click does. */
export interface GestureOptions {
  /** Left edge and width of the drawing area, in CSS pixels of `element`. */
  readonly area: () => { readonly left: number; readonly width: number };
  /** Called for a press without movement, with a position in CSS pixels of `element`. */
  readonly onClick?: (x: number, y: number) => void;
}

/** Factor of one zoom step. */
const STEP = 1.5;
/** Largest movement in pixels that still counts as a click. */
const MAX_CLICK_PX = 5;

/** Lets the reader move and zoom `shown` on an element. */
export function addGestures(element: HTMLElement, shown: TimeWindow, { area, onClick }: GestureOptions): void {
  const shareAt = (clientX: number) => {
    const { left, width } = area();
    return Math.min(1, Math.max(0, (clientX - element.getBoundingClientRect().left - left) / width));
  };
  element.addEventListener(
    'wheel',
    (event) => {
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!isSideways && !event.ctrlKey && !event.metaKey && document.activeElement !== element) return;
      event.preventDefault();
      if (isSideways) shown.move(event.deltaX / area().width);
      else shown.zoom(event.deltaY > 0 ? STEP : 1 / STEP, shareAt(event.clientX));
    },
    { passive: false },
  );
  element.addEventListener('keydown', (event) => {
    const acts: Readonly<Record<string, () => void>> = {
      '+': () => shown.zoom(1 / STEP),
      '=': () => shown.zoom(1 / STEP),
      '-': () => shown.zoom(STEP),
      ArrowLeft: () => shown.move(-0.2),
      ArrowRight: () => shown.move(0.2),
      0: () => shown.show(shown.first, shown.last),
      Escape: () => element.blur(),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  addPointers(element, shown, area, onClick);
}

/** Adds dragging with one pointer and pinching with two. */
function addPointers(element: HTMLElement, shown: TimeWindow, area: GestureOptions['area'], onClick: GestureOptions['onClick']): void {
  const pressed = new Map<number, { x: number; y: number }>();
  let start = { from: 0, to: 0, x: 0, y: 0, gap: 0 };
  let hasMoved = false;
  const begin = () => {
    const [a, b] = [...pressed.values()];
    if (!a) return;
    start = { from: shown.from, to: shown.to, x: b ? (a.x + b.x) / 2 : a.x, y: a.y, gap: b ? Math.max(8, Math.abs(a.x - b.x)) : 0 };
  };
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    if (pressed.size === 0) hasMoved = false;
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
    begin();
  });
  element.addEventListener('pointermove', (event) => {
    if (!pressed.has(event.pointerId)) return;
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const [a, b] = [...pressed.values()];
    if (!a) return;
    const { left, width } = area();
    const x = b ? (a.x + b.x) / 2 : a.x;
    if (Math.abs(x - start.x) > MAX_CLICK_PX || Math.abs(a.y - start.y) > MAX_CLICK_PX || b) {
      if (!hasMoved) element.setPointerCapture(event.pointerId);
      hasMoved = true;
    }
    if (!hasMoved) return;
    const span = (start.to - start.from) * (b ? start.gap / Math.max(8, Math.abs(a.x - b.x)) : 1);
    const edge = element.getBoundingClientRect().left + left;
    // The time under the fingers stays under them.
    const heldMs = start.from + ((start.x - edge) / width) * (start.to - start.from);
    const from = heldMs - ((x - edge) / width) * span;
    shown.show(from, from + span);
  });
  const end = (event: PointerEvent) => {
    if (!pressed.delete(event.pointerId)) return;
    begin();
    if (pressed.size > 0 || hasMoved || event.type !== 'pointerup') return;
    const box = element.getBoundingClientRect();
    onClick?.(event.clientX - box.left, event.clientY - box.top);
  };
  element.addEventListener('pointerup', end);
  element.addEventListener('pointercancel', end);
}
