// Checks positions, stops and money of contracts against the books of the exchange. The rules come from the documents, not from the code.

import type { OwnTrade, UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { OrderId } from '../../../../src/model/order.ts';
import { orderIdIn } from '../../../../src/protocol/clientOrderId.ts';
import type { ObservedEngine, MarketRules, ReportViolation, WorldFacts } from '../observer.ts';
import { CASH, SYMBOLS } from '../venue.ts';
import { UNITS_PER_COIN } from '../venueTerms.ts';
import type { ContractTrader } from './contractTrader.ts';
import { contractName, type ContractPosition, type ContractVenue } from './contractVenue.ts';
import { sideName } from './hedgeTrader.ts';

/**
 * Time within which a position that had a stop must have one again, ms. It counts while the bot is up and may send orders. It begins again at
 * each order that the bot has sent to protect or close the position. A lost request is known to be lost after some 11 minutes, and risk
 * reserves it for up to 30 minutes more (docs/strategies.md, stops at the exchange).
 */
const PROTECTED_MS = 45 * 60_000;
/** Time that a bot may take after its start for its audits and its first bar, ms. */
const START_MS = 180_000;

/** The stops of a contract at the last check. */
interface Protection {
  /** The position at the exchange that had a stop; 0: none. */
  readonly position: number;
  /** Time for which it has had none while the bot could have placed one, ms. */
  bareMs: number;
  /** Venue order ids of its stops when they were last seen. */
  stops: ReadonlySet<string>;
}

/** Another bot of the same account. */
export interface AccountPartner {
  readonly venue: ContractVenue;
  /** Its engine; null while it is down. */
  readonly engine: () => ObservedEngine | null;
}

/** The rules of one day of contracts. */
export class ContractRules implements MarketRules {
  readonly #venue: ContractVenue;
  /** By the name of the contract, in two-way mode with its side. */
  readonly #protections = new Map<string, Protection>();
  #lastMs = NaN;
  /** The other bot of the account; null without one. */
  partner: AccountPartner | null = null;
  /** Number of placements that were checked. */
  #placedCount = 0;
  /** The running process (`of`), and the time of the first check of it, ms. */
  #process: { readonly of: object | null; readonly sinceMs: number } = { of: null, sinceMs: 0 };

  constructor(venue: ContractVenue) {
    this.#venue = venue;
  }

  checkAfterEvent(facts: WorldFacts, live: readonly UserOrder[], report: ReportViolation): void {
    const { process, nowMs } = facts;
    if (process !== this.#process.of) this.#process = { of: process, sinceMs: nowMs };
    for (const base of SYMBOLS) this.#checkSize(base, facts, live, report);
    for (const position of this.#venue.contractPositions) this.#checkStops(position, facts, report);
    this.#lastMs = nowMs;
    this.#venue.notePositions();
    const deps = process?.opened?.bot.deps;
    if (deps) this.#checkPlacedStops(deps.engine, process.idPrefix!, report);
    if (!this.#venue.isForeignStopWaiting) report('ALIEN', 'a trigger order of another owner was cancelled');
  }

  /**
   * Checks rule STOP. A position that had a stop keeps one while the stop is moved, whatever faults occur. If the stop has fired, or an exit removed
   * it without closing the position, the position gets another one in time.
   */
  #checkStops(contractPosition: ContractPosition, facts: WorldFacts, report: ReportViolation): void {
    const venue = this.#venue;
    const { base, isLong } = contractPosition;
    const { nowMs, process } = facts;
    const position = venue.positionId(contractPosition);
    const stops = venue.stopsOf(base, isLong ?? venue.positionLots(base) > 0);
    const key = isLong === null ? contractName(base) : sideName(contractName(base), isLong);
    const known = this.#protections.get(key);
    if (position === 0 || known?.position !== position) {
      if (position !== 0 && stops.size > 0) this.#protections.set(key, { position, bareMs: 0, stops });
      else this.#protections.delete(key);
      return;
    }
    if (stops.size > 0) {
      Object.assign(known, { bareMs: 0, stops });
      return;
    }
    const isKilled = process?.isKilled === true || process?.control?.isKilled === true;
    // What is left may be a position of a second copy, which is the account's.
    const isOwn = venue.closableLots(base) > 0;
    const names = [contractName(base), key];
    const isLeaving = (process?.traders ?? []).some((trader) => names.some((name) => (trader as ContractTrader).leaving.has(name)));
    const wasTaken = Array.from(known.stops).every((id) => venue.isCanceled(id) && !venue.allowances.cancelledByExchangeIds.has(id));
    // Beside contracts of others, a kill cancels stops before it closes: a stop that fires beside a slice would close those contracts.
    const isKilledBesideOthers = isKilled && Math.abs(venue.positionLots(base)) > venue.closableLots(base);
    if (known.stops.size > 0 && wasTaken && process?.opened && !isLeaving && !isKilledBesideOthers && isOwn)
      report('STOP', `${key}: the last stop of a position was cancelled: ${Array.from(known.stops).join(', ')}`);
    known.stops = new Set();
    const couldAct =
      nowMs >= venue.allowances.maintenanceUntilMs &&
      process?.opened?.bot.isTrading === true &&
      !isKilled &&
      nowMs - this.#process.sinceMs > START_MS;
    if (couldAct && facts.operatorHalt !== 'CANCEL_ONLY' && !Number.isNaN(this.#lastMs)) known.bareMs += nowMs - this.#lastMs;
    if (known.bareMs > PROTECTED_MS && isOwn)
      report('STOP', `${key}: a position that had a stop has had none for ${known.bareMs / 60_000} minutes`);
  }

  /** S3: a position with all open orders of its side that open stays within the largest position. */
  #checkSize(base: string, { maxLots }: WorldFacts, live: readonly UserOrder[], report: ReportViolation): void {
    const venue = this.#venue;
    for (const [side, sign] of [
      ['buy', 1],
      ['sell', -1],
    ] as const) {
      let lots = venue.isTwoWay ? venue.sideLots(base, side === 'buy') : venue.heldLots(base) * sign;
      for (const { instrument, intent, venueOrder: openPart } of live)
        if (instrument.base === base && intent.side === side && !intent.reduceOnly)
          lots += openPart === null ? intent.lots : Math.max(0, openPart.lots - openPart.filledLots);
      if (lots > maxLots) report('S3', `${base}: ${lots} contracts are held and ordered (${side}), ${maxLots} are allowed`);
    }
  }

  noteCreate(body: string): void {
    if (!body.includes('"open":"CLOSE"')) return;
    for (const [key, protection] of this.#protections) {
      const [name, side] = key.split(' ');
      const isOfSide = side === undefined || body.includes(`"side":"${side === 'long' ? 'SELL' : 'BUY'}"`);
      if (isOfSide && body.includes(`"${name}"`)) protection.bareMs = 0;
    }
  }

  /** S3: stops of different decisions close no more than the position together. A stop that moves counts as one with the old one. */
  #checkPlacedStops(engine: ObservedEngine, prefix: string, report: ReportViolation): void {
    const { oldestFirst } = this.#venue.orders;
    while (this.#placedCount < oldestFirst.length) {
      const { order, clientOrderId } = oldestFirst[this.#placedCount++]!;
      if (!order.id.startsWith('trigger') || !order.intent.reduceOnly) continue;
      const { base } = order.instrument;
      const lotsBySlot = new Map<string, number>();
      for (const stop of this.#venue.waiting()) {
        if (stop.order.instrument.base !== base || !stop.order.intent.reduceOnly || stop.order.intent.side !== order.intent.side) continue;
        const id = orderIdIn(prefix, stop.clientOrderId);
        const slot = (id === null ? undefined : engine.orders.get(id)?.slot) ?? stop.clientOrderId;
        lotsBySlot.set(slot, Math.max(lotsBySlot.get(slot) ?? 0, stop.order.intent.lots));
      }
      const lots = Array.from(lotsBySlot.values()).reduce((sum, slotLots) => sum + slotLots, 0);
      const held = this.#venue.maxRecentLots({ base, isLong: this.#venue.isTwoWay ? order.intent.side === 'sell' : null });
      if (lotsBySlot.size > 1 && lots > held)
        report('S3', `${base}: stops for ${lots} contracts stand, and ${held} are held (${clientOrderId} was placed)`);
    }
  }

  /** S6: in two-way mode each side of the bot is that of the exchange, if no order has closed more than the bot had. */
  #checkSides(engine: ObservedEngine, index: number, base: string, report: ReportViolation): void {
    const venue = this.#venue;
    if (venue.excessLots(base) !== 0) return;
    for (const isLong of [true, false]) {
      const botLots = engine.runs.reduce((sum, run) => sum + engine.ledger.closable(run.index, index, !isLong, true), 0);
      const lots = venue.sideLots(base, isLong);
      if (botLots !== lots)
        report('S6', `${base}: the bot holds ${botLots} contracts ${isLong ? 'long' : 'short'}, the exchange has ${lots}`);
    }
  }

  /** S6: positions and cash of the bot are those of the exchange. */
  checkEnd(engine: ObservedEngine, _facts: WorldFacts, report: ReportViolation): void {
    const venue = this.#venue;
    for (const [index, { base }] of engine.instruments.entries()) {
      const botLots = engine.runs.reduce((sum, run) => sum + engine.ledger.lots(run.index, index), 0);
      const lots = venue.heldLots(base) - venue.excessLots(base);
      if (botLots !== lots) report('S6', `${base}: the bot holds ${botLots} contracts, the exchange has ${lots}`);
      if (venue.isTwoWay) this.#checkSides(engine, index, base, report);
    }
    if (venue.hasCopyTrades) return;
    // The account has one sum of cash, so that two bots are compared with it together.
    const partnerEngine = this.partner?.engine();
    const partnerChange = partnerEngine == null ? 0 : partnerEngine.ledger.cashTotal - CASH * UNITS_PER_COIN;
    if (this.partner !== null && partnerEngine === null) return;
    const cash = engine.ledger.cashTotal + partnerChange;
    // The exchange does not say which part of a liquidation's loss it has borne, so the books of the bot count all of it.
    const truth = venue.units('USDT') - venue.coveredUnits;
    const unreported = this.#unreportedFunding();
    if (cash !== truth && !unreported.has(cash - truth))
      report('S6', `the bot has ${cash} of cash, the exchange ${truth}; funding: ${JSON.stringify(venue.payments.oldestFirst)}`);
  }

  /**
   * Returns the sums by which the books may differ: payments of positions that closed before the bot could read them, or all payments at an
   * exchange that does not list positions.
   */
  #unreportedFunding(): ReadonlySet<number> {
    let sums = new Set([0]);
    // The books lack every payment that the exchange does not show.
    for (const payment of this.#venue.payments.oldestFirst)
      if (!this.#venue.listsPositions) sums = new Set(Array.from(sums, (sum) => sum - payment.units));
      else if (
        payment.closedMs < Infinity &&
        !this.#venue.payments.isReadable(payment) &&
        this.partner?.venue.payments.isReadable(payment) !== true
      )
        sums = new Set([...sums, ...Array.from(sums, (sum) => sum - payment.units)]);
    return sums;
  }

  /** An adopted liquidation is an order of the bot without a client order id. */
  tradesOf(engine: ObservedEngine, order: number): readonly OwnTrade[] {
    const venueId = String(engine.orders.get(order as OrderId)?.venueId);
    return this.#venue.liquidations.find(({ order: { id } }) => id === venueId)?.trades ?? [];
  }
}
