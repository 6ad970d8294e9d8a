// Builds the engine of a start. It continues the last lifetime by a replay of its records, or begins a new one with the same ledger.

import type { LivePorts } from '../../app/liveWorld.ts';
import type { Overrides } from '../../app/overrides.ts';
import { partAlone } from '../../app/partAlone.ts';
import { PARTS, type ExchangeAdapter } from '../../app/parts.ts';
import type { Engine } from '../../engine/engine.ts';
import { ConfigError } from '../../base/errors.ts';
import type { AbsenceBounds } from '../../orders/prove/absenceBounds.ts';
import type { RestoredOrder } from '../../orders/restoreBotOrder.ts';
import type { OrderGateway } from '../../ports/exchange.ts';
import type { Journal } from '../../ports/journal.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import type { ResolveOptions } from '../../definition/resolve.ts';
import type { LiveConfig } from './config/liveConfig.ts';
import { firstRecords, knownSeriesPlans, type SeriesRecord } from './external/seriesRecords.ts';
import { catalogOf, feedsOfLifetime, firstFeeds, type LiveFeeds, type LiveMarket } from './feeds/liveFeeds.ts';
import { changesSince, feedsThatEnd, strategiesThatEnd, writeStartRecords } from './lifetime/startRecords.ts';
import type { BotJournal } from './journal/botJournal.ts';
import { restoreEngine } from './journal/restoreEngine.ts';
import { buildEngine, livePlan, type BuiltEngine } from './lifetime/liveEngine.ts';
import type { HeldDecision } from './lifetime/decisionComparison.ts';
import { lifetimeFromKeptState, newestBars, newestLifetime, readBefore, maxRowsOf, type Lifetime } from './lifetime/lifetime.ts';
import { KeptPointProblem, replayLifetime, type ReplayedLifetime, type ReplayLifetimeOptions } from './lifetime/replayLifetime.ts';
import { checkReplay, endUnwantedDrafts, openRecordedOrders, takeOver } from './lifetime/restart.ts';
import { checkSharesSuffice, checkStrategyPlaces } from './safety/strategyPlaces.ts';

/** The engine and plan of a start. */
export interface StartedLifetime extends BuiltEngine {
  readonly plan: RunPlan;
  readonly feeds: LiveFeeds;
  /** Where the engine sends orders: the exchange of the bot, or the wrapper of a module. */
  readonly gateway: ExchangeAdapter;
  /** Unfinished orders of the journal. */
  readonly orders: readonly RestoredOrder[];
  /** Decisions that the last process made and did not journal. */
  readonly held: readonly HeldDecision[];
  /** Values of external series that a new lifetime knew at its beginning. */
  readonly known: readonly SeriesRecord[];
  /** The newest instant of a lifetime that continues, ms UTC; null: a new lifetime begins. */
  readonly sinceMs: number | null;
}

/** The config, the journal and the ports of a start. */
export interface LifetimeStartDeps {
  readonly config: LiveConfig;
  readonly journal: BotJournal;
  readonly market: LiveMarket;
  readonly exchange: OrderGateway;
  /** The journal that the engine writes to once it runs. */
  readonly narratedJournal: Journal;
  /** Parts that modules rebind. */
  readonly overrides: Overrides;
  readonly absenceBounds: AbsenceBounds;
  readonly log: ReplayLifetimeOptions['log'] & {};
  readonly venueMs: () => number;
  /** Shows a line to the operator. */
  readonly notify: (message: string) => void;
  readonly options: {
    readonly load?: ResolveOptions['load'];
    readonly bundler?: ResolveOptions['bundler'];
    readonly capacityRows?: number;
    readonly acceptChanges?: boolean;
    readonly defersCallbacks?: boolean;
  };
  /** Called with the strategies of a start, before they are run. May throw ConfigError. */
  readonly checkCode: (plan: RunPlan) => void;
  /** Called with the engine of a first start, before anything is written. */
  readonly firstStart: (plan: RunPlan, engine: Engine) => Promise<void>;
}

