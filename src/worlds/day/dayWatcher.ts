// Compares the bot with the books of the exchange after every event of a day, and reports broken rules. docs/sim.md lists the rules.

import type { TradedMarket } from '../../paperExchange/market/tradedMarket.ts';
import type { UserOrder } from '../../paperExchange/orders/userOrder.ts';
import type { OrderId } from '../../model/order.ts';
import { clientOrderIdOf, orderIdIn, runPrefixOf } from '../../protocol/clientOrderId.ts';
import type { BotComputer } from '../computer/botComputer.ts';
import { fillTextOf, type DayExchange } from './dayExchange.ts';
import type { ReportedFills } from './reportedFills.ts';

/** The rules that a day must keep. docs/sim.md explains them. */
export type DayRule = 'ONCE' | 'JOURNAL' | 'KNOWN' | 'TOLD' | 'BOOKS' | 'LIMITS' | 'RESTART' | 'RUNS' | 'REST' | 'STOP';

/** A broken rule. */
export interface DayViolation {
  readonly rule: DayRule;
  /** Time in the day, ms UTC. */
  readonly timeMs: number;
  readonly text: string;
}

/** Time after which the bot must know an order at the exchange, ms. It allows for audits, lags of reads and an outage. */
const MAX_UNKNOWN_MS = 1_200_000;
/** Longest time without a stop for a strategy that counts as protecting its positions, ms. */
const MAX_STOP_DELAY_MS = 60_000;

/** The state of the day that the watcher checks. */
export interface DayMoment {
  readonly exchange: DayExchange;
  /** The process of the bot. Null while none runs. */
  readonly process: BotComputer | null;
  /** The fills that this process has reported to its strategies. */
  readonly reported: ReportedFills;
  readonly nowMs: number;
}

/** Codes of halts that must not remain after an hour without faults, in which the operator has acted. */
const FAULT_CODES: ReadonlySet<string> = new Set([
  'STARTING', 'UNKNOWN_OUTCOME', 'NEEDS_PERSON', 'UNKNOWN_BUDGET', 'ALIEN', 'NO_JOURNAL', 'DUPLICATE', 'STRAY', 'GAP', 'MISMATCH',
  'ECHO', 'FINE_FILL', 'POST_TRADE', 'KEY', 'LOCKED', 'BANNED', 'SETTINGS', 'STATUS', 'FEE_COIN', 'CLOCK', 'STALE_ACCOUNT', 'JOURNAL',
]); // prettier-ignore

/** Maximum dust as a share of the largest position of the day. */
const DUST_SHARE = 0.005;

/** Checks the rules of one day. */
export class DayWatcher {
  /** The broken rules, oldest first. */
  readonly violations: DayViolation[] = [];
  /** Orders whose outcome the bot did not know for a time. */
  readonly unknownOrders = new Set<number>();
  /** True once a position has had a stop. */
  hasHadStop = false;
  /** Longest time in which stops did not fully protect a position, ms. */
  maxUnprotectedMs = 0;
  /** Total time in which stops did not fully protect a position, ms. */
  unprotectedMs = 0;
  readonly #violationKeys = new Set<string>();
  /** The orders at the exchange, by client order id. */
  readonly #ordersByClientId = new Map<string, UserOrder>();
  /** Time since which a position is not fully protected, ms UTC, by market. */
  readonly #unprotectedSinceMs = new Map<TradedMarket, number>();
  /** Largest position of the day in lots, by market. */
  readonly #maxLots = new Map<TradedMarket, number>();
  /** Largest number of fills that a process of the day has reported to its strategies, by order. */
  readonly #maxReported = new Map<number, number>();
  /** True when a strategy keeps state in the journal. */
  #keepsState = false;
  /** Number of orders of the exchange that were read. */
  #readCount = 0;
  /** The reported fills at the last comparison. */
  #comparedFills: ReportedFills | null = null;
  /** Number of the reported fills at the last comparison. */
  #comparedCount = 0;

