// Set-up before the first bar: constructs the strategies, warms up indicators, and finds when each strategy is ready.

import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Rng } from '../../base/number/rng.ts';
import type { TechnicalLibrary } from '../../indicators/graph/technicalLibrary.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import { setupOf, type StrategyHost } from '../../strategy/host.ts';
import type { StrategyClass } from '../../strategy/strategy.ts';
import type { Engine } from '../engine.ts';
import { EquityRecorder, type EquitySink } from '../book/equityRecorder.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { scheduleDelistings } from './delistings.ts';
import { feedsByNeed } from '../host/needOrder.ts';
import { rangeTicks } from '../feeds/averageRange.ts';
import { warmUpFeeds } from '../feeds/links.ts';
import { StrategyRun } from '../host/strategyRun.ts';
import { OrderDrafts } from '../router/orderDrafts.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Constructs a strategy, whose field initialisers register feeds and indicators. `hostFor`: returns a wrapper around its run. */
export function addStrategy(
  engine: Engine,
  strategy: StrategyClass,
  name: string,
  params: object,
  rng: Rng,
  hostFor: (run: StrategyRun) => StrategyHost = (run) => run,
): StrategyRun {
  const index = engine.runs.length;
  const run = new StrategyRun(engine, index, name, rng, new OrderDrafts(engine, index, name));
  engine.currentStrategy = run.index;
  engine.runs.push(run);
  const host = hostFor(run);
  run.owner = host;
  const instance = new strategy(setupOf(params, host));
  run.instance = instance;
  for (const feed of engine.feeds) engine.faults.assignOwner(feed, run.index);
  run.hasOnBar = typeof instance.onBar === 'function';
  run.wantsFills = typeof instance.onFill === 'function';
  run.wantsOrders = typeof instance.onOrder === 'function';
  engine.wantsFills ||= run.wantsFills;
  engine.wantsOrders ||= run.wantsOrders;
  return run;
}

/**
 * Ends the set-up: allocates buffers, delivers warm-up rows, and finds when each strategy is ready. `equitySink` takes the equity of each
 * block, so that the recorder does not keep it. It is ignored when a risk rule watches equity, because that needs all of it.
 */
export function sealEngine(engine: Engine, technical: TechnicalLibrary | null, equitySink: EquitySink | null = null): void {
  const { deps, feeds, runs, risk, ledger, execution, blockRows } = engine;
  engine.stepsRows = feeds.some(({ indicators }) => indicators.customs.some(({ isPure }) => !isPure));
  checkCounts(engine);
  for (const run of runs) checkHasWork(engine, run);
  if (engine.decidesPerFeed) for (const run of runs) checkReadsOneFeed(run);
  engine.parts.byNeed = [...new Set(feedsByNeed(feeds, runs).map(({ instrumentIndex }) => instrumentIndex))];
  if (ledger instanceof ConvertedLedger) ledger.begin((index) => engine.startTicks(index));
  const startTicks = engine.instruments.map((_, index) => engine.startTicks(index));
  engine.startUnits = ledger.equityTotalUnits(startTicks);
  const sink = risk.watchesEquity ? null : equitySink;
  engine.recorder = new EquityRecorder(execution, engine.markTicks, ledger, deps.scratch, sink, blockRows);
  engine.links = warmUpFeeds(feeds, technical, blockRows);
  for (const run of runs) {
    run.readyMs = readyMs(engine, run);
    run.awaitsRows = run.readyMs === INFINITY;
    if (run.hasOnBar) for (const feed of run.listened) feed.hasOnBar = true;
  }
  risk.attach(engine, (index) => rangeTicks(engine.feeds, engine.execution[index]!));
  risk.begin(engine.startUnits, deps.fromMs);
  engine.instant.set(deps.fromMs);
  engine.queue.runDue(deps.fromMs);
  engine.timers.start(deps.fromMs);
  scheduleDelistings(engine);
  engine.hasOneFeedAndStrategy = runs.length === 1 && execution.length === 1;
}

/** True when a registered indicator needs the technicalindicators package, which is loaded only then. */
export function needsTechnical({ feeds }: Engine): boolean {
  return feeds.some((feed) => feed.indicators.needsTechnical);
}

/** Returns the first instant of a strategy; Infinity while rows that it needs are missing. In live they may still arrive. */
export function readyMs({ feeds, decidesPerFeed }: Engine, run: StrategyRun): number {
  const [ownFeed] = run.listened;
  // Other feeds must not determine when the strategy begins.
  if (decidesPerFeed && ownFeed !== undefined) return closeMsOf(ownFeed, Math.max(ownFeed.firstRow, run.readyRow(ownFeed)));
  const firstMs = smallestOf(feeds.map((feed) => closeMsOf(feed, feed.firstRow)));
  const neededReadyMs = [...run.needed].map((feed) => closeMsOf(feed, run.readyRow(feed)));
  const neededLinks = run.linked.filter(({ feed }) => run.needed.has(feed));
  const linkedReadyMs = neededLinks.map(({ feed, view }) => closeMsOf(feed, feed.indicators.firstReadyRow(view)));
  return Math.max(firstMs, largestOf([...linkedReadyMs, ...neededReadyMs]));
}

/** The order log has eight bits for a strategy and fourteen for an instrument. The fill log has no fewer. */
const MAX_STRATEGIES = 2 ** 8;
const MAX_INSTRUMENTS = 2 ** 14;

/** Throws ConfigError when there are more strategies or instruments than the logs can record. */
function checkCounts({ runs, instruments }: Engine): void {
  checkCount(runs.length, MAX_STRATEGIES, 'strategies');
  checkCount(instruments.length, MAX_INSTRUMENTS, 'instruments');
}
function checkCount(count: number, maxCount: number, noun: string): void {
  if (count > maxCount) throw new ConfigError(`the run: expected at most ${maxCount} ${noun}, got ${count}`, 'split it into several runs');
}

/** Throws ConfigError for a strategy that nothing would ever call. */
function checkHasWork(engine: Engine, run: StrategyRun): void {
  const canBegin = run.instance?.onStart !== undefined;
  if (run.hasOnBar || canBegin || run.watches.length > 0 || engine.timers.has(run.index)) return;
  throw new ConfigError(
    `${run.name}: the strategy has neither onBar nor a handler, so it can never trade`,
    'add `override onBar()`, or this.when(signal, handler), or a timer, or `override onStart()`',
  );
}

/** With `decide: perFeed` the bars of an instant come in any order, so a decision must not depend on the bars of several feeds. */
function checkReadsOneFeed({ name, listened, linked }: StrategyRun): void {
  const [linkedView] = linked;
  if (linkedView !== undefined) {
    throw new ConfigError(
      `${name}: ${linkedView.feed.indicators.keyOf(linkedView.view)} reads several feeds (decide: perFeed)`,
      'use decide: whenComplete, which waits for the bars of all of them',
    );
  }
  if (listened.length === 1) return;
  throw new ConfigError(
    `${name}: expected a strategy that reads one feed (decide: perFeed), got one that reads ${feedNamesText(listened)}`,
    'give each feed its own strategy, or use decide: whenComplete',
  );
}

/** Returns the names of feeds for a message: all of up to four, otherwise the first three. */
function feedNamesText(feeds: readonly FeedRun[]): string {
  if (feeds.length === 0) return 'none';
  const names = feeds.map((feed) => `${feed.name} (${feed.instrument.wireName} ${feed.bars.interval})`);
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

/** Returns the close of a row of a feed; Infinity when the data ends earlier. */
function closeMsOf(feed: FeedRun, row: number): number {
  return feed.anyCloseMs(row);
}