/** Continues the last lifetime, or begins a new one. Throws ConfigError, and writes nothing, if the lifetime cannot continue unchanged. */
export async function startLifetime(deps: LifetimeStartDeps): Promise<StartedLifetime> {
  const lifetime = newestLifetime(deps.journal.records);
  if (lifetime === null) return beginLifetime(deps, null);
  const isAccepted = deps.options.acceptChanges === true;
  const continuing = await continueLifetime(deps, lifetime).catch((error: unknown) => {
    if (!isAccepted || !(error instanceof LifetimeEndedError)) throw error;
    return null;
  });
  return continuing ?? beginLifetime(deps, lifetime);
}

/** Thrown when the state of the strategies cannot be rebuilt, so that they can only begin a new lifetime. */
class LifetimeEndedError extends ConfigError {}

/** Begins a lifetime: fresh strategies, with the ledger of the journal. `earlier`: the lifetime before it; null: none. */
async function beginLifetime({ config, journal, market, ...deps }: LifetimeStartDeps, earlier: Lifetime | null): Promise<StartedLifetime> {
  const { absenceBounds, log, options, venueMs } = deps;
  const feeds = firstFeeds(market, options.capacityRows);
  const firstValues = firstRecords(config.series, catalogOf(config), feeds.atMs);
  const series = knownSeriesPlans(config.series, [...journal.records, ...firstValues]);
  const plan = await livePlan(config, feeds.plans, feeds.atMs, { ...options, series });
  deps.checkCode(plan);
  if (earlier !== null) checkStrategyPlaces(earlier.newest, journal.records, plan, config.data);
  const { state, history } = readBefore(journal.records);
  const ports = portsOf(deps, plan);
  const built = await buildEngine(plan, { ...ports, absenceBounds }, history, log);
  if (earlier !== null) checkSharesSuffice(earlier.newest, plan, built.engine);
  if (state.config === null) await deps.firstStart(plan, built.engine);
  writeStartRecords(
    journal.journal,
    config,
    { plan, engine: built.engine, fromMs: plan.fromMs },
    { lifetime: (earlier?.number ?? 0) + 1, isFirst: true, isAccepted: false },
  );
  for (const record of firstValues) journal.journal.series(record);
  const orders = restoreEngine(built.engine, journal, venueMs());
  return { ...built, plan, feeds, gateway: ports.exchange, orders, held: [], known: firstValues, sinceMs: null };
}

/** Returns the ports of the bot, wrapped by modules. */
function portsOf(
  { exchange, narratedJournal, overrides }: Pick<LifetimeStartDeps, 'exchange' | 'narratedJournal' | 'overrides'>,
  plan: RunPlan,
): Pick<LivePorts, 'journal'> & { readonly exchange: ExchangeAdapter } {
  return {
    exchange: partAlone<ExchangeAdapter>(PARTS.exchange, exchange, plan, overrides),
    journal: partAlone(PARTS.journal, narratedJournal, plan, overrides),
  };
}

/** Continues a lifetime. Throws ConfigError if its decisions would differ and the operator has not accepted that. */
async function continueLifetime(deps: LifetimeStartDeps, lifetime: Lifetime): Promise<StartedLifetime> {
  const { config, options, journal, venueMs } = deps;
  const entered = await enterLifetime(deps, lifetime);
  const { engine, replay, plan, feeds } = entered;
  const isAccepted = options.acceptChanges === true;
  checkSharesSuffice(lifetime.newest, plan, engine);
  if (!isAccepted) {
    const changes = [...changesSince(lifetime, plan)];
    // Changes of the config that leave the decisions as they were need no consent.
    if (replay.comparison.difference !== null && lifetime.newest.hash !== config.hash) changes.push('the config has changed');
    checkReplay(replay.comparison, changes, config.data);
  }
  writeStartRecords(
    journal.journal,
    config,
    { plan, engine, fromMs: Number(lifetime.first.limits['fromMs']) },
    { lifetime: lifetime.number, isFirst: false, isAccepted },
  );
  takeOver(engine, journal, venueMs());
  const orders = openRecordedOrders(engine, journal, venueMs());
  const ports = portsOf(deps, plan);
  entered.journal.port = ports.journal;
  entered.exchange.port = ports.exchange;
  endUnwantedDrafts(engine, replay.comparison, journal);
  const { held } = replay.comparison;
  return { ...entered, plan, feeds, gateway: ports.exchange, orders, held, known: [], sinceMs: newestInstant(entered.lifetime) };
}

