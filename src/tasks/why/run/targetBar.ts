// Finds the bar that a question is about: by a time and a symbol, or by the time at which an order was decided.

import { ConfigError } from '../../../base/errors.ts';
import { firstAfter } from '../../../base/number/search.ts';
import { formatTime } from '../../../model/time.ts';
import { typicalLengthMs } from '../../../model/interval.ts';
import type { SealedBot } from '../../../app/replayedBot.ts';

/** Maximum number of symbols that an error names. */
const MAX_NAMED = 12;

/** A feed of the repeated run. */
export type EngineFeed = SealedBot['engine']['feeds'][number];

/** A bar of a feed that strategies see. */
export interface TargetBar {
  readonly feed: EngineFeed;
  readonly row: number;
  /** A note for the reader, or null. */
  readonly note: string | null;
}

/**
 * Returns the visible feed with the shortest bars of `symbol`. Null stands for the main instrument. Throws ConfigError for an unknown
 * symbol.
 */
export function feedFor(feeds: readonly EngineFeed[], symbol: string | null): EngineFeed {
  const visibleFeeds = feeds.filter(({ isExecutionOnly }) => !isExecutionOnly);
  const finestFirst = visibleFeeds.toSorted((a, b) => typicalLengthMs(a.bars.interval) - typicalLengthMs(b.bars.interval));
  const names = [...new Set(finestFirst.map(({ instrument }) => instrument.id))];
  if (symbol === null) {
    const main = visibleFeeds.find(({ name }) => name === 'bars') ?? visibleFeeds[0];
    return finestFirst.find(({ instrument }) => instrument.id === main?.instrument.id) ?? finestFirst[0]!;
  }
  const upperSymbol = symbol.toUpperCase();
  const match = finestFirst.find(
    ({ instrument: { id, wireName } }) => id.toUpperCase() === upperSymbol || wireName.toUpperCase() === upperSymbol,
  );
  if (match === undefined)
    throw new ConfigError(
      `--symbol ${symbol}: the run has no such symbol`,
      `its symbols are ${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''}`,
    );
  return match;
}

/** Returns the bar that contains the time `atMs`. Throws ConfigError that names the range or the gap. */
export function barAt(feed: EngineFeed, atMs: number, toMs: number): TargetBar {
  const { bars, firstRow, instrument } = feed;
  const { openMs, closeMs } = bars;
  const lastRow = firstAfter(closeMs, 0, bars.length, toMs) - 1;
  const barsName = `${instrument.id} ${bars.interval}`;
  if (lastRow < firstRow) throw new ConfigError(`${barsName}: the run has no bars`, 'name another symbol: --symbol');
  if (atMs < openMs[firstRow]! || atMs >= closeMs[lastRow]!) {
    const isEnd = atMs === closeMs[lastRow]!;
    throw new ConfigError(
      `--at ${formatTime(atMs)}: expected a time from ${formatTime(openMs[firstRow]!)} to ${formatTime(closeMs[lastRow]! - 1)}, the bars of ${barsName} in the run`,
      isEnd ? `the last bar opens at ${formatTime(openMs[lastRow]!)}: name that time` : 'name a time in that range',
    );
  }
  const row = firstAfter(closeMs, 0, bars.length, atMs);
  if (openMs[row]! > atMs) {
    throw new ConfigError(
      `--at ${formatTime(atMs)}: no bar of ${barsName} contains this time: the data have a gap from ${formatTime(closeMs[row - 1]!)} to ${formatTime(openMs[row]!)}`,
      `the next bar opens at ${formatTime(openMs[row]!)}`,
    );
  }
  return { feed, row, note: null };
}

/** Returns the first bar that closes at or after the decision at `createdMs`, or the last bar. */
export function barOfDecision(feed: EngineFeed, createdMs: number): TargetBar {
  const { closeMs, length } = feed.bars;
  return { feed, row: Math.min(firstAfter(closeMs, 0, length, createdMs - 1), length - 1), note: null };
}
