// Simulates a random history of three futures accounts on linear and inverse contracts, and checks it after every event.

import { assert } from '../../src/base/assert.ts';
import { type Rng, seededRng } from '../../src/base/number/rng.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Side } from '../../src/model/order.ts';
import type { FuturesVenue } from '../../src/venue/futures/futuresVenue.ts';
import { fixedSlippage } from '../../src/venue/slippage.ts';
import { futuresIntent, inverseContract, linearContract, openFutures, type SeenFutures } from '../fixtures/futuresVenue.ts';

/** How often each kind of event happened. `flips`: a net position changed its side. `covered`: the insurance account paid a loss. */
export interface Counts {
  fills: number;
  flips: number;
  funding: number;
  settings: number;
  liquidations: number;
  covered: number;
  canceled: number;
}
/** Returns counts that are all zero. */
export const noCounts = (): Counts => ({
  fills: 0,
  flips: 0,
  funding: 0,
  settings: 0,
  liquidations: 0,
  covered: 0,
  canceled: 0,
});

const ACCOUNTS = 3;
/** Length of a row, ms. */
const ROW_MS = 60_000;
/** Largest distance of a mark from the price, as a share. */
const MARK_DISTANCE = 0.002;

/** One random history, with the venue and everything that is expected of it. */
export class FuturesWorld {
  private readonly rng: Rng;
  private readonly venue: FuturesVenue;
  /** Fills, ends, funding and liquidations that the venue has reported. */
  private readonly events: SeenFutures;
  private readonly instruments: readonly Instrument[];
  /** The newest price of each contract, in ticks. */
  private readonly prices: number[];
  private readonly counts: Counts;
  private nowMs = 0;
  /** The number of the last order. */
  private orderCount = 0;

  constructor(seed: number, counts: Counts) {
    this.rng = seededRng(seed);
    this.counts = counts;
    this.instruments = [
      linearContract(),
      // This contract has values coarser than the unit and another price scale, so that every rounding occurs.
      linearContract({ contractId: 3, multiplier: 7, multiplierDigits: 2 }, { base: 'ETH', priceDigits: 3 }),
      inverseContract(),
    ];
    this.prices = [400_000, 2_500_000, 400_000];
    const { venue, seen } = openFutures(this.instruments, {
      deposit: this.drawBelow(5) === 0 ? 50_000 : 50_000_000,
      maxVolumeSharePpm: this.drawBelow(2) === 0 ? 0 : 500_000,
      slippage: fixedSlippage(this.drawBelow(3), this.drawBelow(2) * 100),
      limitRule: this.drawBelow(2) === 0 ? 'touch' : 'through',
      fees: { rounding: this.drawBelow(2) === 0 ? 'halfUp' : 'up' },
      opening: { leverage: 1 + this.drawBelow(60), isCross: this.drawBelow(2) === 0, isNet: this.drawBelow(2) === 0 },
    });
    this.venue = venue;
    this.events = seen;
    for (let account = 1; account < ACCOUNTS; account++) {
      venue.openAccount(`account ${account}`);
      for (const asset of venue.wallets.assets) venue.deposit(account, asset, 10_000_000 * account);
    }
    this.instruments.forEach((instrument, instrumentIndex) => {
      venue.book(instrument).lastPrice = this.prices[instrumentIndex]!;
      venue.setMark(instrument, this.prices[instrumentIndex]!);
    });
  }

  /** Runs `events` events. Throws an error that names the first event after which the books do not add up. */
  run(events: number): void {
    for (let eventIndex = 0; eventIndex < events; eventIndex++) {
      const description = this.applyRandomEvent();
      try {
        this.venue.assertConserved();
        this.checkHolds();
      } catch (error) {
        throw new Error(`event ${eventIndex}, ${description}: ${String(error)}`, { cause: error });
      }
    }
    this.counts.fills += this.events.fills.length;
    this.counts.canceled += this.events.ends.length;
    this.counts.funding += this.events.funding.length;
    this.counts.liquidations += this.events.liquidations.length;
    for (const { covered } of this.events.liquidations) if (covered > 0) this.counts.covered++;
  }

  /** Draws one event and applies it. Returns its description. */
  private applyRandomEvent(): string {
    const percent = this.drawBelow(100);
    if (percent < 40) return this.placeOrder();
    if (percent < 75) return this.addRow();
    if (percent < 85) return this.payFunding();
    if (percent < 92) return this.changeSetting();
    return this.cancelOrder();
  }

