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

/** A reserved order, and when it ends. */
interface HeldOrder {
  readonly order: PlainOrder;
  readonly mark: number;
  untilMs: number;
}

const zero = () => new Decimal(0);

/** Returns the price at which a buy by amount gets most, and the worst price of any other order. */
function worstPrice({ quoteUnits, limit }: PlainOrder, mark: number): Decimal {
  const collar = new Decimal(TERMS.collarPpm).div(1e6);
  if (quoteUnits > 0) return Decimal.max(1, new Decimal(mark).times(new Decimal(1).minus(collar)).floor());
  return limit > 0 ? Decimal.max(limit, mark) : new Decimal(mark).times(collar.plus(1)).ceil();
}

/** Computes every figure again in decimals, from the size, limit, fills and mark of each order alone. */
function recount(heldOrders: readonly HeldOrder[]) {
  const grid = () => Array.from({ length: STRATEGIES }, () => INSTRUMENTS.map(zero));
  const sum = {
    buy: grid(),
    sell: grid(),
    units: INSTRUMENTS.map(zero),
    later: INSTRUMENTS.map(zero),
    cash: Array.from({ length: STRATEGIES }, zero),
    open: INSTRUMENTS.map(() => 0),
  };
  for (const { order, mark } of heldOrders) {
    const { instrument, instrumentIndex: index, strategy, side, limit } = order;
    const perTickLot = Decimal.pow(10, instrument.quoteDigits - instrument.priceDigits - instrument.quantityDigits);
    sum.open[index]!++;
    const isByAmount = order.quoteUnits > 0;
    const price = worstPrice(order, mark);
    const value = (lots: Decimal, ticks: Decimal.Value) => lots.times(ticks).times(perTickLot).ceil();
    const amount = new Decimal(order.quoteUnits - order.filledUnits);
    const remainder = isByAmount ? amount.div(price.times(perTickLot)).ceil() : new Decimal(order.lots - order.filledLots);
    const units = isByAmount ? amount : value(remainder, price);
    const pay = isByAmount || limit === 0 ? units : value(remainder, limit);
    sum[side][strategy]![index] = sum[side][strategy]![index]!.plus(remainder);
    if (side === 'sell') continue;
    sum.units[index] = sum.units[index]!.plus(units);
    sum.later[index] = sum.later[index]!.plus(price.lt(LATER_MARK) ? value(remainder, LATER_MARK) : units);
    const fee = TERMS.feesIn === 'quote' ? pay.times(TERMS.takerFeePpm[index]!).div(1e6).ceil() : new Decimal(0);
    sum.cash[strategy] = sum.cash[strategy]!.plus(pay).plus(fee);
  }
  return sum;
}

/** Expects the reservations that a recount of the held orders gives. */
function expectEqual(reservations: Reservations, heldOrders: readonly HeldOrder[]): void {
  const sum = recount(heldOrders);
  const figures = [];
  const expected = [];
  for (let index = 0; index < INSTRUMENTS.length; index++) {
    for (let strategy = 0; strategy < STRATEGIES; strategy++) {
      figures.push(reservations.buyLots(strategy, index), reservations.sellLots(strategy, index));
      expected.push(sum.buy[strategy]![index]!.toNumber(), sum.sell[strategy]![index]!.toNumber());
    }
    figures.push(
      reservations.buyLotsTotal(index),
      reservations.buyUnits(index),
      reservations.openOrders(index),
      reservations.buyUnitsAt(index, LATER_MARK),
    );
    expected.push(
      sum.buy[0]![index]!.plus(sum.buy[1]![index]!).toNumber(),
      sum.units[index]!.toNumber(),
      sum.open[index]!,
      sum.later[index]!.toNumber(),
    );
  }
  figures.push(reservations.cash(0), reservations.cash(1), reservations.openOrdersTotal);
  expected.push(sum.cash[0]!.toNumber(), sum.cash[1]!.toNumber(), heldOrders.length);
  expect(figures).toEqual(expected);
}

type Step =
  | { kind: 'add'; terms: DraftTerms; mark: number }
  | { kind: 'fill'; at: number; share: number; price: number }
  | { kind: 'release' | 'holdAbsent' | 'reinstate'; at: number }
  | { kind: 'wait'; minutes: number }
  | { kind: 'read' };

