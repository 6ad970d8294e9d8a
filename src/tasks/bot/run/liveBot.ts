// A running live bot, from its first audit to its last record: connects instants, audits and events of the exchange.

import type { AuditKind, AuditResult } from '../../../adapters/exchange/calls/types.ts';
import type { FileJournal } from '../../../adapters/journal/fileJournal.ts';
import { memoryCursor } from '../../../adapters/journal/records/restoredOrders.ts';
import type { Engine } from '../../../engine/engine.ts';
import { stopLive } from '../../../engine/loop/liveSteps.ts';
import { rateOf } from '../../../adapters/exchange/klines/fundingRatePoller.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Fill } from '../../../model/fill.ts';
import type { OrderId } from '../../../model/order.ts';
import type { MeasuredAbsenceBounds } from '../../../orders/prove/absenceBounds.ts';
import type { Exchange } from '../../../access/openExchange.ts';
import type { BotFillView } from '../../control/botView.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import type { AfterSendQueue } from './afterSendQueue.ts';
import { Auditor, mergeAudits } from '../account/auditor.ts';
import { barCalls } from '../feeds/klineCalls.ts';
import { BarDelivery } from '../feeds/barDelivery.ts';
import { beginInstant, beginMissedInstant } from '../feeds/instants.ts';
import type { BarFact } from '../feeds/barFact.ts';
import { BookedTrades } from '../account/bookedTrades.ts';
import { fillText, fillView } from '../account/fillView.ts';
import { EquityBook } from './equityBook.ts';
import { PlotBook } from '../feeds/plotBook.ts';
import { Driver } from './driver.ts';
import { DurableWaits } from '../journal/durableWaits.ts';
import { KeptStates } from '../journal/keptStates.ts';
import { raiseStarting, startCompleteText, STARTING } from '../safety/startHalts.ts';
import { FundingReader } from '../feeds/fundingReader.ts';
import type { KnownRates } from '../feeds/fundingRates.ts';
import type { LiveConfig } from '../config/liveConfig.ts';
import type { LiveSet } from '../feeds/liveFeeds.ts';
import type { LiveLog } from './liveLog.ts';
import type { MarketRouter } from '../account/marketRouter.ts';
import { OperatorPresence } from '../../control/operatorPresence.ts';
import { Maintenance } from '../config/maintenance.ts';
import { RiskTicker } from '../safety/riskTicker.ts';
import type { HeldDecision } from '../lifetime/decisionComparison.ts';
import { afterCancels } from './afterCancels.ts';
import { completeHeldDecisions } from './heldDecisions.ts';
import { bookFills } from './bookFills.ts';
import type { Journal } from '../../../ports/journal.ts';

/** The collaborators of a live bot. */
export interface LiveBotDeps {
  readonly config: LiveConfig;
  readonly plan: RunPlan;
  readonly engine: Engine;
  readonly exchange: Exchange;
  readonly services: MarketRouter;
  readonly journal: FileJournal;
  readonly absenceBounds: MeasuredAbsenceBounds;
  readonly clientOrderIdOf: (id: OrderId) => string;
  readonly sets: readonly LiveSet[];
  readonly afterSend: AfterSendQueue;
  /** Returns the funding rates that a contract has at the start. */
  readonly knownRates: (instrument: Instrument) => KnownRates;
  readonly log: LiveLog;
  /** The journal that also writes decisions to the log. */
  readonly narratedJournal: Journal;
  /** Decisions of the last process that were not journalled. */
  readonly held: readonly HeldDecision[];
  /** The newest instant of a lifetime that continues, ms UTC; null: a new lifetime begins. */
  readonly sinceMs: number | null;
  readonly requests: { sent: number; refused: number };
  /** Equity of each strategy at the start of the ledger. */
  readonly startUnits: readonly number[];
  /** The venue's time, ms. */
  readonly venueMs: () => number;
  /** Called once when the bot cannot continue and no more orders are sent. */
  readonly broken: (reason: string) => void;
}

/** Results of the newest audits, in the venue's time. */
export interface AuditState {
  fastMs: number | null;
  fullMs: number | null;
  result: AuditResult['kind'] | 'none';
  message: string;
}

/** Number of the newest fills that the bot's view contains. */
const MAX_FILLS = 100;
const ACCOUNT = { kind: 'account' } as const;

