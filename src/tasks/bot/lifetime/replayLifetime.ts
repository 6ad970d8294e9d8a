// Builds the engine of a lifetime and replays its records, for a start and for `isobar replay`.

import type { JournalState } from '../../../adapters/journal/records/journalState.ts';
import { causesOf } from '../../../adapters/journal/haltRecords.ts';
import { memoryOf, restoredOrders } from '../../../adapters/journal/records/restoredOrders.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { HostMaker } from '../../../app/startStrategies.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { LogLine } from '../../../ports/log.ts';
import { restoreBot } from '../../../engine/router/restore.ts';
import { pointProblem, recallPoint } from '../../../engine/host/keptState.ts';
import type { RestoredOrder } from '../../../orders/restoreBotOrder.ts';
import type { AbsenceBounds } from '../../../orders/prove/absenceBounds.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { outlivesProcess } from '../safety/lastingCauses.ts';
import { buildEngine, type BuiltEngine } from './liveEngine.ts';
import { readBefore, type Lifetime } from './lifetime.ts';
import { LifetimeReplay } from './lifetimeReplay.ts';
import { ComparingJournal } from './comparingJournal.ts';
import { SwitchedExchange, SwitchedJournal } from './switchedPorts.ts';

/** The engine after the replay, and its ports. */
export interface ReplayedLifetime extends BuiltEngine {
  readonly replay: LifetimeReplay;
  /** Silent until their `port` is set. */
  readonly exchange: SwitchedExchange;
  readonly journal: SwitchedJournal;
}

/** Options of a replay. */
export interface ReplayLifetimeOptions {
  readonly absenceBounds: AbsenceBounds;
  /** Called only for lines after the replay. Earlier lines were logged when they happened. */
  readonly log?: LogLine;
  readonly isTorn: boolean;
  readonly stopsAtDifference: boolean;
  /** As `Engine.defersCallbacks`; default false. */
  readonly defersCallbacks?: boolean;
  /** Watches the replay; default: no watcher. */
  readonly watcher?: ReplayWatcher;
}

/** Watches a replay that is explained. */
export interface ReplayWatcher {
  /** Makes the wrapper between a strategy and its run. */
  readonly hostFor: HostMaker;
  /** Returns the journal that takes the records of the replay. */
  readonly watchJournal: (journal: Journal) => Journal;
  /** Called when the engine is built, before the first record. */
  readonly onBuilt: (engine: Engine) => void;
  /** Called before each record, with its position; false ends the replay there. */
  readonly onRecord: (recordIndex: number) => boolean;
}

/** Thrown when the lifetime cannot be entered at the kept point. */
export class KeptPointProblem extends ConfigError {}

/** Builds the engine and replays the lifetime. `plan`: its feeds hold only the first bars of the lifetime. Throws KeptPointProblem. */
export async function replayLifetime(
  lifetime: Lifetime,
  plan: RunPlan,
  { absenceBounds, log, watcher, ...options }: ReplayLifetimeOptions,
): Promise<ReplayedLifetime> {
  const comparingJournal = new ComparingJournal();
  const exchange = new SwitchedExchange();
  const journal = new SwitchedJournal(comparingJournal);
  const { state, history } = readBefore(lifetime.before);
  const silentLog: LogLine = (...line) => {
    if (journal.port !== comparingJournal) log?.(...line);
  };
  const watchedJournal = watcher?.watchJournal(journal) ?? journal;
  const ports = { exchange, journal: watchedJournal, absenceBounds };
  const built = await buildEngine(plan, ports, history, silentLog, watcher?.hostFor);
  watcher?.onBuilt(built.engine);
  if (lifetime.before.length > 0) restore(built.engine, state, lifetime);
  const problem = lifetime.kept === null ? null : pointProblem(built.engine, lifetime.kept);
  if (problem !== null) throw new KeptPointProblem(problem, '');
  if (lifetime.kept !== null) recallPoint(built.engine, lifetime.kept, lifetime.fromMs);
  const { acceptedTo } = lifetime;
  const replay = new LifetimeReplay({
    engine: built.engine,
    plan,
    journal: comparingJournal,
    recorded: lifetime.recorded,
    acceptedTo,
    ...options,
    ...(watcher === undefined ? {} : { onRecord: watcher.onRecord }),
  });
  replay.run();
  return { ...built, replay, exchange, journal };
}

/** Restores orders and halts as they were when the lifetime began, or at its entry point. */
function restore(engine: Engine, state: JournalState, { fromMs, kept }: Lifetime): void {
  const restored = restoredOrders(state, engine.instruments, { isTorn: false, venueMs: fromMs });
  // If the lifetime is entered at a point, later records contain the outcome of orders sent before it.
  const unfinished = [...state.unfinished.values()];
  const recordedAsUnknown = new Set(unfinished.filter((order) => order.state?.lifecycle === 'unknown').map(({ intent }) => intent.order));
  const awaitsRecords = ({ state: orderState, id }: RestoredOrder): boolean =>
    kept !== null && (orderState === 'notSent' || (orderState === 'unknown' && !recordedAsUnknown.has(id)));
  const orders = restored.orders.map((order) => (awaitsRecords(order) ? { ...order, state: 'sent' as const } : order));
  const causes = causesOf(state, engine.instruments).filter((cause) => kept !== null || outlivesProcess(cause));
  restoreBot(engine, { orders: { ...restored, orders }, causes, memory: memoryOf(state) }, fromMs);
}
