// Finds lists of the times at which the price turned, such as swing lows and highs, in the files of a strategy. A turn is known only some bars later.

import { firstFrom } from '../../../base/number/search.ts';
import { once } from '../../../base/once.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { TABLE_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { daysOf } from './barMoves.ts';
import { areTurns, barTurnsOf, type BarTurns, type TimedPrices } from './barTurns.ts';
import { DAY_MS } from '../../../base/calendar.ts';
import { MAX_BYTES, textOf } from './embeddedPrices.ts';
import { tableProof } from './tableProof.ts';
import { timeListsIn, type WrittenNumber } from './writtenLists.ts';

/** Minimum of listed times that lie in the data. */
const MIN_TIMES = 24;

/** The bars of a feed, and its days, with their turns. */
interface FeedTurns {
  readonly bars: BarColumns;
  /** Null if each bar is a day or longer. */
  readonly days: () => TimedPrices | null;
  readonly ofBars: () => BarTurns;
  readonly ofDays: () => BarTurns | null;
}

/** Returns the proof of purity that a list of turns refutes; null: no file has one. See `embeddedPrices` and, for `onFeed`, `embeddedMoves`. */
export function listedTurns({ feeds }: RunPlan, files: readonly string[], maxBytes = MAX_BYTES, onFeed = (): void => {}): Proof | null {
  const lists = files.flatMap((file) => {
    const text = textOf(file, maxBytes);
    return timeListsIn(text, MIN_TIMES).map((list) => ({ file, text, list }));
  });
  let firstIndex = lists.length;
  let firstProof: Proof | null = null;
  for (const { bars } of lists.length === 0 ? [] : feeds) {
    // Those of one feed alone are kept, because each may have millions of bars.
    const feed = feedTurnsOf(bars);
    for (const [index, { file, text, list }] of lists.slice(0, firstIndex).entries()) {
      onFeed();
      const firstTurn = firstTurnOf(feed, list);
      if (firstTurn === null) continue;
      firstIndex = index;
      firstProof = tableProof({
        text: TABLE_TEXTS.turns,
        description: 'a list of the lows and highs of these bars',
        expected: 'turns from the bars alone',
        bars,
        timeMs: firstTurn.value,
        file,
        fileText: text,
        position: firstTurn.position,
      });
      break;
    }
  }
  return firstProof;
}

/** Returns the turns of a feed. Each is computed when it is first needed, and only once, because a feed may have millions of bars. */
function feedTurnsOf(bars: BarColumns): FeedTurns {
  const days = once(() => timedDaysOf(bars));
  const ofDays = once(() => {
    const timedDays = days();
    return timedDays === null ? null : barTurnsOf(timedDays);
  });
  return { bars, days, ofBars: once(() => barTurnsOf(bars)), ofDays };
}

/** Returns the first listed time in the bars if the list has their turns; null if not. */
function firstTurnOf({ bars, days, ofBars, ofDays }: FeedTurns, list: readonly WrittenNumber[]): WrittenNumber | null {
  const isOfDays = list.every(({ value }) => value % DAY_MS === 0);
  const timedDays = isOfDays ? days() : null;
  const rows = list.map(({ value }) => rowAt(timedDays ?? bars, value));
  const found = rows.filter((row) => row >= 0);
  if (found.length < MIN_TIMES) return null;
  const turns = (timedDays === null ? null : ofDays()) ?? ofBars();
  // A time may be that of the open of a bar, or that of its close.
  const isOfTurns = [0, 1].some((rowsBefore) =>
    areTurns(
      turns,
      found.map((row) => row - rowsBefore),
    ),
  );
  return isOfTurns ? list[rows.findIndex((row) => row >= 0)]! : null;
}

/** Returns the UTC days of bars with the times at which they begin; null if each bar is a day or longer. */
function timedDaysOf(bars: BarColumns): TimedPrices | null {
  const days = daysOf(bars);
  return days === null ? null : { ...days, openMs: days.firstRows.map((row) => Math.floor(bars.openMs[row]! / DAY_MS) * DAY_MS) };
}

/** Returns the row that opens at a time; -1: none. */
function rowAt({ openMs, length }: TimedPrices, timeMs: number): number {
  const row = firstFrom(openMs, length, timeMs);
  return openMs[row] === timeMs ? row : -1;
}
