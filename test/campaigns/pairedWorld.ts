// Simulates random histories of futures accounts that trade with each other on a paper exchange (paired accounts). Compares the books of
// the exchange with a second, simple ledger after every event.

import { assert } from '../../src/base/assert.ts';
import { type Rng, seededRng } from '../../src/base/number/rng.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';
import { type AccountConfig, DELAYS, SERVICE_DEFAULTS, type ServiceConfig } from '../../src/paperExchange/dialect/config.ts';
import { MemoryRows, readerOf } from '../../src/paperExchange/records/rowStore.ts';
import { FUNDING_INTERVAL_MS } from '../../src/paperExchange/futures/funding.ts';
import type { FuturesUserOrder } from '../../src/paperExchange/futures/futuresOrder.ts';
import { profileOf } from '../../src/paperExchange/dialect/profile.ts';
import { TRIGGER_KINDS } from '../../src/venue/futures/triggers.ts';
import { futuresIntent, inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { ObservedExchange, type VenueListener } from './observedExchange.ts';
import { type OpenSide, NaivePairedLedger } from './pairedLedger.ts';

/** How often each kind of event happened in the runs of a campaign. */
export interface PairedCounts {
  fills: number;
  funding: number;
  settings: number;
  liquidations: number;
  /** Liquidations that left a loss beyond the margin. */
  covered: number;
  triggered: number;
  canceled: number;
  /** Runs at whose end neither an account nor the exchange holds a position. */
  flat: number;
}
/** Returns counts that are all zero. */
export const noPairedCounts = (): PairedCounts => ({
  fills: 0,
  funding: 0,
  settings: 0,
  liquidations: 0,
  covered: 0,
  triggered: 0,
  canceled: 0,
  flat: 0,
});

const ACCOUNTS = 8;
/** 2026-01-05T00:00Z. */
const START_MS = 1_767_571_200_000;
const INSTRUMENTS: readonly Instrument[] = [
  linearContract(),
  // This contract has values coarser than the unit and another price scale, so that every rounding occurs.
  linearContract({ contractId: 3, multiplier: 7, multiplierDigits: 2 }, { base: 'ETH', priceDigits: 3 }),
  inverseContract(),
];
/** The first price of each contract, in ticks. */
const PRICES = [400_000, 2_500_000, 400_000];
const ASSETS = ['USDT', 'BTC'];
/** Decimal digits of a unit of each asset. */
const UNIT_DIGITS = [4, 8];

/** A funding payment that a position will get or pay, at the mark `ticks`. */
interface DueFunding {
  readonly openSide: OpenSide;
  readonly rate: number;
  readonly ticks: number;
}

/** One random history of an exchange and its second ledger. */
export class PairedWorld {
  private readonly rng: Rng;
  private readonly counts: PairedCounts;
  private readonly queue = new DueQueue();
  private readonly exchange: ObservedExchange;
  private readonly ledger: NaivePairedLedger;
  private readonly prices = [...PRICES];
  private readonly orders: FuturesUserOrder[] = [];
  /** Funding payments that are due now and not made yet. Null at a funding time until the first payment, when they are computed. */
  private dueFunding: readonly DueFunding[] | null = [];
  /** The events since the last check, for the text of an error. */
  private venueEvents: string[] = [];

  constructor(seed: number, counts: PairedCounts) {
    this.rng = seededRng(seed);
    this.counts = counts;
    this.queue.runDue(START_MS);
    const accounts = Array.from({ length: ACCOUNTS }, (_, accountIndex) => this.drawAccount(accountIndex));
    const config = this.drawConfig(accounts);
    this.exchange = new ObservedExchange(config, this.queue, { reader: readerOf(new MemoryRows(), 'memory') });
    this.exchange.listener = this.listener;
    const { feeRounding, liquidationFeePpm } = config;
    this.ledger = new NaivePairedLedger({
      instruments: INSTRUMENTS,
      assets: ASSETS,
      roundsFeesUp: feeRounding === 'up',
      liquidationFeePpm,
    });
    for (const account of accounts) {
      this.exchange.openAccount(account);
      const { balances, settings } = account.futures!;
      const units = ASSETS.map((asset, assetIndex) => BigInt(Math.round(Number(balances[asset]) * 10 ** UNIT_DIGITS[assetIndex]!)));
      this.ledger.openAccount(units, () => ({ leverage: 20, isCross: true, isNet: true, ...settings }));
    }
  }

  /** Runs `events` events. Throws an error that names the first event after which the books do not add up. */
  run(events: number): void {
    for (let eventIndex = 0; eventIndex < events; eventIndex++) this.applyAndCheck(`event ${eventIndex}`, () => this.applyRandomEvent());
    this.applyAndCheck('the end', () => this.flatten());
  }

  /** Applies an event and checks the books after it. An error names the event, and what the venue did since the last check. */
  private applyAndCheck(eventName: string, applyEvent: () => string): void {
    this.venueEvents = [];
    let description = 'an event';
    try {
      description = applyEvent();
      this.checkBooks();
      this.checkHolds();
    } catch (error) {
      const venueEvents = this.venueEvents.join('; ') || 'none';
      throw new Error(`${eventName}, ${description}: ${String(error)}\n  events of the venue: ${venueEvents}`, { cause: error });
    }
  }

  /** Returns an account with random balances and settings. A third of the accounts have little money. */
  private drawAccount(accountIndex: number): AccountConfig {
    const minUsdt = this.drawBelow(3) === 0 ? 40 : 4000;
    const balances = { USDT: String(minUsdt * (1 + this.drawBelow(20))), BTC: (minUsdt * 0.0001 * (1 + this.drawBelow(20))).toFixed(8) };
    const settings = { leverage: 1 + this.drawBelow(60), isCross: this.drawBelow(2) === 0, isNet: this.drawBelow(2) === 0 };
    return { name: `account ${accountIndex}`, uid: String(10_001 + accountIndex), balances: {}, keys: [], futures: { balances, settings } };
  }

  /** Returns a random config of the exchange. */
  private drawConfig(accounts: readonly AccountConfig[]): ServiceConfig {
    const hasSeededRates = this.drawBelow(3) === 0;
    // Up to one percent a period, positive or negative.
    const drawRate = (): number => Math.round((this.rng.next() - 0.5) * 2e10);
    return {
      ...SERVICE_DEFAULTS,
      instruments: INSTRUMENTS,
      accounts,
      profile: profileOf({ settingsInUse: this.drawBelow(2) === 0 ? 'accept' : 'refuse' }),
      delays: this.drawBelow(2) === 0 ? DELAYS.zero : DELAYS.realistic,
      feeRounding: this.drawBelow(2) === 0 ? 'halfUp' : 'up',
      fundingRates: hasSeededRates ? {} : Object.fromEntries(INSTRUMENTS.map(({ id }) => [id, drawRate()])),
      fundingSeed: this.drawBelow(1000),
    };
  }

  private readonly listener: VenueListener = {
    filled: ({ account, side, closes, instrument }, { price, lots, isMaker, fee }) => {
      const index = INSTRUMENTS.indexOf(instrument);
      this.venueEvents.push(`fill of account ${account}: ${side} ${lots} of ${instrument.id} at ${price}`);
      const expectedFee = this.ledger.bookExecution({ account, index, isBuy: side === 'buy', closes, lots, price, isMaker });
      assert(BigInt(fee) === expectedFee, `a fee of ${fee} where ${expectedFee} is due`);
      this.counts.fills++;
    },
    funded: ({ account, index, isLong }) => {
      this.venueEvents.push(`funding of account ${account} for ${INSTRUMENTS[index]!.id}`);
      const [nextDue, ...laterDue] = (this.dueFunding ??= this.currentFunding());
      assert(nextDue !== undefined, 'no funding is due');
      const { openSide, rate, ticks } = nextDue;
      const isNextDue = openSide.account === account && openSide.index === index && openSide.isLong === isLong;
      assert(isNextDue, `that of account ${openSide.account} comes first`);
      this.ledger.bookFunding(openSide, ticks, rate);
      this.dueFunding = laterDue;
      this.counts.funding++;
    },
    liquidated: ({ account, index }, wasLong, { price, lots, fee, covered }) => {
      const sideText = wasLong ? 'long' : 'short';
      this.venueEvents.push(`liquidation of account ${account}: ${lots} ${sideText} of ${INSTRUMENTS[index]!.id} at ${price}`);
      this.ledger.bookTakeover({ account, index, wasLong, price, fee });
      this.counts.liquidations++;
      if (covered > 0) this.counts.covered++;
    },
    ended: () => void this.counts.canceled++,
  };

  /** Draws one event and applies it. Returns its description. */
  private applyRandomEvent(): string {
    const percent = this.drawBelow(100);
    if (percent < 54) return this.placeOrder();
    if (percent < 75) return this.passTime(1 + this.drawBelow(3000));
    if (percent < 79) return this.passTime(FUNDING_INTERVAL_MS);
    if (percent < 88) return this.changeSetting();
    if (percent < 93) return this.cancelOrder();
    if (percent < 97) return this.placeTrigger();
    return this.jumpPrice();
  }

  /** Places a random order. */
  private placeOrder(): string {
    const account = this.drawBelow(ACCOUNTS);
    const index = this.drawBelow(INSTRUMENTS.length);
    const instrument = INSTRUMENTS[index]!;
    const side = this.drawBelow(2) === 0 ? 'buy' : 'sell';
    const limit = this.drawBelow(4) === 0 ? 0 : this.drawNear(this.prices[index]!, 0.01);
    const timeInForce = limit > 0 ? ([undefined, undefined, undefined, 'IOC', 'FOK', 'POST_ONLY'] as const)[this.drawBelow(6)] : undefined;
    const closes = this.drawBelow(4) === 0;
    const isByValue = limit === 0 && !closes && this.drawBelow(4) === 0;
    const lots = isByValue ? 0 : 1 + this.drawBelow(2 ** (1 + this.drawBelow(12)));
    const options = {
      limit,
      closes,
      ...(timeInForce ? { timeInForce } : {}),
      ...(isByValue ? { value: 1 + this.drawBelow(200_000_000) } : {}),
    };
    const order = this.exchange.place(account, futuresIntent(instrument, side, lots, options), null);
    if (order !== null) this.orders.push(order);
    this.advance(this.queue.nowMs);
    return `order of account ${account}: ${side} ${lots} of ${instrument.id} at ${limit}${closes ? ', to close' : ''}`;
  }

  /** Lets time pass, in which the prices at other exchanges move by up to 0.4 %. */
  private passTime(ms: number): string {
    for (let index = 0; index < INSTRUMENTS.length; index++) this.prices[index] = this.drawNear(this.prices[index]!, 0.004);
    this.advance(this.queue.nowMs + ms);
    return `${ms} ms pass`;
  }

  /** The price of a contract jumps at other exchanges. In half of the cases this exchange gets the new reference price. */
  private jumpPrice(): string {
    const index = this.drawBelow(INSTRUMENTS.length);
    const price = this.drawNear(this.prices[index]!, 0.15);
    this.prices[index] = price;
    this.exchange.markets[index]!.referencePrice = this.drawBelow(2) === 0 ? price : 0;
    return `${INSTRUMENTS[index]!.id} jumps to ${price}`;
  }

  /** Changes a random setting of an account on a contract. */
  private changeSetting(): string {
    const account = this.drawBelow(ACCOUNTS);
    const index = this.drawBelow(INSTRUMENTS.length);
    const changeIndex = this.drawBelow(3);
    const instrument = INSTRUMENTS[index]!;
    const { venue } = this.exchange;
    const setting = this.ledger.settings[account]![index]!;
    const leverage = 1 + this.drawBelow(100);
    // Cross margin, or net mode.
    const isCrossOrNet = this.drawBelow(2) === 0;
    const change = [
      { name: 'leverage', changed: { leverage }, apply: () => venue.setLeverage(account, instrument, leverage) },
      { name: 'margin mode', changed: { isCross: isCrossOrNet }, apply: () => venue.setMarginMode(account, instrument, isCrossOrNet) },
      { name: 'position mode', changed: { isNet: isCrossOrNet }, apply: () => venue.setPositionMode(account, instrument, isCrossOrNet) },
    ][changeIndex]!;
    const isAccepted = change.apply();
    if (isAccepted) {
      Object.assign(setting, change.changed);
      this.counts.settings++;
    }
    return `${change.name} of account ${account} on ${instrument.id}`;
  }

  /** Cancels a random order if it is live. */
  private cancelOrder(): string {
    const order = this.orders[this.drawBelow(this.orders.length + 1)];
    if (order !== undefined && order.venueOrder !== null) this.exchange.cancel(order, true);
    this.advance(this.queue.nowMs);
    return `cancel of ${order?.id}`;
  }

  /** Places a random trigger order. */
  private placeTrigger(): string {
    const account = this.drawBelow(ACCOUNTS);
    const index = this.drawBelow(INSTRUMENTS.length);
    const kind = TRIGGER_KINDS[this.drawBelow(4)]!;
    const closes = kind === 'stopLoss' || kind === 'takeProfit';
    const side = this.drawBelow(2) === 0 ? 'buy' : 'sell';
    const child = futuresIntent(INSTRUMENTS[index]!, side, 1 + this.drawBelow(400), { closes });
    const price = this.drawNear(this.prices[index]!, 0.02);
    const times = { placedMs: this.queue.nowMs, sinceMs: this.queue.nowMs };
    if (this.exchange.triggers.place(account, { kind, triggerTicks: price, child, clientOrderId: null, ...times }) !== null)
      this.counts.triggered++;
    this.exchange.fireReachedTriggers(INSTRUMENTS[index]!);
    this.advance(this.queue.nowMs);
    return `${kind} of account ${account} at ${price} on ${INSTRUMENTS[index]!.id}`;
  }

  /** Advances the time to `untilMs`. Computes due funding beforehand, from the positions of the ledger and the marks of that second. */
  private advance(untilMs: number): void {
    const nextMs = (Math.floor(this.queue.nowMs / FUNDING_INTERVAL_MS) + 1) * FUNDING_INTERVAL_MS;
    if (nextMs <= untilMs) {
      this.queue.runDue(nextMs - 1);
      this.dueFunding = null;
      this.queue.runDue(nextMs);
      const unpaid = this.dueFunding ?? this.currentFunding();
      assert(unpaid.length === 0, `funding of ${unpaid.length} positions was not paid`);
      this.dueFunding = [];
    }
    this.queue.runDue(untilMs);
  }

  /** Returns the funding payments that are due now, with the marks of this second. */
  private currentFunding(): readonly DueFunding[] {
    const { venue, rates } = this.exchange;
    return INSTRUMENTS.flatMap((instrument, index) => {
      const ticks = venue.book(instrument).markTicks;
      const rate = rates.rateAt(instrument, this.queue.nowMs - 1);
      return ticks === 0 || rate === 0 ? [] : this.ledger.openSides(index).map((openSide) => ({ openSide, rate, ticks }));
    });
  }

  /** Cancels the open orders of all accounts, which then close their positions with each other. */
  private flatten(): string {
    this.advance(this.queue.nowMs + 200);
    for (const order of this.exchange.unendedOrders()) this.exchange.cancel(order, true);
    for (const pendingTrigger of this.exchange.triggers.pending()) this.exchange.cancelTrigger(pendingTrigger, true);
    this.advance(this.queue.nowMs + 200);
    INSTRUMENTS.forEach((instrument, index) => {
      // The exchange keeps the positions that it has taken over, and its counterparties keep theirs.
      const price = this.prices[index]!;
      for (const { account, isLong, lots } of this.ledger.openSides(index)) {
        const intent = futuresIntent(instrument, isLong ? 'sell' : 'buy', Number(lots), { limit: price, closes: true });
        this.exchange.place(account, intent, null);
      }
    });
    this.advance(this.queue.nowMs + 200);
    if (INSTRUMENTS.every((_, index) => this.ledger.openSides(index).length === 0)) this.counts.flat++;
    return 'all accounts close their positions';
  }

  /** Throws an error if the books of the venue differ from the ledger, or a deposit is not accounted for. */
  private checkBooks(): void {
    const { ledger } = this;
    const { wallets } = this.exchange.venue;
    wallets.assertConserved();
    ASSETS.forEach((asset, assetIndex) => {
      const total = ledger.total(assetIndex);
      assert(total === ledger.deposited[assetIndex], `${asset}: ${ledger.deposited[assetIndex]} units were deposited, ${total} are there`);
      expectSame(`fees in ${asset}`, wallets.fees[assetIndex]!, ledger.fees[assetIndex]!);
      expectSame(`the insurance in ${asset}`, wallets.insurance[assetIndex]!, ledger.insurance[assetIndex]!);
      for (let account = 0; account < ACCOUNTS; account++) {
        const { free, locked } = wallets.wallet(account, assetIndex);
        expectSame(`free and locked ${asset} of account ${account}`, free + locked, ledger.freeUnits(account, assetIndex));
      }
    });
    INSTRUMENTS.forEach(({ id }, index) => {
      const net = ledger.netLots(index);
      assert(net === 0n, `${id}: ${net} lots more are held long than short`);
      for (let account = 0; account < ACCOUNTS; account++) {
        wallets.sides(account, index).forEach((position, side) => {
          const openSide = ledger.sides(account, index)[side]!;
          const owner = `of account ${account} on ${id}`;
          expectSame(`lots ${owner}`, position.lots, openSide.lots);
          expectSame(`margin ${owner}`, position.marginUnits, openSide.margin);
          expectSame(`entry value ${owner}`, position.entryUnits, openSide.entry);
          const isSameKind = position.isLong === openSide.isLong && position.isCross === openSide.isCross;
          assert(position.lots === 0 || isSameKind, `the position ${owner}`);
        });
      }
    });
  }

  /** Throws an error if locked money or lots held back differ from the sum over the open orders. */
  private checkHolds(): void {
    const { venue } = this.exchange;
    const locked = Array.from({ length: ACCOUNTS }, () => ASSETS.map(() => 0));
    const offsetLots = new Map<object, number>();
    for (const { venueOrder, account } of this.exchange.unendedOrders()) {
      if (venueOrder === null) continue;
      const { index, terms } = venue.book(venueOrder.instrument);
      locked[account]![terms.asset]! += venueOrder.lockedUnits;
      if (venueOrder.offsetLots === 0) continue;
      const position = venue.wallets.position(account, index, venueOrder.side === 'sell');
      offsetLots.set(position, (offsetLots.get(position) ?? 0) + venueOrder.offsetLots);
    }
    for (let account = 0; account < ACCOUNTS; account++) {
      ASSETS.forEach((asset, assetIndex) =>
        expectSame(`locked ${asset}`, venue.wallets.wallet(account, assetIndex).locked, BigInt(locked[account]![assetIndex]!)),
      );
      for (let index = 0; index < INSTRUMENTS.length; index++) {
        for (const position of venue.wallets.sides(account, index)) {
          expectSame('lots held back', position.heldLots, BigInt(offsetLots.get(position) ?? 0));
          assert(position.heldLots <= position.lots, `position ${position.id}: more lots held back than there are`);
        }
      }
    }
  }

  /** Draws a whole number from 0 to `count` - 1. */
  private drawBelow(count: number): number {
    return Math.floor(this.rng.next() * count);
  }
  /** Draws a price at most `share` of the given one away from it, at least 1 tick. */
  private drawNear(price: number, share: number): number {
    return Math.max(1, Math.round(price * (1 - share + 2 * share * this.rng.next())));
  }
}

/** Throws an error that names the figure if both differ. */
function expectSame(name: string, actual: number, expected: bigint): void {
  if (BigInt(actual) !== expected) throw new Error(`${name}: the exchange has ${actual}, the ledger ${expected}`);
}
