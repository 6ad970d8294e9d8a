// Tests of the trigger orders of the futures venue: levels, the order within a row, the orders that they place, and their end.

import { describe, expect, test } from 'vitest';
import {
  futuresIntent,
  type FuturesOrderOptions,
  inverseContract,
  linearContract,
  openFutures,
  type SeenFutures,
  trade,
} from '../../../test/fixtures/futuresVenue.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Side } from '../../model/order.ts';
import { fixedSlippage } from '../slippage.ts';
import type { FuturesVenueConfig } from './futuresConfig.ts';
import type { FuturesVenue } from './futuresVenue.ts';
import { type Trigger, TriggerQueue, type TriggerKind } from './triggers.ts';

const OPEN_MS = 60_000;
const ROW_MS = 60_000;
const PRICE = 400_000;

/** A venue with a queue of triggers, and rows that pass through both as in a replay. */
class Fixture {
  readonly contract: Instrument;
  readonly venue: FuturesVenue;
  readonly events: SeenFutures;
  readonly triggers: TriggerQueue;
  readonly ended: { readonly id: number; readonly status: string; readonly timeMs: number }[] = [];
  openMs = OPEN_MS;

  constructor(config: Partial<FuturesVenueConfig> & { readonly deposit?: number } = {}, maxPending = 10, contract = linearContract()) {
    this.contract = contract;
    const { venue, seen } = openFutures([contract, linearContract({ contractId: 9 }, { base: 'ETH' })], config);
    this.venue = venue;
    this.events = seen;
    this.triggers = new TriggerQueue(
      venue,
      { triggerEnded: ({ id, status }, timeMs) => void this.ended.push({ id, status, timeMs }) },
      maxPending,
    );
    venue.book(contract).lastPrice = PRICE;
  }
  /** Opens a position before the first row; below 0: short. */
  hold(lots: number): this {
    trade(this.venue, this.contract, lots > 0 ? 'buy' : 'sell', Math.abs(lots), PRICE, 0);
    this.events.fills.length = 0;
    return this;
  }
  place(
    kind: TriggerKind,
    price: number,
    side: Side,
    lots: number,
    options: FuturesOrderOptions = {},
    expiresMs = Infinity,
    nowMs = 1000,
  ): Trigger {
    const trigger = this.triggers.place(0, kind, price, this.child(side, lots, options), nowMs, expiresMs);
    if (trigger === null) throw new Error(`refused: ${this.triggers.refusal}`);
    return trigger;
  }
  /** Places a trigger and returns the code of its refusal, or 0. */
  code(kind: TriggerKind, price: number, side: Side, lots: number, options: FuturesOrderOptions = {}): number {
    return this.triggers.place(0, kind, price, this.child(side, lots, options), 1000) === null ? this.triggers.refusal : 0;
  }
  row(open: number, high: number, low: number): void {
    const { contract, openMs } = this;
    const book = this.venue.book(contract);
    const closeMs = openMs + ROW_MS;
    book.matchOpen(openMs, open, 100);
    this.triggers.fireInRow(contract, openMs, closeMs, open, high, low);
    book.matchRange(openMs, closeMs, open, high, low);
    this.openMs = closeMs;
  }
  private child(side: Side, lots: number, options: FuturesOrderOptions) {
    return futuresIntent(this.contract, side, lots, options);
  }
}

const CLOSE = { closes: true };
const KINDS = [
  { kind: 'stopLoss', side: 'sell', held: 10, triggersAbove: false, what: 'of a long' },
  { kind: 'stopLoss', side: 'buy', held: -10, triggersAbove: true, what: 'of a short' },
  { kind: 'takeProfit', side: 'sell', held: 10, triggersAbove: true, what: 'of a long' },
  { kind: 'takeProfit', side: 'buy', held: -10, triggersAbove: false, what: 'of a short' },
  { kind: 'rise', side: 'buy', held: 0, triggersAbove: true, what: 'to open a long' },
  { kind: 'rise', side: 'sell', held: 0, triggersAbove: true, what: 'to open a short' },
  { kind: 'rise', side: 'sell', held: 10, triggersAbove: true, what: 'to close a long' },
  { kind: 'fall', side: 'sell', held: 0, triggersAbove: false, what: 'to open a short' },
  { kind: 'fall', side: 'buy', held: 0, triggersAbove: false, what: 'to open a long' },
  { kind: 'fall', side: 'buy', held: -10, triggersAbove: false, what: 'to close a short' },
] as const;

