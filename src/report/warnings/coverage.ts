// Warnings about the times that bars cover: bars that begin or end inside the run, and feeds that cover only a part of it.

import { TRADE_ROWS, typicalLengthMs } from '../../model/interval.ts';
import type { FeedRecord, RunRecord } from '../../model/run/run.ts';
import { warning, type Warning } from '../../model/warning.ts';
import { daysText, timeText } from '../../base/text/format.ts';
import { executionFeeds } from '../series/daily.ts';

type Covered = Pick<RunRecord, 'feeds' | 'fromMs' | 'toMs'> & Partial<Pick<RunRecord, 'fills' | 'instruments'>>;

/** Returns the warnings about the range of a run, most serious first. */
export function coverageWarnings(run: Covered): readonly Warning[] {
  const { feeds, fromMs, toMs } = run;
  const execution = executionFeeds(feeds);
  if (execution.length === 0) return [];
  const firstMs = Math.min(...execution.map(startOf));
  const lastMs = Math.max(...execution.map(endOf));
  // Trades come when they come: a run against them is judged by its bars.
  const barred = feeds.filter(({ bars }) => bars.interval !== TRADE_ROWS);
  const bar = Math.min(...barred.map(({ bars }) => typicalLengthMs(bars.interval)));
  const found: Warning[] = [];
  const empty = 'that time counts as days without a result';
  if (firstMs - fromMs >= bar) {
    const late = `the bars begin at ${timeText(firstMs)}, ${daysText(firstMs - fromMs)} after the start of the run: ${empty}`;
    found.push(warning('DATA_STARTS_LATE', late));
  }
  if (toMs - lastMs >= bar) {
    const early = `the bars end at ${timeText(lastMs)}, ${daysText(toMs - lastMs)} before the end of the run: ${empty}`;
    found.push(warning('DATA_ENDS_EARLY', early));
  }
  const [from, to] = [Math.max(fromMs, firstMs), Math.min(toMs, lastMs)];
  for (const feed of barred) if (feed.listedToMs === undefined && isPartial(feed, from, to)) found.push(partial(feed, from, to));
  const leaving = new Map(
    feeds.flatMap((feed) => (feed.listedToMs !== undefined && feed.listedToMs < toMs ? [[feed.bars.instrument.id, feed]] : [])),
  );
  for (const feed of leaving.values()) found.push(delisted(feed, run));
  return found;
}

/** What the run did about a symbol that left it. */
function delisted({ bars, listedToMs = 0 }: FeedRecord, run: Pick<Covered, 'fills' | 'instruments'>): Warning {
  const { fills, instruments } = run;
  const { id, wireName } = bars.instrument;
  const index = instruments?.findIndex((instrument) => instrument.id === id) ?? -1;
  const lastMs = bars.openMs[bars.length - 1]!;
  const { instrument = new Uint16Array(0), timeMs = new Float64Array(0), length = 0 } = fills ?? {};
  const closed = instrument.subarray(0, length).filter((of, at) => of === index && timeMs[at]! >= lastMs).length;
  const what =
    closed === 0 ? 'nothing was held then' : `what was held was closed in its last bar, by ${closed === 1 ? 'a fill' : `${closed} fills`}`;
  return warning('DATA_DELISTED', `${wireName} left the run on ${timeText(listedToMs)}: ${what}`);
}

function isPartial(feed: FeedRecord, from: number, to: number): boolean {
  const { bars, firstRow } = feed;
  const bar = typicalLengthMs(bars.interval);
  return (firstRow === 0 && startOf(feed) - from >= bar) || to - endOf(feed) >= bar;
}

function partial(feed: FeedRecord, from: number, to: number): Warning {
  const { bars, firstRow } = feed;
  const name = `${bars.instrument.wireName} ${bars.interval}`;
  const run = `of a run from ${timeText(from)} to ${timeText(to)}`;
  const cover = firstRow >= bars.length ? 'has no bar' : `covers ${timeText(startOf(feed))} to ${timeText(endOf(feed))}`;
  return warning('DATA_PARTIAL', `${name} ${cover} ${run}`);
}

const startOf = ({ bars, firstRow }: FeedRecord): number => bars.openMs[firstRow]!;
const endOf = ({ bars }: FeedRecord): number => bars.closeMs[bars.length - 1]!;
