// Looks at the bot and at the exchange after every event, and says what does not hold. Its expectations come from the design of order safety alone.

import { Decimal } from 'decimal.js';
import type { OwnTrade } from '../../../src/paperExchange/orders/userOrder.ts';
import type { OrderId } from '../../../src/model/order.ts';
import { clientOrderIdOf, orderIdIn } from '../../../src/protocol/clientOrderId.ts';
import type { BotProcess } from './botProcess.ts';
import { CASH, SYMBOLS, type SimulatedVenue, type TrueOrder } from './venue.ts';
import { fillText, type Trader } from './trader.ts';

/** Audit, read lag and visibility delay: within this time the bot has to know of an order (S4). */
const KNOWN_MS = 1_200_000;
const REQUESTS_PER_ORDER = 60;
/** The bot says that there is no such order. */
const DENIALS: ReadonlySet<string | null> = new Set(['refused', 'noEffect', 'notSent']);

export interface Seen {
  readonly venue: SimulatedVenue;
  readonly process: BotProcess | null;
  readonly nowMs: number;
  /** What the operator has halted, and has not resumed yet. */
  readonly halted: 'HALT_NEW' | 'CANCEL_ONLY' | null;
  /** Largest position of one symbol, lots: `maxPositionQty` of the config. */
  readonly maxLots: number;
}

export class Observer {
  readonly violations: string[] = [];
  readonly #reported = new Set<string>();
  readonly #notified = new Map<string, number>();
  #trader: Trader | null = null;
  #notifiedCount = 0;
  #placedCount = 0;
  /** Orders whose end the bot has not reported yet. */
  readonly #unjudged = new Set<TrueOrder>();
  unknown = new Set<number>();
  /** Orders that were there without need: more than one of a client order id, and none of a network's making. */
  duplicates = 0;
  /** Orders that stand or have filled, although the bot does not know it in the end. */
  forgotten = 0;
  /** Client order ids of second copies that the bot has named to its operator. */
  readonly #namedCopies = new Set<string>();

  /** What the operator reads. */
  noteCopies(text: string): void {
    for (const [, copy] of text.matchAll(/is a second copy of (\w+)/g)) this.#namedCopies.add(copy!);
  }

  readHalts(process: BotProcess | null): void {
    for (const { why } of process?.opened?.bot.deps.engine.risk.halts.causes() ?? []) this.noteCopies(why);
  }

