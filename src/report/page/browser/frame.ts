// The drawing area of a small chart: an SVG with the width of its box, with axis labels at the left and below.

import { vector } from './dom.ts';
import { numberTexts } from './ticks.ts';

/** Height of a small chart and the margins of its drawing area, in pixels. */
export const PLOT_HEIGHT = 220;
export const PLOT_LEFT = 44;
export const PLOT_RIGHT = 8;
export const PLOT_TOP = 8;
export const PLOT_BOTTOM = 24;

/** Minimum width of a small chart, in pixels. */
const MIN_WIDTH = 200;
/** Distances of a label from its line and from the lower edge, in pixels. */
const LABEL_GAP = 6;
const LABEL_BASELINE = 8;
/** About half the height and half the width of a label, in pixels. */
const HALF_LABEL_HEIGHT = 4;
const HALF_LABEL_WIDTH = 24;

/** The lowest and the highest value of an axis. */
export interface AxisRange {
  readonly low: number;
  readonly high: number;
}

/** One small chart. */
export class PlotFrame {
  /** The drawing. */
  readonly svg: SVGElement;
  /** Its width in pixels. */
  readonly width: number;
  /** Convert a value of an axis to a position in pixels. */
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly #host: HTMLElement;

  /** `host` is the element that `show` fills. Screen readers read `name`. */
  constructor(host: HTMLElement, xRange: AxisRange, yRange: AxisRange, name: string) {
    this.#host = host;
    this.width = Math.max(MIN_WIDTH, host.clientWidth);
    this.svg = vector('svg', {
      width: this.width,
      height: PLOT_HEIGHT,
      viewBox: `0 0 ${this.width} ${PLOT_HEIGHT}`,
      role: 'img',
      'aria-label': name,
    });
    this.x = (value) => PLOT_LEFT + ((value - xRange.low) / (xRange.high - xRange.low)) * (this.width - PLOT_LEFT - PLOT_RIGHT);
    this.y = (value) =>
      PLOT_HEIGHT - PLOT_BOTTOM - ((value - yRange.low) / (yRange.high - yRange.low)) * (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM);
  }

  /** Adds an SVG element. */
  add(name: string, properties: Readonly<Record<string, string | number>>, ...text: readonly string[]): void {
    this.svg.append(vector(name, properties, ...text));
  }

  /** Draws a box with a tooltip. */
  drawTitledBox(properties: Readonly<Record<string, string | number>>, title: string): void {
    this.svg.append(vector('rect', properties, vector('title', {}, title)));
  }

  /** Draws horizontal lines with their labels at the left. */
  drawMarksLeft(ticks: readonly number[], texts: readonly string[] = numberTexts(ticks)): void {
    ticks.forEach((tick, index) => {
      this.add('line', {
        x1: PLOT_LEFT,
        x2: this.width - PLOT_RIGHT,
        y1: this.y(tick),
        y2: this.y(tick),
        class: tick === 0 ? 'zero' : 'axis',
      });
      this.add('text', { x: PLOT_LEFT - LABEL_GAP, y: this.y(tick) + HALF_LABEL_HEIGHT, 'text-anchor': 'end' }, texts[index] ?? '');
    });
  }

  /** Draws vertical lines with their labels below. */
  drawMarksBelow(ticks: readonly number[], texts: readonly string[] = numberTexts(ticks)): void {
    ticks.forEach((tick, index) => {
      const x = this.x(tick);
      this.add('line', { x1: x, x2: x, y1: PLOT_TOP, y2: PLOT_HEIGHT - PLOT_BOTTOM, class: tick === 0 ? 'zero' : 'axis' });
      this.add('text', { x, y: PLOT_HEIGHT - LABEL_BASELINE, 'text-anchor': this.#anchorAt(x) }, texts[index] ?? '');
    });
  }

  /** Returns the alignment with which a label at `x` stays within the drawing. */
  #anchorAt(x: number): string {
    if (x > this.width - HALF_LABEL_WIDTH) return 'end';
    return x < PLOT_LEFT + 16 ? 'start' : 'middle';
  }

  /** Puts the finished chart on the page, in place of the previous one. */
  show(): void {
    this.#host.replaceChildren(this.svg);
  }
}

/** What a histogram shows for each of its bins, by the index of the bin. */
export interface BinView {
  /** Lower end of the bin, as a value of the x axis. The bin ends where the next one starts. */
  readonly startOf: (bin: number) => number;
  /** Name of a colour of the page. */
  readonly colourOf: (bin: number) => string;
  /** Text of the tooltip. */
  readonly textOf: (bin: number, amount: number) => string;
}

/** Draws the columns of a histogram, each with a tooltip. `bins` has the amount in each bin. */
export function drawBins(frame: PlotFrame, bins: readonly number[], { startOf, colourOf, textOf }: BinView): void {
  bins.forEach((amount, bin) => {
    if (amount === 0) return;
    const left = frame.x(startOf(bin));
    const right = frame.x(startOf(bin + 1));
    // A column of at least one pixel can be seen.
    const top = Math.min(frame.y(amount), frame.y(0) - 1);
    const box = { x: left + 0.5, y: top, width: Math.max(0.5, right - left - 1), height: frame.y(0) - top };
    frame.drawTitledBox({ ...box, fill: `var(--${colourOf(bin)})`, 'fill-opacity': 0.75 }, textOf(bin, amount));
  });
}
