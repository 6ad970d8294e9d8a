// Builds the engine of a session and replays its records, for a start and for `isobar replay`.

import type { JournalState } from '../../../adapters/journal/records/journalState.ts';
import { causesOf } from '../../../adapters/journal/haltRecords.ts';
import { memoryOf, restoredOrders } from '../../../adapters/journal/records/restored.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { LogLine } from '../../../ports/log.ts';
import { restoreBot } from '../../../engine/router/restore.ts';
import { pointProblem, recallPoint } from '../../../engine/host/kept.ts';
import type { RestoredOrder } from '../../../orders/restored.ts';
import type { AbsenceBounds } from '../../../orders/prove/absenceBounds.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { lasts } from '../safety/lasting.ts';
import { buildEngine, type BuiltEngine } from './liveEngine.ts';
import { readBefore, type Session } from './session.ts';
import { SessionReplay } from './sessionReplay.ts';
import { ComparingJournal } from './comparingJournal.ts';
import { SwitchedExchange, SwitchedJournal } from './switchedPorts.ts';

export interface ReplayedSession extends BuiltEngine {
  readonly replay: SessionReplay;
  /** Silent until their `port` is set. */
  readonly exchange: SwitchedExchange;
  readonly journal: SwitchedJournal;
}

export interface ReplaySessionOptions {
  readonly absenceBounds: AbsenceBounds;
  /** Called only for lines after the replay. Earlier lines were logged when they happened. */
  readonly log?: LogLine;
  readonly isTorn: boolean;
  readonly stopsAtDifference: boolean;
  /** See `LifeParts`; default false. */
  readonly tellsAtInstants?: boolean;
}

/** The session cannot be entered at the kept point. */
export class NoPoint extends ConfigError {}

/** `plan`: over feeds that hold only the first bars of the session. */
export async function replaySession(
  session: Session,
  plan: RunPlan,
  { absenceBounds: bounds, log, ...options }: ReplaySessionOptions,
): Promise<ReplayedSession> {
  const recorded = new ComparingJournal();
  const [exchange, journal] = [new SwitchedExchange(), new SwitchedJournal(recorded)];
  const { state, history } = readBefore(session.before);
  const silent: LogLine = (...line) => {
    if (journal.port !== recorded) log?.(...line);
  };
  const built = await buildEngine(plan, { exchange, journal, absenceBounds: bounds }, history, silent);
  if (session.before.length > 0) restore(built.engine, state, session);
  const problem = session.kept === null ? null : pointProblem(built.engine, session.kept);
  if (problem !== null) throw new NoPoint(problem, '');
  if (session.kept !== null) recallPoint(built.engine, session.kept, session.fromMs);
  const { acceptedTo } = session;
  const replay = new SessionReplay({ engine: built.engine, plan, journal: recorded, recorded: session.recorded, acceptedTo, ...options });
  replay.run();
  return { ...built, replay, exchange, journal };
}

function restore(engine: Engine, state: JournalState, { fromMs, kept }: Session): void {
  const restored = restoredOrders(state, engine.instruments, { isTorn: false, venueMs: fromMs });
  // For a session that is entered at a point, later records say what became of the orders sent before it.
  const isSent = ({ state: now, id }: RestoredOrder): boolean =>
    kept !== null && (now === 'notSent' || (now === 'unknown' && !unknowns.has(id)));
  const unknowns = new Set(
    [...state.unfinished.values()].flatMap(({ intent, state: its }) => (its?.lifecycle === 'unknown' ? [intent.order] : [])),
  );
  const orders = restored.orders.map((order) => (isSent(order) ? { ...order, state: 'sent' as const } : order));
  const causes = causesOf(state, engine.instruments).filter((cause) => kept !== null || lasts(cause));
  restoreBot(engine, { orders: { ...restored, orders }, causes, memory: memoryOf(state) }, fromMs);
}