/** One running bot. */
export class LiveBot {
  readonly deps: LiveBotDeps;
  readonly driver: Driver;
  readonly auditState: AuditState = { fastMs: null, fullMs: null, result: 'none', message: '' };
  /** The newest fills, oldest first. */
  readonly fills: BotFillView[] = [];
  fillCount = 0;
  /** Number of fills by strategy. */
  readonly fillsBy: number[] = [];
  readonly booked = new BookedTrades();
  /** Number of calls sent, and number of them that a rate limit refused. */
  readonly requests: { sent: number; refused: number };
  readonly equity: EquityBook;
  readonly plots: PlotBook;
  readonly #barDelivery: BarDelivery;
  readonly #keptStates: KeptStates;
  readonly #funding: FundingReader;
  readonly #auditor: Auditor;
  readonly #riskTicker: RiskTicker;
  readonly #maintenance: Maintenance;
  readonly operatorPresence: OperatorPresence;
  /** The values from which loss rules measure, as they were journalled last, by rule code. */
  readonly #journalledMemory = new Map<string, string>();
  /** Time of the newest audit with complete data, whether or not it was clean; the venue's time. */
  #completeAuditMs: number | null = null;
  #cancelWait: () => void = () => {};
  #isRunning = false;
  #isBroken = false;
  readonly #durableWaits: DurableWaits;

