// Tests the reservations: random orders against a recount in decimals, and worst cases worked out by hand.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { inverseContract, linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { PlainOrder, spotInstrument, type DraftTerms } from '../../../test/fixtures/drafts.ts';
import { Reservations, ABSENT_HOLD_MS } from './reservation.ts';
import type { ReservationTerms, ReservedOrder } from './worstCase.ts';

const INSTRUMENTS = [spotInstrument('BTC'), spotInstrument('ETH', { quoteDigits: 8, priceDigits: 4, quantityDigits: 6, baseDigits: 6 })];
const TERMS: ReservationTerms = { collarPpm: 10_000, takerFeePpm: [1000, 750], feesIn: 'quote' };
const STRATEGIES = 2;
/** A mark above some worst prices and below others. */
const LATER_MARK = 1020;

/** An order whose worst case is reserved. `untilMs` is Infinity unless the order is proven absent. */
interface HeldOrder {
  readonly order: PlainOrder;
  readonly markTicks: number;
  untilMs: number;
}

const zero = () => new Decimal(0);

/** Returns the price at which a buy by amount gets most, and the worst price of any other order. */
function worstPriceTicks({ quoteUnits, limit }: PlainOrder, markTicks: number): Decimal {
  const collar = new Decimal(TERMS.collarPpm).div(1e6);
  if (quoteUnits > 0) return Decimal.max(1, new Decimal(markTicks).times(new Decimal(1).minus(collar)).floor());
  return limit > 0 ? Decimal.max(limit, markTicks) : new Decimal(markTicks).times(collar.plus(1)).ceil();
}

/** What one order reserves, in decimals. The money is zero for a sell. */
interface OrderReservation {
  readonly lots: Decimal;
  readonly buyUnits: Decimal;
  /** As `buyUnits`, but at `LATER_MARK` if that is worse than the price of the order. */
  readonly buyUnitsAtLaterMark: Decimal;
  readonly cash: Decimal;
}

/** Computes the reservation of one order again, from its size, limit, fills and mark alone. */
function recountOrder({ order, markTicks }: HeldOrder): OrderReservation {
  const { instrument, instrumentIndex, side, limit } = order;
  const unitsPerTickAndLot = Decimal.pow(10, instrument.quoteDigits - instrument.priceDigits - instrument.quantityDigits);
  const valueUnits = (lots: Decimal, ticks: Decimal.Value) => lots.times(ticks).times(unitsPerTickAndLot).ceil();
  const isByAmount = order.quoteUnits > 0;
  const priceTicks = worstPriceTicks(order, markTicks);
  const unfilledUnits = new Decimal(order.quoteUnits - order.filledUnits);
  const lots = isByAmount ? unfilledUnits.div(priceTicks.times(unitsPerTickAndLot)).ceil() : new Decimal(order.lots - order.filledLots);
  if (side === 'sell') return { lots, buyUnits: zero(), buyUnitsAtLaterMark: zero(), cash: zero() };
  const buyUnits = isByAmount ? unfilledUnits : valueUnits(lots, priceTicks);
  const buyUnitsAtLaterMark = priceTicks.lt(LATER_MARK) ? valueUnits(lots, LATER_MARK) : buyUnits;
  // A limit pays at most its own price, even when the mark is above it.
  const paidUnits = isByAmount || limit === 0 ? buyUnits : valueUnits(lots, limit);
  const fee = TERMS.feesIn === 'quote' ? paidUnits.times(TERMS.takerFeePpm[instrumentIndex]!).div(1e6).ceil() : zero();
  return { lots, buyUnits, buyUnitsAtLaterMark, cash: paidUnits.plus(fee) };
}

/** Adds up the reservations of some of the held orders. */
function sumOf(heldOrders: readonly HeldOrder[], figure: keyof OrderReservation): number {
  return heldOrders.reduce((sum, heldOrder) => sum.plus(recountOrder(heldOrder)[figure]), zero()).toNumber();
}

