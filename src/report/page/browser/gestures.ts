// Moves and zooms a time window by wheel, drag, pinch and keys. Turning the wheel zooms only while the chart has the focus, or with Ctrl or Meta;
// otherwise it scrolls the page. A sideways wheel always moves the window.

import type { TimeWindow } from './timeWindow.ts';

/** The drawing area of a chart, and what a click does. */
export interface GestureOptions {
  /** Left edge and width of the drawing area, in CSS pixels of `element`. */
  readonly plotArea: () => { readonly left: number; readonly width: number };
  /** Called for a press without movement, with a position in CSS pixels of `element`. */
  readonly onClick?: (x: number, y: number) => void;
}

/** Factor of one zoom step. */
const ZOOM_STEP = 1.5;
/** Largest movement in pixels that still counts as a click. */
const MAX_CLICK_PX = 5;
/** Share of the window by which an arrow key moves it. */
const KEY_MOVE_SHARE = 0.2;

/** Moves and zooms `timeWindow` by the gestures on an element. */
export function addGestures(element: HTMLElement, timeWindow: TimeWindow, { plotArea, onClick }: GestureOptions): void {
  const shareAt = (clientX: number) => {
    const { left, width } = plotArea();
    return Math.min(1, Math.max(0, (clientX - element.getBoundingClientRect().left - left) / width));
  };
  element.addEventListener(
    'wheel',
    (event) => {
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const isZoom = event.ctrlKey || event.metaKey || document.activeElement === element;
      if (!isSideways && !isZoom) return;
      event.preventDefault();
      if (isSideways) timeWindow.move(event.deltaX / plotArea().width);
      else timeWindow.zoom(event.deltaY > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, shareAt(event.clientX));
    },
    { passive: false },
  );
  element.addEventListener('keydown', (event) => {
    const actions: Readonly<Record<string, () => void>> = {
      '+': () => timeWindow.zoom(1 / ZOOM_STEP),
      '=': () => timeWindow.zoom(1 / ZOOM_STEP),
      '-': () => timeWindow.zoom(ZOOM_STEP),
      ArrowLeft: () => timeWindow.move(-KEY_MOVE_SHARE),
      ArrowRight: () => timeWindow.move(KEY_MOVE_SHARE),
      // Shows the whole run.
      0: () => timeWindow.show(timeWindow.runStartMs, timeWindow.runEndMs),
      Escape: () => element.blur(),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
  addPointerGestures(element, timeWindow, plotArea, onClick);
}

/** Two pointers count as at least this far apart, in pixels, so that the zoom stays finite. */
const MIN_GAP_PX = 8;

/** Returns the horizontal distance of two pointers in pixels, at least MIN_GAP_PX. */
function pinchGapPx(firstPointer: { readonly x: number }, secondPointer: { readonly x: number }): number {
  return Math.max(MIN_GAP_PX, Math.abs(firstPointer.x - secondPointer.x));
}

/** Returns the horizontal position of the only pointer, or of the middle between two. */
function middleOf(firstPointer: { readonly x: number }, secondPointer: { readonly x: number } | undefined): number {
  return secondPointer ? (firstPointer.x + secondPointer.x) / 2 : firstPointer.x;
}

/** The state at the beginning of a gesture. */
interface GestureStart {
  /** The time window, ms UTC. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Position of the pointer, or of the middle of two, in CSS pixels. */
  readonly x: number;
  readonly y: number;
  /** Distance of two pointers in CSS pixels. 0 for one pointer. */
  readonly gapPx: number;
}

/** Adds dragging with one pointer, pinching with two, and clicks. */
function addPointerGestures(
  element: HTMLElement,
  timeWindow: TimeWindow,
  plotArea: GestureOptions['plotArea'],
  onClick: GestureOptions['onClick'],
): void {
  /** The pressed pointers, by the id that the browser gives them. */
  const pressedPointers = new Map<number, { readonly x: number; readonly y: number }>();
  let start: GestureStart = { fromMs: 0, toMs: 0, x: 0, y: 0, gapPx: 0 };
  let hasMoved = false;
  const beginGesture = () => {
    const [firstPointer, secondPointer] = [...pressedPointers.values()];
    if (!firstPointer) return;
    const { fromMs, toMs } = timeWindow;
    const gapPx = secondPointer ? pinchGapPx(firstPointer, secondPointer) : 0;
    start = { fromMs, toMs, x: middleOf(firstPointer, secondPointer), y: firstPointer.y, gapPx };
  };
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    if (pressedPointers.size === 0) hasMoved = false;
    pressedPointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    beginGesture();
  });
  element.addEventListener('pointermove', (event) => {
    if (!pressedPointers.has(event.pointerId)) return;
    pressedPointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const [firstPointer, secondPointer] = [...pressedPointers.values()];
    if (!firstPointer) return;
    const { left, width } = plotArea();
    const x = middleOf(firstPointer, secondPointer);
    const isBeyondClick = Math.abs(x - start.x) > MAX_CLICK_PX || Math.abs(firstPointer.y - start.y) > MAX_CLICK_PX;
    // Two pointers are a pinch, never a click.
    if (isBeyondClick || secondPointer) {
      if (!hasMoved) element.setPointerCapture(event.pointerId);
      hasMoved = true;
    }
    if (!hasMoved) return;
    const startSpanMs = start.toMs - start.fromMs;
    const spanMs = secondPointer ? startSpanMs * (start.gapPx / pinchGapPx(firstPointer, secondPointer)) : startSpanMs;
    const leftEdge = element.getBoundingClientRect().left + left;
    // The time under the fingers stays under them.
    const heldMs = start.fromMs + ((start.x - leftEdge) / width) * startSpanMs;
    const fromMs = heldMs - ((x - leftEdge) / width) * spanMs;
    timeWindow.show(fromMs, fromMs + spanMs);
  });
  const onRelease = (event: PointerEvent) => {
    if (!pressedPointers.delete(event.pointerId)) return;
    // A gesture with two pointers continues with the other one.
    beginGesture();
    const isClick = pressedPointers.size === 0 && !hasMoved && event.type === 'pointerup';
    if (!isClick) return;
    const elementBounds = element.getBoundingClientRect();
    onClick?.(event.clientX - elementBounds.left, event.clientY - elementBounds.top);
  };
  element.addEventListener('pointerup', onRelease);
  element.addEventListener('pointercancel', onRelease);
}
