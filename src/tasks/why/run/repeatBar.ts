// Repeats a run up to one bar, records that bar, and follows the orders of that bar until they end.

import { ConfigError } from '../../../base/errors.ts';
import { runTo } from '../../../engine/loop/stepLoop.ts';
import { needsTechnical } from '../../../engine/loop/setUp.ts';
import { loadTechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import { replayedBotMaker, sealBot, type SealedBot } from '../../../app/replayedBot.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { MatchTrace, type TraceContext, type VenueAct } from '../../../venue/trace/matchTrace.ts';
import type { ExplainedBar, ExplainedEvent, ExplainedOrder, ExplainedStrategy } from '../model/explanation.ts';
import { BotWatch, type WatchedEngine } from '../trace/botWatch.ts';
import { barAt, barOfDecision, feedFor, type TargetBar } from './targetBar.ts';
import { eventFromAct, withRules } from './venueEvents.ts';

/** The subject of the question: the bar that contains a time, or an order with the time of its decision. */
export type RerunTarget =
  | { readonly kind: 'bar'; readonly atMs: number; readonly symbol: string | null }
  | { readonly kind: 'order'; readonly order: number; readonly createdMs: number; readonly symbol: string };

/** Everything that was recorded at the bar. */
export interface RerunResult {
  readonly bar: ExplainedBar;
  readonly strategies: readonly ExplainedStrategy[];
  readonly orders: readonly ExplainedOrder[];
  readonly venue: readonly ExplainedEvent[];
  readonly acts: readonly VenueAct[];
  readonly notes: readonly string[];
}

/** With more feeds, only the values and conditions of the bar's symbol are shown. */
const MAX_SHOWN_FEEDS = 6;
/** Number of bars that are searched for an order, because it may be decided at a later bar than its time suggests. */
const MAX_BARS_SEARCHED = 4;

/** Returns the record of the repeated bar. Throws ConfigError for a bar or an order that the run does not have. */
export async function repeatBar(plan: RunPlan, target: RerunTarget, progressCells: Int32Array | null = null): Promise<RerunResult> {
  const watch = new BotWatch();
  const createBot = replayedBotMaker(plan, { progressCells, hostFor: watch.hostFor, watchJournal: watch.watchJournal });
  const constructed = createBot();
  const technicalLibrary = needsTechnical(constructed.engine) ? await loadTechnicalLibrary() : null;
  const bot = sealBot(constructed, technicalLibrary);
  try {
    return watchRun(plan, bot, watch, target);
  } finally {
    bot.engine.release();
  }
}

/** Runs the bot up to the bar, watches the bar, and follows its orders. */
function watchRun(plan: RunPlan, bot: SealedBot, watch: BotWatch, target: RerunTarget): RerunResult {
  const { engine } = bot;
  watch.attach(engine);
  const feed = feedFor(engine.feeds, target.symbol);
  let bar = target.kind === 'bar' ? barAt(feed, target.atMs, plan.toMs) : barOfDecision(feed, target.createdMs);
  runTo(engine, timeBefore(bar, target), watch.onBlock);
  const trace = attachTrace(bot);
  let isFound = watchBar(engine, watch, bar, target);
  for (let searched = 1; !isFound && searched < MAX_BARS_SEARCHED && bar.row + 1 < feed.bars.length; searched++) {
    bar = { ...bar, row: bar.row + 1 };
    isFound = watchBar(engine, watch, bar, target);
  }
  if (!isFound && target.kind === 'order')
    throw new ConfigError(`--order ${target.order}: the repeated run does not decide this order`, 'isobar verify shows what has changed');
  const visibleFeeds = engine.feeds.filter(({ isExecutionOnly }) => !isExecutionOnly);
  const strategies = watch.strategies(visibleFeeds.length > MAX_SHOWN_FEEDS ? feed.instrument.id : null);
  const actCountInBar = trace.recordedActs.length;
  // The orders of the bar are followed until all of them have ended.
  runTo(engine, plan.toMs, () => !watch.orders.hasOpen);
  const acts = trace.recordedActs;
  const instrumentById = new Map<string, Instrument>(engine.instruments.map((instrument) => [instrument.id, instrument]));
  const orders = watch.orders.all().map((order) => withRules(order, acts, instrumentById.get(order.instrument)!));
  const eventOf = (act: VenueAct): ExplainedEvent =>
    eventFromAct(act, instrumentById.get(act.instrument)!, act.ref ?? liquidationOrderOf(act, orders));
  const venueEvents = acts.slice(0, actCountInBar).map(eventOf);
  return { bar: barOf(bar), strategies, orders, venue: venueEvents, acts, notes: notesOf(bar, visibleFeeds.length) };
}

/** Attaches a trace to the books of all venues of the bot, and returns it. */
function attachTrace({ engine, venues }: SealedBot): MatchTrace {
  const trace = new MatchTrace(traceContextOf(engine));
  for (const venue of venues) {
    const tradedFeeds = engine.feeds.filter(({ instrument }) => venue.trades(instrument));
    for (const { instrument } of tradedFeeds) venue.book(instrument).tracer = trace;
  }
  return trace;
}

/** Returns the last time before the first event of the bar, ms UTC. */
function timeBefore({ feed, row }: TargetBar, target: RerunTarget): number {
  const openMs = feed.bars.openMs[row]!;
  return target.kind === 'order' ? Math.min(openMs, target.createdMs - 1) : openMs;
}

/** Runs one bar and records it. Returns true when the question is about this bar. */
function watchBar(engine: WatchedEngine, watch: BotWatch, { feed, row }: TargetBar, target: RerunTarget): boolean {
  watch.begin();
  runTo(engine, feed.bars.closeMs[row]!, watch.onBlock);
  watch.end();
  return target.kind === 'bar' || watch.orders.find(target.order) !== null;
}

/** Returns the view of the engine that a match trace needs. */
function traceContextOf(engine: WatchedEngine): TraceContext {
  const feedByInstrument = new Map<string, TargetBar['feed']>(engine.execution.map((feed) => [feed.instrument.id, feed]));
  const openMsOf = (instrument: string, back: number): number => {
    const feed = feedByInstrument.get(instrument);
    // Matching handles a row before the engine delivers it, so the row is one after the cursor.
    return feed?.bars.openMs[feed.cursor.row + 1 - back] ?? -Infinity;
  };
  return {
    rowBefore: (instrument) => openMsOf(instrument, 1),
    openOfRow: (instrument) => openMsOf(instrument, 0),
    entryOf: (ref) => activeOrder(engine, ref)?.parent ?? 0,
    isAtCollar: (ref) => activeOrder(engine, ref)?.role === 'market',
  };
}

/** Returns an order that has not ended, by its number. */
function activeOrder(engine: WatchedEngine, ref: number): ReturnType<WatchedEngine['orders']['active']>[number] | undefined {
  return engine.orders.active().find(({ id }) => id === ref);
}

/** Returns the bar as the explanation shows it. */
function barOf({ feed, row }: TargetBar): ExplainedBar {
  const { instrument, bars, name } = feed;
  return {
    instrument: instrument.id,
    feed: name,
    interval: bars.interval,
    openMs: bars.openMs[row]!,
    closeMs: bars.closeMs[row]!,
    open: bars.open[row]!,
    high: bars.high[row]!,
    low: bars.low[row]!,
    close: bars.close[row]!,
    volume: bars.volume[row]!,
  };
}

/** Returns the number of the order with which the venue liquidated. Null when it is not among the watched orders. */
function liquidationOrderOf({ instrument, timeMs }: VenueAct, orders: readonly ExplainedOrder[]): number | null {
  const isOwn = (order: ExplainedOrder): boolean =>
    order.role === 'liquidation' && order.instrument === instrument && order.createdMs === timeMs;
  return orders.find(isOwn)?.order ?? null;
}

/** Returns the notes about the bar, and about values that are left out. */
function notesOf({ note, feed }: TargetBar, visibleCount: number): readonly string[] {
  const limitNotes =
    visibleCount > MAX_SHOWN_FEEDS ? [`only values and conditions of ${feed.instrument.id} are shown: --symbol names another symbol`] : [];
  return [...(note === null ? [] : [note]), ...limitNotes];
}
