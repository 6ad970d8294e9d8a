// Compares the bot with the exchange's own books after every event of a day, and reports broken rules. docs/sim.md lists the rules.

import type { TradedMarket } from '../../paperExchange/market/tradedMarket.ts';
import type { UserOrder } from '../../paperExchange/orders/userOrder.ts';
import type { OrderId } from '../../model/order.ts';
import { clientOrderIdOf, orderIdIn } from '../../protocol/clientOrderId.ts';
import type { BotComputer } from '../computer/botComputer.ts';
import { fillTextOf, type DayExchange } from './dayExchange.ts';
import type { ReportedFills } from './reportedFills.ts';

export type DayRule = 'ONCE' | 'JOURNAL' | 'KNOWN' | 'TOLD' | 'BOOKS' | 'LIMITS' | 'RESTART' | 'RUNS' | 'REST' | 'STOP';

export interface DayViolation {
  readonly rule: DayRule;
  /** ms UTC of the day. */
  readonly timeMs: number;
  readonly text: string;
}

/** Time within which the bot must know each of its orders. It covers audits, lags of reads, and an outage. */
const KNOWN_MS = 1_200_000;
/** Time in which a strategy that protects its positions must place a stop. */
const PROMPT_MS = 60_000;
/** Characters of a client order id that all orders of a bot share. */
const PREFIX = 16;

/** The state of the day that the watcher checks. */
export interface DayMoment {
  readonly exchange: DayExchange;
  readonly process: BotComputer | null;
  readonly reported: ReportedFills;
  readonly nowMs: number;
}

export class DayWatcher {
  readonly violations: DayViolation[] = [];
  /** Orders whose outcome the bot did not know for a while. */
  readonly unknown = new Set<number>();
  /** True when a position had a stop at some time. */
  hasStopped = false;
  /** Longest time that a position was not completely protected by stops, ms. `nakedMs`: the total of these times. */
  maxUnprotectedMs = 0;
  nakedMs = 0;
  readonly #violationKeys = new Set<string>();
  readonly #byCid = new Map<string, UserOrder>();
  readonly #nakedSince = new Map<TradedMarket, number>();
  /** Largest position of the day, lots. */
  readonly #largest = new Map<TradedMarket, number>();
  /** The largest number of fills of each order that a process of the day has reported to its strategy. */
  readonly #reportedOf = new Map<number, number>();
  #keepsState = false;
  #seenOrders = 0;
  #reported: ReportedFills | null = null;
  #reportedCount = 0;