/** Fails unless `reservations` equals a recount of `heldOrders`. */
function expectEqual(reservations: Reservations, heldOrders: readonly HeldOrder[]): void {
  const figures: number[] = [];
  const recounted: number[] = [];
  for (let instrumentIndex = 0; instrumentIndex < INSTRUMENTS.length; instrumentIndex++) {
    const ofInstrument = heldOrders.filter(({ order }) => order.instrumentIndex === instrumentIndex);
    const buys = ofInstrument.filter(({ order }) => order.side === 'buy');
    for (let strategyIndex = 0; strategyIndex < STRATEGIES; strategyIndex++) {
      const ofStrategy = ofInstrument.filter(({ order }) => order.strategy === strategyIndex);
      for (const side of ['buy', 'sell'] as const) {
        const ofSide = ofStrategy.filter(({ order }) => order.side === side);
        figures.push(
          side === 'buy' ? reservations.buyLots(strategyIndex, instrumentIndex) : reservations.sellLots(strategyIndex, instrumentIndex),
        );
        recounted.push(sumOf(ofSide, 'lots'));
      }
    }
    figures.push(
      reservations.buyLotsTotal(instrumentIndex),
      reservations.buyUnits(instrumentIndex),
      reservations.openOrders(instrumentIndex),
      reservations.buyUnitsAt(instrumentIndex, LATER_MARK),
    );
    recounted.push(sumOf(buys, 'lots'), sumOf(buys, 'buyUnits'), ofInstrument.length, sumOf(buys, 'buyUnitsAtLaterMark'));
  }
  for (let strategy = 0; strategy < STRATEGIES; strategy++) {
    figures.push(reservations.cash(strategy));
    recounted.push(
      sumOf(
        heldOrders.filter(({ order }) => order.strategy === strategy),
        'cash',
      ),
    );
  }
  figures.push(reservations.openOrdersTotal);
  recounted.push(heldOrders.length);
  expect(figures).toEqual(recounted);
}

type Step =
  | { kind: 'add'; terms: DraftTerms; markTicks: number }
  | { kind: 'fill'; draw: number; percent: number; priceTicks: number }
  | { kind: 'release' | 'holdAbsent' | 'reinstate'; draw: number }
  | { kind: 'wait'; minutes: number }
  | { kind: 'read' };

/** Selects one of the orders that a step may change. */
const anyDraw = fc.nat({ max: 1000 });
const anyPrice = fc.integer({ min: 900, max: 1100 });
const anySize = fc.integer({ min: 1, max: 5000 });
const base = { strategy: fc.nat({ max: 1 }), instrumentIndex: fc.nat({ max: 1 }) };
const orderTerms: fc.Arbitrary<DraftTerms> = fc.oneof(
  fc.record({ ...base, side: fc.constantFrom('buy', 'sell'), lots: anySize, limit: fc.oneof(fc.constant(0), anyPrice) }),
  fc.record({ ...base, side: fc.constant('buy'), quoteUnits: anySize.map((multiple) => multiple * 777_777) }),
);
const drawnStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add'), terms: orderTerms, markTicks: anyPrice }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('fill'), draw: anyDraw, percent: fc.integer({ min: 1, max: 120 }), priceTicks: anyPrice }),
  },
  fc.record({ kind: fc.constantFrom('release', 'holdAbsent', 'reinstate'), draw: anyDraw }),
  fc.record({ kind: fc.constant('wait'), minutes: fc.integer({ min: 1, max: 40 }) }),
  // A read brings the sums up to date. Some orders must end before the first read after they were added.
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('read') }) },
);