  /** Places a random order. */
  private placeOrder(): string {
    const account = this.drawBelow(ACCOUNTS);
    const index = this.drawBelow(this.instruments.length);
    const instrument = this.instruments[index]!;
    const side: Side = this.drawBelow(2) === 0 ? 'buy' : 'sell';
    const limit = this.drawBelow(2) === 0 ? 0 : Math.max(1, Math.round(this.prices[index]! * (0.97 + 0.06 * this.rng.next())));
    const timeInForce = limit > 0 ? ([undefined, undefined, 'IOC', 'FOK', 'POST_ONLY'] as const)[this.drawBelow(5)] : undefined;
    const isClose = this.drawBelow(4) === 0;
    const isByValue = limit === 0 && !isClose && this.drawBelow(4) === 0;
    const lots = isByValue ? 0 : 1 + this.drawBelow(2 ** (1 + this.drawBelow(14)));
    this.venue.place(
      account,
      ++this.orderCount,
      futuresIntent(instrument, side, lots, {
        limit,
        closes: isClose,
        ...(timeInForce ? { timeInForce } : {}),
        ...(isByValue ? { value: 1 + this.drawBelow(2_000_000_000) } : {}),
      }),
      this.nowMs,
    );
    return `order ${this.orderCount} of account ${account}: ${side} ${lots} of ${instrument.id}`;
  }

  /** Adds a row of every contract, or of one. Prices move by one percent, seldom by thirty. */
  private addRow(): string {
    const onlyIndex = this.drawBelow(2) === 0 ? this.drawBelow(this.instruments.length) : null;
    const closeMs = this.nowMs + ROW_MS;
    this.instruments.forEach((instrument, index) => {
      if (onlyIndex !== null && onlyIndex !== index) return;
      const maxMove = this.drawBelow(20) === 0 ? 0.3 : 0.01;
      const prices = Array.from({ length: 4 }, () => this.drawNear(this.prices[index]!, maxMove));
      const open = prices[0]!;
      const close = prices[3]!;
      const high = Math.max(...prices);
      const low = Math.min(...prices);
      const book = this.venue.book(instrument);
      const directionsBefore = this.directions();
      book.matchOpen(this.nowMs, open, this.drawBelow(20_000));
      book.matchRange(this.nowMs, closeMs, open, high, low);
      book.lastPrice = close;
      this.prices[index] = close;
      const isFlip = (direction: number, sideIndex: number) => direction !== 0 && directionsBefore[sideIndex] === -direction;
      this.counts.flips += this.directions().filter(isFlip).length;
      const markOpen = this.drawNear(open, MARK_DISTANCE);
      const markHigh = Math.max(markOpen, close, this.drawNear(high, MARK_DISTANCE));
      const markLow = Math.min(markOpen, close, this.drawNear(low, MARK_DISTANCE));
      this.venue.markRow(instrument, markOpen, markHigh, markLow, close);
    });
    this.venue.settleMarks(closeMs);
    this.nowMs = closeMs;
    return `row to ${closeMs}`;
  }

  /** Pays funding on a random contract, at up to one percent. */
  private payFunding(): string {
    const index = this.drawBelow(this.instruments.length);
    const rate = Math.round((this.rng.next() - 0.5) * 2e10);
    this.venue.fund(this.instruments[index]!, this.prices[index]!, rate, this.nowMs);
    return `funding of ${this.instruments[index]!.id} at ${rate}`;
  }

  /** Changes a random setting of an account on a contract. */
  private changeSetting(): string {
    const account = this.drawBelow(ACCOUNTS);
    const index = this.drawBelow(this.instruments.length);
    const instrument = this.instruments[index]!;
    const { venue } = this;
    const change = [
      { setting: 'leverage', apply: () => venue.setLeverage(account, instrument, 1 + this.drawBelow(100)) },
      { setting: 'margin mode', apply: () => venue.setMarginMode(account, instrument, this.drawBelow(2) === 0) },
      { setting: 'position mode', apply: () => venue.setPositionMode(account, instrument, this.drawBelow(2) === 0) },
    ][this.drawBelow(3)]!;
    if (change.apply()) this.counts.settings++;
    return `${change.setting} of account ${account} on ${instrument.id}`;
  }

