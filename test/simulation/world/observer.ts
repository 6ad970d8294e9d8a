// Checks the bot against the exchange after every event. The rules come from docs/order-safety.md alone, not from the code under test.

import { Decimal } from 'decimal.js';
import type { OwnTrade, UserOrder } from '../../../src/paperExchange/orders/userOrder.ts';
import type { OrderId } from '../../../src/model/order.ts';
import { clientOrderIdOf, orderIdIn } from '../../../src/protocol/clientOrderId.ts';
import type { BotProcess } from './botProcess.ts';
import { CreateRules } from './themes/createRules.ts';
import { CASH, SYMBOLS, type SimulatedVenue, type TrueOrder } from './venue.ts';
import { UNITS_PER_COIN } from './venueTerms.ts';
import { fillText, type Trader } from './trader.ts';

/** The engine of an open bot. */
export type ObservedEngine = NonNullable<BotProcess['opened']>['bot']['deps']['engine'];

/** Time within which the bot must know of an order, ms (S4). It covers an audit, the read lag and the visibility delay. */
const MAX_UNKNOWN_MS = 1_200_000;
/** Allowed requests for each order, beside a fixed number for the audits of a day (L2). */
const REQUESTS_PER_ORDER = 60;
/** Done reasons by which the bot says that the venue never had the order. */
const DENIALS: ReadonlySet<string | null> = new Set(['refused', 'noEffect', 'notSent']);

/** The state of the world that the rules are checked against. */
export interface WorldFacts {
  readonly venue: SimulatedVenue;
  readonly process: BotProcess | null;
  readonly nowMs: number;
  /** The operator's halt that is in force; null without one. */
  readonly operatorHalt: 'HALT_NEW' | 'CANCEL_ONLY' | null;
  /** Largest position of one symbol, lots: `maxPositionQty` of the config. */
  readonly maxLots: number;
}

/** Facts that are checked only at the end of the day. */
export interface EndFacts {
  /** Number of requests that the bot has sent. */
  readonly requests: number;
  /** Secret of the bot's key. No file may contain it. */
  readonly secret: string;
  readonly journalFiles: readonly Uint8Array[];
}

/** Rules that differ between coins and contracts. */
export interface MarketRules {
  /** Checks what must hold after every event. */
  readonly checkAfterEvent: (facts: WorldFacts, live: readonly UserOrder[], report: ReportViolation) => void;
  /** Checks positions and money at the end of the day. */
  readonly checkEnd: (engine: ObservedEngine, facts: WorldFacts, report: ReportViolation) => void;
  /** Notes a create request as it leaves. */
  readonly noteCreate: (body: string) => void;
  /** Venue trades of orders without a client order id that belong to the bot, by its order id. */
  readonly tradesOf: (engine: ObservedEngine, order: number) => readonly OwnTrade[];
}
/** Reports a violation: the code of the rule, and what happened. */
export type ReportViolation = (rule: string, text: string) => void;

/** Returns the client order id in the body of a create request. */
export const clientOrderIdIn = (body: string): string | undefined => /"(?:newClientOrderId|clientOrderId)":"([^"]+)"/i.exec(body)?.[1];

/** Checks one bot over a whole day, and collects the violations. */
export class Observer {
  readonly violations: string[];
  readonly #contracts: MarketRules | null;
  /** Beginning of the text of each violation: the name of a second bot. */
  readonly #prefix: string;
  /** Violations without their numbers, each as rule and text. */
  readonly #reported = new Set<string>();
  readonly #createRules = new CreateRules();
  /** Lots of each coin that were held and ordered at the last check. */
  readonly #boughtLots = new Map<string, number>();
  /** Number of reported fills that were already checked, by order. */
  readonly #checkedCounts = new Map<number, number>();
  /** The strategy at the last check of reported fills. */
  #trader: Trader | null = null;
  /** Number of its reported fills then. */
  #notifiedCount = 0;
  /** Client order ids of all creates that have left. */
  readonly #sentIds = new Set<string>();
  /** Those of them that left before the strategies began afresh for the last time. */
  #earlierIds: ReadonlySet<string> = new Set();
  /** Number of the venue's orders that the rule SAID has got to check. */
  #placedCount = 0;
  /** Orders that the rule SAID has not checked yet. */
  readonly #unchecked = new Set<TrueOrder>();
  /** Numbers of the orders whose outcome was unknown at some time. */
  unknown = new Set<number>();
  /** Number of orders that the bot sent twice under one client order id. Copies made by the network do not count. */
  duplicates = 0;
  /** Number of orders that are open or filled without the bot's knowledge at the end of the day. */
  forgotten = 0;
  /** Client order ids of second copies that the bot has reported to its operator. */
  readonly #namedCopies = new Set<string>();
  /** Ids of orders that the bot has reported to its operator as foreign ones. */
  readonly #namedForeignIds = new Set<string>();