  report(rule: string, text: string, nowMs: number): void {
    const key = `${rule} ${text.replaceAll(/\d+/g, '#')}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.violations.push(`${rule} at ${new Date(nowMs).toISOString()}: ${text}`);
  }

  /** After every event. */
  look({ venue, process, nowMs, maxLots }: Seen): void {
    if (venue.byCid.size < venue.orders.size)
      for (const [cid, count] of venue.byCid)
        if (count > 1 + (venue.copied.get(cid) ?? 0)) this.report('S1', `${cid} was placed ${count} times`, nowMs);
    const copies = new Set(Array.from(venue.copied.keys()).flatMap((cid) => venue.copiesOf(cid).map(({ order }) => order.id)));
    const live = venue.live().filter(({ id }) => !copies.has(id));
    for (const base of SYMBOLS) {
      let lots = venue.heldLots(base);
      if (lots < 0) this.report('S3', `${base}: more was sold than the bot had, by ${-lots} lots`, nowMs);
      for (const { instrument, intent, live: its } of live)
        if (its !== null && instrument.wireName === `${base}USDT` && intent.side === 'buy') lots += Math.max(0, its.lots - its.filledLots);
      if (lots > maxLots) this.report('S3', `${base}: ${lots} lots are held and bought, ${maxLots} are allowed`, nowMs);
    }
    const opened = process?.opened;
    if (!process || !opened) return;
    const { engine, cidOf } = opened.bot.deps;
    const prefix = cidOf(1 as never).slice(0, 16);
    const slots = new Map<string, number>();
    for (const { id, clientOrderId, placedMs } of live) {
      const own = orderIdIn(prefix, clientOrderId ?? '');
      const known = own === null ? undefined : (engine.orders.get(own) ?? engine.orders.provenAbsent.get(own));
      if (known === undefined && nowMs - placedMs > KNOWN_MS && !engine.risk.halts.hasAny)
        this.report('S4', `${id} (${clientOrderId}) stands at the exchange, and the bot does not know it`, nowMs);
      if (known === undefined) continue;
      const slot = `${known.strategy} ${known.instrumentIndex} ${known.slot}`;
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
      if (known.slot !== '' && slots.get(slot)! > 1) this.report('S2', `${slot}: ${slots.get(slot)} orders are alive at once`, nowMs);
    }
    while (this.#placedCount < venue.placed.length) this.#unjudged.add(venue.placed[this.#placedCount++]!);
    for (const each of this.#unjudged) {
      const { order, cid, trades, placedMs } = each;
      const own = orderIdIn(prefix, cid);
      const known = own === null ? undefined : (engine.orders.get(own) ?? engine.orders.provenAbsent.get(own));
      const isDenied = known !== undefined && DENIALS.has(known.reason);
      if (known === undefined ? nowMs - placedMs > KNOWN_MS : known.lifecycle === 'done' && !isDenied) this.#unjudged.delete(each);
      // One that was canceled without a fill had no effect either. A second copy may be carried out where the first one was refused.
      if (!isDenied || venue.copied.has(cid) || (trades.length === 0 && !live.includes(order))) continue;
      this.#unjudged.delete(each);
      const what = trades.length > 0 ? 'has filled' : 'stands';
      this.report('SAID', `the bot says of order ${own} "${known.reason}", and it ${what} at the exchange`, nowMs);
    }
    if (engine.orders.impossibleEvents > 0) this.report('S11', `${engine.orders.impossibleEvents} impossible events`, nowMs);
    for (const { id, lifecycle } of engine.orders.active()) if (lifecycle === 'unknown') this.unknown.add(id);
    const { trader } = process;
    if (trader === null) return;
    if (trader === this.#trader && trader.notifiedCount === this.#notifiedCount) return;
    [this.#trader, this.#notifiedCount] = [trader, trader.notifiedCount];
    for (const [order, texts] of trader.notified) {
      const key = `${order}`;
      if (this.#notified.get(key) === texts.length) continue;
      this.#notified.set(key, texts.length);
      const happened = tradesOf(venue, prefix, order).map(textOf);
      for (const [at, text] of texts.entries())
        if (happened[at] !== text)
          this.report('TOLD', `order ${order}: fill ${at + 1} was told as "${text}", it was "${happened[at] ?? 'none'}"`, nowMs);
    }
  }

  /** A create leaves (S7). */
  create({ process, nowMs, halted }: Seen, body: string, journal: () => Buffer): void {
    const cid = /"newClientOrderId":"([^"]+)"/i.exec(body)?.[1];
    if (cid === undefined || !journal().includes(cid))
      this.report('S9', `a create leaves that the journal on the disk does not have: ${body}`, nowMs);
    const engine = process?.opened?.bot.deps.engine;
    if (!process || !engine) return;
    const states = engine.risk.halts.causes().filter(({ scope }) => scope.kind === 'account');
    // The kill's own slices close what is held.
    const isSlice = process.flattens && /"side":"SELL"/i.test(body);
    if (!isSlice && states.some(({ state }) => state === 'KILLED')) this.report('S7', `a create leaves after the kill: ${body}`, nowMs);
    if (halted !== null && !isSlice && (halted === 'CANCEL_ONLY' || /"side":"BUY"/i.test(body)))
      this.report('S7', `a create leaves though the operator has halted: ${body}`, nowMs);
    if (states.some(({ code }) => code === 'STARTING') && /"side":"BUY"/i.test(body))
      this.report('S7', `a buy leaves before the audits of the start: ${body}`, nowMs);
  }

  /** When everything has come to rest. */
  final({ venue, process, nowMs }: Seen, requests: number, secret: string, written: readonly Uint8Array[]): void {
    for (const [cid, count] of venue.byCid) this.duplicates += Math.max(0, count - 1 - (venue.copied.get(cid) ?? 0));
    const opened = process?.opened;
    if (!process || !opened) return this.report('L1', 'the bot does not run in the end', nowMs);
    const { bot } = opened;
    const { engine, cidOf } = bot.deps;
    const prefix = cidOf(1 as never).slice(0, 16);
    const unknown = engine.orders.active().filter(({ lifecycle }) => lifecycle === 'unknown');
    if (unknown.length > 0) this.report('L1', `${unknown.length} outcomes are still unknown`, nowMs);
    if (!bot.isTrading) this.report('L1', 'the bot does not trade in the end', nowMs);
    const open = new Set(engine.orders.active().map(({ venueId }) => String(venueId)));
    this.forgotten += venue.live().filter(({ id }) => !open.has(id)).length;
    for (const { id } of venue.live()) if (!open.has(id)) this.report('S6', `${id} is open at the exchange and not in the bot`, nowMs);
    if (open.size !== venue.live().length)
      this.report('S6', `${open.size} orders are open in the bot, ${venue.live().length} at the exchange`, nowMs);
    const causes = engine.risk.halts.causes().filter(({ code }) => !['LATE_LANDING', 'INCIDENT', 'OPERATOR'].includes(code));
    if (causes.length > 0) this.report('L1', `halts stand: ${causes.map(({ code, why }) => `${code}: ${why}`).join('; ')}`, nowMs);
    const cash = engine.ledger.cashTotal - CASH * 1e8;
    const truth = venue.units('USDT') - CASH * 1e8 - venue.copiedCash;
    if (cash !== truth) this.report('S6', `cash changed by ${cash} in the books, by ${truth} at the exchange`, nowMs);
    for (const { order, cid, trades } of venue.orders.values()) {
      if (trades.length === 0 || venue.copiesOf(cid).some((copy) => copy.order === order)) continue;
      const own = orderIdIn(prefix, cid);
      if (own === null) this.report('S5', `${order.id} filled and bears no id of the bot`, nowMs);
      else {
        const notified = process.trader?.notified.get(own) ?? [];
        const happened = trades.map(textOf);
        if (notified.length !== happened.length || notified.some((text, at) => text !== happened[at])) {
          if (venue.ownOf(cid)?.order === order) this.forgotten++;
          this.report('TOLD', `order ${own}: the strategy was told [${notified.join(', ')}], it was [${happened.join(', ')}]`, nowMs);
        }
      }
    }
    for (const cid of venue.copied.keys())
      if (venue.copiesOf(cid).some(({ trades }) => trades.length > 0) && !this.#namedCopies.has(cid))
        this.report('COPY', `a second copy of ${cid} filled, and the bot did not say so`, nowMs);
    if (requests > venue.orders.size * REQUESTS_PER_ORDER + 200_000)
      this.report('L2', `${requests} requests for ${venue.orders.size} orders`, nowMs);
    for (const bytes of written)
      if (Buffer.from(bytes).includes(secret)) this.report('S12', 'the secret stands in what was written', nowMs);
  }
}

function tradesOf(venue: SimulatedVenue, prefix: string, order: number): readonly OwnTrade[] {
  return venue.ownOf(clientOrderIdOf(prefix, order as OrderId))?.trades ?? [];
}

function textOf({ isBuyer, lots, price, fee, feeInBase, instrument }: OwnTrade): string {
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