  constructor(deps: LiveBotDeps) {
    this.deps = deps;
    this.requests = deps.requests;
    this.equity = new EquityBook(deps.engine, deps.startUnits);
    this.plots = new PlotBook(deps.engine);
    this.#durableWaits = new DurableWaits(deps.journal);
    const { engine, exchange, config, venueMs } = deps;
    const { scheduler } = exchange;
    this.driver = this.#createDriver();
    this.#keptStates = new KeptStates(engine, deps.journal);
    this.#barDelivery = this.#createBarDelivery();
    this.#funding = this.#createFundingReader();
    this.#auditor = new Auditor({
      scheduler,
      audit: (kind, done) => this.#audit(kind, done),
      fastMs: config.orders.fastMs,
      fullMs: config.audit.fullMs,
      startGapMs: config.audit.startGapMs,
      onResult: (kind, result) => this.#handleAudit(kind, result, venueMs()),
    });
    const step = (act: () => void): void => this.driver.step(act);
    this.#maintenance = new Maintenance({ windows: config.maintenance, engine, scheduler, venueMs, step });
    this.operatorPresence = new OperatorPresence(venueMs());
    this.#riskTicker = this.#createRiskTicker(step);
  }

  /** Returns the driver, which runs every step of the engine and reports fills and failures to this bot. */
  #createDriver(): Driver {
    const { engine, exchange, journal, venueMs } = this.deps;
    return new Driver({
      engine,
      scheduler: exchange.scheduler,
      venueMs,
      onStrategyFailure: (strategy, error) => this.#onStrategyFailure(strategy, error),
      onInconsistency: (error) => this.giveUp(error.message),
      onFill: (id, fill) => this.#recordFill(id, fill),
      onFunding: (index, isLong, units, timeMs) => void journal.funded(engine.instruments[index]!, isLong, units, timeMs),
    });
  }

  /** Returns what reads the bars of all feeds and delivers them instant by instant. */
  #createBarDelivery(): BarDelivery {
    const { deps } = this;
    const { engine, exchange, config, sets, sinceMs, log } = deps;
    return new BarDelivery({
      engine,
      sets,
      scheduler: exchange.scheduler,
      serverTime: (market) => exchange.serverTime(market),
      ...barCalls(exchange),
      random: () => exchange.random(),
      times: config.bars,
      bookFills: (instruments, done) => bookFills(deps, instruments, done),
      deliver: (atMs, bars, append) => this.#deliver(atMs, bars, append),
      catchUp: (untilMs, bars, append) => this.#catchUp(untilMs, bars, append),
      onInstantEnd: (atMs) => this.#endInstant(atMs),
      sinceMs,
      log: (level, message) => log[level](message),
    });
  }

  /** Returns the reader of funding rates. A missing rate that a strategy reads becomes a decision of that strategy in the log. */
  #createFundingReader(): FundingReader {
    const { engine, plan, exchange, config, knownRates, journal, log } = this.deps;
    return new FundingReader({
      engine,
      plan,
      scheduler: exchange.scheduler,
      serverTime: () => exchange.serverTime('futures'),
      ask: ({ wireName }) => rateOf(exchange.client, wireName),
      periodMs: config.fundingMs,
      known: knownRates,
      journal: (body) => void journal.rates(body),
      log: (level, strategy, text) => (strategy === null ? log[level](text) : log.logDecision(strategy, text, 'FUNDING_RATES', 'warn')),
    });
  }

  /** Returns the ticker that applies the rules about time: age of data and audits, clocks, presence of the operator. */
  #createRiskTicker(step: (act: () => void) => void): RiskTicker {
    const { engine, exchange, config, venueMs } = this.deps;
    return new RiskTicker({
      engine,
      scheduler: exchange.scheduler,
      venueMs,
      auditMs: () => this.#completeAuditMs,
      heartbeatMs: () => this.operatorPresence.seenMs,
      alertMs: () => this.operatorPresence.alarmMs,
      clockErrorMs: () => config.markets.reduce((ms, market) => Math.max(ms, exchange.serverTime(market).uncertaintyMs), 0),
      step,
    });
  }

  /** True when nothing waits for a decision or a reply. On simulated time, everything due now has then been done. */
  get isIdle(): boolean {
    return this.#barDelivery.isIdle && !this.#funding.isBusy && !this.#auditor.isBusy && this.deps.services.isIdle;
  }
  get isTrading(): boolean {
    return this.#isRunning;
  }

  /** Starts audits, and trading after two clean ones. Calls `onTrading` then. */
  start(onTrading: () => void = () => {}): void {
    const { engine, log, venueMs, config, exchange } = this.deps;
    this.driver.step(() => raiseStarting(engine.risk.halts, venueMs()));
    this.#funding.start();
    this.#maintenance.start();
    this.#auditor.start(() => {
      this.driver.step(() => {
        engine.risk.halts.clear(ACCOUNT, STARTING, 'two audits were clean', venueMs());
        completeHeldDecisions(this.deps, this.driver.nowMs);
      });
      this.#isRunning = true;
      log.info(startCompleteText(engine));
      this.#riskTicker.start();
      const limitMs = config.orders.readLagMs + 3 * config.orders.fastMs;
      this.#cancelWait = afterCancels({ engine, scheduler: exchange.scheduler, maxWaitMs: limitMs }, () => {
        this.#barDelivery.start();
        onTrading();
      });
    });
  }

  /** Stops the bot: it sends no more orders. Calls `done` when the journal is complete. */
  stop(done: () => void): void {
    this.stopTrading(() => this.deps.journal.close(done));
  }

  /** Stops without closing the journal: for a kill that closes positions and journals its orders. */
  stopTrading(done: () => void): void {
    const { services, config, engine, journal } = this.deps;
    this.#cancelWait();
    this.#barDelivery.stop();
    this.#funding.stop();
    this.#auditor.stop();
    this.#riskTicker.stop();
    this.#maintenance.stop();
    const shouldCancel = config.onStop === 'cancel';
    const canStep = this.#isRunning && !this.#isBroken;
    if (canStep) this.driver.step(() => void journal.stop({ cancels: shouldCancel }));
    engine.drafts.hold();
    if (shouldCancel) this.driver.step(() => engine.drafts.withdrawAll(() => true));
    if (canStep) {
      const cancelAll = (): void => {
        for (const order of engine.orders.active().toReversed()) engine.orders.cancel(order, engine.nowMs);
      };
      if (shouldCancel) this.driver.step(cancelAll);
      const notifyStop = (): void => stopLive(engine);
      this.driver.step(notifyStop, notifyStop);
    }
    this.#isRunning = false;
    this.driver.stop();
    const [...runningServices] = services.all();
    const stopNext = (): void => {
      const service = runningServices.pop();
      if (service) service.stop(stopNext);
      else done();
    };
    stopNext();
  }

  /** Passes an instant that closed while the bot was down. Only indicators see its bars. */
  #catchUp(untilMs: number, bars: readonly BarFact[], append: () => void): void {
    const { engine, journal, log } = this.deps;
    if (bars.length > 0) log.info(`bars that closed while the bot was down: ${bars.length}, for the indicators alone, without a decision`);
    this.driver.catchUp(untilMs, (nowMs) =>
      beginMissedInstant(engine, nowMs, () => {
        append();
        const rows = engine.feeds.map((feed) => feed.bars.length);
        journal.instant({ atMs: untilMs, decided: false, rows, bars: bars.map((bar) => [...bar]) });
      }),
    );
  }

  /** Lets strategies decide on the bars of an instant. */
  #deliver(atMs: number, bars: readonly BarFact[], append: () => void): void {
    const { engine, journal } = this.deps;
    this.driver.instant(atMs, () =>
      beginInstant(engine, atMs, () => {
        append();
        journal.instant({ atMs, decided: true, rows: engine.feeds.map((feed) => feed.bars.length), bars: bars.map((bar) => [...bar]) });
      }),
    );
    if (!engine.isPartial) this.#endInstant(atMs);
  }

  /** Ends an instant at which all strategies have decided. */
  #endInstant(atMs: number): void {
    this.driver.step(() => this.#keptStates.journalChanges(atMs));
    this.#funding.warnReaders();
    this.deps.afterSend.add(() => this.equity.addPoint(atMs));
    this.deps.afterSend.add(() => this.plots.note());
    if (this.deps.engine.risk.watchesEquity) this.driver.step(() => this.#applyLossRules());
  }

  /** Applies loss rules, and journals the values from which they measure, so that these outlive the process. */
  #applyLossRules(): void {
    const { engine, journal } = this.deps;
    engine.recorder.show(engine.risk);
    for (const [code, memory] of engine.risk.snapshot()) {
      const cursor = memoryCursor(code, memory);
      if (this.#journalledMemory.get(code) === cursor.value) continue;
      this.#journalledMemory.set(code, cursor.value);
      journal.cursor(cursor);
    }
  }

  /** Audits all markets, and calls `done` with the merged result. */
  #audit(kind: AuditKind, done: (result: AuditResult) => void): void {
    const results: AuditResult[] = [];
    const services = this.deps.services.all();
    for (const service of services) {
      service.audit(kind, (result) => {
        results.push(result);
        if (results.length === services.length) done(mergeAudits(results));
      });
    }
  }

  /** Notes the result of an audit, and logs it if it differs from the last one. */
  #handleAudit(kind: AuditKind, { kind: result, differences, isComplete }: AuditResult, nowMs: number): void {
    const { log } = this.deps;
    if (isComplete) this.#completeAuditMs = nowMs;
    const message = differences.map(({ what }) => what).join('; ');
    const state = this.auditState;
    if (result !== state.result || message !== state.message) {
      if (result === 'ok') log.info(`audit (${kind}): orders, trades and balances agree`);
      else log.warn(`audit (${kind}): ${result}: ${message}`);
    }
    state.result = result;
    state.message = message;
    if (result !== 'ok') return;
    state.fastMs = nowMs;
    if (kind === 'full') state.fullMs = nowMs;
  }

  #onStrategyFailure(strategyIndex: number, error: Error): void {
    const { engine, log } = this.deps;
    const run = engine.runs[strategyIndex]!;
    run.fail();
    engine.risk.halts.raise({ kind: 'strategy', strategy: strategyIndex }, 'HALT_NEW', 'STRATEGY', error.message, engine.nowMs);
    log.logDecision(run.name, `stopped: ${error.message}`, 'STRATEGY', 'error');
  }

  /** Stops the bot, which sends no more orders, and calls `broken` with the reason. */
  giveUp(reason: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.deps.log.error(`the bot stops: ${reason}`);
    this.deps.broken(reason);
  }

  /** Called when records up to `seq` are durable. Resolves the promises that wait for them. */
  onJournalDurable(seq: number): void {
    this.#durableWaits.onDurable(seq);
  }
  /** Resolves when record `seq` is durable. Rejects if it never will be. */
  waitUntilDurable(seq: number): Promise<void> {
    return this.#durableWaits.wait(seq);
  }
  /** Called when the journal cannot be written any more. Rejects all waiting promises and stops the bot. */
  onJournalFailure(reason: string): void {
    const { engine } = this.deps;
    this.#durableWaits.onFailure(reason);
    engine.risk.halts.raise(ACCOUNT, 'CANCEL_ONLY', 'JOURNAL', reason, engine.nowMs);
    this.giveUp(`the journal cannot be written: ${reason}`);
  }

  /** Notes a fill before the record of its order returns to the pool. */
  #recordFill(id: OrderId, fill: Fill): void {
    const { engine, services, log, clientOrderIdOf } = this.deps;
    const order = engine.orders.get(id);
    if (!order) return;
    const strategy = engine.runs[order.strategy]!.name;
    const tradeId = services.serviceOf(order.instrument.market).tradeText(fill.tradeId);
    const view = fillView(order, fill, { tradeId, cid: clientOrderIdOf(id), strategy });
    this.fills.push(view);
    if (this.fills.length > MAX_FILLS) this.fills.shift();
    this.fillCount++;
    this.fillsBy[order.strategy] = (this.fillsBy[order.strategy] ?? 0) + 1;
    this.booked.add(view.instrument, view.tradeId);
    log.logDecision(strategy, fillText(view, order.instrument));
  }
}