const position = fc.nat({ max: 1000 });
const price = fc.integer({ min: 900, max: 1100 });
const size = fc.integer({ min: 1, max: 5000 });
const base = { strategy: fc.nat({ max: 1 }), instrumentIndex: fc.nat({ max: 1 }) };
const orderTerms: fc.Arbitrary<DraftTerms> = fc.oneof(
  fc.record({ ...base, side: fc.constantFrom('buy', 'sell'), lots: size, limit: fc.oneof(fc.constant(0), price) }),
  fc.record({ ...base, side: fc.constant('buy'), quoteUnits: size.map((value) => value * 777_777) }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add'), terms: orderTerms, mark: price }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('fill'), at: position, share: fc.integer({ min: 1, max: 120 }), price }) },
  fc.record({ kind: fc.constantFrom('release', 'holdAbsent', 'reinstate'), at: position }),
  fc.record({ kind: fc.constant('wait'), minutes: fc.integer({ min: 1, max: 40 }) }),
  // Figures are not read after each step, because an order that ends before a read never enters them.
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('read') }) },
);

test('the running figures equal a recount of the orders at each read', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const reservations = new Reservations(INSTRUMENTS, STRATEGIES, TERMS);
      let heldOrders: HeldOrder[] = [];
      const expired: HeldOrder[] = [];
      let nowMs = 0;
      for (const currentStep of steps) {
        if (currentStep.kind === 'read') expectEqual(reservations, heldOrders);
        else if (currentStep.kind === 'add') {
          const order = new PlainOrder(INSTRUMENTS, currentStep.terms);
          reservations.assess(order, currentStep.mark);
          reservations.add(order);
          heldOrders.push({ order, mark: currentStep.mark, untilMs: Infinity });
        } else if (currentStep.kind === 'wait') {
          nowMs += currentStep.minutes * 60_000;
          reservations.expireAbsent(nowMs);
          expired.push(...heldOrders.filter(({ untilMs }) => untilMs <= nowMs));
          heldOrders = heldOrders.filter(({ untilMs }) => untilMs > nowMs);
        } else if (currentStep.kind === 'reinstate') {
          const [reinstated] = expired.splice(currentStep.at % Math.max(1, expired.length), 1);
          const onHold = heldOrders.filter(({ untilMs }) => untilMs < Infinity);
          const target = reinstated ?? onHold[currentStep.at % Math.max(1, onHold.length)];
          if (!target) continue;
          reservations.reinstate(target.order);
          target.untilMs = Infinity;
          if (reinstated) heldOrders.push(reinstated);
        } else {
          const target = heldOrders[currentStep.at % Math.max(1, heldOrders.length)];
          if (!target) continue;
          if (currentStep.kind === 'holdAbsent' && target.untilMs === Infinity) {
            target.untilMs = nowMs + ABSENT_HOLD_MS;
            reservations.holdAbsent(target.order, nowMs);
          } else if (currentStep.kind === 'release' && target.untilMs === Infinity) {
            reservations.release(target.order);
            heldOrders = heldOrders.filter((otherOrder) => otherOrder !== target);
          } else if (currentStep.kind === 'fill' && execute(reservations, target, currentStep.share, currentStep.price)) {
            heldOrders = heldOrders.filter((otherOrder) => otherOrder !== target);
          }
        }
      }
      expectEqual(reservations, heldOrders);
    }),
    { numRuns: 400 },
  );
});

/** Fills a share of the remainder, in percent. True when nothing is left. */
function execute(reservations: Reservations, { order, untilMs }: HeldOrder, share: number, ticks: number): boolean {
  if (untilMs < Infinity) return false;
  const perLot = reservations.scale(order.instrumentIndex).notionalUp(ticks, 1);
  const isByAmount = order.quoteUnits > 0;
  const remainder = isByAmount ? Math.floor((order.quoteUnits - order.filledUnits) / perLot) : order.lots - order.filledLots;
  const filled = Math.min(remainder, Math.ceil((remainder * share) / 100));
  order.execute(filled, filled * perLot);
  reservations.fill(order);
  return isByAmount ? order.filledUnits >= order.quoteUnits : order.filledLots === order.lots;
}

/** Returns the worst case of an order at a mark of 1000: price, lots, units and cash. */
const assessed = (terms: DraftTerms, feesIn: ReservationTerms['feesIn'] = 'quote') => {
  const order = new PlainOrder(INSTRUMENTS, terms);
  new Reservations(INSTRUMENTS, 1, { ...TERMS, feesIn }).assess(order, 1000);
  return [order.worstTicks, order.worstLots, order.worstUnits, order.worstCash];
};

