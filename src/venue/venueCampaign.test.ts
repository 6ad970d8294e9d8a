// Tests random histories against a plain venue in BigInt: fills, refusals for missing funds and balances are equal after every event.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitIntent, marketIntent, SeenEvents, spotInstrument, venueConfig } from '../../test/fixtures/spotVenue.ts';
import type { Rounding } from '../base/number/exact.ts';
import { type Instrument, instrumentId } from '../model/instrument.ts';
import type { OrderIntent, Side } from '../model/order.ts';
import { fixedSlippage } from './slippage.ts';
import { Venue } from './venue.ts';
import type { VenueConfig } from './venueConfig.ts';
import type { VenueOrder } from './venueOrder.ts';

// Notionals finer than, equal to and coarser than the money unit; every asset is shared by two instruments.
const rates = { makerFeePpm: 1_500, takerFeePpm: 40_000 };
const pair = (base: string, quote: string, digits: Partial<Instrument>) =>
  spotInstrument({ id: instrumentId('spot', base + quote), wireName: base + quote, base, quote, ...rates, ...digits });
const INSTRUMENTS = [
  pair('A', 'Q', { priceDigits: 2, quantityDigits: 3, baseDigits: 5, quoteDigits: 3 }),
  pair('B', 'Q', { priceDigits: 1, quantityDigits: 2, baseDigits: 4, quoteDigits: 3 }),
  pair('A', 'B', { priceDigits: 1, quantityDigits: 2, baseDigits: 5, quoteDigits: 4 }),
];
const ASSETS = ['A', 'B', 'Q'];
const ACCOUNTS = 2;
const ROW_MS = 60;

/** The settings of a random venue. */
type Setting = Pick<VenueConfig, 'fees' | 'limitRule' | 'maxVolumeSharePpm' | 'slippage'> & { readonly slippageTicks: number };
/** An order of the plain venue. */
interface NaiveOrder {
  readonly ref: number;
  readonly account: number;
  readonly instrument: Instrument;
  readonly intent: OrderIntent;
  readonly admittedMs: number;
  filled: bigint;
  held: bigint;
  open: boolean;
  /** True when its cancel was requested. */
  pending: boolean;
}

const roundDiv: Readonly<Record<Rounding, (a: bigint, b: bigint) => bigint>> = {
  down: (a, b) => a / b,
  up: (a, b) => (a + b - 1n) / b,
  halfUp: (a, b) => (2n * a + b) / (2n * b),
  halfEven: (a, b) => {
    const doubledRemainder = 2n * (a % b);
    return a / b + (doubledRemainder > b || (doubledRemainder === b && (a / b) % 2n === 1n) ? 1n : 0n);
  },
};

/** A second implementation of docs/matching.md, with plain lists and objects and BigInt, and without regard to speed. */
class NaiveVenue {
  readonly orders: NaiveOrder[] = [];
  readonly tape: string[] = [];
  readonly free = new Map<string, bigint>();
  readonly locked = new Map<string, bigint>();
  readonly setting: Setting;
  /** Lots that the last row of each instrument has left, and whether it traded. */
  readonly budget = new Map<Instrument, bigint>();
  readonly traded = new Map<Instrument, boolean>();
  constructor(setting: Setting) {
    this.setting = setting;
    for (const instrument of INSTRUMENTS) this.begin(instrument, 0);
  }
  /** Begins a row: its volume limits the lots of all fills. 0 ppm is no limit. */
  begin(instrument: Instrument, volume: number): void {
    const share = this.setting.maxVolumeSharePpm;
    this.budget.set(instrument, share === 0 ? 10n ** 30n : (BigInt(volume) * BigInt(share)) / 1_000_000n);
    this.traded.set(instrument, share === 0 || volume > 0);
  }

  /** Adds units to a balance, or subtracts them. */
  move(book: Map<string, bigint>, account: number, asset: string, units: bigint): void {
    const balance = (book.get(`${account}${asset}`) ?? 0n) + units;
    if (balance < 0n) throw new Error('the naive venue overdrew an account');
    book.set(`${account}${asset}`, balance);
  }
  notional(instrument: Instrument, price: bigint, size: bigint): bigint {
    const exponent = instrument.quoteDigits - instrument.priceDigits - instrument.quantityDigits;
    return exponent >= 0 ? price * size * 10n ** BigInt(exponent) : roundDiv.halfUp(price * size, 10n ** BigInt(-exponent));
  }
  fee(units: bigint, ppm: number): bigint {
    return roundDiv[this.setting.fees.rounding](units * BigInt(ppm), 1_000_000n);
  }
  /** Returns what a buy of these units costs, with the fee if it is taken in the quote asset. */
  inQuote(units: bigint, ppm: number): bigint {
    return this.setting.fees.in === 'quote' ? units + this.fee(units, ppm) : units;
  }
  /** Returns the units that an order locks while it is open. */
  hold(intent: OrderIntent, size: bigint): bigint {
    const { instrument, side, limit, quoteUnits } = intent;
    if (side === 'sell') return size * 10n ** BigInt(instrument.baseDigits - instrument.quantityDigits);
    if (limit === 0) return this.inQuote(BigInt(quoteUnits), instrument.takerFeePpm);
    return this.inQuote(this.notional(instrument, BigInt(limit), size), Math.max(instrument.takerFeePpm, instrument.makerFeePpm));
  }

