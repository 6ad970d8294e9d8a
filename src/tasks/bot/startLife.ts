// Builds the engine of a start: a new life with the ledger from the journal, or the previous life, replayed through its strategies.

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
import { feedsOfLife, firstFeeds, type LiveFeeds, type LiveMarket } from './feeds/feeds.ts';
import { changesSince, endOfLife, writeStartRecords } from './life/startRecords.ts';
import type { BotJournal } from './journal/botJournal.ts';
import { restoreEngine } from './journal/recovery.ts';
import { buildEngine, livePlan, type BuiltEngine } from './life/liveEngine.ts';
import type { HeldDecision } from './life/askedAgain.ts';
import { lifeSinceKept, newestBars, newestLife, readBefore, rowsOf, type Life } from './life/life.ts';
import { NoPoint, replayLife, type ReplayedLife, type ReplayLifeOptions } from './life/replayLife.ts';
import { checkReplay, pastOrders, takeOver } from './life/restart.ts';

export interface StartedLife extends BuiltEngine {
  readonly plan: RunPlan;
  readonly feeds: LiveFeeds;
  /** Unfinished orders of the journal. */
  readonly orders: readonly RestoredOrder[];
  /** Decisions that the last process made and did not journal. */
  readonly held: readonly HeldDecision[];
  /** The newest instant of a life that continues, ms UTC; null: a new life begins. */
  readonly sinceMs: number | null;
}

export interface StartParts {
  readonly config: LiveConfig;
  readonly journal: BotJournal;
  readonly market: LiveMarket;
  readonly exchange: OrderGateway;
  /** The journal that the engine writes to once it runs. */
  readonly narratedJournal: Journal;
  /** Parts that modules rebind. */
  readonly overrides: Overrides;
  readonly absenceBounds: AbsenceBounds;
  readonly log: ReplayLifeOptions['log'] & {};
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

/** Throws ConfigError, and writes nothing, if the life cannot continue as it is. */
export async function startLife(parts: StartParts): Promise<StartedLife> {
  const life = newestLife(parts.journal.records);
  if (life === null) return beginLife(parts, 1);
  const isAccepted = parts.options.acceptChanges === true;
  const goesOn = await lifeGoesOn(parts, life).catch((error: unknown) => {
    if (!isAccepted || !(error instanceof EndOfLife)) throw error;
    return null;
  });
  return goesOn ?? beginLife(parts, life.number + 1);
}

/** The state of the strategies cannot be rebuilt. They can only begin a new life. */
class EndOfLife extends ConfigError {}

async function beginLife({ config, journal, market, ...parts }: StartParts, number: number): Promise<StartedLife> {
  const { absenceBounds: bounds, log, options, venueMs } = parts;
  const feeds = firstFeeds(market, options.room);
  const plan = await livePlan(config, feeds.plans, feeds.atMs, options);
  const { state, history } = readBefore(journal.records);
  const built = await buildEngine(plan, { ...portsOf(parts, plan), absenceBounds: bounds }, history, log);
  if (state.config === null) await parts.firstStart(plan, built.engine);
  writeStartRecords(
    journal.journal,
    config,
    { plan, engine: built.engine, fromMs: plan.fromMs },
    { life: number, isFirst: true, isAccepted: false },
  );
  const orders = restoreEngine(built.engine, journal, venueMs());
  return { ...built, plan, feeds, orders, held: [], sinceMs: null };
}

/** Returns the ports of the bot, wrapped by modules. */
function portsOf(
  { exchange, narratedJournal, overrides }: Pick<StartParts, 'exchange' | 'narratedJournal' | 'overrides'>,
  plan: RunPlan,
): Omit<LivePorts, 'absenceBounds'> {
  return {
    exchange: partAlone<OrderGateway>(PARTS.exchange, exchange, plan, overrides),
    journal: partAlone(PARTS.journal, narratedJournal, plan, overrides),
  };
}

async function lifeGoesOn(parts: StartParts, life: Life): Promise<StartedLife> {
  const { config, options, journal, venueMs } = parts;
  const entered = await enterLife(parts, life);
  const { engine, replay, plan, feeds } = entered;
  const isAccepted = options.acceptChanges === true;
  const others = replay.asked.difference !== null && life.newest.hash !== config.hash ? ['the config has changed'] : [];
  if (!isAccepted) checkReplay(replay.asked, [...changesSince(life, plan), ...others], config.data);
  writeStartRecords(
    journal.journal,
    config,
    { plan, engine, fromMs: Number(life.first.limits['fromMs']) },
    { life: life.number, isFirst: false, isAccepted },
  );
  takeOver(engine, journal, venueMs());
  const orders = pastOrders(engine, journal, venueMs());
  const ports = portsOf(parts, plan);
  entered.journal.port = ports.journal;
  entered.exchange.port = ports.exchange;
  return { ...entered, plan, feeds, orders, held: replay.asked.held, sinceMs: newestInstant(entered.life) };
}

interface EnteredLife extends ReplayedLife {
  readonly life: Life;
  readonly plan: RunPlan;
  readonly feeds: LiveFeeds;
}

/** Enters the life at the newest point that all strategies have kept, if nothing has changed; else at its beginning. */
async function enterLife(parts: StartParts, life: Life): Promise<EnteredLife> {
  const { config, journal, options, notify } = parts;
  const since = options.acceptChanges === true ? null : lifeSinceKept(life, journal.records);
  if (since === null) return entryOf(parts, life);
  try {
    const found = await entryOf(parts, since);
    const { difference } = found.replay.asked;
    if (difference === null && changesSince(life, found.plan).length === 0 && life.newest.hash === config.hash) {
      notify('strategies begin with what they have kept; fields that are not kept have the value of the constructor');
      return found;
    }
  } catch (error) {
    if (!(error instanceof NoPoint)) throw error;
    notify(`what strategies have kept is not enough (${error.message}): the whole journal is replayed`);
  }
  return entryOf(parts, life);
}

async function entryOf({ config, journal, market, ...parts }: StartParts, life: Life): Promise<EnteredLife> {
  const { absenceBounds: bounds, log, options } = parts;
  const feeds = continued(market, life, options.room);
  const plan = await livePlan(config, feeds.plans, life.fromMs, options);
  const end = endOfLife(life, config, plan);
  if (end !== null)
    throw new EndOfLife(
      `${config.data}: ${end}`,
      'name another data folder; or begin anew with --accept-changes: strategies start afresh, the books go on',
    );
  const { tellsAtInstants = false } = options;
  const replayed = await replayLife(life, plan, {
    absenceBounds: bounds,
    log,
    isTorn: journal.isTorn,
    stopsAtDifference: false,
    tellsAtInstants,
  });
  return { ...replayed, life, plan, feeds };
}

function continued(market: LiveMarket, life: Life, room?: number): LiveFeeds {
  const bars = { warm: life.warm, lastMs: newestBars(life), rows: rowsOf(life) };
  try {
    return feedsOfLife(market, bars, room);
  } catch (error) {
    throw error instanceof ConfigError ? new EndOfLife(error.message, error.remedy) : error;
  }
}

function newestInstant({ past, fromMs }: Life): number {
  const newest = past.records[past.lastInstant];
  return newest?.k === 'INSTANT' ? Math.max(fromMs, newest.atMs) : fromMs;
}