  /** `contracts`: the rules of a day of contracts. `second`: the name of the observed bot, and the list of the violations of the first one. */
  constructor(contracts: MarketRules | null = null, second: { readonly violations: string[]; readonly name: string } | null = null) {
    this.#contracts = contracts;
    this.violations = second?.violations ?? [];
    this.#prefix = second === null ? '' : `${second.name}: `;
  }

  /** Notes that the strategies begin afresh: they are not notified of what happens to earlier orders. */
  noteLifetime(): void {
    this.#earlierIds = new Set(this.#sentIds);
  }

  /** Collects the second copies that a text for the operator names. A copy of a trigger order may be named as a foreign order. */
  noteCopies(text: string): void {
    for (const [, copy] of text.matchAll(/is a second copy of (\w+)/g)) this.#namedCopies.add(copy!);
    for (const [, id] of text.matchAll(/order (\d+) of \S+ is foreign/g)) this.#namedForeignIds.add(id!);
  }

  /** True if the bot has reported a second copy of this order to its operator. */
  isNamedCopy(clientOrderId: string): boolean {
    return this.#namedCopies.has(clientOrderId);
  }

  /** Collects the second copies that the reasons of halts name. */
  readHalts(process: BotProcess | null): void {
    for (const { why } of process?.opened?.bot.deps.engine.risk.halts.causes() ?? []) this.noteCopies(why);
  }