describe('the worst case of one order', () => {
  test('a limit counts at the higher of limit and mark, but cannot pay more than its limit', () => {
    expect(assessed({ lots: 3, limit: 1200 })).toEqual([1200, 3, 3_600_000, 3_603_600]);
    expect(assessed({ lots: 3, limit: 800 })).toEqual([1000, 3, 3_000_000, 2_402_400]);
    expect(assessed({ lots: 3, limit: 800, side: 'sell' })).toEqual([1000, 3, 3_000_000, 0]);
  });
  test('a market order counts at the mark and the collar', () => {
    expect(assessed({ lots: 3 })).toEqual([1010, 3, 3_030_000, 3_033_030]);
    expect(assessed({ lots: 3, side: 'sell' })).toEqual([1010, 3, 3_030_000, 0]);
  });
  test('a buy by amount may get what the amount buys at the mark less the collar, rounded up', () => {
    expect(assessed({ quoteUnits: 9_900_000 })).toEqual([990, 10, 9_900_000, 9_909_900]);
    expect(assessed({ quoteUnits: 9_900_001 })).toEqual([990, 11, 9_900_001, 9_909_902]);
  });
  test('a limit may rest, so it reserves the maker fee when that is the higher one', () => {
    const order = new PlainOrder(INSTRUMENTS, { lots: 3, limit: 800 });
    new Reservations(INSTRUMENTS, 1, { ...TERMS, makerFeePpm: 2000 }).assess(order, 1000);
    expect(order.worstCash).toBe(2_404_800);
  });
  test('a fee in the received coin reserves no cash', () => {
    expect(assessed({ lots: 3, limit: 800 }, 'received')[3]).toBe(2_400_000);
    expect(assessed({ quoteUnits: 9_900_000 }, 'received')[3]).toBe(9_900_000);
  });
});

test('an order that is proven absent stays reserved in full for half an hour, and until its end once it arrives', () => {
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
  const figures = ({ worstTicks, worstLots, worstUnits, worstCash }: ReservedOrder) => [worstTicks, worstLots, worstUnits, worstCash];

  test('the worst case of a linear contract is at the higher price, which also sets the margin', () => {
    const { add } = fixture(linearContract());
    expect(figures(add({ lots: 20, limit: 1200 }, 1000))).toEqual([1200, 20, 24_000, 2412]);
    expect(figures(add({ lots: 20, limit: 800, ...sell }, 1000))).toEqual([1000, 20, 20_000, 2010]);
    expect(figures(add({ lots: 20, ...sell }, 1000))).toEqual([1010, 20, 20_200, 2031]);
    expect(figures(add({ quoteUnits: 9900, ...sell }, 1000))).toEqual([990, 11, 9900, 995]);
    expect(figures(add({ lots: 20, ...sell, reduceOnly: true }, 1000))).toEqual([1010, 20, 20_200, 0]);
  });
  test('the worst case of an inverse contract is at the lower price, which also sets the margin', () => {
    const { add } = fixture(inverseContract());
    expect(figures(add({ lots: 2, limit: 500_000 }, 1_000_000))).toEqual([500_000, 2, 400_000, 40_200]);
    expect(figures(add({ lots: 2, limit: 2_000_000, ...sell }, 1_000_000))).toEqual([1_000_000, 2, 200_000, 20_100]);
    expect(figures(add({ lots: 99 }, 1_000_000))).toEqual([990_000, 99, 10_000_000, 1_005_000]);
    expect(figures(add({ quoteUnits: 1_000_000 }, 1_000_000))).toEqual([1_010_000, 12, 1_000_000, 100_500]);
  });
  test('an open order counts at the mark once that is worse than its own price, and reduce-only orders do not count', () => {
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
  test('all figures are zero once all orders have ended, by fills or otherwise', () => {
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
    const zeroFigures = [
      reservations.buyLotsTotal(0),
      reservations.sellLotsTotal(0),
      reservations.buyUnits(0),
      reservations.sellUnitsAt(0, 1),
    ];
    expect([...zeroFigures, reservations.cash(0), reservations.closingLots(0, 0, true), reservations.openOrders(0)]).toEqual([
      0, 0, 0, 0, 0, 0, 0,
    ]);
    expect(reservations.sellUnitsAt(0, 1)).toBe(0);
  });
});