test('the running figures equal a recount of the orders at each read', () => {
  fc.assert(
    fc.property(fc.array(drawnStep, { maxLength: 60 }), (steps) => {
      const reservations = new Reservations(INSTRUMENTS, STRATEGIES, TERMS);
      let heldOrders: HeldOrder[] = [];
      const expired: HeldOrder[] = [];
      let nowMs = 0;
      const oneOf = (orders: readonly HeldOrder[], draw: number): HeldOrder | undefined => orders[draw % Math.max(1, orders.length)];
      for (const step of steps) {
        if (step.kind === 'read') expectEqual(reservations, heldOrders);
        else if (step.kind === 'add') {
          const order = new PlainOrder(INSTRUMENTS, step.terms);
          reservations.assess(order, step.markTicks);
          reservations.add(order);
          heldOrders.push({ order, markTicks: step.markTicks, untilMs: Infinity });
        } else if (step.kind === 'wait') {
          nowMs += step.minutes * 60_000;
          reservations.expireAbsent(nowMs);
          expired.push(...heldOrders.filter(({ untilMs }) => untilMs <= nowMs));
          heldOrders = heldOrders.filter(({ untilMs }) => untilMs > nowMs);
        } else if (step.kind === 'reinstate') {
          const [reinstated] = expired.splice(step.draw % Math.max(1, expired.length), 1);
          const onHold = heldOrders.filter(({ untilMs }) => untilMs < Infinity);
          const target = reinstated ?? oneOf(onHold, step.draw);
          if (!target) continue;
          reservations.reinstate(target.order);
          target.untilMs = Infinity;
          if (reinstated) heldOrders.push(reinstated);
        } else {
          const target = oneOf(heldOrders, step.draw);
          if (!target || target.untilMs < Infinity) continue;
          let hasEnded = false;
          if (step.kind === 'holdAbsent') {
            target.untilMs = nowMs + ABSENT_HOLD_MS;
            reservations.holdAbsent(target.order, nowMs);
          } else if (step.kind === 'fill') {
            hasEnded = fillPart(reservations, target.order, step.percent, step.priceTicks);
          } else {
            reservations.release(target.order);
            hasEnded = true;
          }
          if (hasEnded) heldOrders = heldOrders.filter((heldOrder) => heldOrder !== target);
        }
      }
      expectEqual(reservations, heldOrders);
    }),
    { numRuns: 400 },
  );
});

/** Fills `percent` of the remainder, at most all of it. True when nothing is left. */
function fillPart(reservations: Reservations, order: PlainOrder, percent: number, priceTicks: number): boolean {
  const unitsPerLot = reservations.scale(order.instrumentIndex).notionalUp(priceTicks, 1);
  const isByAmount = order.quoteUnits > 0;
  const unfilledUnits = order.quoteUnits - order.filledUnits;
  const unfilledLots = isByAmount ? Math.floor(unfilledUnits / unitsPerLot) : order.lots - order.filledLots;
  const lots = Math.min(unfilledLots, Math.ceil((unfilledLots * percent) / 100));
  order.execute(lots, lots * unitsPerLot);
  reservations.fill(order);
  return isByAmount ? order.filledUnits >= order.quoteUnits : order.filledLots === order.lots;
}

/** The worst case of an order in the order of the tables below: price in ticks, lots, units, cash in units. */
const worstCaseOf = ({ worstTicks, worstLots, worstUnits, worstCash }: ReservedOrder) => [worstTicks, worstLots, worstUnits, worstCash];

/**
 * Returns the worst case of an order for BTC at a mark of 1000 ticks. A tick of a lot is 1000 units.
 * The collar is 1 %, the taker fee 0.1 %.
 */
const worstCaseAt1000 = (terms: DraftTerms, feesIn: ReservationTerms['feesIn'] = 'quote') => {
  const order = new PlainOrder(INSTRUMENTS, terms);
  new Reservations(INSTRUMENTS, 1, { ...TERMS, feesIn }).assess(order, 1000);
  return worstCaseOf(order);
};

