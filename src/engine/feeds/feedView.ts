// A strategy's view of a feed: its series and a cursor over the newest bar. Future rows are not reachable.

import type { TimeMs } from '../../base/brand.ts';
import { ConfigError } from '../../base/errors.ts';
import { allowOnlyMembers, lastPrototype } from '../../base/number/onlyMembers.ts';
import type { IndicatorSet } from '../../indicators/graph/indicatorSet.ts';
import type { RowCursor, Series } from '../../indicators/graph/series.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Interval } from '../../model/interval.ts';
import type { Bar, Feed } from '../../strategy/types.ts';
import type { Instant } from './instant.ts';

/** The cursor of a feed, with the row of the first element of its columns: 0 unless the bars are read block by block. */
export interface FeedCursor extends RowCursor {
  base: number;
}

/** The view of one feed. All its series read at the cursor of the feed. */
export class StrategyFeed implements Feed {
  readonly instrument: Instrument;
  readonly interval: Interval;
  readonly open: Series;
  readonly high: Series;
  readonly low: Series;
  readonly close: Series;
  readonly volume: Series;
  readonly bar: Bar;
  readonly #closeMs: Float64Array;
  readonly #cursor: FeedCursor;
  readonly #instant: Instant;

  constructor(instrument: Instrument, bars: BarColumns, cursor: FeedCursor, series: IndicatorSet['series'], instant: Instant) {
    this.instrument = frozenCopy(instrument);
    this.interval = bars.interval;
    this.open = series.open;
    this.high = series.high;
    this.low = series.low;
    this.close = series.close;
    this.volume = series.volume;
    this.bar = new BarCursor(bars, cursor);
    this.#closeMs = bars.closeMs;
    this.#cursor = cursor;
    this.#instant = instant;
    // Frozen, because the lanes of a sweep share this object and must not pass values through it.
    Object.freeze(this);
  }

  get fresh(): boolean {
    const { row, base } = this.#cursor;
    return row >= 0 && this.#closeMs[row - base] === this.#instant.ms;
  }
}

/** Reads the columns at the newest delivered row. Strategies cannot reach the columns themselves. */
class BarCursor implements Bar {
  readonly #bars: BarColumns;
  readonly #cursor: FeedCursor;
  constructor(bars: BarColumns, cursor: FeedCursor) {
    this.#bars = bars;
    this.#cursor = cursor;
    Object.freeze(this);
  }
  get openMs(): TimeMs {
    return this.#bars.openMs[this.#row()]! as TimeMs;
  }
  get closeMs(): TimeMs {
    return this.#bars.closeMs[this.#row()]! as TimeMs;
  }
  get open(): number {
    return this.#bars.open[this.#row()]!;
  }
  get high(): number {
    return this.#bars.high[this.#row()]!;
  }
  get low(): number {
    return this.#bars.low[this.#row()]!;
  }
  get close(): number {
    return this.#bars.close[this.#row()]!;
  }
  get volume(): number {
    return this.#bars.volume[this.#row()]!;
  }
  #row(): number {
    const { row, base } = this.#cursor;
    if (row < 0)
      throw new ConfigError('feed.bar is read before the first bar of the feed has closed', 'read it in onBar, in a handler or in onStart');
    return row - base;
  }
}

/** Prototype of the frozen copies. A strategy may ask any instrument for `contract`, which a spot pair does not have. */
const INSTRUMENT_PROTOTYPE = lastPrototype('the instrument', ['contract']);
const frozenCopies = new WeakMap<Instrument, Instrument>();

/** Returns the instrument as strategies see it: one frozen copy for each instrument. */
function frozenCopy(instrument: Instrument): Instrument {
  let copy = frozenCopies.get(instrument);
  if (copy === undefined) {
    const { contract } = instrument;
    copy = contract === undefined ? { ...instrument } : { ...instrument, contract: Object.freeze({ ...contract }) };
    Object.freeze(Object.setPrototypeOf(copy, INSTRUMENT_PROTOTYPE));
    frozenCopies.set(instrument, copy);
  }
  return copy;
}

allowOnlyMembers(StrategyFeed.prototype, 'the feed');
allowOnlyMembers(BarCursor.prototype, 'the bar');
Object.freeze(StrategyFeed.prototype);
Object.freeze(BarCursor.prototype);