test('the limit on triggers is checked after the order itself and before its funds', () => {
  const fixture = new Fixture({ deposit: 0 }, 1);
  expect(fixture.code('rise', PRICE + 1, 'buy', 1)).toBe(0);
  expect(fixture.code('rise', PRICE + 1, 'buy', 1)).toBe(-1015);
  expect(fixture.code('rise', PRICE + 1, 'buy', 1, { limit: PRICE + 0.5 })).toBe(-1147);
  expect(fixture.code('rise', PRICE + 1, 'buy', 0)).toBe(-1136);
  expect(fixture.code('stopLoss', PRICE - 1, 'sell', 1, CLOSE)).toBe(-1015);
});

test('take removes all triggers that prices reach, in the order in which they act, and leaves the others in their order', () => {
  const fixture = new Fixture({}, 100).hold(10);
  const levels = [5, 900, 3, 800, 1, 700, 4].map((ticks) => fixture.place('rise', PRICE + ticks, 'buy', 1));
  const stop = fixture.place('stopLoss', PRICE, 'sell', 1, CLOSE);
  const expiring = fixture.place('rise', PRICE + 2, 'buy', 1, {}, 2000);
  const placed = fixture.triggers.take(fixture.contract, PRICE + 10, PRICE, 2000);
  expect(placed.map(({ id }) => id)).toEqual([stop, levels[0], levels[2], levels[4], levels[6]].map((each) => each!.id));
  expect(placed.every(({ status }) => status === 'triggered')).toBe(true);
  expect(fixture.ended).toEqual([{ id: expiring.id, status: 'expired', timeMs: 2000 }]);
  expect(fixture.triggers.list(0).map(({ id }) => id)).toEqual([levels[5], levels[3], levels[1]].map((each) => each!.id));
});

describe.each(KINDS)('$kind $what', ({ kind, side, held, triggersAbove, what }) => {
  const sign = triggersAbove ? 1 : -1;
  const level = PRICE + sign * 1000;
  const fixture = (config: Partial<FuturesVenueConfig> = {}) => {
    const fixtureWithVenue = new Fixture(config);
    if (held !== 0) fixtureWithVenue.hold(held);
    fixtureWithVenue.place(kind, level, side, 10, what.startsWith('to open') ? {} : CLOSE);
    return fixtureWithVenue;
  };
  const passRow = (fixtureWithTrigger: Fixture, extreme: number, open = PRICE) =>
    fixtureWithTrigger.row(open, Math.max(open, extreme), Math.min(open, extreme));

  test('a trigger waits one tick before its level, and triggers and fills at the level', () => {
    const fixtureWithTrigger = fixture();
    passRow(fixtureWithTrigger, level - sign);
    expect([fixtureWithTrigger.events.fills, fixtureWithTrigger.ended]).toEqual([[], []]);
    passRow(fixtureWithTrigger, level);
    expect(fixtureWithTrigger.events.fills).toMatchObject([
      { ref: 1, price: level, lots: 10, isMaker: false, timeMs: fixtureWithTrigger.openMs },
    ]);
    expect(fixtureWithTrigger.ended).toEqual([{ id: 1, status: 'triggered', timeMs: fixtureWithTrigger.openMs }]);
    expect(fixtureWithTrigger.triggers.list(0)).toEqual([]);
  });
  test('a trigger acts at the open of a row that opens beyond its level', () => {
    const fixtureWithTrigger = fixture();
    passRow(fixtureWithTrigger, level, level + sign * 700);
    expect(fixtureWithTrigger.events.fills).toMatchObject([{ price: level + sign * 700, timeMs: OPEN_MS }]);
  });
  test('slippage makes the fill of a trigger worse', () => {
    const fixtureWithTrigger = fixture({ slippage: fixedSlippage(3, 0) });
    passRow(fixtureWithTrigger, level);
    expect(fixtureWithTrigger.events.fills[0]?.price).toBe(side === 'buy' ? level + 3 : level - 3);
  });
});