  /** Adds a violation. Texts that differ only in their numbers are reported once. */
  report(rule: string, text: string, nowMs: number): void {
    const key = `${rule} ${text.replaceAll(/\d+/g, '#')}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.violations.push(`${rule} at ${new Date(nowMs).toISOString()}: ${this.#prefix}${text}`);
  }

  /** Checks all rules that must hold after every event. */
  checkAfterEvent(facts: WorldFacts): void {
    const { venue, process, nowMs } = facts;
    this.#checkPlacements(venue, nowMs);
    const copies = venue.orders.copies();
    const copyIds = new Set(copies.map(({ order }) => order.id));
    const live = venue.openOrders().filter(({ id }) => !copyIds.has(id));
    if (this.#contracts === null) this.#checkPositions(facts, live, copies);
    else this.#contracts.checkAfterEvent(facts, live, (rule, text) => this.report(rule, text, nowMs));
    const opened = process?.opened;
    if (!process || !opened) return;
    const { engine } = opened.bot.deps;
    const prefix = process.idPrefix!;
    this.#checkLiveOrders(engine, prefix, live, venue, nowMs);
    this.#checkDenials(engine, prefix, live, venue, nowMs);
    if (engine.orders.impossibleEvents > 0) this.report('S11', `${engine.orders.impossibleEvents} impossible events`, nowMs);
    for (const { id, lifecycle } of engine.orders.active()) if (lifecycle === 'unknown') this.unknown.add(id);
    this.#createRules.note(process, (rule, text) => this.report(rule, text, nowMs));
    if (process.trader !== null) this.#checkReportedFills(process.trader, engine, prefix, venue, nowMs);
  }

  /** S1: each client order id has one order, and one more for each second copy that the network delivered. */
  #checkPlacements(venue: SimulatedVenue, nowMs: number): void {
    for (const clientOrderId of venue.orders.repeatedClientIds) {
      const count = venue.allowances.mayReuseNumbers
        ? venue.orders.effectsOf(clientOrderId)
        : (venue.orders.countByClientId.get(clientOrderId) ?? 0);
      if (count > 1 + (venue.orders.copyCountByClientId.get(clientOrderId) ?? 0))
        this.report('S1', `${clientOrderId} was placed ${count} times`, nowMs);
    }
  }

  /** S3: holdings are never negative, and holdings with all open buys stay within the largest position. */
  #checkPositions({ venue, nowMs, maxLots }: WorldFacts, live: readonly UserOrder[], copies: readonly TrueOrder[]): void {
    for (const base of SYMBOLS) {
      let lots = venue.heldLots(base, copies);
      if (lots < 0) this.report('S3', `${base}: more was sold than the bot had, by ${-lots} lots`, nowMs);
      for (const { instrument, intent, venueOrder: openPart } of live)
        if (openPart !== null && instrument.wireName === `${base}USDT` && intent.side === 'buy')
          lots += Math.max(0, openPart.lots - openPart.filledLots);
      const grows = lots > (this.#boughtLots.get(base) ?? 0);
      this.#boughtLots.set(base, lots);
      // Holdings that were allowed to exceed the largest position may stay there, as the strategy decides when it sells, but may not grow.
      if (grows && lots > maxLots + unexpectedLots(venue, base, nowMs))
        this.report('S3', `${base}: ${lots} lots are held and bought, ${maxLots} are allowed`, nowMs);
    }
  }

  /** S4: the bot soon knows each live order. ENDED: none has ended for the bot. S2: a decision slot holds at most one live order. */
  #checkLiveOrders(engine: ObservedEngine, prefix: string, live: readonly UserOrder[], venue: SimulatedVenue, nowMs: number): void {
    const ordersInSlot = new Map<string, number>();
    for (const order of live) {
      const { id, clientOrderId, placedMs } = order;
      if (venue.allowances.mayBeUnknown(clientOrderId, nowMs)) continue;
      const botOrder = botOrderOf(engine, orderIdIn(prefix, clientOrderId ?? ''));
      if (botOrder === undefined) {
        if (nowMs - placedMs > MAX_UNKNOWN_MS && !engine.risk.halts.hasAny)
          this.report('S4', `${id} (${clientOrderId}) stands at the exchange, and the bot does not know it`, nowMs);
        continue;
      }
      const hasEnded = botOrder.lifecycle === 'done' && botOrder.confirmed && !DENIALS.has(botOrder.reason);
      if (hasEnded && !venue.orders.isCopy(order, clientOrderId ?? ''))
        this.report('ENDED', `order ${botOrder.id} has ended ("${botOrder.reason}") and stands at the exchange`, nowMs);
      const slot = `${botOrder.strategy} ${botOrder.instrumentIndex} ${botOrder.slot}`;
      const count = (ordersInSlot.get(slot) ?? 0) + 1;
      ordersInSlot.set(slot, count);
      // A stop that moves and the old one are both open until the old one has ended.
      const maxCount = this.#contracts !== null && botOrder.triggerTicks > 0 ? 2 : 1;
      if (botOrder.slot !== '' && count > maxCount) this.report('S2', `${slot}: ${count} orders are alive at once`, nowMs);
    }
  }

