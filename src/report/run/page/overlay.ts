// Draws over the bars: gaps as shaded areas, trades as markers joined by a line, stop-losses and take-profits as dashed lines.

import type { IPrimitivePaneRenderer, IPrimitivePaneView, ISeriesPrimitive, SeriesAttachedParameter } from 'lightweight-charts';
import { logical } from '../../page/browser/chartUnits.ts';
import { colour } from '../../page/browser/dom.ts';
import { placeOf, type BracketLines, type ChartSlice } from './rows/market.ts';
import { PRICE_EXTRA_DIGITS } from '../../page/wire.ts';
import type { UnpackedTrades } from './rows/tradeRows.ts';

/** The surface on which the chart library lets the overlay draw. */
type DrawTarget = Parameters<IPrimitivePaneRenderer['draw']>[0];
/** Draws one layer of the overlay. `size` is that of the pane in CSS pixels. */
type DrawLayer = (context: CanvasRenderingContext2D, size: { readonly width: number; readonly height: number }) => void;

/** What the overlay draws. */
export interface OverlayData {
  readonly slice: ChartSlice;
  readonly trades: UnpackedTrades | null;
  /** Rows of the trades in view. */
  readonly rows: readonly number[];
  readonly brackets: BracketLines | null;
  readonly priceDigits: number;
  /** Row of the trade that the reader has selected. */
  readonly selected: number | null;
}

/** A marker for several fills: its price, and the row of one trade. */
interface SharedMarker {
  readonly price: number;
  readonly row: number;
}

/** More trades than this would hide the bars. Beyond it, a marker stands for several, and lines and brackets are left out. */
export const MAX_MARKERS = 250;
/** Half the width of a marker in pixels, and its height as a multiple of that. */
const MARKER_SIZE = 5;
const MARKER_STRETCH = 1.6;
/** Largest distance in pixels at which a click hits a marker. */
const MAX_HIT_DISTANCE = 12;
/** Width in pixels of the span that shares one marker for buys and one for sells. */
const SHARED_WIDTH = 12;

/** The overlay of the price chart. The chart library calls its views. */
export class Overlay implements ISeriesPrimitive {
  #drawn: OverlayData | null = null;
  #api: SeriesAttachedParameter | null = null;
  #markers: { x: number; y: number; row: number }[] = [];
  /** Gaps lie below the bars, and trades above them. */
  readonly #views: readonly IPrimitivePaneView[] = [
    layerView('bottom', (context, size) => this.#drawGaps(context, size)),
    layerView('top', (context, size) => this.#drawTrades(context, size)),
  ];

  attached(api: SeriesAttachedParameter): void {
    this.#api = api;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  /** Sets what to draw. */
  show(drawn: OverlayData): void {
    this.#drawn = drawn;
    this.#api?.requestUpdate();
  }

  /** Returns the trade whose marker is nearest to a point, within the reach of a finger. Null when no marker is near enough. */
  hit(x: number, y: number): number | null {
    let nearestRow: number | null = null;
    let minDistance = MAX_HIT_DISTANCE;
    for (const marker of this.#markers) {
      const distance = Math.hypot(marker.x - x, marker.y - y);
      if (distance < minDistance) {
        minDistance = distance;
        nearestRow = marker.row;
      }
    }
    return nearestRow;
  }

  /** Returns the conversion from times to pixels, from two positions of the grid. */
  #xOf(): ((timeMs: number) => number) | null {
    const drawn = this.#drawn;
    const scale = this.#api?.chart.timeScale();
    if (!drawn || !scale) return null;
    const zero = scale.logicalToCoordinate(logical(0));
    const one = scale.logicalToCoordinate(logical(1));
    if (zero === null || one === null) return null;
    return (ms) => zero + placeOf(drawn.slice, ms) * (one - zero);
  }

  /** Shades the spans without bars. */
  #drawGaps(context: CanvasRenderingContext2D, { height, width }: { height: number; width: number }): void {
    const drawn = this.#drawn;
    const xOf = this.#xOf();
    if (!drawn || !xOf) return;
    const { rows, times, endMs } = drawn.slice;
    const firstBar = rows.findIndex((row) => row >= 0);
    const lastBar = rows.findLastIndex((row) => row >= 0);
    context.fillStyle = colour('warn-bg');
    for (let place = firstBar; place < lastBar; place++) {
      if (rows[place]! >= 0) continue;
      let gapEnd = place;
      while (rows[gapEnd + 1]! < 0) gapEnd++;
      const left = Math.max(0, xOf(times[place]!));
      const right = Math.min(width, xOf(times[gapEnd + 1] ?? endMs));
      if (right > left) context.fillRect(left, 0, Math.max(1, right - left), height);
      place = gapEnd;
    }
  }

