// Finds prices from later bars in what strategies read beside the bars: in an external series, and in another feed. Such data come from a
// file whose times are those of the opens, or from one that was moved by some bars. Beside bars of 15 minutes or more, the times may also
// be of another time zone.

import { firstAfter } from '../../../base/number/search.ts';
import { formatTime } from '../../../model/time.ts';
import { LATER_TEXTS, type Proof } from '../../../model/run/proof.ts';
import type { FeedPlan, RunPlan, SeriesPlan } from '../../../definition/plan/plan.ts';

/** Bars after a value among which the bar with its price is searched: two days of 1h bars. */
const MAX_ROWS_AHEAD = 48;
/** Values that are compared at most, and at least. Fewer agree by accident where prices seldom move. */
const MAX_VALUES = 2000;
const MIN_VALUES = 20;
/** Feeds up to which those of other instruments are compared, too. */
const MAX_MIXED_FEEDS = 16;
/** Rows of a series that are read in search of values that differ. */
const MAX_READ = 500_000;
/** Share of the values that must be the price of the same later bar. Known prices are seldom those of a bar that comes later. */
const MIN_SHARE = 0.9;
/** From this share of them on that are also a price that was known, they are no finding. */
const MAX_KNOWN_SHARE = 0.5;
/** Prices are equal up to this share of them: a file may have them with fewer digits. */
const PRECISION = 1e-7;

/** Values in the order of the times at which strategies can read them. */
interface ReadValues {
  /** Name in a message, such as `the series next`. */
  readonly name: string;
  readonly knownMs: Float64Array;
  readonly value: ArrayLike<number>;
  readonly length: number;
}

/** A value, and the newest row of a feed at the time when it became known. */
interface ValueAtRow {
  readonly value: number;
  readonly knownMs: number;
  readonly row: number;
}

/** Returns the proof of purity that a series or a feed refutes whose values are closes of later bars; null: none is. */
export function laterPrices({ feeds, series = [] }: Pick<RunPlan, 'feeds' | 'series'>): Proof | null {
  const visible = feeds.filter(
    ({ bars, isExecutionOnly }) => isExecutionOnly !== true && bars.tape === undefined && bars.window === undefined,
  );
  const feedsByInstrument = new Map<string, FeedPlan[]>();
  for (const feed of visible) {
    const { id } = feed.bars.instrument;
    feedsByInstrument.set(id, [...(feedsByInstrument.get(id) ?? []), feed]);
  }
  for (const feed of visible) {
    const symbol = feed.bars.instrument.wireName;
    const ofSymbol = series.filter((each) => each.symbol === null || each.symbol === symbol).map(valuesOfSeries);
    // The same market may have another symbol in another file. Other markets have other prices, and a run with many feeds would compare too many pairs.
    const compared = visible.length <= MAX_MIXED_FEEDS ? visible : feedsByInstrument.get(feed.bars.instrument.id)!;
    const others = compared.filter((other) => other !== feed);
    for (const values of [...ofSymbol, ...others.map(valuesOfFeed)]) {
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

/** Returns the proof if nearly all values are the closes of one later bar, counted from the time at which each became known; else null. */
function proofOf({ bars }: FeedPlan, values: ReadValues): Proof | null {
  const atRows = valuesAtRows(bars, values);
  if (atRows.length < MIN_VALUES) return null;
  /** True if at least this share of the values are the close this many rows later. */
  const isSharedBy = (share: number, rowsAhead: number): boolean => {
    let missesLeft = atRows.length - Math.ceil(share * atRows.length);
    for (const at of atRows) {
      const isEqual = rowsAhead > 0 ? isLaterPrice(at, rowsAhead) : isPrice(at.value, bars.close[at.row + rowsAhead]!);
      if (!isEqual && --missesLeft < 0) return false;
    }
    return true;
  };
  /** True if the value is the close of a bar that opens later, at a price that the bar before does not have. */
  const isLaterPrice = ({ value, knownMs, row }: ValueAtRow, rowsAhead: number): boolean => {
    const laterRow = row + rowsAhead;
    const isNew = bars.openMs[laterRow]! >= knownMs && !isPrice(value, bars.close[laterRow - 1]!);
    return isNew && isPrice(value, bars.close[laterRow]!);
  };
  for (let rowsAhead = 1; rowsAhead <= MAX_ROWS_AHEAD; rowsAhead++) {
    if (!isSharedBy(MIN_SHARE, rowsAhead)) continue;
    // A series of known prices, such as an earlier close, equals later ones where prices repeat.
    for (let rowsBack = 0; rowsBack <= MAX_ROWS_AHEAD; rowsBack++) if (isSharedBy(MAX_KNOWN_SHARE, -rowsBack)) return null;
    const { value, row } = atRows.find((at) => isLaterPrice(at, rowsAhead))!;
    return {
      name: 'purity',
      verdict: 'refuted',
      text: LATER_TEXTS.prices,
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
  if (length === 0) return atRows;
  const begin = firstAfter(values.knownMs, 0, values.length, closeMs[0]!);
  const end = Math.min(values.length, begin + MAX_READ);
  let row = 0;
  for (let index = Math.max(1, begin); index < end && atRows.length < MAX_VALUES; index++) {
    const knownMs = values.knownMs[index]!;
    while (row + 1 < length && closeMs[row + 1]! <= knownMs) row++;
    if (row + MAX_ROWS_AHEAD >= length) break;
    const value = values.value[index]!;
    if (row >= MAX_ROWS_AHEAD && value !== values.value[index - 1]) atRows.push({ value, knownMs, row });
  }
  return atRows;
}

const isPrice = (value: number, price: number): boolean => Math.abs(value - price) <= PRECISION * Math.abs(price);
