// Builds a live bot from its config, up to the first audit. The order is: lock, clock, feeds, strategies, ledger, exchange.

import { dirname, join } from 'node:path';
import { smallestOf } from '../../base/number/extremes.ts';
import { LiveScheduler } from '../../adapters/clock/liveScheduler.ts';
import { runSoon } from '../../adapters/clock/wallClock.ts';
import { UndiciWire } from '../../adapters/exchange/wire/undiciWire.ts';
import type { Overrides } from '../../app/overrides.ts';
import { notifiersAlone, partAlone } from '../../app/partAlone.ts';
import { PARTS } from '../../app/parts.ts';
import type { RunPlan } from '../../definition/plan/plan.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { denialText } from '../../orders/denialReasons.ts';
import { MeasuredAbsenceBounds } from '../../orders/prove/absenceBounds.ts';
import type { Bundler } from '../../adapters/plugins/bundler.ts';
import type { Notifier } from '../../ports/notifier.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { openJournalFolder } from '../../adapters/journal/openOnDisk.ts';
import { openExchange, type Exchange, type Network } from '../../access/openExchange.ts';
import type { ModuleOptions } from '../../definition/models/modules.ts';
import type { ResolveOptions } from '../../definition/resolve.ts';
import { KillSwitch } from '../kill/killSwitch/killSwitch.ts';
import { killSwitchWire } from '../kill/killSwitch/killSwitchWire.ts';
import { followUnknown } from '../../engine/router/restore.ts';
import { checkBooks, openBotJournal, type BotJournal } from './journal/botJournal.ts';
import { AfterSendQueue } from './run/afterSendQueue.ts';
import { LiveBot, type LiveBotDeps } from './run/liveBot.ts';
import { requireTimeForBars } from './config/barTimes.ts';
import { liveOverrides } from './config/modules.ts';
import type { LiveConfig } from './config/liveConfig.ts';
import { readLeftOrders, leftOrdersReason } from './account/leftOrders.ts';
import { warnOfStandingHalts } from './safety/startHalts.ts';
import { checkCapitalHeld } from './account/capitalCheck.ts';
import { ExternalReader } from './external/externalReader.ts';
import { hookCheckers, openWebhooks, type AcceptHookValue } from './external/webhooks.ts';
import { catalogRates, joinRates } from './feeds/fundingRates.ts';
import { lackingWarmup } from './lifetime/liveEngine.ts';
import { catalogOf, loadLiveMarket } from './feeds/liveFeeds.ts';
import type { LiveLog } from './run/liveLog.ts';
import { restExchange } from './marketAdapter.ts';
import { MarketRouter } from './account/marketRouter.ts';
import { measureClocks } from './measureClocks.ts';
import { retryAtStart } from './retryAtStart.ts';
import { applyRearm } from './run/rearm.ts';
import { restoreServices } from './run/restoreServices.ts';
import { followRecordedOrders } from './lifetime/restart.ts';
import { checkProved, type ProofDemand } from './safety/provedCode.ts';
import { startLifetime, type StartedLifetime } from './startLifetime.ts';
import { NarratedJournal } from './journal/narratedJournal.ts';
import { HTTP_STATUS } from '../../protocol/errors/httpStatus.ts';

/** Options of a start. */
export interface LiveOptions {
  /** Returns the log of the bot. Its lines have the venue's time. */
  readonly log: (venueMs: () => number) => LiveLog;
  /** Replaces the clock; default the clock of this computer, accelerated by the time scale. */
  readonly scheduler?: Scheduler;
  readonly bundler?: Bundler;
  readonly load?: ResolveOptions['load'];
  /** Modules given in code, by their index in the config's list. */
  readonly modules?: ModuleOptions['modules'];
  /** Called once, when the bot cannot continue. */
  readonly broken: (reason: string) => void;
  /** Maximum number of bars that each feed can hold. */
  readonly capacityRows?: number;
  /** True when the operator accepts the changes since the newest start. */
  readonly acceptChanges?: boolean;
  /** Whether proofs of the strategies are required or only logged. Missing: neither. */
  readonly proof?: ProofDemand;
  /** As `Engine.defersCallbacks`, from the time at which the bot trades. The replay of its past does the same. */
  readonly defersCallbacks?: boolean;
  /** Returns the instruments of the newest start, with which the bot continues if the exchange has delisted one. Missing: it had none. */
  readonly tradedInstruments?: () => readonly Instrument[];
  /** Replaces network, random numbers and disk, for a simulation. Missing: this computer. */
  readonly computer?: SimulatedComputer;
}