describe('the worst case of one order', () => {
  test('a limit counts at the higher of limit and mark, but cannot pay more than its limit', () => {
    expect(worstCaseAt1000({ lots: 3, limit: 1200 })).toEqual([1200, 3, 3_600_000, 3_603_600]);
    expect(worstCaseAt1000({ lots: 3, limit: 800 })).toEqual([1000, 3, 3_000_000, 2_402_400]);
    expect(worstCaseAt1000({ lots: 3, limit: 800, side: 'sell' })).toEqual([1000, 3, 3_000_000, 0]);
  });
  test('a market order counts at the mark and the collar', () => {
    expect(worstCaseAt1000({ lots: 3 })).toEqual([1010, 3, 3_030_000, 3_033_030]);
    expect(worstCaseAt1000({ lots: 3, side: 'sell' })).toEqual([1010, 3, 3_030_000, 0]);
  });
  test('a buy by amount may get what the amount buys at the mark less the collar, rounded up', () => {
    expect(worstCaseAt1000({ quoteUnits: 9_900_000 })).toEqual([990, 10, 9_900_000, 9_909_900]);
    expect(worstCaseAt1000({ quoteUnits: 9_900_001 })).toEqual([990, 11, 9_900_001, 9_909_902]);
  });
  test('a limit may rest, so it reserves the maker fee when that is the higher one', () => {
    const order = new PlainOrder(INSTRUMENTS, { lots: 3, limit: 800 });
    new Reservations(INSTRUMENTS, 1, { ...TERMS, makerFeePpm: 2000 }).assess(order, 1000);
    expect(order.worstCash).toBe(2_404_800);
  });
  test('a fee in the received coin reserves no cash', () => {
    expect(worstCaseAt1000({ lots: 3, limit: 800 }, 'received')).toEqual([1000, 3, 3_000_000, 2_400_000]);
    expect(worstCaseAt1000({ quoteUnits: 9_900_000 }, 'received')).toEqual([990, 10, 9_900_000, 9_900_000]);
  });
});

test('an order that is proven absent stays reserved in full for half an hour, or until it ends if it arrives late', () => {
  const reservations = new Reservations(INSTRUMENTS, 1, TERMS);
  const firstOrder = new PlainOrder(INSTRUMENTS, { lots: 5 });
  const secondOrder = new PlainOrder(INSTRUMENTS, { lots: 7 });
  for (const order of [firstOrder, secondOrder]) {
    reservations.assess(order, 1000);
    reservations.add(order);
    reservations.holdAbsent(order, 1000);
  }
  reservations.reinstate(secondOrder);
  reservations.expireAbsent(1000 + ABSENT_HOLD_MS - 1);
  expect([reservations.buyLotsTotal(0), reservations.openOrdersTotal, reservations.holdsAbsent]).toEqual([12, 2, true]);
  reservations.expireAbsent(1000 + ABSENT_HOLD_MS);
  expect([reservations.buyLotsTotal(0), reservations.openOrdersTotal, reservations.holdsAbsent]).toEqual([7, 1, false]);
  reservations.reinstate(firstOrder);
  expect([reservations.buyLotsTotal(0), reservations.cash(0)]).toEqual([12, 12_132_120]);
});