  /** SAID: an order that the bot reports as denied by the venue or absent has no effect at the venue. */
  #checkDenials(engine: ObservedEngine, prefix: string, live: readonly UserOrder[], venue: SimulatedVenue, nowMs: number): void {
    while (this.#placedCount < venue.orders.oldestFirst.length) this.#unchecked.add(venue.orders.oldestFirst[this.#placedCount++]!);
    for (const trueOrder of this.#unchecked) {
      const { order, clientOrderId, trades, placedMs } = trueOrder;
      const id = orderIdIn(prefix, clientOrderId);
      const botOrder = botOrderOf(engine, id);
      const isDenied = botOrder !== undefined && DENIALS.has(botOrder.reason);
      // An unknown order is judged by S4 once it is old enough. An order that ended otherwise needs no further look.
      if (botOrder === undefined ? nowMs - placedMs > MAX_UNKNOWN_MS : botOrder.lifecycle === 'done' && !isDenied)
        this.#unchecked.delete(trueOrder);
      if (!isDenied) continue;
      // The exchange may carry out a second copy although it refused the first one.
      if (venue.orders.copyCountByClientId.has(clientOrderId)) continue;
      // An order that came after it was proved absent, or although it was refused, must soon be known.
      if (venue.allowances.mayBeUnknown(clientOrderId, nowMs)) continue;
      // An order that was canceled without a fill had no effect.
      if (trades.length === 0 && !live.includes(order)) continue;
      this.#unchecked.delete(trueOrder);
      const effect = trades.length > 0 ? 'has filled' : 'stands';
      this.report('SAID', `the bot says of order ${id} "${botOrder.reason}", and it ${effect} at the exchange`, nowMs);
    }
  }

