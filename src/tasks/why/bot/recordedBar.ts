// Finds in the journal of a bot the bar and the records that a question is about.

import { largestOf, smallestOf } from '../../../base/number/extremes.ts';
import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';
import { ConfigError } from '../../../base/errors.ts';
import { wholeText } from '../../../base/text/format.ts';
import { formatTime } from '../../../model/time.ts';
import { typicalLengthMs, type Interval } from '../../../model/interval.ts';
import type { ExplainedBar, Question } from '../model/explanation.ts';

/** A feed of the bot, in the order in which its records number them. */
export interface BotFeed {
  readonly name: string;
  readonly isExecutionOnly: boolean;
  readonly bars: { readonly interval: Interval; readonly instrument: { readonly id: string; readonly wireName: string } };
}

/** A bar, with the positions of its first record and of the record with its close. */
export interface RecordedBar {
  readonly bar: ExplainedBar;
  readonly from: number;
  readonly to: number;
}

/** Returns the bar of the question. Throws ConfigError that names the range of the journal, its symbols or its orders. */
export function recordedBar(records: readonly JournalRecord[], feeds: readonly BotFeed[], question: Question): RecordedBar {
  const { atMs, symbol, order } = question;
  if (order === null) return barAt(records, feedAt(feeds, symbol), feeds, atMs ?? NaN);
  const isOfOrder = (record: JournalRecord) =>
    (record.k === 'INTENT' || record.k === 'VERDICT' || record.k === 'DRAFT') && record.order === order;
  const firstRecord = records.find(isOfOrder);
  if (firstRecord === undefined) throw missingOrder(records, order);
  const { createdMs, instrument } = decisionOf(records, order, firstRecord.t);
  const feed = instrument === null ? feedAt(feeds, null) : feedAt(feeds, instrument);
  const bars = barsOf(records, feed);
  const index = bars.findIndex(({ record }) => record.atMs >= createdMs);
  const isAfterLastBar = index < 0;
  const chosen = isAfterLastBar ? bars.at(-1) : bars[index];
  if (chosen === undefined)
    throw new ConfigError(
      `--order ${order}: the journal has no bar of its symbol`,
      'isobar journal check shows the content of the journal',
    );
  // An order between two bars, such as a stop, may come after the last one.
  const to = isAfterLastBar ? records.length - 1 : chosen.position;
  const barBefore = isAfterLastBar ? chosen : bars[index - 1];
  const before = barBefore?.position ?? -1;
  return barFrom(chosen, to, before, feeds[feed]!);
}

/** A bar in the journal. `position` is that of its record. */
interface JournalBar {
  readonly position: number;
  readonly record: RecordOf<'INSTANT'>;
  /** A BarFact: feed, openMs, open, high, low, close, volume, and closeMs for a bar from trades. */
  readonly bar: readonly number[];
}

/**
 * Returns the bars of feed number `feedIndex` at which strategies could decide, in the order of the journal. An instant that brings several bars of
 * a feed, as the first one after a start does, is decided at the last of them.
 */
function barsOf(records: readonly JournalRecord[], feedIndex: number): readonly JournalBar[] {
  return records.flatMap((record, position) => {
    if (record.k !== 'INSTANT') return [];
    const bar = record.bars.findLast(([barFeed]) => barFeed === feedIndex);
    return bar === undefined ? [] : [{ position, record, bar }];
  });
}

/** Returns the bar of feed number `feedIndex` that contains the time `atMs`. */
function barAt(records: readonly JournalRecord[], feedIndex: number, feeds: readonly BotFeed[], atMs: number): RecordedBar {
  const bars = barsOf(records, feedIndex);
  const { interval, instrument } = feeds[feedIndex]!.bars;
  const openOf = ({ bar: [, openMs = NaN] }: JournalBar): number => openMs;
  const closeOf = ({ bar }: JournalBar): number => closeMsOf(bar, interval);
  const first = bars[0];
  const last = bars.at(-1);
  if (first === undefined || last === undefined)
    throw new ConfigError(`${instrument.id}: the journal has no bar of this instrument`, 'name another symbol: --symbol');
  const index = bars.findIndex((candidate) => openOf(candidate) <= atMs && atMs < closeOf(candidate));
  const chosen = bars[index];
  if (chosen === undefined) {
    const barsText = `${instrument.id} ${interval}`;
    const isInRange = atMs >= openOf(first) && atMs < closeOf(last);
    if (isInRange)
      throw new ConfigError(
        `--at ${formatTime(atMs)}: the bot decided on no bar of ${barsText} that contains it`,
        'name the time of another bar',
      );
    const range = `from ${formatTime(openOf(first))} to ${formatTime(closeOf(last) - 1)}`;
    throw new ConfigError(
      `--at ${formatTime(atMs)}: expected a time ${range}, the bars of ${barsText} that the bot decided on`,
      'name a time in that range',
    );
  }
  return barFrom(chosen, chosen.position, bars[index - 1]?.position ?? -1, feeds[feedIndex]!);
}