  /** Cancels a random order if it is open. */
  private cancelOrder(): string {
    const order = this.venue.find(this.drawBelow(ACCOUNTS), 1 + this.drawBelow(this.orderCount + 1));
    if (order !== null && order.isOpen) this.venue.cancel(order, this.nowMs);
    return `cancel of ${order?.id}`;
  }

  /** Checks the wallets and positions of every account against its open orders. */
  private checkHolds(): void {
    for (let account = 0; account < ACCOUNTS; account++) {
      const { lockedUnits, offsetLots } = this.holdsOfOrders(account);
      this.checkWallets(account, lockedUnits);
      this.checkPositions(account, offsetLots);
    }
  }

  /** Returns what the open orders of an account hold back: units by asset, and lots by the position that they close. */
  private holdsOfOrders(account: number): { readonly lockedUnits: readonly number[]; readonly offsetLots: ReadonlyMap<object, number> } {
    const { wallets } = this.venue;
    const lockedUnits = wallets.assets.map(() => 0);
    const offsetLots = new Map<object, number>();
    for (let id = 1; id <= this.orderCount; id++) {
      const order = this.venue.find(account, id);
      if (order === null || !order.isOpen) continue;
      assert(order.lockedUnits >= 0 && order.offsetLots >= 0, `order ${id} holds ${order.lockedUnits}`);
      const { index, terms } = this.venue.book(order.instrument);
      lockedUnits[terms.asset]! += order.lockedUnits;
      if (order.offsetLots === 0) continue;
      const position = wallets.position(account, index, order.side === 'sell');
      offsetLots.set(position, (offsetLots.get(position) ?? 0) + order.offsetLots);
    }
    return { lockedUnits, offsetLots };
  }

  /** Checks that locked money equals that of the orders, and that an account without a cross position owes nothing. */
  private checkWallets(account: number, lockedUnits: readonly number[]): void {
    const { wallets } = this.venue;
    wallets.assets.forEach((asset, assetIndex) => {
      const wallet = wallets.wallet(account, assetIndex);
      const expectedUnits = lockedUnits[assetIndex];
      assert(wallet.locked === expectedUnits, `${asset}: ${wallet.locked} locked, the orders hold ${expectedUnits}`);
      const hasCrossPosition = wallets.openPositions(account, assetIndex).some(({ isCross }) => isCross);
      const isCovered = hasCrossPosition || wallet.free + wallet.locked >= 0;
      assert(isCovered, `account ${account} owes ${wallet.free} ${asset} with no position that could pay`);
    });
  }

  /** Checks that each position holds back the lots of its closing orders, and that a flat position has no margin and no entry value. */
  private checkPositions(account: number, offsetLots: ReadonlyMap<object, number>): void {
    for (let index = 0; index < this.instruments.length; index++) {
      for (const position of this.venue.wallets.sides(account, index)) {
        const { id, lots, heldLots, marginUnits, entryUnits } = position;
        assert(heldLots === (offsetLots.get(position) ?? 0), `position ${id}: ${heldLots} lots held back`);
        assert(heldLots <= lots, `position ${id}: more lots held back than there are`);
        assert(marginUnits >= 0 && (lots > 0 || marginUnits === 0), `margin ${marginUnits}`);
        assert(lots > 0 || entryUnits === 0, `a flat position has an entry value of ${entryUnits}`);
      }
    }
  }

  /** Returns the direction of the first side of each account and contract: 1 long, -1 short, 0 flat. */
  private directions(): number[] {
    const { wallets } = this.venue;
    const directionOf = (account: number, instrumentIndex: number): number => {
      const { lots, isLong } = wallets.sides(account, instrumentIndex)[0];
      if (lots === 0) return 0;
      return isLong ? 1 : -1;
    };
    const accounts = Array.from({ length: ACCOUNTS }, (_, account) => account);
    return accounts.flatMap((account) => this.instruments.map((_instrument, index) => directionOf(account, index)));
  }
  /** Draws a whole number from 0 to `count` - 1. */
  private drawBelow(count: number): number {
    return Math.floor(this.rng.next() * count);
  }
  /** Draws a price at most `share` away from the given one, at least 1. */
  private drawNear(price: number, share: number): number {
    return Math.max(1, Math.round(price * (1 - share + 2 * share * this.rng.next())));
  }
}