/** The parts of a computer that a simulation replaces: network, random numbers, the disk of the journal, turns of the event loop. */
export interface SimulatedComputer {
  readonly network: Network;
  readonly random: () => number;
  readonly openJournal: typeof openJournalFolder;
  /** Runs a function after all current work, including requests. */
  readonly soon: (run: () => void) => void;
}

/** A built bot. */
export interface OpenedBot {
  readonly bot: LiveBot;
  readonly plan: RunPlan;
  /** Notifiers that modules add. */
  readonly notifiers: readonly Notifier[];
  /** The kill switch that stops all orders. */
  readonly killSwitch: KillSwitch;
  /** Counts of orders since the start. */
  readonly counts: NarratedJournal['counts'];
  /** Closes connections and releases the lock, after the bot has been stopped. */
  close(): Promise<void>;
}

/** Number of random bits in the prefix of the bot's client order ids. */
const RANDOM_BITS = 30;
/** Maximum size of an answer with a value of a series. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Connections to all sources of series at the same time. */
const MAX_SOURCE_CONNECTIONS = 4;

/** Builds the bot. Throws ConfigError and StrategyError for an invalid one, and NoAnswer if the exchange does not reply. */
export async function openLiveBot(config: LiveConfig, options: LiveOptions): Promise<OpenedBot> {
  requireTimeForBars(config.barLoad, config.bars, config);
  const overrides = await liveOverrides(config, options);
  const killSwitch = new KillSwitch(config.data);
  const requests = { sent: 0, refused: 0 };
  const wallScheduler = overrides.of(PARTS.clock.name) === null ? null : new LiveScheduler({ speed: config.timeScale });
  const scheduler =
    wallScheduler === null ? options.scheduler : partAlone<Scheduler>(PARTS.clock, options.scheduler ?? wallScheduler, null, overrides);
  const exchange = openExchange(config.access, {
    speed: config.timeScale,
    ...(scheduler ? { scheduler } : {}),
    ...(options.computer ? { network: options.computer.network, random: options.computer.random } : {}),
    // A kill does not wait for what the process before may have sent.
    awaitsWindows: () => !killSwitch.isEngaged,
    clock: { samples: config.clock.samples, periodMs: config.clock.periodMs },
    guardWire: (wire) => killSwitchWire(wire, killSwitch),
    log: ({ status }) => {
      requests.sent++;
      if (status === HTTP_STATUS.tooManyRequests || status === HTTP_STATUS.banned) requests.refused++;
    },
  });
  const closers: (() => Promise<void> | void)[] = [() => wallScheduler?.close(), () => exchange.close()];
  const close = async (): Promise<void> => {
    for (const closePart of closers.splice(0).toReversed()) await closePart();
  };
  try {
    return { ...(await assembleBot(config, options, { overrides, exchange, requests, closers })), killSwitch, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The collaborators that exist before the parts of the bot are built. */
interface BotSurroundings {
  readonly overrides: Overrides;
  readonly exchange: Exchange;
  /** Counts of the requests up to now. */
  readonly requests: LiveBot['requests'];
  /** What `close` must run, in reverse order. */
  readonly closers: (() => Promise<void> | void)[];
}

/** Builds the parts of the bot, and takes its first step. */
async function assembleBot(
  config: LiveConfig,
  options: LiveOptions,
  surroundings: BotSurroundings,
): Promise<Omit<OpenedBot, 'killSwitch' | 'close'>> {
  const { overrides, exchange, closers } = surroundings;
  const parts = openParts(config, options, exchange, closers);
  const { late, services, journal, narratedJournal, absenceBounds, log } = parts;
  const checkers = config.webhooks === null ? null : hookCheckers(config.series, config.webhooks);
  await measureClocks(config, exchange);
  const started = await startEngine(config, options, surroundings, parts);
  const { plan, engine } = started;
  late.engine = engine;
  for (const note of started.feeds.notes) log.warn(note);
  await haltForLeftOrders(engine, exchange, parts);
  for (const market of config.markets)
    services.addService(market, restExchange(config, plan, exchange, { services, engine, journal, absenceBounds }, market));
  for (const { name, message } of lackingWarmup(engine)) log.logDecision(name, `does not start: ${message}`, 'WARM_UP', 'warn');
  const bot = new LiveBot({ ...botDeps(config, surroundings, parts, started), broken: options.broken });
  late.bot = bot;
  started.gateway.attach?.(bot.driver, () => bot.driver.nowMs);
  applyRearm(bot);
  continueOrders(bot, services, started, journal);
  warnOfStandingHalts(engine, (message, code) => log.warn(message, { code }));
  await readExternal(config, { bot, journal, started, checkers, exchange, log }, closers);
  journal.releaseMemory();
  return { bot, plan, notifiers: notifiersAlone(plan, overrides), counts: narratedJournal.counts };
}

/** Parts that the journal needs while the bot is still being built. The members of `late` are null until they exist. */
interface BotUnderConstruction {
  readonly late: { bot: LiveBot | null; engine: Engine | null };
  readonly services: MarketRouter;
  readonly afterSend: AfterSendQueue;
  readonly venueMs: () => number;
}

/** The parts of the bot that exist before its engine. */
interface EarlyParts extends BotUnderConstruction {
  readonly journal: BotJournal;
  /** The journal that also logs the decisions of strategies. */
  readonly narratedJournal: NarratedJournal;
  readonly absenceBounds: MeasuredAbsenceBounds;
  readonly log: LiveLog;
  /** Repeats a request of the start until the exchange replies. */
  readonly retry: <T>(act: () => Promise<T>) => Promise<T>;
}

/** Opens the journal and what it needs. Throws ConfigError if another process has the journal, or if it is of other books. */
function openParts(config: LiveConfig, options: LiveOptions, exchange: Exchange, closers: BotSurroundings['closers']): EarlyParts {
  const venueMs = (): number => smallestOf(config.markets.map((market) => exchange.serverTime(market).ms));
  const log = options.log(venueMs);
  const afterSend = new AfterSendQueue(options.computer?.soon ?? runSoon);
  const construction: BotUnderConstruction = { late: { bot: null, engine: null }, services: new MarketRouter(), afterSend, venueMs };
  // Take the lock first: a second bot of the same account must not send a request.
  const journal = openJournal(config, exchange, construction, options.computer);
  closers.push(() => new Promise<void>((resolve) => journal.journal.close(resolve)).then(journal.release));
  checkBooks(config, journal);
  return {
    ...construction,
    journal,
    narratedJournal: createNarratedJournal(journal, construction, log),
    absenceBounds: new MeasuredAbsenceBounds(config.proof),
    log,
    retry: (act) => retryAtStart(exchange.scheduler, config.timeScale, act),
  };
}

/** Builds the engine, which continues the last lifetime if the journal has one. */
async function startEngine(
  config: LiveConfig,
  options: LiveOptions,
  { overrides, exchange }: BotSurroundings,
  { services, journal, narratedJournal, absenceBounds, log, venueMs, retry }: EarlyParts,
): Promise<StartedLifetime> {
  const market = await retry(() => loadLiveMarket(config, exchange, options.tradedInstruments ?? (() => [])));
  return startLifetime({
    config,
    journal,
    market,
    exchange: services,
    narratedJournal,
    overrides,
    absenceBounds,
    log: (_, strategy, message, fields) => log.info(`${strategy}: ${message}`, fields),
    venueMs,
    notify: (message) => log.info(message),
    options,
    checkCode: codeCheckerOf(config, options, log),
    // Only a first start compares balances. At later starts they have changed with the ledger, and audits compare order by order.
    firstStart: (plan, engine) => retry(() => checkCapitalHeld(exchange, plan, engine)),
  });
}

/** Halts a bot without a journal if the account has open orders, because an earlier bot may have left them. */
async function haltForLeftOrders(engine: Engine, exchange: Exchange, { journal, retry, venueMs }: EarlyParts): Promise<void> {
  if (journal.state.config !== null) return;
  const leftOrders = await retry(() => readLeftOrders(exchange, engine.instruments));
  if (leftOrders.length === 0) return;
  engine.risk.halts.raise({ kind: 'account' }, 'HALT_NEW', 'NO_JOURNAL', leftOrdersReason(leftOrders), venueMs());
}

/** Returns the collaborators of the bot. */
function botDeps(
  config: LiveConfig,
  { exchange, requests }: BotSurroundings,
  { services, journal, narratedJournal, absenceBounds, afterSend, log, venueMs }: EarlyParts,
  { plan, engine, feeds, startUnits, held, sinceMs }: StartedLifetime,
): Omit<LiveBotDeps, 'broken'> {
  return {
    config,
    plan,
    engine,
    exchange,
    services,
    journal: journal.journal,
    absenceBounds,
    clientOrderIdOf: journal.clientOrderIdOf,
    sets: feeds.sets,
    afterSend,
    knownRates: ({ id, wireName }) =>
      joinRates(journal.rates.ratesOf(id), catalogRates(catalogOf(config), wireName), { atMs: feeds.atMs, periodMs: config.fundingMs }),
    startUnits,
    held,
    narratedJournal,
    sinceMs,
    requests,
    log,
    venueMs,
  };
}

/** Returns the journal that also logs each decision of a strategy. */
function createNarratedJournal(
  { journal }: BotJournal,
  { late, afterSend }: Pick<BotUnderConstruction, 'late' | 'afterSend'>,
  log: LiveLog,
) {
  return new NarratedJournal(journal, {
    afterSend: (run) => afterSend.add(run),
    onDecision: (strategy, text, code) =>
      log.logDecision(late.engine?.runs[strategy]?.name ?? null, text, code, code === null ? 'info' : 'warn'),
    denialText: (code) => denialText(code) ?? late.engine?.risk.detail() ?? '',
  });
}

/** Restores what the journal knows of orders and trades. The bot takes its first step, which runs what came due while it was down. */
function continueOrders(bot: LiveBot, services: MarketRouter, started: StartedLifetime, journal: BotJournal): void {
  const { engine } = started;
  for (const trade of journal.trades) {
    const [instrument = '', tradeId = ''] = trade.split(' ');
    bot.booked.add(instrument, tradeId);
  }
  // The step may send orders, so list the recorded ones before it.
  const recordedIds = new Set(engine.orders.active().map(({ id }) => id));
  restoreServices(bot, services, started.orders, journal);
  // Orders of earlier processes may have left second copies at the exchange, which a kill looks for.
  if (journal.state.triggerSymbols.size > 0) engine.triggerOrders.onSend();
  bot.driver.step(() => {
    if (started.sinceMs === null) followUnknown(engine);
    else followRecordedOrders(engine, recordedIds, started.held, started.orders);
  });
}

/** The parts of the bot that external series need. */
interface ExternalParts {
  readonly bot: LiveBot;
  readonly journal: BotJournal;
  readonly started: StartedLifetime;
  /** Null: no webhook. */
  readonly checkers: ReturnType<typeof hookCheckers> | null;
  readonly exchange: Exchange;
  readonly log: LiveLog;
}

/** Starts to read external series and to accept webhooks. Throws ConfigError for a port that is in use. */
async function readExternal(
  config: LiveConfig,
  { bot, journal, started, checkers, exchange, log }: ExternalParts,
  closers: (() => Promise<void> | void)[],
): Promise<void> {
  if (config.series.length === 0) return;
  const wire = new UndiciWire({ connections: MAX_SOURCE_CONNECTIONS, maxBodyBytes: MAX_ANSWER_BYTES });
  closers.push(() => wire.close());
  const notify = (level: 'info' | 'warn', message: string): void => log[level](message);
  const reader = new ExternalReader({
    series: config.series,
    plans: started.plan.series ?? [],
    records: [...journal.records],
    startRecords: started.known,
    scheduler: exchange.scheduler,
    wire: wire.send,
    step: (act) => bot.driver.step(() => act(bot.driver.nowMs)),
    venueMs: bot.deps.venueMs,
    journal: (body) => journal.journal.series(body),
    untilDurable: (seq) => bot.waitUntilDurable(seq),
    log: notify,
  });
  closers.push(() => reader.stop());
  if (checkers === null || config.webhooks === null) return;
  const acceptValue: AcceptHookValue = (name, value) => reader.acceptHookValue(name, value);
  const hooks = await openWebhooks({ settings: config.webhooks, checkers, acceptValue, log: notify });
  closers.push(() => hooks.close());
}

/** Returns a check that the code about to run was proved. Only the first call checks: a restart may call it twice. */
function codeCheckerOf(config: LiveConfig, { proof }: LiveOptions, log: LiveLog): (plan: RunPlan) => void {
  let hasChecked = false;
  return (plan) => {
    if (hasChecked || proof === undefined) return;
    hasChecked = true;
    const { isProved, text } = checkProved(plan, config.file, join(dirname(catalogOf(config)), 'ledger'), proof);
    if (isProved) log.info(text);
    else log.warn(text);
  };
}

/** Opens the journal of the bot. */
function openJournal(
  config: LiveConfig,
  exchange: Exchange,
  { late, services, afterSend, venueMs }: BotUnderConstruction,
  computer: SimulatedComputer | undefined,
): BotJournal {
  return openBotJournal(config, {
    ...(computer ? { open: computer.openJournal } : {}),
    nowMs: () => Math.floor(late.bot?.driver.nowMs ?? venueMs()),
    listener: {
      onDurable: (seq) => {
        for (const service of services.all()) service.onDurable(seq);
        late.bot?.onJournalDurable(seq);
        afterSend.onDurable();
      },
      onFailure: (reason) => {
        late.bot?.onJournalFailure(reason);
        afterSend.end();
      },
    },
    random: Math.floor(exchange.random() * 2 ** RANDOM_BITS),
    stamp: (order) => services.serviceOf(order.instrument.market).stamp(order),
    tradeText: (tradeId) => services.all()[0]!.tradeText(tradeId),
    lastTicks: (instrument) => late.engine?.lastTicks(instrument) ?? NaN,
    reservedUnits: (id) => late.engine?.orders.get(id)?.worstUnits ?? 0,
  });
}