  /** Adds a violation, unless a similar one exists. */
  report(rule: DayRule, text: string, timeMs: number): void {
    // Each later check finds the same broken rule again. Numbers in the text can differ.
    const key = `${rule} ${text.replaceAll(/\d+/g, '#')}`;
    if (this.#violationKeys.has(key)) return;
    this.#violationKeys.add(key);
    this.violations.push({ rule, timeMs, text });
  }

  /** Checks the rules that must hold at every time. */
  check(moment: DayMoment): void {
    const { exchange, process, nowMs } = moment;
    this.#readOrders(exchange, nowMs);
    const opened = process?.opened;
    this.#watchStops(moment);
    if (!opened) return;
    const { bot } = opened;
    const { engine } = bot.deps;
    const prefix = runPrefixOf(bot.deps.clientOrderIdOf);
    for (const order of exchange.unendedOrders()) {
      const id = orderIdIn(prefix, order.clientOrderId ?? '');
      const isKnown = id !== null && (engine.orders.get(id) ?? engine.orders.provenAbsent.get(id)) !== undefined;
      if (!isKnown && nowMs - order.placedMs > MAX_UNKNOWN_MS && !engine.risk.halts.hasAny)
        this.report('KNOWN', `${order.id} (${order.clientOrderId}) stands at the exchange, and the bot does not know it`, nowMs);
    }
    for (const { id, lifecycle } of engine.orders.active()) if (lifecycle === 'unknown') this.unknownOrders.add(id);
    this.#compareReported(moment, prefix);
  }

  /** Checks that the durable journal has the order of a create that leaves. `body`: the text of the request. */
  checkCreate(body: string, durableJournal: () => Buffer, nowMs: number): void {
    const clientOrderId = /"(?:newClientOrderId|clientOrderId)":"([^"]+)"/i.exec(body)?.[1];
    if (clientOrderId === undefined || !durableJournal().includes(clientOrderId))
      this.report('JOURNAL', `an order leaves that the journal on the disk does not have: ${clientOrderId ?? body}`, nowMs);
  }

  /** Reads the new orders of the exchange, and checks that each was placed once. */
  #readOrders({ orders }: DayExchange, nowMs: number): void {
    for (; this.#readCount < orders.length; this.#readCount++) {
      const order = orders[this.#readCount]!;
      const { clientOrderId, intent } = order;
      // The exchange makes liquidations itself.
      if (clientOrderId === null || intent.role === 'liquidation') continue;
      const earlier = this.#ordersByClientId.get(clientOrderId);
      if (earlier === undefined) this.#ordersByClientId.set(clientOrderId, order);
      else this.report('ONCE', `${clientOrderId} was placed twice: ${earlier.id} and ${order.id}`, nowMs);
    }
  }

  /** Checks that the fills that strategies know are those of the exchange. */
  #compareReported({ exchange, process, reported, nowMs }: DayMoment, prefix: string): void {
    if (reported === this.#comparedFills && reported.count === this.#comparedCount) return;
    this.#comparedFills = reported;
    this.#comparedCount = reported.count;
    this.#keepsState = process!.opened!.bot.deps.engine.runs.some(({ kept }) => kept !== null);
    for (const [order, texts] of reported.entries()) {
      const venueFills = this.#fillsOf(exchange, prefix, order);
      const isWrong = texts.some((text, index) => text !== venueFills[index]) && !this.#isReportedBefore(order, texts, venueFills);
      this.#maxReported.set(order, Math.max(this.#maxReported.get(order) ?? 0, texts.length));
      if (isWrong) this.#reportFills(order, texts, venueFills, nowMs);
    }
  }
  /** Adds a violation about fills of an order that differ. */
  #reportFills(orderId: number, texts: readonly string[], venueFills: readonly string[], nowMs: number): void {
    const text = `order ${orderId}: the strategy was notified of [${texts.join(', ')}], the exchange has [${venueFills.join(', ')}]`;
    this.report('TOLD', text, nowMs);
  }
  /**
   * True when the missing fills were reported to an earlier process. A strategy with kept state knows them from this state, so the bot does not
   * report them again.
   */
  #isReportedBefore(orderId: number, texts: readonly string[], venueFills: readonly string[]): boolean {
    const missing = venueFills.length - texts.length;
    const wereReported = missing >= 0 && missing <= (this.#maxReported.get(orderId) ?? 0);
    return wereReported && this.#keepsState && texts.every((text, index) => text === venueFills[missing + index]);
  }
  /** Returns the fills of an order by the books of the exchange. */
  #fillsOf({ tradesByOrderId: tradesOf }: DayExchange, prefix: string, orderId: number): readonly string[] {
    const venueOrder = this.#ordersByClientId.get(clientOrderIdOf(prefix, orderId as OrderId));
    if (venueOrder === undefined) return [];
    return (tradesOf.get(venueOrder.id) ?? []).map(fillTextOf);
  }

  // --- Stops

  /** Measures the times in which stops do not fully protect a position. */
  #watchStops(moment: DayMoment): void {
    const { exchange, nowMs } = moment;
    for (const market of exchange.service.markets) {
      const { heldLots, protectedLots } = stopsOf(moment, market);
      this.#maxLots.set(market, Math.max(heldLots, this.#maxLots.get(market) ?? 0));
      if (heldLots > 0 && protectedLots > 0) this.hasHadStop = true;
      const sinceMs = this.#unprotectedSinceMs.get(market);
      if (heldLots - protectedLots >= this.#dustLots(market)) {
        if (sinceMs === undefined) this.#unprotectedSinceMs.set(market, nowMs);
        else this.maxUnprotectedMs = Math.max(this.maxUnprotectedMs, nowMs - sinceMs);
      } else if (sinceMs !== undefined) {
        this.#unprotectedSinceMs.delete(market);
        this.unprotectedMs += nowMs - sinceMs;
        this.maxUnprotectedMs = Math.max(this.maxUnprotectedMs, nowMs - sinceMs);
      }
    }
  }

  /** Returns the lots below which an unprotected remainder is dust. Fees in the coin and the lot size cause such remainders. */
  #dustLots(market: TradedMarket): number {
    return Math.max(market.instrument.minLots, (this.#maxLots.get(market) ?? 0) * DUST_SHARE);
  }

  /** True when each position of this day got a stop at once. */
  get protects(): boolean {
    return this.hasHadStop && this.maxUnprotectedMs <= MAX_STOP_DELAY_MS;
  }

  // --- The end of the day

  /** True when the bot trades and the state of every order is settled. */
  isAtRest({ process, exchange }: DayMoment): boolean {
    const opened = process?.opened;
    if (!opened || !opened.bot.isTrading) return false;
    const { engine } = opened.bot.deps;
    const isSettledAtBot = engine.orders.active().every(({ lifecycle }) => lifecycle === 'working' || lifecycle === 'draft');
    const isSettledAtVenue = exchange
      .unendedOrders()
      .every(({ isAdmitted, venueOrder }) => isAdmitted && venueOrder?.status !== 'PENDING_CANCEL');
    return isSettledAtBot && isSettledAtVenue;
  }

  /** Checks the end of the day. With `mustProtect`, each position must have a stop. */
  checkEnd(moment: DayMoment, { mustProtect }: { readonly mustProtect: boolean }): void {
    const { exchange, process, nowMs, reported } = moment;
    this.check(moment);
    for (const sinceMs of this.#unprotectedSinceMs.values()) this.unprotectedMs += nowMs - sinceMs;
    const opened = process?.opened;
    if (!opened) return this.report('REST', 'the bot does not run in the end', nowMs);
    const { bot } = opened;
    const { engine } = bot.deps;
    const prefix = runPrefixOf(bot.deps.clientOrderIdOf);
    if (!bot.isTrading) this.report('REST', 'the bot does not trade in the end', nowMs);
    const unknownCount = engine.orders.active().filter(({ lifecycle }) => lifecycle === 'unknown').length;
    const faultHalts = engine.risk.halts.causes().filter(({ code }) => FAULT_CODES.has(code));
    const haltTexts = faultHalts.map(({ code, why }) => `${code}: ${why}`);
    if (haltTexts.length > 0) this.report('REST', `halts stand: ${haltTexts.join('; ')}`, nowMs);
    if (unknownCount > 0) this.report('REST', `the outcome of ${unknownCount} orders is still unknown`, nowMs);
    const activeIds = new Set(engine.orders.active().map(({ venueId }) => String(venueId)));
    for (const { id } of exchange.unendedOrders())
      if (!activeIds.has(id)) this.report('BOOKS', `${id} is open at the exchange and not in the bot`, nowMs);
    this.#compareHoldings(moment);
    for (const [clientOrderId, { id }] of this.#ordersByClientId) {
      const order = orderIdIn(prefix, clientOrderId);
      const venueFills = (exchange.tradesByOrderId.get(id) ?? []).map(fillTextOf);
      if (order === null || venueFills.length === 0) continue;
      const texts = reported.of(order);
      if (texts.length !== venueFills.length && !this.#isReportedBefore(order, texts, venueFills))
        this.#reportFills(order, texts, venueFills, nowMs);
    }
    if (mustProtect) this.#requireStops(moment);
  }

  /** Checks that the ledger of the bot and the books of the exchange have the same positions. */
  #compareHoldings({ exchange, process, nowMs }: DayMoment): void {
    const { engine } = process!.opened!.bot.deps;
    for (const [index, instrument] of engine.instruments.entries()) {
      const market = exchange.service.markets.find(({ instrument: { id } }) => id === instrument.id)!;
      const digits = instrument.market === 'spot' ? engine.ledger.qtyDigits(index) - instrument.quantityDigits : 0;
      const units = engine.runs.reduce((sum, run) => sum + engine.ledger.qty(run.index, index), 0);
      const botLots = units / 10 ** digits;
      const venueLots = exchange.heldLots(market);
      if (botLots !== venueLots)
        this.report('BOOKS', `${instrument.wireName}: the bot holds ${botLots} lots, the exchange says ${venueLots}`, nowMs);
    }
  }

  /** Checks that stops protect each position. */
  #requireStops(moment: DayMoment): void {
    for (const market of moment.exchange.service.markets) {
      const { heldLots, protectedLots } = stopsOf(moment, market);
      if (heldLots - protectedLots < this.#dustLots(market)) continue;
      this.report('STOP', `${market.instrument.wireName}: ${heldLots} lots are held, and stops stand for ${protectedLots}`, moment.nowMs);
    }
  }
}

/** Returns the lots of a position, and the lots that stops at the exchange or in the bot protect (docs/live.md). */
function stopsOf({ exchange, process }: DayMoment, market: TradedMarket): { readonly heldLots: number; readonly protectedLots: number } {
  const lots = exchange.heldLots(market);
  if (lots === 0) return { heldLots: 0, protectedLots: 0 };
  const engine = process?.opened?.bot.deps.engine;
  const index = engine?.instruments.findIndex(({ id }) => id === market.instrument.id) ?? -1;
  const brackets = index < 0 ? [] : engine!.brackets.list(index);
  const botLots = brackets.reduce((sum, bracket) => sum + (bracket.isLong === lots > 0 ? bracket.lots : 0), 0);
  return { heldLots: Math.abs(lots), protectedLots: botLots + exchange.protectedLots(market, lots > 0) };
}
