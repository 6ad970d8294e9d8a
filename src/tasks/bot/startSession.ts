// Builds the engine of a start: a new session with the ledger from the journal, or the previous session, replayed through its strategies.

import type { LivePorts } from '../../app/liveWorld.ts';
import type { Overrides } from '../../app/overrides.ts';
import { partAlone } from '../../app/partAlone.ts';
import { PARTS } from '../../app/parts.ts';
import type { Engine } from '../../engine/engine.ts';
import { ConfigError } from '../../base/errors.ts';
import type { AbsenceBounds } from '../../orders/prove/absenceBounds.ts';
import type { RestoredOrder } from '../../orders/restored.ts';
import type { OrderGateway } from '../../ports/exchange.ts';
import type { Journal } from '../../ports/journal.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import type { ResolveOptions } from '../../definition/resolve.ts';
import type { LiveConfig } from './config/read.ts';
import { feedsOfSession, firstFeeds, type LiveFeeds, type LiveMarket } from './feeds/feeds.ts';
import { changesSince, sessionEnd, writeStartRecords } from './session/startRecords.ts';
import type { BotJournal } from './journal/botJournal.ts';
import { restoreEngine } from './journal/recovery.ts';
import { buildEngine, livePlan, type BuiltEngine } from './session/liveEngine.ts';
import type { HeldDecision } from './session/decisionComparison.ts';
import { sessionSinceKept, newestBars, newestSession, readBefore, rowsOf, type Session } from './session/session.ts';
import { NoPoint as KeptPointProblem, replaySession, type ReplayedSession, type ReplaySessionOptions } from './session/replaySession.ts';
import { checkReplay, openRecordedOrders, takeOver } from './session/restart.ts';

export interface StartedSession extends BuiltEngine {
  readonly plan: RunPlan;
  readonly feeds: LiveFeeds;
  /** Unfinished orders of the journal. */
  readonly orders: readonly RestoredOrder[];
  /** Decisions that the last process made and did not journal. */
  readonly held: readonly HeldDecision[];
  /** The newest instant of a session that continues, ms UTC; null: a new session begins. */
  readonly sinceMs: number | null;
}

export interface SessionStartDeps {
  readonly config: LiveConfig;
  readonly journal: BotJournal;
  readonly market: LiveMarket;
  readonly exchange: OrderGateway;
  /** The journal that the engine writes to once it runs. */
  readonly narratedJournal: Journal;
  /** Parts that modules rebind. */
  readonly overrides: Overrides;
  readonly absenceBounds: AbsenceBounds;
  readonly log: ReplaySessionOptions['log'] & {};
  readonly venueMs: () => number;
  /** Takes a line for the operator. */
  readonly notify: (message: string) => void;
  readonly options: {
    readonly load?: ResolveOptions['load'];
    readonly bundler?: ResolveOptions['bundler'];
    readonly room?: number;
    readonly acceptChanges?: boolean;
    readonly tellsAtInstants?: boolean;
  };
  /** Called with the engine of a first start, before anything is written. */
  readonly firstStart: (plan: RunPlan, engine: Engine) => Promise<void>;
}

/** Throws ConfigError, and writes nothing, if the session cannot continue as it is. */
export async function startSession(deps: SessionStartDeps): Promise<StartedSession> {
  const session = newestSession(deps.journal.records);
  if (session === null) return beginSession(deps, 1);
  const isAccepted = deps.options.acceptChanges === true;
  const continuing = await continueSession(deps, session).catch((error: unknown) => {
    if (!isAccepted || !(error instanceof SessionEnded)) throw error;
    return null;
  });
  return continuing ?? beginSession(deps, session.number + 1);
}

/** The state of the strategies cannot be rebuilt. They can only begin a new session. */
class SessionEnded extends ConfigError {}

async function beginSession({ config, journal, market, ...deps }: SessionStartDeps, number: number): Promise<StartedSession> {
  const { absenceBounds: bounds, log, options, venueMs } = deps;
  const feeds = firstFeeds(market, options.room);
  const plan = await livePlan(config, feeds.plans, feeds.atMs, options);
  const { state, history } = readBefore(journal.records);
  const built = await buildEngine(plan, { ...portsOf(deps, plan), absenceBounds: bounds }, history, log);
  if (state.config === null) await deps.firstStart(plan, built.engine);
  writeStartRecords(
    journal.journal,
    config,
    { plan, engine: built.engine, fromMs: plan.fromMs },
    { session: number, isFirst: true, isAccepted: false },
  );
  const orders = restoreEngine(built.engine, journal, venueMs());
  return { ...built, plan, feeds, orders, held: [], sinceMs: null };
}