  place(account: number, ref: number, intent: OrderIntent, admittedMs: number): boolean {
    const { instrument, side } = intent;
    const heldUnits = this.hold(intent, BigInt(intent.lots));
    const asset = side === 'buy' ? instrument.quote : instrument.base;
    if ((this.free.get(`${account}${asset}`) ?? 0n) < heldUnits) return false;
    this.move(this.free, account, asset, -heldUnits);
    this.move(this.locked, account, asset, heldUnits);
    this.orders.push({ ref, account, instrument, intent, admittedMs, filled: 0n, held: heldUnits, open: true, pending: false });
    return true;
  }
  /** Cancels an order and frees what it locked. */
  end(order: NaiveOrder): void {
    const asset = order.intent.side === 'buy' ? order.instrument.quote : order.instrument.base;
    this.move(this.locked, order.account, asset, -order.held);
    this.move(this.free, order.account, asset, order.held);
    order.open = false;
    this.tape.push(`${order.ref} canceled`);
  }

  /** Matches one row: first the orders that are marketable at its open, then the limits inside it. */
  row(instrument: Instrument, openMs: number, open: number, high: number, low: number, volume: number): void {
    this.begin(instrument, volume);
    const eligible = () => this.orders.filter((order) => order.open && order.instrument === instrument && order.admittedMs <= openMs);
    const marketable = ({ intent: { side, limit } }: NaiveOrder) => limit === 0 || (side === 'buy' ? open <= limit : open >= limit);
    for (const order of eligible().filter(marketable)) this.take(order, open, openMs);
    for (const order of eligible().filter((candidate) => !marketable(candidate))) {
      const { side, limit } = order.intent;
      const beyond = side === 'buy' ? limit - low : high - limit;
      if (this.setting.limitRule === 'touch' ? beyond < 0 : beyond <= 0) continue;
      const remainingLots = BigInt(order.intent.lots) - order.filled;
      this.fill(order, limit, remainingLots, true, openMs + ROW_MS);
    }
  }
  /** Fills an order as taker at the quoted price plus slippage. */
  take(order: NaiveOrder, quoted: number, timeMs: number): void {
    const { side, limit, lots, quoteUnits } = order.intent;
    const ticks = this.setting.slippageTicks;
    const slipped = side === 'buy' ? quoted + ticks : Math.max(quoted - ticks, 1);
    const withinLimit = side === 'buy' ? Math.min(slipped, limit) : Math.max(slipped, limit);
    const price = limit === 0 ? slipped : withinLimit;
    let fillable = BigInt(lots) - order.filled;
    if (quoteUnits > 0) for (fillable = 0n; this.notionalFits(order.instrument, price, fillable + 1n, quoteUnits);) fillable++;
    this.fill(order, price, fillable, false, timeMs);
    if (limit === 0 && this.traded.get(order.instrument)! && order.open) this.end(order);
  }
  /** True when this many lots cost at most the amount, before any rounding. */
  notionalFits(instrument: Instrument, price: number, size: bigint, amount: number): boolean {
    return (
      BigInt(price) * size * 10n ** BigInt(instrument.quoteDigits) <=
      BigInt(amount) * 10n ** BigInt(instrument.priceDigits + instrument.quantityDigits)
    );
  }
  /** Books a fill of at most `maxLots`, within the volume that the row has left. */
  fill(order: NaiveOrder, price: number, maxLots: bigint, isMaker: boolean, timeMs: number): void {
    const { account, instrument, intent } = order;
    const volumeLeft = this.budget.get(instrument)!;
    const size = maxLots < volumeLeft ? maxLots : volumeLeft;
    if (size === 0n) return;
    const isComplete = size === maxLots;
    this.budget.set(instrument, volumeLeft - size);
    const ppm = isMaker ? instrument.makerFeePpm : instrument.takerFeePpm;
    const quantity = size * 10n ** BigInt(instrument.baseDigits - instrument.quantityDigits);
    const feeInBase = intent.side === 'buy' && this.setting.fees.in === 'received';
    let notional = this.notional(instrument, BigInt(price), size);
    let fee = this.fee(feeInBase ? quantity : notional, ppm);
    order.filled += size;
    if (intent.side === 'sell') {
      this.move(this.locked, account, instrument.base, -quantity);
      this.move(this.free, account, instrument.quote, notional - fee);
      order.held -= quantity;
    } else {
      this.move(this.locked, account, instrument.quote, -order.held);
      this.move(this.free, account, instrument.quote, order.held);
      const dueUnits = () => notional + (feeInBase ? 0n : fee);
      const holdForRemainder = () => (intent.limit > 0 ? this.hold(intent, BigInt(intent.lots) - order.filled) : order.held - dueUnits());
      const remainderHold = isComplete ? 0n : holdForRemainder();
      for (
        let missingUnits = dueUnits() + remainderHold - this.free.get(`${account}${instrument.quote}`)!;
        missingUnits > 0n;
        missingUnits--
      ) {
        if (fee > 0n && !feeInBase) fee--;
        else notional--;
      }
      this.move(this.free, account, instrument.quote, -dueUnits() - remainderHold);
      this.move(this.locked, account, instrument.quote, remainderHold);
      this.move(this.free, account, instrument.base, quantity - (feeInBase ? fee : 0n));
      order.held = remainderHold;
    }
    if (isComplete) order.open = false;
    this.tape.push(
      `${order.ref} ${size} @ ${price} = ${notional} fee ${fee}${feeInBase ? instrument.base : instrument.quote} ${isMaker} ${timeMs}`,
    );
  }
}