describe('several triggers that one row reaches', () => {
  const LEVELS: readonly (readonly [TriggerKind, number, Side])[] = [
    ['takeProfit', 405_000, 'sell'],
    ['takeProfit', 403_000, 'sell'],
    ['rise', 404_000, 'buy'],
    ['fall', 397_000, 'buy'],
    ['stopLoss', 395_000, 'sell'],
    ['fall', 399_000, 'buy'],
    ['stopLoss', 396_000, 'sell'],
  ];
  const endedInRow = (open: number, high: number, low: number) => {
    const fixture = new Fixture().hold(30);
    for (const [kind, price, side] of LEVELS) fixture.place(kind, price, side, 2, kind === 'rise' || kind === 'fall' ? {} : CLOSE);
    fixture.row(open, high, low);
    return fixture.ended.map(({ id, timeMs }) => [id, timeMs === OPEN_MS ? 'open' : 'inside']);
  };
  test('of the triggers inside a row, losses act first, then entries, then profits, in each group the nearest to the open first', () => {
    expect(endedInRow(PRICE, 405_000, 395_000).map(([id]) => id)).toEqual([7, 5, 6, 4, 3, 2, 1]);
  });
  test('triggers that the open reaches act before all others, in the order in which they were placed', () => {
    expect(endedInRow(404_000, 405_000, 395_000)).toEqual([
      [2, 'open'], [3, 'open'], [7, 'inside'], [5, 'inside'], [6, 'inside'], [4, 'inside'], [1, 'inside'],
    ]); // prettier-ignore
  });
  test('of two equally near triggers the older one acts first', () => {
    const fixture = new Fixture();
    fixture.place('rise', 401_000, 'buy', 1);
    fixture.place('fall', 399_000, 'buy', 1);
    fixture.row(PRICE, 401_000, 399_000);
    expect(fixture.ended.map(({ id }) => id)).toEqual([1, 2]);
  });
  test('in a row that reaches stop and target the stop fills, and the target fails without a position', () => {
    const fixture = new Fixture().hold(10);
    const target = fixture.place('takeProfit', 404_000, 'sell', 10, CLOSE);
    const stop = fixture.place('stopLoss', 396_000, 'sell', 10, CLOSE);
    fixture.row(PRICE, 404_000, 396_000);
    expect(fixture.events.fills).toMatchObject([{ ref: stop.id, price: 396_000 }]);
    expect([stop.status, stop.code, target.status, target.code, target.childId]).toEqual(['triggered', 0, 'failed', 10015, null]);
  });
});