  /** TOLD: the fills reported to the strategy are the venue's trades, in the same order. */
  #checkReportedFills(trader: Trader, engine: ObservedEngine, prefix: string, venue: SimulatedVenue, nowMs: number): void {
    if (trader === this.#trader && trader.notifiedCount === this.#notifiedCount) return;
    [this.#trader, this.#notifiedCount] = [trader, trader.notifiedCount];
    for (const [order, texts] of trader.notified) {
      if (this.#checkedCounts.get(order) === texts.length || this.#isOfEarlierLifetime(clientOrderIdOf(prefix, order as OrderId))) continue;
      this.#checkedCounts.set(order, texts.length);
      const own = tradesOf(venue, prefix, order);
      const expected = reportableTexts(venue, own.length > 0 ? own : (this.#contracts?.tradesOf(engine, order) ?? own));
      for (const [index, text] of texts.entries())
        if (expected[index] !== text)
          this.report('TOLD', `order ${order}: fill ${index + 1} was told as "${text}", it was "${expected[index] ?? 'none'}"`, nowMs);
    }
  }

  #isOfEarlierLifetime(clientOrderId: string): boolean {
    return this.#earlierIds.has(clientOrderId);
  }

  /** Checks a create request as it leaves: it is durable in the journal (S9), and no halt forbids it (S7). */
  checkCreate({ process, nowMs, operatorHalt }: WorldFacts, body: string, isDurable: (text: string) => boolean): void {
    const clientOrderId = clientOrderIdIn(body);
    if (clientOrderId !== undefined) this.#sentIds.add(clientOrderId);
    this.#contracts?.noteCreate(body);
    if (clientOrderId === undefined || !isDurable(clientOrderId))
      this.report('S9', `a create leaves that the journal on the disk does not have: ${body}`, nowMs);
    const engine = process?.opened?.bot.deps.engine;
    if (!process || !engine) return;
    this.#createRules.check(process, clientOrderId ?? '', (rule, text) => {
      // The other rules say what buys of coins may do.
      if (this.#contracts === null || rule === 'SIDE') this.report(rule, text, nowMs);
    });
    const states = engine.risk.halts.causes().filter(({ scope }) => scope.kind === 'account');
    // A buy of coins, or an order that opens contracts.
    const isBuy = this.#contracts === null ? /"side":"BUY"/i.test(body) : /"open":"OPEN"/.test(body);
    // A kill may send slices that sell holdings, or close contracts.
    const isSlice = process.isFlattening && (this.#contracts === null ? /"side":"SELL"/i.test(body) : !isBuy);
    if (!isSlice && states.some(({ state }) => state === 'KILLED')) this.report('S7', `a create leaves after the kill: ${body}`, nowMs);
    if (operatorHalt !== null && !isSlice && (operatorHalt === 'CANCEL_ONLY' || isBuy))
      this.report('S7', `a create leaves though the operator has halted: ${body}`, nowMs);
    if (states.some(({ code }) => code === 'STARTING') && isBuy)
      this.report('S7', `a buy leaves before the audits of the start: ${body}`, nowMs);
  }

  /** Checks what must hold at the end of the day, after an hour without faults. */
  checkEnd(facts: WorldFacts, { requests, secret, journalFiles }: EndFacts): void {
    const { venue, process, nowMs } = facts;
    for (const [clientOrderId, count] of venue.orders.countByClientId)
      this.duplicates += Math.max(0, count - 1 - (venue.orders.copyCountByClientId.get(clientOrderId) ?? 0));
    const opened = process?.opened;
    if (!process || !opened) return this.report('L1', 'the bot does not run in the end', nowMs);
    const { bot } = opened;
    const { engine } = bot.deps;
    if (venue.allowances.hidesSymbol) return this.#checkBlindEnd(engine, nowMs);
    this.#checkRest(engine, bot.isTrading, nowMs);
    this.#checkOpenOrders(engine, venue, nowMs);
    this.#checkHalts(engine, nowMs);
    if (this.#contracts === null) this.#checkCash(engine, venue, nowMs);
    else this.#contracts.checkEnd(engine, facts, (rule, text) => this.report(rule, text, nowMs));
    this.#checkAllFills(process, process.idPrefix!, venue, nowMs);
    const isNamed = (copy: TrueOrder): boolean =>
      this.#namedCopies.has(copy.clientOrderId) || venue.orders.idsOf(copy).some((id) => this.#namedForeignIds.has(id));
    for (const clientOrderId of venue.orders.copyCountByClientId.keys())
      if (venue.orders.copiesOf(clientOrderId).some((copy) => copy.trades.length > 0 && !isNamed(copy)))
        this.report('COPY', `a second copy of ${clientOrderId} filled, and the bot did not say so`, nowMs);
    if (requests > venue.orders.byId.size * REQUESTS_PER_ORDER + 200_000)
      this.report('L2', `${requests} requests for ${venue.orders.byId.size} orders`, nowMs);
    for (const bytes of journalFiles)
      if (Buffer.from(bytes).includes(secret)) this.report('S12', 'the secret stands in what was written', nowMs);
  }

  /** L1: a bot that the exchange refuses lists of a symbol places no orders, and says why. */
  #checkBlindEnd(engine: ObservedEngine, nowMs: number): void {
    const codes = engine.risk.halts.causes().map(({ code }) => code);
    if (!codes.includes('STALE_ACCOUNT') && !codes.includes('STARTING'))
      this.report('L1', 'no halt stands, although the account cannot be audited', nowMs);
  }

  /** L1: no outcome is unknown, and the bot trades. */
  #checkRest(engine: ObservedEngine, isTrading: boolean, nowMs: number): void {
    const unknown = engine.orders.active().filter(({ lifecycle }) => lifecycle === 'unknown');
    if (unknown.length > 0) this.report('L1', `${unknown.length} outcomes are still unknown`, nowMs);
    if (!isTrading) this.report('L1', 'the bot does not trade in the end', nowMs);
  }

  /** S6: the bot's open orders are those of the exchange. */
  #checkOpenOrders(engine: ObservedEngine, venue: SimulatedVenue, nowMs: number): void {
    const open = new Set(engine.orders.active().map(({ venueId }) => String(venueId)));
    const forgotten = venue.openOrders().filter(({ id }) => !open.has(id));
    this.forgotten += forgotten.length;
    for (const { id } of forgotten) this.report('S6', `${id} is open at the exchange and not in the bot`, nowMs);
    if (open.size !== venue.openOrders().length)
      this.report('S6', `${open.size} orders are open in the bot, ${venue.openOrders().length} at the exchange`, nowMs);
  }

  /** L1: no halt is left that should have cleared by itself. */
  #checkHalts(engine: ObservedEngine, nowMs: number): void {
    const causes = engine.risk.halts.causes().filter(({ code }) => !['LATE_LANDING', 'INCIDENT', 'OPERATOR'].includes(code));
    if (causes.length > 0) this.report('L1', `halts stand: ${causes.map(({ code, why }) => `${code}: ${why}`).join('; ')}`, nowMs);
  }