/** The venue and the plain venue, with the same events. */
class VenuePair {
  readonly naive: NaiveVenue;
  readonly venue: Venue;
  readonly sink = new SeenEvents();
  readonly live = new Map<number, VenueOrder>();
  readonly tape: string[] = [];
  readonly last = INSTRUMENTS.map(() => 100);
  nowMs = 0;
  ref = 0;

  constructor(setting: Setting) {
    this.naive = new NaiveVenue(setting);
    const { live, tape } = this;
    this.sink.onFill = (order, { ref, lots, price, notional, fee, feeInBase, isMaker, timeMs }) => {
      expect(timeMs).toBeGreaterThanOrEqual(order.admittedMs);
      const { base, quote } = order.instrument;
      tape.push(`${ref} ${lots} @ ${price} = ${notional} fee ${fee}${feeInBase ? base : quote} ${isMaker} ${timeMs}`);
      this.done(order);
    };
    this.sink.onEnd = (order) => {
      tape.push(`${order.ref} canceled`);
      this.done(order);
    };
    this.venue = new Venue(venueConfig({ ...setting, instruments: INSTRUMENTS, maxOpenOrders: 1_000 }), this.sink);
    for (let account = 0; account < ACCOUNTS; account++) this.venue.openAccount(`account ${account}`);
    expect(live.size).toBe(0);
  }
  private done(order: VenueOrder): void {
    if (order.isOpen) return;
    this.live.delete(order.ref);
    this.venue.release(order);
  }

  deposit(account: number, asset: string, units: number): void {
    this.venue.deposit(account, asset, units);
    this.naive.move(this.naive.free, account, asset, BigInt(units));
  }
  place(account: number, intent: OrderIntent, admittedMs: number): VenueOrder | null {
    const ref = ++this.ref;
    const naiveOrder = this.naive.place(account, ref, intent, admittedMs);
    const order = this.venue.place(account, ref, intent, admittedMs);
    expect(order !== null || this.venue.refusal).toBe(naiveOrder || -2017);
    if (order !== null) this.live.set(ref, order);
    return order;
  }
  cancel(ref: number, step: 'request' | 'finish' | 'both'): void {
    const order = this.live.get(ref)!;
    const naiveOrder = this.naive.orders.find(({ ref: naiveRef }) => naiveRef === ref)!;
    if (step !== 'finish') naiveOrder.pending = true;
    if (step !== 'request' && naiveOrder.pending) this.naive.end(naiveOrder);
    if (step === 'request') this.venue.requestCancel(order);
    else if (step === 'finish') this.venue.finishCancel(order, this.nowMs);
    else this.venue.cancel(order, this.nowMs);
  }
  row(index: number, gap: number, up: number, down: number, volume: number): void {
    const openMs = (this.nowMs = (Math.floor(this.nowMs / ROW_MS) + 1) * ROW_MS);
    const open = Math.max(1, this.last[index]! + gap);
    const high = open + up;
    const low = Math.max(1, open - down);
    const instrument = INSTRUMENTS[index]!;
    const before = this.tape.length;
    const book = this.venue.book(instrument);
    book.matchOpen(openMs, open, volume);
    book.matchRange(openMs, openMs + ROW_MS, open, high, low);
    this.naive.row(instrument, openMs, open, high, low, volume);
    const share = this.naive.setting.maxVolumeSharePpm;
    const filledLots = this.tape.slice(before).reduce((sum, line) => sum + (line.includes('@') ? Number(line.split(' ')[1]) : 0), 0);
    if (share > 0) expect(filledLots).toBeLessThanOrEqual((volume * share) / 1_000_000);
    expect(book.working).toBe(this.naive.orders.filter((order) => order.open && order.instrument === instrument).length);
    this.last[index] = Math.max(1, open + up - down);
  }
  /** Executes a stop leg in the row just matched. */
  stop(index: number, account: number, size: number): void {
    const instrument = INSTRUMENTS[index]!;
    const order = this.place(account, marketIntent(instrument, 'sell', size), this.nowMs + ROW_MS);
    if (order === null) return;
    this.venue.book(instrument).execute(order, this.last[index]!, this.nowMs + ROW_MS);
    this.naive.take(this.naive.orders.at(-1)!, this.last[index]!, this.nowMs + ROW_MS);
  }
  compare(): void {
    expect(this.tape).toEqual(this.naive.tape);
    this.venue.assertConserved();
    for (let account = 0; account < ACCOUNTS; account++) {
      for (const asset of ASSETS) {
        expect(BigInt(this.venue.free(account, asset))).toBe(this.naive.free.get(`${account}${asset}`) ?? 0n);
        expect(BigInt(this.venue.locked(account, asset))).toBe(this.naive.locked.get(`${account}${asset}`) ?? 0n);
      }
    }
  }
}