/** Returns the ports of the bot, wrapped by modules. */
function portsOf(
  { exchange, narratedJournal, overrides }: Pick<SessionStartDeps, 'exchange' | 'narratedJournal' | 'overrides'>,
  plan: RunPlan,
): Omit<LivePorts, 'absenceBounds'> {
  return {
    exchange: partAlone<OrderGateway>(PARTS.exchange, exchange, plan, overrides),
    journal: partAlone(PARTS.journal, narratedJournal, plan, overrides),
  };
}

async function continueSession(deps: SessionStartDeps, session: Session): Promise<StartedSession> {
  const { config, options, journal, venueMs } = deps;
  const entered = await enterSession(deps, session);
  const { engine, replay, plan, feeds } = entered;
  const isAccepted = options.acceptChanges === true;
  const others = replay.asked.difference !== null && session.newest.hash !== config.hash ? ['the config has changed'] : [];
  if (!isAccepted) checkReplay(replay.asked, [...changesSince(session, plan), ...others], config.data);
  writeStartRecords(
    journal.journal,
    config,
    { plan, engine, fromMs: Number(session.first.limits['fromMs']) },
    { session: session.number, isFirst: false, isAccepted },
  );
  takeOver(engine, journal, venueMs());
  const orders = openRecordedOrders(engine, journal, venueMs());
  const ports = portsOf(deps, plan);
  entered.journal.port = ports.journal;
  entered.exchange.port = ports.exchange;
  return { ...entered, plan, feeds, orders, held: replay.asked.held, sinceMs: newestInstant(entered.session) };
}

interface EnteredSession extends ReplayedSession {
  readonly session: Session;
  readonly plan: RunPlan;
  readonly feeds: LiveFeeds;
}

/** Enters the session at the newest point that all strategies have kept, if nothing has changed; else at its beginning. */
async function enterSession(deps: SessionStartDeps, session: Session): Promise<EnteredSession> {
  const { config, journal, options, notify } = deps;
  const since = options.acceptChanges === true ? null : sessionSinceKept(session, journal.records);
  if (since === null) return enterAt(deps, session);
  try {
    const found = await enterAt(deps, since);
    const { difference } = found.replay.asked;
    if (difference === null && changesSince(session, found.plan).length === 0 && session.newest.hash === config.hash) {
      notify('strategies begin with what they have kept; fields that are not kept have the value of the constructor');
      return found;
    }
  } catch (error) {
    if (!(error instanceof KeptPointProblem)) throw error;
    notify(`what strategies have kept is not enough (${error.message}): the whole journal is replayed`);
  }
  return enterAt(deps, session);
}

async function enterAt({ config, journal, market, ...deps }: SessionStartDeps, session: Session): Promise<EnteredSession> {
  const { absenceBounds: bounds, log, options } = deps;
  const feeds = continuedFeeds(market, session, options.room);
  const plan = await livePlan(config, feeds.plans, session.fromMs, options);
  const end = sessionEnd(session, config, plan);
  if (end !== null)
    throw new SessionEnded(
      `${config.data}: ${end}`,
      'name another data folder; or begin anew with --accept-changes: strategies start afresh, the books continue',
    );
  const { tellsAtInstants = false } = options;
  const replayed = await replaySession(session, plan, {
    absenceBounds: bounds,
    log,
    isTorn: journal.isTorn,
    stopsAtDifference: false,
    tellsAtInstants,
  });
  return { ...replayed, session, plan, feeds };
}

function continuedFeeds(market: LiveMarket, session: Session, room?: number): LiveFeeds {
  const bars = { warm: session.warm, lastMs: newestBars(session), rows: rowsOf(session) };
  try {
    return feedsOfSession(market, bars, room);
  } catch (error) {
    throw error instanceof ConfigError ? new SessionEnded(error.message, error.remedy) : error;
  }
}

function newestInstant({ recorded, fromMs }: Session): number {
  const newest = recorded.records[recorded.lastInstant];
  return newest?.k === 'INSTANT' ? Math.max(fromMs, newest.atMs) : fromMs;
}
