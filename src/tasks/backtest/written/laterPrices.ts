// Finds prices from later bars in what strategies read beside the bars: in an external series, and in a feed of a longer interval. Such data
// come from a file whose times are those of the opens, or of another time zone.

import { formatTime } from '../../../model/time.ts';
import { LATER_TEXT, type Proof } from '../../../model/run/proof.ts';
import type { FeedPlan, RunPlan, SeriesPlan } from '../../../definition/plan/plan.ts';

/** Bars after a value among which the bar with its price is searched: two days of 1h bars. */
const MAX_ROWS_AHEAD = 48;
/** Values that are compared at most, and at least. Fewer agree by accident where prices seldom move. */
const MAX_VALUES = 2000;
const MIN_VALUES = 20;
/** Share of the values that must be the price of the same later bar. Known prices are seldom those of a bar that comes later. */
const MIN_SHARE = 0.9;
/** Largest share of them that may also be a price that was known. */
const MAX_KNOWN_SHARE = 0.5;
/** Prices are equal up to this share of them: a file may have them with fewer digits. */
const PRECISION = 1e-7;

/** Values in the order of the times at which strategies can read them. */
interface ReadValues {
  /** Name in a message, such as `the series next`. */
  readonly name: string;
  readonly knownMs: ArrayLike<number>;
  readonly value: ArrayLike<number>;
  readonly length: number;
}

/** A value, and the newest row of a feed at the time when it became known. */
interface ValueAtRow {
  readonly value: number;
  readonly row: number;
}

/** Returns the proof of purity that a series or a feed refutes whose values are closes of later bars; null: none is. */
export function laterPrices({ feeds, series = [] }: Pick<RunPlan, 'feeds' | 'series'>): Proof | null {
  const visible = feeds.filter(
    ({ bars, isExecutionOnly }) => isExecutionOnly !== true && bars.tape === undefined && bars.window === undefined,
  );
  for (const feed of visible) {
    const symbol = feed.bars.instrument.wireName;
    const ofSymbol = series.filter((each) => each.symbol === null || each.symbol === symbol).map(valuesOfSeries);
    const longer = visible.filter(
      ({ bars }) => bars.instrument.id === feed.bars.instrument.id && meanStepMs(bars) > meanStepMs(feed.bars) * 1.5,
    );
    for (const values of [...ofSymbol, ...longer.map(valuesOfFeed)]) {
      const proof = proofOf(feed, values);
      if (proof !== null) return proof;
    }
  }
  return null;
}

const valuesOfSeries = ({ name, values: { knownMs, value, length } }: SeriesPlan): ReadValues => ({
  name: `the series ${name}`,
  knownMs,
  value,
  length,
});

const valuesOfFeed = ({ bars: { instrument, interval, closeMs, close, length } }: FeedPlan): ReadValues => ({
  name: `the feed ${instrument.wireName} ${interval}`,
  knownMs: closeMs,
  value: close,
  length,
});

/** Returns the mean time between two bars, ms; 0 without two. */
const meanStepMs = ({ closeMs, length }: FeedPlan['bars']): number =>
  length < 2 ? 0 : (closeMs[length - 1]! - closeMs[0]!) / (length - 1);

/** Returns the proof if nearly all values are the closes of one later bar, counted from the time at which each became known; else null. */
function proofOf({ bars }: FeedPlan, values: ReadValues): Proof | null {
  const atRows = valuesAtRows(bars, values);
  if (atRows.length < MIN_VALUES) return null;
  const shareOf = (rowsAhead: number): number => {
    const equal = atRows.filter(({ value, row }) => isPrice(value, bars.close[row + rowsAhead]!));
    return equal.length / atRows.length;
  };
  // A series of known prices, such as an earlier close, may equal later ones where the price stands still.
  if (shareOf(0) > MAX_KNOWN_SHARE || shareOf(-1) > MAX_KNOWN_SHARE) return null;
  for (let rowsAhead = 1; rowsAhead <= MAX_ROWS_AHEAD; rowsAhead++) {
    if (shareOf(rowsAhead) < MIN_SHARE) continue;
    const { value, row } = atRows.find((each) => isPrice(each.value, bars.close[each.row + rowsAhead]!))!;
    return {
      name: 'purity',
      verdict: 'refuted',
      text: LATER_TEXT,
      first: {
        time: formatTime(bars.closeMs[row]!),
        feed: `${bars.instrument.wireName} ${bars.interval}`,
        what: `a value of ${values.name}`,
        expected: 'a value that was known',
        actual: `${value}, the close at ${formatTime(bars.closeMs[row + rowsAhead]!)}`,
      },
      file: null,
      line: null,
    };
  }
  return null;
}

/** Returns the values that changed, each at the newest row when it became known, without those at the ends of the bars. */
function valuesAtRows({ closeMs, length }: FeedPlan['bars'], values: ReadValues): readonly ValueAtRow[] {
  const atRows: ValueAtRow[] = [];
  let row = -1;
  for (let index = 0; index < values.length && atRows.length < MAX_VALUES; index++) {
    while (row + 1 < length && closeMs[row + 1]! <= values.knownMs[index]!) row++;
    if (row + MAX_ROWS_AHEAD >= length) break;
    const value = values.value[index]!;
    if (row > 0 && value !== values.value[index - 1]) atRows.push({ value, row });
  }
  return atRows;
}

const isPrice = (value: number, price: number): boolean => Math.abs(value - price) <= PRECISION * Math.abs(price);