  /** Draws the markers and lines of the trades in view. */
  #drawTrades(context: CanvasRenderingContext2D, { width }: { width: number }): void {
    this.#markers = [];
    const drawn = this.#drawn;
    const xOf = this.#xOf();
    const series = this.#api?.series;
    if (!drawn?.trades || !xOf || !series) return;
    const isCrowded = drawn.rows.length > MAX_MARKERS;
    if (isCrowded) this.#drawShared(context, xOf, drawn.rows, drawn.trades);
    else this.#drawBrackets(context, xOf, width);
    const { of } = drawn.trades;
    const scale = 10 ** (drawn.priceDigits + PRICE_EXTRA_DIGITS);
    // Among too many trades, only the selected one has markers of its own.
    const rowsWithMarkers = isCrowded ? drawn.rows.filter((row) => row === drawn.selected) : drawn.rows;
    for (const row of rowsWithMarkers) {
      const entryX = xOf(of.entryMs[row]!);
      const exitX = xOf(of.exitMs[row]!);
      const entryY = series.priceToCoordinate(of.entryPrice[row]! / scale);
      const exitY = series.priceToCoordinate(of.exitPrice[row]! / scale);
      if (entryY === null || exitY === null) continue;
      const isLong = of.side[row] === 0;
      const isSelected = row === drawn.selected;
      context.strokeStyle = colour(of.pnl[row]! >= 0 ? 'gain' : 'loss');
      context.lineWidth = isSelected ? 2.5 : 1.25;
      context.beginPath();
      context.moveTo(entryX, entryY);
      context.lineTo(exitX, exitY);
      context.stroke();
      drawMarker(context, { x: entryX, y: entryY }, isLong, isSelected);
      drawMarker(context, { x: exitX, y: exitY }, !isLong, isSelected);
      this.#markers.push({ x: entryX, y: entryY, row }, { x: exitX, y: exitY, row });
    }
  }

  /** Draws one marker for all buys within a few pixels, at their lowest price, and one for all sells, at their highest price. */
  #drawShared(context: CanvasRenderingContext2D, xOf: (timeMs: number) => number, rows: readonly number[], { of }: UnpackedTrades): void {
    // The keys are numbers of spans of `SHARED_WIDTH` pixels.
    const buys = new Map<number, SharedMarker>();
    const sells = new Map<number, SharedMarker>();
    const add = (isBuy: boolean, timeMs: number, price: number, row: number) => {
      const span = Math.floor(xOf(timeMs) / SHARED_WIDTH);
      const side = isBuy ? buys : sells;
      const marker = side.get(span);
      const isFurther = marker === undefined || (isBuy ? price < marker.price : price > marker.price);
      if (isFurther) side.set(span, { price, row });
    };
    for (const row of rows) {
      const isLong = of.side[row] === 0;
      add(isLong, of.entryMs[row]!, of.entryPrice[row]!, row);
      add(!isLong, of.exitMs[row]!, of.exitPrice[row]!, row);
    }
    const scale = 10 ** ((this.#drawn?.priceDigits ?? 0) + PRICE_EXTRA_DIGITS);
    for (const side of [buys, sells]) {
      for (const [span, { price, row }] of side) {
        const y = this.#api?.series.priceToCoordinate(price / scale) ?? null;
        if (y === null) continue;
        const middle = (span + 0.5) * SHARED_WIDTH;
        drawMarker(context, { x: middle, y }, side === buys, false);
        this.#markers.push({ x: middle, y, row });
      }
    }
  }

  /** Draws the stop-losses and take-profits in view. */
  #drawBrackets(context: CanvasRenderingContext2D, xOf: (timeMs: number) => number, width: number): void {
    const drawn = this.#drawn;
    const series = this.#api?.series;
    if (!drawn?.brackets || !series) return;
    const { from, to, price, isTarget } = drawn.brackets;
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    const start = drawn.slice.times[0] ?? 0;
    for (let row = 0; row < from.length; row++) {
      if (to[row]! < start || from[row]! > drawn.slice.endMs) continue;
      const startX = xOf(from[row]!);
      const endX = xOf(to[row]!);
      const y = series.priceToCoordinate(price[row]!);
      if (y === null || endX < 0 || startX > width) continue;
      context.strokeStyle = colour(isTarget[row] === 1 ? 'gain' : 'loss');
      context.beginPath();
      context.moveTo(startX, y);
      context.lineTo(Math.max(endX, startX + 2), y);
      context.stroke();
    }
    context.setLineDash([]);
  }
}

/** Returns a layer of the overlay in the form that the chart library calls. It restores the canvas after drawing. */
function layerView(zOrder: 'bottom' | 'top', drawLayer: DrawLayer): IPrimitivePaneView {
  const draw = (target: DrawTarget): void =>
    target.useMediaCoordinateSpace(({ context, mediaSize }) => {
      context.save();
      drawLayer(context, mediaSize);
      context.restore();
    });
  return { zOrder: () => zOrder, renderer: () => ({ draw }) };
}

/** Draws ▲ below its price for a buy, ▼ above it for a sell. The tip is at the price. */
function drawMarker(context: CanvasRenderingContext2D, tip: { x: number; y: number }, isBuy: boolean, isSelected: boolean): void {
  const { x, y } = tip;
  const size = isSelected ? MARKER_SIZE + 2 : MARKER_SIZE;
  // The y axis of a canvas points down.
  const direction = isBuy ? 1 : -1;
  const baseY = y + direction * size * MARKER_STRETCH;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + size, baseY);
  context.lineTo(x - size, baseY);
  context.closePath();
  context.fillStyle = colour(isBuy ? 'gain' : 'loss');
  context.fill();
  context.lineWidth = isSelected ? 2 : 1;
  context.strokeStyle = colour(isSelected ? 'text' : 'surface');
  context.stroke();
}