  report(rule: DayRule, text: string, timeMs: number): void {
    // A broken rule is found again at each later event, so each one is reported once.
    const key = `${rule} ${text.replaceAll(/\d+/g, '#')}`;
    if (this.#violationKeys.has(key)) return;
    this.#violationKeys.add(key);
    this.violations.push({ rule, timeMs, text });
  }

  look(moment: DayMoment): void {
    const { exchange, process, nowMs } = moment;
    this.#readOrders(exchange, nowMs);
    const opened = process?.opened;
    this.#watchStops(moment);
    if (!opened) return;
    const { engine, cidOf } = opened.bot.deps;
    const prefix = cidOf(1 as OrderId).slice(0, PREFIX);
    for (const order of exchange.live()) {
      const own = orderIdIn(prefix, order.clientOrderId ?? '');
      const isKnown = own !== null && (engine.orders.get(own) ?? engine.orders.provenAbsent.get(own)) !== undefined;
      if (!isKnown && nowMs - order.placedMs > KNOWN_MS && !engine.risk.halts.hasAny)
        this.report('KNOWN', `${order.id} (${order.clientOrderId}) stands at the exchange, and the bot does not know it`, nowMs);
    }
    for (const { id, lifecycle } of engine.orders.active()) if (lifecycle === 'unknown') this.unknown.add(id);
    this.#compareReported(moment, prefix);
  }

  /** Checks a create that leaves. `journal`: returns the bytes of the journal that survive a loss of power. */
  left(body: string, journal: () => Buffer, nowMs: number): void {
    const cid = /"(?:newClientOrderId|clientOrderId)":"([^"]+)"/i.exec(body)?.[1];
    if (cid === undefined || !journal().includes(cid))
      this.report('JOURNAL', `an order leaves that the journal on the disk does not have: ${cid ?? body}`, nowMs);
  }

  #readOrders({ orders }: DayExchange, nowMs: number): void {
    for (; this.#seenOrders < orders.length; this.#seenOrders++) {
      const order = orders[this.#seenOrders]!;
      const { clientOrderId: cid, intent } = order;
      // Liquidations have no client order id.
      if (cid === null || intent.role === 'liquidation') continue;
      if (this.#byCid.has(cid)) this.report('ONCE', `${cid} was placed twice: ${this.#byCid.get(cid)!.id} and ${order.id}`, nowMs);
      else this.#byCid.set(cid, order);
    }
  }

  #compareReported({ exchange, process, reported, nowMs }: DayMoment, prefix: string): void {
    if (reported === this.#reported && reported.count === this.#reportedCount) return;
    [this.#reported, this.#reportedCount] = [reported, reported.count];
    this.#keepsState = process!.opened!.bot.deps.engine.runs.some(({ kept }) => kept !== null);
    for (const [order, texts] of reported.entries()) {
      const happened = this.#fillsOf(exchange, prefix, order);
      const isWrong = texts.some((text, at) => text !== happened[at]) && !this.#isReportedBefore(order, texts, happened);
      this.#reportedOf.set(order, Math.max(this.#reportedOf.get(order) ?? 0, texts.length));
      if (isWrong) this.#reportFills(order, texts, happened, nowMs);
    }
  }
  #reportFills(order: number, texts: readonly string[], happened: readonly string[], nowMs: number): void {
    const text = `order ${order}: the strategy was notified of [${texts.join(', ')}], the exchange has [${happened.join(', ')}]`;
    this.report('TOLD', text, nowMs);
  }
  /** Returns true for a strategy with kept state that gets only fills after this state again. */
  #isReportedBefore(order: number, texts: readonly string[], happened: readonly string[]): boolean {
    const from = happened.length - texts.length;
    return (
      from >= 0 && from <= (this.#reportedOf.get(order) ?? 0) && this.#keepsState && texts.every((text, at) => text === happened[from + at])
    );
  }
  #fillsOf({ tradesOf }: DayExchange, prefix: string, order: number): readonly string[] {
    const found = this.#byCid.get(clientOrderIdOf(prefix, order as OrderId));
    return (found === undefined ? [] : (tradesOf.get(found.id) ?? [])).map(fillTextOf);
  }

  // --- Stops

  #watchStops(moment: DayMoment): void {
    const { exchange, nowMs } = moment;
    for (const market of exchange.service.markets) {
      const { held, guarded } = stopsOf(moment, market);
      this.#largest.set(market, Math.max(held, this.#largest.get(market) ?? 0));
      if (held > 0 && guarded > 0) this.hasStopped = true;
      const since = this.#nakedSince.get(market);
      if (held - guarded >= this.#dustLots(market)) {
        if (since === undefined) this.#nakedSince.set(market, nowMs);
        else this.maxUnprotectedMs = Math.max(this.maxUnprotectedMs, nowMs - since);
      } else if (since !== undefined) {
        this.#nakedSince.delete(market);
        this.nakedMs += nowMs - since;
        this.maxUnprotectedMs = Math.max(this.maxUnprotectedMs, nowMs - since);
      }
    }
  }

  /** Returns the lots below which an unprotected rest is dust, as fees in the coin and the lot size leave it. */
  #dustLots(market: TradedMarket): number {
    return Math.max(market.instrument.minLots, (this.#largest.get(market) ?? 0) * DUST);
  }

  /** True when each position of this day got a stop at once. */
  get protects(): boolean {
    return this.hasStopped && this.maxUnprotectedMs <= PROMPT_MS;
  }

  // --- The end of the day

  /** Returns true when the bot trades and no order is in progress. */
  isAtRest({ process, exchange }: DayMoment): boolean {
    const opened = process?.opened;
    if (!opened || !opened.bot.isTrading) return false;
    const { engine } = opened.bot.deps;
    const active = engine.orders.active().filter(({ lifecycle }) => lifecycle !== 'working' && lifecycle !== 'draft');
    return active.length === 0 && exchange.live().every(({ isAdmitted, live }) => isAdmitted && live?.status !== 'PENDING_CANCEL');
  }

  /** Checks the end of the day. `mustProtect`: true when each position had a stop at once on the same day without faults. */
  final(moment: DayMoment, mustProtect: boolean): void {
    const { exchange, process, nowMs, reported } = moment;
    this.look(moment);
    for (const since of this.#nakedSince.values()) this.nakedMs += nowMs - since;
    const opened = process?.opened;
    if (!opened) return this.report('REST', 'the bot does not run in the end', nowMs);
    const { bot } = opened;
    const { engine, cidOf } = bot.deps;
    const prefix = cidOf(1 as OrderId).slice(0, PREFIX);
    if (!bot.isTrading) this.report('REST', 'the bot does not trade in the end', nowMs);
    const unknown = engine.orders.active().filter(({ lifecycle }) => lifecycle === 'unknown');
    const halts = engine.risk.halts.causes().filter(({ code }) => OF_FAULTS.has(code));
    if (halts.length > 0) this.report('REST', `halts stand: ${halts.map(({ code, why }) => `${code}: ${why}`).join('; ')}`, nowMs);
    if (unknown.length > 0) this.report('REST', `the outcome of ${unknown.length} orders is still unknown`, nowMs);
    const open = new Set(engine.orders.active().map(({ venueId }) => String(venueId)));
    for (const { id } of exchange.live())
      if (!open.has(id)) this.report('BOOKS', `${id} is open at the exchange and not in the bot`, nowMs);
    this.#compareHoldings(moment);
    for (const [cid, { id }] of this.#byCid) {
      const order = orderIdIn(prefix, cid);
      const happened = (exchange.tradesOf.get(id) ?? []).map(fillTextOf);
      if (order === null || happened.length === 0) continue;
      const texts = reported.of(order);
      if (texts.length !== happened.length && !this.#isReportedBefore(order, texts, happened))
        this.#reportFills(order, texts, happened, nowMs);
    }
    if (mustProtect) this.#requireStops(moment);
  }

  #compareHoldings({ exchange, process, nowMs }: DayMoment): void {
    const { engine } = process!.opened!.bot.deps;
    for (const [index, instrument] of engine.instruments.entries()) {
      const market = exchange.service.markets.find(({ instrument: { id } }) => id === instrument.id)!;
      const digits = instrument.market === 'spot' ? engine.ledger.qtyDigits(index) - instrument.quantityDigits : 0;
      const units = engine.runs.reduce((sum, run) => sum + engine.ledger.qty(run.index, index), 0);
      const [own, truth] = [units / 10 ** digits, exchange.heldLots(market)];
      if (own !== truth) this.report('BOOKS', `${instrument.wireName}: the bot holds ${own} lots, the exchange says ${truth}`, nowMs);
    }
  }

  #requireStops(moment: DayMoment): void {
    for (const market of moment.exchange.service.markets) {
      const { held, guarded } = stopsOf(moment, market);
      if (held - guarded < this.#dustLots(market)) continue;
      this.report('STOP', `${market.instrument.wireName}: ${held} lots are held, and stops stand for ${guarded}`, moment.nowMs);
    }
  }
}

/** Codes of halts that must have ended after an hour without faults and the acts of the operator. */
const OF_FAULTS: ReadonlySet<string> = new Set([
  'STARTING', 'UNKNOWN_OUTCOME', 'NEEDS_PERSON', 'UNKNOWN_BUDGET', 'ALIEN', 'NO_JOURNAL', 'DUPLICATE', 'STRAY', 'GAP', 'MISMATCH',
  'ECHO', 'FINE_FILL', 'POST_TRADE', 'KEY', 'LOCKED', 'BANNED', 'SETTINGS', 'STATUS', 'FEE_COIN', 'CLOCK', 'STALE_ACCOUNT', 'JOURNAL',
]); // prettier-ignore

/** Maximum dust as a share of the largest position of the day. */
const DUST = 0.005;

/** Returns the lots of a position, and those that stops protect, at the exchange or in the running bot (docs/live.md). */
function stopsOf({ exchange, process }: DayMoment, market: TradedMarket): { readonly held: number; readonly guarded: number } {
  const lots = exchange.heldLots(market);
  if (lots === 0) return { held: 0, guarded: 0 };
  const engine = process?.opened?.bot.deps.engine;
  const index = engine?.instruments.findIndex(({ id }) => id === market.instrument.id) ?? -1;
  const brackets = index < 0 ? [] : engine!.brackets.list(index);
  const own = brackets.reduce((sum, bracket) => sum + (bracket.isLong === lots > 0 ? bracket.lots : 0), 0);
  return { held: Math.abs(lots), guarded: own + exchange.guardedLots(market, lots > 0) };
}
