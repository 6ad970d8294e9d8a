// Warnings about the times that bars cover: bars that begin or end inside the run, and feeds that cover only a part of it.

import { appendAll } from '../../base/memory/appendAll.ts';
import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import { openOf, TRADE_ROWS, typicalLengthMs } from '../../model/interval.ts';
import type { FeedRecord, RunRecord } from '../../model/run/run.ts';
import { warning, type Warning } from '../../model/warning.ts';
import { daysText, timeText } from '../../base/text/format.ts';
import { executionFeeds } from '../series/daily.ts';

/** The parts of a run with its range, bars and fills. */
type Covered = Pick<RunRecord, 'feeds' | 'fromMs' | 'toMs'> & Partial<Pick<RunRecord, 'fills' | 'instruments'>>;

/** Returns the warnings about the range of a run, most serious first. */
export function coverageWarnings(run: Covered): readonly Warning[] {
  const { feeds, fromMs, toMs } = run;
  const execution = executionFeeds(feeds);
  if (execution.length === 0) return [];
  const firstMs = smallestOf(execution.map(startOf));
  const lastMs = largestOf(execution.map(endOf));
  // Trades come at irregular times, so coverage is judged by the feeds of bars.
  const barFeeds = feeds.filter(({ bars }) => bars.interval !== TRADE_ROWS);
  const minBarMs = smallestOf(barFeeds.map(({ bars }) => typicalLengthMs(bars.interval)));
  const warnings: Warning[] = [];
  const consequence = 'that time counts as days without a result';
  const lateMs = firstMs - fromMs;
  if (lateMs >= minBarMs) {
    const text = `the bars begin at ${timeText(firstMs)}, ${daysText(lateMs)} after the start of the run: ${consequence}`;
    warnings.push(warning('DATA_STARTS_LATE', text));
  }
  const earlyMs = toMs - lastMs;
  if (earlyMs >= minBarMs) {
    const text = `the bars end at ${timeText(lastMs)}, ${daysText(earlyMs)} before the end of the run: ${consequence}`;
    warnings.push(warning('DATA_ENDS_EARLY', text));
  }
  const from = Math.max(fromMs, firstMs);
  const to = Math.min(toMs, lastMs);
  const partialFeeds = barFeeds.filter((feed) => feed.listedToMs === undefined && isPartial(feed, from, to));
  appendAll(warnings, partialWarnings(partialFeeds, from, to));
  const delistedFeeds = feeds.filter(({ listedToMs }) => listedToMs !== undefined && listedToMs < toMs);
  // One warning for each instrument, even if several feeds have its bars. Positions are closed in the last bar of the execution feed.
  const executionLast = delistedFeeds.toSorted((a, b) => Number(a.execution) - Number(b.execution));
  const delistedByInstrument = new Map(executionLast.map((feed) => [feed.bars.instrument.id, feed]));
  for (const feed of delistedByInstrument.values()) warnings.push(delistedWarning(feed, run));
  return warnings;
}

/** Returns the warning about a symbol that was delisted during the run, with the fills that closed its positions. */
function delistedWarning(feed: FeedRecord, run: Pick<Covered, 'fills' | 'instruments'>): Warning {
  const { bars, listedToMs = 0 } = feed;
  const { fills, instruments } = run;
  const { id, wireName } = bars.instrument;
  const lead = `${wireName} left the run on ${timeText(listedToMs)}`;
  const endMs = endOf(feed);
  // The order that closes is sent as the last bar before the delisting opens. Without that bar it cannot fill.
  if (openOf(bars.interval, listedToMs) - endMs >= typicalLengthMs(bars.interval))
    return warning('DATA_DELISTED', `${lead}, and its bars end on ${timeText(endMs)} already: what was held then was not closed`);
  const index = instruments?.findIndex((instrument) => instrument.id === id) ?? -1;
  const lastMs = bars.openMs[bars.length - 1]!;
  const { instrument = new Uint16Array(0), timeMs = new Float64Array(0), length = 0 } = fills ?? {};
  const filledIndices = instrument.subarray(0, length);
  const closingFills = filledIndices.filter((filledIndex, row) => filledIndex === index && timeMs[row]! >= lastMs).length;
  const fillsText = closingFills === 1 ? 'a fill' : `${closingFills} fills`;
  const consequence = closingFills === 0 ? 'nothing was held then' : `what was held was closed in its last bar, by ${fillsText}`;
  return warning('DATA_DELISTED', `${lead}: ${consequence}`);
}

/** True when a feed misses at least one bar at the start or at the end of a range. Bars before its listing are not expected. */
function isPartial(feed: FeedRecord, from: number, to: number): boolean {
  const { bars, firstRow, listedFromMs = -Infinity } = feed;
  const barMs = typicalLengthMs(bars.interval);
  const beginsLate = firstRow === 0 && startOf(feed) - Math.max(from, listedFromMs) >= barMs;
  const endsEarly = to - endOf(feed) >= barMs;
  return beginsLate || endsEarly;
}

/** Returns the warnings about feeds that cover only a part of the range: one for all feeds that cover the same part. */
function partialWarnings(partial: readonly FeedRecord[], from: number, to: number): readonly Warning[] {
  const rangeText = `of a run from ${timeText(from)} to ${timeText(to)}`;
  const feedsByRange = new Map<string | null, FeedRecord[]>();
  for (const feed of partial) {
    const range = feed.firstRow >= feed.bars.length ? null : `${timeText(startOf(feed))} to ${timeText(endOf(feed))}`;
    feedsByRange.set(range, [...(feedsByRange.get(range) ?? []), feed]);
  }
  return Array.from(feedsByRange, ([range, feeds]) => {
    const names = feeds.map(({ bars }) => `${bars.instrument.wireName} ${bars.interval}`).join(', ');
    const isOne = feeds.length === 1;
    const coveredText = range === null ? `${isOne ? 'has' : 'have'} no bar` : `${isOne ? 'covers' : 'cover'} ${range}`;
    return warning('DATA_PARTIAL', `${names} ${coveredText} ${rangeText}`);
  });
}

/** Opening time of the first bar inside the run, and closing time of the last bar (ms UTC). */
const startOf = ({ bars, firstRow }: FeedRecord): number => bars.openMs[firstRow]!;
const endOf = ({ bars }: FeedRecord): number => bars.closeMs[bars.length - 1]!;