/** Returns the end of a bar: its own if it is of trades, else that of its interval. */
const closeMsOf = ([, openMs = NaN, , , , , , closeMs]: readonly number[], interval: Interval): number =>
  closeMs ?? openMs + typicalLengthMs(interval);

/** Returns a bar with its records: from the record after `before` up to `to`. */
function barFrom({ bar }: JournalBar, to: number, before: number, { name, bars: { interval, instrument } }: BotFeed): RecordedBar {
  const [, openMs = NaN, open = NaN, high = NaN, low = NaN, close = NaN, volume = NaN] = bar;
  const closeMs = closeMsOf(bar, interval);
  return {
    from: before + 1,
    to,
    bar: { instrument: instrument.id, feed: name, interval, openMs, closeMs, open, high, low, close, volume },
  };
}

/** Maximum number of symbols that an error names. */
const MAX_NAMED = 12;

/** Returns the number of the visible feed with the shortest bars of `symbol`. Null stands for the main instrument. */
function feedAt(feeds: readonly BotFeed[], symbol: string | null): number {
  const visible = feeds.map((feed, number) => ({ feed, number })).filter(({ feed }) => !feed.isExecutionOnly);
  const finestFirst = visible.toSorted((a, b) => typicalLengthMs(a.feed.bars.interval) - typicalLengthMs(b.feed.bars.interval));
  const main = visible.find(({ feed }) => feed.name === 'bars') ?? visible[0];
  const symbolName = (symbol ?? main?.feed.bars.instrument.id ?? '').toUpperCase();
  const match = finestFirst.find(({ feed }) => {
    const { id, wireName } = feed.bars.instrument;
    return id.toUpperCase() === symbolName || wireName.toUpperCase() === symbolName;
  });
  if (match !== undefined) return match.number;
  const names = [...new Set(visible.map(({ feed }) => feed.bars.instrument.id))];
  throw new ConfigError(`--symbol ${symbol ?? ''}: the bot has no such symbol`, `its symbols are ${names.slice(0, MAX_NAMED).join(', ')}`);
}

/** Returns the time at which an order was decided (ms UTC), and its instrument. Null when no record has the instrument. */
function decisionOf(
  records: readonly JournalRecord[],
  orderId: number,
  firstRecordMs: number,
): { readonly createdMs: number; readonly instrument: string | null } {
  for (const record of records)
    if ((record.k === 'INTENT' || record.k === 'DRAFT') && record.order === orderId)
      return { createdMs: record.createdMs, instrument: record.symbol };
  for (const record of records) {
    if (record.k === 'VERDICT' && record.order === orderId) {
      const createdMs = Number(record.inputs['createdMs'] ?? firstRecordMs);
      const symbol = record.inputs['symbol'];
      return { createdMs, instrument: typeof symbol === 'string' ? symbol : null };
    }
  }
  return { createdMs: firstRecordMs, instrument: null };
}

/** Returns the error for an order number that the journal does not have. */
function missingOrder(records: readonly JournalRecord[], orderId: number): ConfigError {
  const numbers = records.flatMap((record) => (record.k === 'INTENT' || record.k === 'VERDICT' ? [record.order] : []));
  const range =
    numbers.length === 0
      ? 'the bot has decided no order'
      : `expected a number from ${wholeText(smallestOf(numbers))} to ${wholeText(largestOf(numbers))}`;
  return new ConfigError(
    `--order ${orderId}: ${range} since its strategies began`,
    'isobar orders lists the orders of a bot; each id ends with the number of the order',
  );
}