describe('the orders that triggers place', () => {
  test('a LIMIT order that the trigger price allows fills at it, as taker', () => {
    const fixture = new Fixture();
    const trigger = fixture.place('rise', 401_000, 'buy', 5, { limit: 402_000 });
    fixture.row(PRICE, 401_500, PRICE);
    expect(fixture.events.fills).toMatchObject([{ ref: trigger.id, price: 401_000, lots: 5, isMaker: false }]);
  });
  test('a LIMIT order that the trigger price does not allow rests from the end of the row on, and fills as maker', () => {
    const fixture = new Fixture();
    const trigger = fixture.place('rise', 401_000, 'buy', 5, { limit: 400_500 });
    fixture.row(PRICE, 401_500, 399_000);
    expect([fixture.events.fills, trigger.status, fixture.venue.find(0, trigger.childId!)?.isOpen]).toEqual([[], 'triggered', true]);
    fixture.row(401_000, 401_500, 400_499);
    expect(fixture.events.fills).toMatchObject([{ ref: trigger.id, price: 400_500, isMaker: true }]);
  });
  test('a MARKET order fills what the cap on volume leaves, and the remainder is canceled', () => {
    const fixture = new Fixture({ maxVolumeSharePpm: 30_000 });
    fixture.place('rise', 401_000, 'buy', 5);
    fixture.row(PRICE, 401_000, PRICE);
    expect(fixture.events.fills).toMatchObject([{ lots: 3 }]);
    expect(fixture.events.ends).toHaveLength(1);
  });
  test.each(['stopLoss', 'takeProfit'] as const)('closing orders take their lots from an opening order of the same side: %s', (kind) => {
    const fixture = new Fixture().hold(10);
    const openingOrder = fixture.venue.place(0, 99, futuresIntent(fixture.contract, 'sell', 6, { limit: 500_000 }), 0)!;
    const price = kind === 'stopLoss' ? 396_000 : 404_000;
    const exit = fixture.place(kind, price, 'sell', 10, CLOSE);
    fixture.row(PRICE, 404_000, 396_000);
    expect([exit.status, exit.code, fixture.events.fills]).toMatchObject(['triggered', 0, [{ ref: exit.id, price, lots: 10 }]]);
    expect([openingOrder.isOpen, openingOrder.offsetLots, fixture.venue.wallets.position(0, 0, true).lots]).toEqual([true, 0, 0]);
  });
  test.each([
    { cause: 'margin', code: -2017, config: { deposit: 1000 }, held: 0 },
    { cause: 'open orders', code: -1015, config: { maxOpenOrders: 1 }, held: 0 },
  ] as const)('an order that the venue refuses makes its trigger fail: $cause', ({ code, config, held }) => {
    const fixture = new Fixture(config);
    if (held !== 0) fixture.hold(held);
    if (code === -1015) fixture.venue.place(0, 99, futuresIntent(fixture.contract, 'buy', 1, { limit: 1000 }), 0);
    const trigger = fixture.place('rise', 401_000, 'buy', 500);
    fixture.row(PRICE, 401_000, PRICE);
    expect([trigger.status, trigger.code, trigger.childId, fixture.ended[0]?.status]).toEqual(['failed', code, null, 'failed']);
  });
  test('triggers of an inverse contract trigger and fill in the same way', () => {
    const fixture = new Fixture({}, 10, inverseContract()).hold(10);
    fixture.place('stopLoss', 399_000, 'sell', 10, CLOSE);
    fixture.row(PRICE, PRICE, 398_000);
    expect(fixture.events.fills).toMatchObject([{ price: 399_000, lots: 10 }]);
  });
});

describe('triggers that are refused when they are placed', () => {
  test.each<[string, number, (fixture: Fixture) => number]>([
    ['a stop-loss order that opens a position', -1014, (fixture) => fixture.code('stopLoss', 399_000, 'sell', 1)],
    ['a take-profit order that opens a position', -1014, (fixture) => fixture.code('takeProfit', 401_000, 'sell', 1)],
    ['an order with a time in force', -1014, (fixture) => fixture.code('rise', 401_000, 'buy', 1, { limit: 401_000, timeInForce: 'IOC' })],
    ['an order by value', -1014, (fixture) => fixture.code('rise', 401_000, 'buy', 0, { value: 1_000_000 })],
    ['a price finer than a tick', -1147, (fixture) => fixture.code('rise', 401_000.5, 'buy', 1)],
    ['a price of zero', -1102, (fixture) => fixture.code('rise', 0, 'buy', 1)],
    ['a volume of zero', -1136, (fixture) => fixture.code('rise', 401_000, 'buy', 0)],
    ['a volume finer than a lot', -1147, (fixture) => fixture.code('rise', 401_000, 'buy', 1.5)],
    ['a limit finer than a tick', -1147, (fixture) => fixture.code('rise', 401_000, 'buy', 1, { limit: 401_000.5 })],
    ['an exit for more lots than the position has', 10015, (fixture) => fixture.hold(5).code('stopLoss', 399_000, 'sell', 6, CLOSE)],
    ['an exit without a position', 10015, (fixture) => fixture.code('takeProfit', 399_000, 'buy', 1, CLOSE)],
  ])('a trigger with %s is refused with %i', (_, code, place) => {
    const fixture = new Fixture();
    expect(place(fixture)).toBe(code);
    expect([fixture.triggers.list(0), fixture.triggers.waits(fixture.contract)]).toEqual([[], false]);
  });
  test('margin, and the position to close, are checked only when a trigger acts', () => {
    const fixture = new Fixture({ deposit: 1000 });
    expect([fixture.code('rise', 401_000, 'buy', 500), fixture.code('fall', 399_000, 'sell', 1, CLOSE)]).toEqual([0, 0]);
  });
  test('one trigger more than maxPending is refused with -1015, until another has ended', () => {
    const fixture = new Fixture({}, 2);
    const [first] = [fixture.place('rise', 401_000, 'buy', 1), fixture.place('rise', 402_000, 'buy', 1)];
    expect(fixture.code('rise', 403_000, 'buy', 1)).toBe(-1015);
    fixture.triggers.cancel(0, first.id);
    expect(fixture.code('rise', 403_000, 'buy', 1)).toBe(0);
  });
  test.each([0, -1, 1.5, NaN])('a queue with maxPending %s throws', (maxPending) => {
    expect(() => new Fixture({}, maxPending)).toThrow('maxTriggers');
  });
});