  /** S6: the bot's cash has changed by the same amount as the cash at the exchange. */
  #checkCash(engine: ObservedEngine, venue: SimulatedVenue, nowMs: number): void {
    const cash = engine.ledger.cashTotal - CASH * UNITS_PER_COIN;
    const truth = venue.units('USDT') - CASH * UNITS_PER_COIN - venue.foreignCashUnits;
    if (cash !== truth) this.report('S6', `cash changed by ${cash} in the books, by ${truth} at the exchange`, nowMs);
  }

  /** S5 and TOLD: each filled order bears an id of the bot, and exactly its fills were reported to the strategy. */
  #checkAllFills(process: BotProcess, prefix: string, venue: SimulatedVenue, nowMs: number): void {
    for (const { order, clientOrderId, trades } of venue.orders.byId.values()) {
      if (this.#isOfEarlierLifetime(clientOrderId)) continue;
      if (trades.length === 0 || venue.orders.isCopy(order, clientOrderId)) continue;
      const id = orderIdIn(prefix, clientOrderId);
      if (id === null) {
        this.report('S5', `${order.id} filled and bears no id of the bot`, nowMs);
        continue;
      }
      const notified = process.notifiedOf(id);
      const expected = reportableTexts(venue, trades);
      if (notified.length === expected.length && notified.every((text, index) => text === expected[index])) continue;
      if (venue.orders.ownOf(clientOrderId)?.order === order) this.forgotten++;
      this.report('TOLD', `order ${id}: the strategy was told [${notified.join(', ')}], it was [${expected.join(', ')}]`, nowMs);
    }
  }
}

/** Returns the lots of buys for which the bot has nothing reserved, while it need not know them. */
function unexpectedLots(venue: SimulatedVenue, base: string, nowMs: number): number {
  let lots = 0;
  for (const clientOrderId of venue.allowances.unreservedIds) {
    const placement = venue.orders.firstByClientId.get(clientOrderId);
    const isUnexpected = venue.allowances.mayBeUnknown(clientOrderId, nowMs);
    if (placement === undefined || !isUnexpected || placement.order.instrument.base !== base) continue;
    // A buy by amount has no lots before it fills.
    lots += Math.max(
      placement.order.intent.lots,
      placement.trades.reduce((sum, trade) => sum + trade.lots, 0),
    );
  }
  return lots;
}

/** Returns the texts of the trades that are reported to a strategy: of each, the lots that it can have. */
const reportableTexts = (venue: SimulatedVenue, trades: readonly OwnTrade[]): readonly string[] =>
  trades.flatMap((trade) => {
    const bookableLots = venue.bookableLots(trade);
    return bookableLots > 0 ? [tradeText({ ...trade, lots: bookableLots })] : [];
  });

/** Returns the bot's record of an order, also of one that was proven absent. Undefined when it has none. */
function botOrderOf(engine: ObservedEngine, id: OrderId | null) {
  return id === null ? undefined : (engine.orders.get(id) ?? engine.orders.provenAbsent.get(id));
}

/** Returns the venue's trades of an order of the bot. */
function tradesOf(venue: SimulatedVenue, prefix: string, order: number): readonly OwnTrade[] {
  return venue.orders.ownOf(clientOrderIdOf(prefix, order as OrderId))?.trades ?? [];
}

/** Returns a trade of the venue in the form in which the strategy records its fills. */
function tradeText({ isBuyer, lots, price, fee, feeInBase, instrument }: OwnTrade): string {
  const qty = new Decimal(lots).div(10 ** instrument.quantityDigits).toString();
  const digits = feeInBase ? instrument.baseDigits : instrument.quoteDigits;
  const asset = feeInBase ? instrument.base : instrument.quote;
  return fillText(
    isBuyer ? 'buy' : 'sell',
    qty,
    price / 10 ** instrument.priceDigits,
    new Decimal(fee).div(10 ** digits).toString(),
    asset,
  );
}