const index = fc.nat({ max: INSTRUMENTS.length - 1 });
const account = fc.nat({ max: ACCOUNTS - 1 });
const side = fc.constantFrom<Side>('buy', 'sell');
const anyEvent = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('deposit' as const),
      account,
      asset: fc.constantFrom(...ASSETS),
      units: fc.nat({ max: 20_000 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      account,
      index,
      side,
      size: fc.integer({ min: 1, max: 60 }),
      away: fc.integer({ min: -8, max: 8 }),
      delay: fc.nat({ max: 90 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('market' as const),
      account,
      index,
      side,
      size: fc.integer({ min: 1, max: 400 }),
      delay: fc.nat({ max: 90 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('row' as const),
      index,
      gap: fc.integer({ min: -6, max: 6 }),
      up: fc.nat({ max: 8 }),
      down: fc.nat({ max: 8 }),
      volume: fc.nat({ max: 300 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cancel' as const),
      pick: fc.nat(),
      step: fc.constantFrom('request' as const, 'finish' as const, 'both' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), account, index, size: fc.integer({ min: 1, max: 60 }) }) },
);
const anySetting = fc
  .record({
    feesIn: fc.constantFrom('received' as const, 'quote' as const),
    rounding: fc.constantFrom<Rounding>('down', 'up', 'halfUp', 'halfEven'),
    limitRule: fc.constantFrom('through' as const, 'touch' as const),
    maxVolumeSharePpm: fc.constantFrom(0, 100_000, 1_000_000),
    slippageTicks: fc.constantFrom(0, 0, 2),
  })
  .map(({ feesIn, rounding, slippageTicks, ...rest }): Setting => ({
    fees: { in: feesIn, rounding },
    slippage: fixedSlippage(slippageTicks, 0),
    slippageTicks,
    ...rest,
  }));

/** Number of runs in the suite. A campaign sets more. */
const RUNS = Number(process.env['ISOBAR_CAMPAIGN_RUNS'] ?? 200);

test('in random histories, the venue equals a plain venue in BigInt to the last unit, and no money appears or vanishes', () => {
  fc.assert(
    fc.property(anySetting, fc.array(anyEvent, { minLength: 30, maxLength: 90, size: 'max' }), (setting, events) => {
      const venues = new VenuePair(setting);
      for (const asset of ASSETS) venues.deposit(0, asset, 60_000);
      for (const event of events) {
        switch (event.kind) {
          case 'deposit':
            venues.deposit(event.account, event.asset, event.units);
            break;
          case 'limit': {
            const price = Math.max(1, venues.last[event.index]! + event.away);
            venues.place(event.account, limitIntent(INSTRUMENTS[event.index]!, event.side, event.size, price), venues.nowMs + event.delay);
            break;
          }
          case 'market':
            venues.place(event.account, marketIntent(INSTRUMENTS[event.index]!, event.side, event.size), venues.nowMs + event.delay);
            break;
          case 'row':
            venues.row(event.index, event.gap, event.up, event.down, event.volume);
            break;
          case 'cancel': {
            const refs = [...venues.live.keys()];
            if (refs.length > 0) venues.cancel(refs[event.pick % refs.length]!, event.step);
            break;
          }
          case 'stop':
            venues.stop(event.index, event.account, event.size);
            break;
        }
        venues.compare();
      }
    }),
    { numRuns: RUNS },
  );
});