describe('contracts', () => {
  const fixture = (contract: Instrument) => {
    const reservations = new Reservations([contract], 1, { collarPpm: 10_000, takerFeePpm: [500], feesIn: 'quote', leverage: [10] });
    const add = (terms: DraftTerms, mark: number) => {
      const order = new PlainOrder([contract], terms);
      reservations.assess(order, mark);
      reservations.add(order);
      return order;
    };
    return { reservations, add };
  };
  const sell = { side: 'sell' } as const;

  test('the worst case of a linear contract is at the higher price, which also sets the margin', () => {
    const { add } = fixture(linearContract());
    expect(worstCaseOf(add({ lots: 20, limit: 1200 }, 1000))).toEqual([1200, 20, 24_000, 2412]);
    expect(worstCaseOf(add({ lots: 20, limit: 800, ...sell }, 1000))).toEqual([1000, 20, 20_000, 2010]);
    expect(worstCaseOf(add({ lots: 20, ...sell }, 1000))).toEqual([1010, 20, 20_200, 2031]);
    expect(worstCaseOf(add({ quoteUnits: 9900, ...sell }, 1000))).toEqual([990, 11, 9900, 995]);
    expect(worstCaseOf(add({ lots: 20, ...sell, reduceOnly: true }, 1000))).toEqual([1010, 20, 20_200, 0]);
  });
  test('the worst case of an inverse contract is at the lower price, which also sets the margin', () => {
    const { add } = fixture(inverseContract());
    expect(worstCaseOf(add({ lots: 2, limit: 500_000 }, 1_000_000))).toEqual([500_000, 2, 400_000, 40_200]);
    expect(worstCaseOf(add({ lots: 2, limit: 2_000_000, ...sell }, 1_000_000))).toEqual([1_000_000, 2, 200_000, 20_100]);
    expect(worstCaseOf(add({ lots: 99 }, 1_000_000))).toEqual([990_000, 99, 10_000_000, 1_005_000]);
    expect(worstCaseOf(add({ quoteUnits: 1_000_000 }, 1_000_000))).toEqual([1_010_000, 12, 1_000_000, 100_500]);
  });
  test('an open order that opens a position counts at the mark if that is worse than its own price', () => {
    const linear = fixture(linearContract());
    const inverse = fixture(inverseContract());
    for (const side of ['buy', 'sell'] as const) {
      linear.add({ lots: 10, limit: 1000, side }, 1000);
      linear.add({ lots: 10, limit: 2000, side }, 1000);
      linear.add({ lots: 7, limit: 1000, side, reduceOnly: true }, 1000);
      inverse.add({ lots: 1, limit: 1_000_000, side }, 1_000_000);
      inverse.add({ lots: 1, limit: 250_000, side }, 1_000_000);
    }
    for (const sum of ['buyUnitsAt', 'sellUnitsAt'] as const) {
      expect([900, 1500, 3000].map((mark) => linear.reservations[sum](0, mark))).toEqual([30_000, 35_000, 60_000]);
      expect([2_000_000, 500_000, 100_000].map((mark) => inverse.reservations[sum](0, mark))).toEqual([500_000, 600_000, 2_000_000]);
      expect(linear.reservations[sum](0, NaN)).toBe(Infinity);
    }
    const { reservations } = linear;
    expect([reservations.buyLotsTotal(0), reservations.sellLotsTotal(0)]).toEqual([20, 20]);
    expect([reservations.buyLots(0, 0), reservations.closingLots(0, 0, true), reservations.closingLots(0, 0, false)]).toEqual([27, 7, 7]);
  });
  test('all figures are zero once all orders have ended', () => {
    const { reservations, add } = fixture(inverseContract());
    const orders = (['buy', 'sell'] as const).flatMap((side) => [
      add({ lots: 6, limit: 900_000, side }, 1_000_000),
      add({ lots: 5, side, reduceOnly: true }, 1_000_000),
      add({ quoteUnits: 700_000, side }, 1_000_000),
    ]);
    orders[0]!.execute(4, 444_444);
    reservations.fill(orders[0]!);
    expect(reservations.buyLots(0, 0)).toBe(2 + 5 + 9);
    for (const order of orders) reservations.release(order);
    expect(reservations.buyLotsTotal(0)).toBe(0);
    expect(reservations.sellLotsTotal(0)).toBe(0);
    expect(reservations.buyUnits(0)).toBe(0);
    expect(reservations.sellUnitsAt(0, 1)).toBe(0);
    expect(reservations.cash(0)).toBe(0);
    expect(reservations.closingLots(0, 0, true)).toBe(0);
    expect(reservations.openOrders(0)).toBe(0);
  });
});