describe('waiting triggers', () => {
  test('waiting triggers are listed newest first, of one contract or of all', () => {
    const fixture = new Fixture();
    const first = fixture.place('rise', 401_000, 'buy', 1);
    const second = fixture.place('fall', 399_000, 'sell', 1);
    expect(fixture.triggers.list(0)).toEqual([second, first]);
    expect(fixture.triggers.list(0, fixture.contract)).toEqual([second, first]);
    expect(fixture.triggers.list(0, linearContract())).toEqual([]);
    expect(fixture.triggers.list(1)).toEqual([]);
    expect(fixture.triggers.waits(fixture.contract)).toBe(true);
  });
  test('a canceled trigger never acts, and cannot be canceled twice or by another account', () => {
    const fixture = new Fixture();
    const trigger = fixture.place('rise', 401_000, 'buy', 1);
    expect([fixture.triggers.cancel(1, trigger.id), fixture.triggers.refusal]).toEqual([null, -1112]);
    expect(fixture.triggers.cancel(0, trigger.id)?.status).toBe('canceled');
    expect([fixture.triggers.cancel(0, trigger.id), fixture.triggers.refusal]).toEqual([null, -1112]);
    fixture.row(402_000, 402_000, 402_000);
    expect([fixture.events.fills, fixture.ended]).toEqual([[], []]);
  });
  test('a trigger expires with the row that opens at its expiry time, and acts in the row before', () => {
    const level = 401_000;
    const late = new Fixture();
    late.place('rise', level, 'buy', 1, {}, OPEN_MS);
    late.row(level, level, level);
    expect([late.events.fills, late.ended]).toEqual([[], [{ id: 1, status: 'expired', timeMs: OPEN_MS }]]);
    const early = new Fixture();
    early.place('rise', level, 'buy', 1, {}, OPEN_MS + 1);
    early.row(PRICE, level, PRICE);
    expect(early.ended[0]?.status).toBe('triggered');
  });
  test('a trigger that arrives within a row waits for the next one', () => {
    const fixture = new Fixture();
    fixture.place('rise', 401_000, 'buy', 1, {}, Infinity, OPEN_MS + 1);
    fixture.row(402_000, 402_000, 402_000);
    expect(fixture.ended).toEqual([]);
    fixture.row(402_000, 402_000, 402_000);
    expect(fixture.events.fills).toMatchObject([{ price: 402_000 }]);
  });
  test('a trigger of another contract keeps waiting', () => {
    const fixture = new Fixture();
    fixture.place('rise', 401_000, 'buy', 1);
    fixture.triggers.fireInRow(linearContract(), OPEN_MS, OPEN_MS + 1, 500_000, 500_000, 500_000);
    expect(fixture.ended).toEqual([]);
  });
});
