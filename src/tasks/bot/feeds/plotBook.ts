// Keeps the newest values of the series that strategies draw, for the charts of the dashboard.

import { appendAll } from '../../../base/memory/appendAll.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { FeedRun } from '../../../engine/feeds/feed.ts';

/** Number of bars whose values are kept, as many as the view has of each feed. */
export const MAX_PLOT_BARS = 300;
/** Number of series that are kept. A strategy over many symbols may draw more; a page could not show them. */
const MAX_PLOTS = 64;

/** A series that a strategy draws, with its feed. */
type DrawnSeries = Engine['runs'][number]['drawn'][number];

/** A drawn series with its values at the newest rows of its feed. */
class Plot {
  readonly strategy: string;
  readonly drawn: DrawnSeries;
  /** The values, NaN for one that is not ready or not known. The last one belongs to row `#notedRows - 1`. */
  #values: number[] = [];
  /** Number of bars that strategies had seen at the last note. */
  #notedRows = 0;
  /** True when the values of earlier rows may be computed again. */
  readonly #canRecompute: boolean;

  constructor(strategy: string, drawn: DrawnSeries, canRecompute: boolean) {
    this.strategy = strategy;
    this.drawn = drawn;
    this.#canRecompute = canRecompute;
    this.noteValues();
  }

  /** Notes the value at the newest bar, and those of the bars since the last note if they can be computed again. */
  noteValues(): void {
    const { feed, series } = this.drawn;
    const rows = visibleRows(feed);
    const addedRows = Math.min(rows - this.#notedRows, MAX_PLOT_BARS);
    this.#notedRows = rows;
    if (addedRows === 0) return;
    if (addedRows === 1) this.#values.push(series.value);
    else if (this.#canRecompute) appendAll(this.#values, feed.indicators.traceValues(series).subarray(rows - addedRows, rows));
    else appendAll(this.#values, [...Array.from({ length: addedRows - 1 }, () => NaN), series.value]);
    const surplus = this.#values.length - MAX_PLOT_BARS;
    if (surplus > 0) this.#values.splice(0, surplus);
  }

  /** Returns the values at the newest `count` rows of the feed, oldest first; null for a value that is not known. */
  newest(count: number): readonly (number | null)[] {
    const invisibleRows = this.drawn.feed.bars.length - this.#notedRows;
    const firstIndex = this.#values.length - count + invisibleRows;
    return Array.from({ length: count }, (_, index) => {
      const value = this.#values[firstIndex + index];
      return value === undefined || !Number.isFinite(value) ? null : value;
    });
  }
}

/** Returns the number of bars that strategies have seen. */
function visibleRows({ cursor }: FeedRun): number {
  return cursor.row + 1;
}

/** The indicators that the strategies of a bot draw. */
export class PlotBook {
  readonly #engine: Engine;
  #plots: readonly Plot[] | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Notes the values at the end of an instant. */
  note(): void {
    if (this.#plots === null) this.#createPlots();
    else for (const plot of this.#plots) plot.noteValues();
  }

  /** Returns what is drawn on a feed, in the order in which the strategies name it. Call it outside of instants. */
  plotsOf(feed: FeedRun): readonly Plot[] {
    this.note();
    return (this.#plots ?? this.#createPlots()).filter(({ drawn }) => drawn.feed === feed);
  }

  /** Creates the plots, which note their first value. */
  #createPlots(): readonly Plot[] {
    const { runs, feeds } = this.#engine;
    // A custom function of the author may not run a second time: it could change what the strategy decides.
    const canRecompute = feeds.every(({ indicators }) => indicators.customs.length === 0);
    const drawnSeries = runs.flatMap(({ name, drawn }) => drawn.map((series) => ({ strategy: name, series })));
    this.#plots = drawnSeries.slice(0, MAX_PLOTS).map(({ strategy, series }) => new Plot(strategy, series, canRecompute));
    return this.#plots;
  }
}