/** A lifetime whose records have been replayed, up to the end of the journal. */
interface EnteredLifetime extends ReplayedLifetime {
  readonly lifetime: Lifetime;
  readonly plan: RunPlan;
  readonly feeds: LiveFeeds;
}

/** Enters the lifetime at the newest point that all strategies have kept, if nothing has changed; else at its beginning. */
async function enterLifetime(deps: LifetimeStartDeps, lifetime: Lifetime): Promise<EnteredLifetime> {
  const { config, journal, options, notify } = deps;
  const sinceKeptState = options.acceptChanges === true ? null : lifetimeFromKeptState(lifetime, journal.records);
  if (sinceKeptState === null) return enterAt(deps, lifetime);
  try {
    const entered = await enterAt(deps, sinceKeptState);
    const { difference } = entered.replay.comparison;
    const isUnchanged = changesSince(lifetime, entered.plan).length === 0 && lifetime.newest.hash === config.hash;
    if (difference === null && isUnchanged) {
      notify('strategies begin with their kept state; all other fields have their initial values');
      return entered;
    }
  } catch (error) {
    if (!(error instanceof KeptPointProblem)) throw error;
    notify(`the kept state of strategies is not enough (${error.message}): the whole journal is replayed`);
  }
  return enterAt(deps, lifetime);
}

/** Builds the engine of a lifetime and replays its records. */
async function enterAt({ config, journal, market, ...deps }: LifetimeStartDeps, lifetime: Lifetime): Promise<EnteredLifetime> {
  const { absenceBounds, log, options } = deps;
  endIf(feedsThatEnd(lifetime, config), config);
  const feeds = continueFeeds(market, lifetime, options.capacityRows);
  const series = knownSeriesPlans(config.series, journal.records);
  const plan = await livePlan(config, feeds.plans, lifetime.fromMs, { ...options, series });
  deps.checkCode(plan);
  checkStrategyPlaces(lifetime.newest, journal.records, plan, config.data);
  endIf(strategiesThatEnd(lifetime, plan), config);
  const { defersCallbacks = false } = options;
  const replayed = await replayLifetime(lifetime, plan, {
    absenceBounds,
    log,
    isTorn: journal.isTorn,
    stopsAtDifference: false,
    defersCallbacks,
  });
  return { ...replayed, lifetime, plan, feeds };
}

/** Throws LifetimeEndedError unless `reason` is null. */
function endIf(reason: string | null, { data }: LiveConfig): void {
  const remedy = 'use another data folder, or --accept-changes: strategies start afresh, the books continue';
  if (reason !== null) throw new LifetimeEndedError(`${data}: ${reason}`, remedy);
}

/** Returns the feeds of a lifetime that continues. Throws LifetimeEndedError if bars are missing. */
function continueFeeds(market: LiveMarket, lifetime: Lifetime, capacityRows?: number): LiveFeeds {
  const bars = { warm: lifetime.warm, lastMs: newestBars(lifetime), rows: maxRowsOf(lifetime) };
  try {
    return feedsOfLifetime(market, bars, capacityRows);
  } catch (error) {
    throw error instanceof ConfigError ? new LifetimeEndedError(error.message, error.remedy) : error;
  }
}

/** Returns the newest instant of a lifetime, ms UTC. */
function newestInstant({ recorded, fromMs }: Lifetime): number {
  const newest = recorded.records[recorded.lastInstant];
  return newest?.k === 'INSTANT' ? Math.max(fromMs, newest.atMs) : fromMs;
}
