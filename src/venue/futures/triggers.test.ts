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

/** A venue with a desk of triggers over it, and rows that go through both as the replay sends them. */
class Fixture {
  readonly contract: Instrument;
  readonly venue: FuturesVenue;
  readonly seen: SeenFutures;
  readonly triggers: TriggerQueue;
  readonly ended: { readonly id: number; readonly status: string; readonly timeMs: number }[] = [];
  openMs = OPEN_MS;

  constructor(config: Partial<FuturesVenueConfig> & { readonly deposit?: number } = {}, maxPending = 10, contract = linearContract()) {
    this.contract = contract;
    const { venue, seen } = openFutures([contract, linearContract({ contractId: 9 }, { base: 'ETH' })], config);
    this.venue = venue;
    this.seen = seen;
    this.triggers = new TriggerQueue(
      venue,
      { triggerEnded: ({ id, status }, timeMs) => void this.ended.push({ id, status, timeMs }) },
      maxPending,
    );
    venue.book(contract).lastPrice = PRICE;
  }
  /** A position that stands before the first row: below 0 short. */
  hold(lots: number): this {
    trade(this.venue, this.contract, lots > 0 ? 'buy' : 'sell', Math.abs(lots), PRICE, 0);
    this.seen.fills.length = 0;
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
  /** The code with which a trigger is refused; 0: it is not. */
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

test('one too many is reported after what is wrong with the order itself, and before funds', () => {
  const fixture = new Fixture({ deposit: 0 }, 1);
  expect(fixture.code('rise', PRICE + 1, 'buy', 1)).toBe(0);
  expect(fixture.code('rise', PRICE + 1, 'buy', 1)).toBe(-1015);
  expect(fixture.code('rise', PRICE + 1, 'buy', 1, { limit: PRICE + 0.5 })).toBe(-1147);
  expect(fixture.code('rise', PRICE + 1, 'buy', 0)).toBe(-1136);
  expect(fixture.code('stopLoss', PRICE - 1, 'sell', 1, CLOSE)).toBe(-1015);
});

test('all that a price reaches is taken off at once, in the order in which it acts; the others wait in theirs', () => {
  const fixture = new Fixture({}, 100).hold(10);
  const levels = [5, 900, 3, 800, 1, 700, 4].map((ticks) => fixture.place('rise', PRICE + ticks, 'buy', 1));
  const stop = fixture.place('stopLoss', PRICE, 'sell', 1, CLOSE);
  const expiring = fixture.place('rise', PRICE + 2, 'buy', 1, {}, 2000);
  const taken = fixture.triggers.take(fixture.contract, PRICE + 10, PRICE, 2000);
  expect(taken.map(({ id }) => id)).toEqual([stop, levels[0], levels[2], levels[4], levels[6]].map((each) => each!.id));
  expect(taken.every(({ status }) => status === 'triggered')).toBe(true);
  expect(fixture.ended).toEqual([{ id: expiring.id, status: 'expired', timeMs: 2000 }]);
  expect(fixture.triggers.list(0).map(({ id }) => id)).toEqual([levels[5], levels[3], levels[1]].map((each) => each!.id));
});

describe.each(KINDS)('$kind $what', ({ kind, side, held, triggersAbove, what }) => {
  const sign = triggersAbove ? 1 : -1;
  const level = PRICE + sign * 1000;
  const fixture = (config: Partial<FuturesVenueConfig> = {}) => {
    const made = new Fixture(config);
    if (held !== 0) made.hold(held);
    made.place(kind, level, side, 10, what.startsWith('to open') ? {} : CLOSE);
    return made;
  };
  const reach = (made: Fixture, extreme: number, open = PRICE) => made.row(open, Math.max(open, extreme), Math.min(open, extreme));

  test('waits a tick before its level, fires at it and is executed there', () => {
    const made = fixture();
    reach(made, level - sign);
    expect([made.seen.fills, made.ended]).toEqual([[], []]);
    reach(made, level);
    expect(made.seen.fills).toMatchObject([{ ref: 1, price: level, lots: 10, isMaker: false, timeMs: made.openMs }]);
    expect(made.ended).toEqual([{ id: 1, status: 'triggered', timeMs: made.openMs }]);
    expect(made.triggers.list(0)).toEqual([]);
  });
  test('a row that opens beyond it fires it at the open', () => {
    const made = fixture();
    reach(made, level, level + sign * 700);
    expect(made.seen.fills).toMatchObject([{ price: level + sign * 700, timeMs: OPEN_MS }]);
  });
  test('slippage is against it', () => {
    const made = fixture({ slippage: fixedSlippage(3, 0) });
    reach(made, level);
    expect(made.seen.fills[0]?.price).toBe(side === 'buy' ? level + 3 : level - 3);
  });
});

describe('several levels in one row', () => {
  const LEVELS: readonly (readonly [TriggerKind, number, Side])[] = [
    ['takeProfit', 405_000, 'sell'],
    ['takeProfit', 403_000, 'sell'],
    ['rise', 404_000, 'buy'],
    ['fall', 397_000, 'buy'],
    ['stopLoss', 395_000, 'sell'],
    ['fall', 399_000, 'buy'],
    ['stopLoss', 396_000, 'sell'],
  ];
  const fired = (open: number, high: number, low: number) => {
    const fixture = new Fixture().hold(30);
    for (const [kind, price, side] of LEVELS) fixture.place(kind, price, side, 2, kind === 'rise' || kind === 'fall' ? {} : CLOSE);
    fixture.row(open, high, low);
    return fixture.ended.map(({ id, timeMs }) => [id, timeMs === OPEN_MS ? 'open' : 'inside']);
  };
  test('losses first, then entries, then profits, of each the one nearest to the open', () => {
    expect(fired(PRICE, 405_000, 395_000).map(([id]) => id)).toEqual([7, 5, 6, 4, 3, 2, 1]);
  });
  test('what the open reaches comes before all of them, as placed', () => {
    expect(fired(404_000, 405_000, 395_000)).toEqual([
      [2, 'open'], [3, 'open'], [7, 'inside'], [5, 'inside'], [6, 'inside'], [4, 'inside'], [1, 'inside'],
    ]); // prettier-ignore
  });
  test('of two equally near the first one placed', () => {
    const setup = new Fixture();
    setup.place('rise', 401_000, 'buy', 1);
    setup.place('fall', 399_000, 'buy', 1);
    setup.row(PRICE, 401_000, 399_000);
    expect(setup.ended.map(({ id }) => id)).toEqual([1, 2]);
  });
  test('a row that reaches stop and target counts as the stop: the target finds nothing to close', () => {
    const rig = new Fixture().hold(10);
    const target = rig.place('takeProfit', 404_000, 'sell', 10, CLOSE);
    const stop = rig.place('stopLoss', 396_000, 'sell', 10, CLOSE);
    rig.row(PRICE, 404_000, 396_000);
    expect(rig.seen.fills).toMatchObject([{ ref: stop.id, price: 396_000 }]);
    expect([stop.status, stop.code, target.status, target.code, target.childId]).toEqual(['triggered', 0, 'failed', 10015, null]);
  });
});

describe('children', () => {
  test('a LIMIT that the trigger price allows is executed there, as taker', () => {
    const fixture = new Fixture();
    const trigger = fixture.place('rise', 401_000, 'buy', 5, { limit: 402_000 });
    fixture.row(PRICE, 401_500, PRICE);
    expect(fixture.seen.fills).toMatchObject([{ ref: trigger.id, price: 401_000, lots: 5, isMaker: false }]);
  });
  test('one that it does not allow rests from the end of the row on, as maker', () => {
    const setup = new Fixture();
    const trigger = setup.place('rise', 401_000, 'buy', 5, { limit: 400_500 });
    setup.row(PRICE, 401_500, 399_000);
    expect([setup.seen.fills, trigger.status, setup.venue.find(0, trigger.childId!)?.isOpen]).toEqual([[], 'triggered', true]);
    setup.row(401_000, 401_500, 400_499);
    expect(setup.seen.fills).toMatchObject([{ ref: trigger.id, price: 400_500, isMaker: true }]);
  });
  test('a MARKET child takes what the cap on volume leaves, the rest is canceled', () => {
    const rig = new Fixture({ maxVolumeSharePpm: 30_000 });
    rig.place('rise', 401_000, 'buy', 5);
    rig.row(PRICE, 401_000, PRICE);
    expect(rig.seen.fills).toMatchObject([{ lots: 3 }]);
    expect(rig.seen.ends).toHaveLength(1);
  });
  test.each(['stopLoss', 'takeProfit'] as const)('that close take their lots back from an open order of the other side: %s', (kind) => {
    const otherFixture = new Fixture().hold(10);
    const rest = otherFixture.venue.place(0, 99, futuresIntent(otherFixture.contract, 'sell', 6, { limit: 500_000 }), 0)!;
    const price = kind === 'stopLoss' ? 396_000 : 404_000;
    const exit = otherFixture.place(kind, price, 'sell', 10, CLOSE);
    otherFixture.row(PRICE, 404_000, 396_000);
    expect([exit.status, exit.code, otherFixture.seen.fills]).toMatchObject(['triggered', 0, [{ ref: exit.id, price, lots: 10 }]]);
    expect([rest.isOpen, rest.offsetLots, otherFixture.venue.wallets.position(0, 0, true).lots]).toEqual([true, 0, 0]);
  });
  test.each([
    ['margin', -2017, { deposit: 1000 }, 0],
    ['open orders', -1015, { maxOpenOrders: 1 }, 0],
  ] as const)('that are refused when they are placed fail their trigger: %s', (_, code, config, held) => {
    const stand = new Fixture(config);
    if (held !== 0) stand.hold(held);
    if (code === -1015) stand.venue.place(0, 99, futuresIntent(stand.contract, 'buy', 1, { limit: 1000 }), 0);
    const trigger = stand.place('rise', 401_000, 'buy', 500);
    stand.row(PRICE, 401_000, PRICE);
    expect([trigger.status, trigger.code, trigger.childId, stand.ended[0]?.status]).toEqual(['failed', code, null, 'failed']);
  });
  test('of an inverse contract fire and fill alike', () => {
    const stand = new Fixture({}, 10, inverseContract()).hold(10);
    stand.place('stopLoss', 399_000, 'sell', 10, CLOSE);
    stand.row(PRICE, PRICE, 398_000);
    expect(stand.seen.fills).toMatchObject([{ price: 399_000, lots: 10 }]);
  });
});

describe('refused when placed', () => {
  test.each<[string, number, (fixture: Fixture) => number]>([
    ['an exit that opens', -1014, (setup) => setup.code('stopLoss', 399_000, 'sell', 1)],
    ['an exit that opens, target', -1014, (rig) => rig.code('takeProfit', 401_000, 'sell', 1)],
    ['a time in force', -1014, (otherFixture) => otherFixture.code('rise', 401_000, 'buy', 1, { limit: 401_000, timeInForce: 'IOC' })],
    ['a value', -1014, (stand) => stand.code('rise', 401_000, 'buy', 0, { value: 1_000_000 })],
    ['a price finer than a tick', -1147, (stand) => stand.code('rise', 401_000.5, 'buy', 1)],
    ['no price', -1102, (stand) => stand.code('rise', 0, 'buy', 1)],
    ['no volume', -1136, (stand) => stand.code('rise', 401_000, 'buy', 0)],
    ['a volume finer than a lot', -1147, (stand) => stand.code('rise', 401_000, 'buy', 1.5)],
    ['a limit finer than a tick', -1147, (stand) => stand.code('rise', 401_000, 'buy', 1, { limit: 401_000.5 })],
    ['an exit beyond the position', 10015, (stand) => stand.hold(5).code('stopLoss', 399_000, 'sell', 6, CLOSE)],
    ['an exit without a position', 10015, (stand) => stand.code('takeProfit', 399_000, 'buy', 1, CLOSE)],
  ])('%s: %i', (_, code, place) => {
    const stand = new Fixture();
    expect(place(stand)).toBe(code);
    expect([stand.triggers.list(0), stand.triggers.waits(stand.contract)]).toEqual([[], false]);
  });
  test('margin, and the position to close, are checked only when it triggers', () => {
    const stand = new Fixture({ deposit: 1000 });
    expect([stand.code('rise', 401_000, 'buy', 500), stand.code('fall', 399_000, 'sell', 1, CLOSE)]).toEqual([0, 0]);
  });
  test('one too many of an account: -1015; one that ends makes room', () => {
    const stand = new Fixture({}, 2);
    const [first] = [stand.place('rise', 401_000, 'buy', 1), stand.place('rise', 402_000, 'buy', 1)];
    expect(stand.code('rise', 403_000, 'buy', 1)).toBe(-1015);
    stand.triggers.cancel(0, first.id);
    expect(stand.code('rise', 403_000, 'buy', 1)).toBe(0);
  });
  test.each([0, -1, 1.5, NaN])('a desk cannot have room for %s', (maxPending) => {
    expect(() => new Fixture({}, maxPending)).toThrow('maxTriggers');
  });
});

describe('the life of what waits', () => {
  test('the list has the newest first, of one contract or of all', () => {
    const fixture = new Fixture();
    const [first, second] = [fixture.place('rise', 401_000, 'buy', 1), fixture.place('fall', 399_000, 'sell', 1)];
    expect(fixture.triggers.list(0)).toEqual([second, first]);
    expect(fixture.triggers.list(0, fixture.contract)).toEqual([second, first]);
    expect(fixture.triggers.list(0, linearContract())).toEqual([]);
    expect(fixture.triggers.list(1)).toEqual([]);
    expect(fixture.triggers.waits(fixture.contract)).toBe(true);
  });
  test('a canceled one never fires; nobody cancels it twice, or for another account', () => {
    const setup = new Fixture();
    const trigger = setup.place('rise', 401_000, 'buy', 1);
    expect([setup.triggers.cancel(1, trigger.id), setup.triggers.refusal]).toEqual([null, -1112]);
    expect(setup.triggers.cancel(0, trigger.id)?.status).toBe('canceled');
    expect([setup.triggers.cancel(0, trigger.id), setup.triggers.refusal]).toEqual([null, -1112]);
    setup.row(402_000, 402_000, 402_000);
    expect([setup.seen.fills, setup.ended]).toEqual([[], []]);
  });
  test('it expires with the row that opens at its time, and fires in the one before', () => {
    const level = 401_000;
    const late = new Fixture();
    late.place('rise', level, 'buy', 1, {}, OPEN_MS);
    late.row(level, level, level);
    expect([late.seen.fills, late.ended]).toEqual([[], [{ id: 1, status: 'expired', timeMs: OPEN_MS }]]);
    const early = new Fixture();
    early.place('rise', level, 'buy', 1, {}, OPEN_MS + 1);
    early.row(PRICE, level, PRICE);
    expect(early.ended[0]?.status).toBe('triggered');
  });
  test('what arrives within a row waits for the next one', () => {
    const rig = new Fixture();
    rig.place('rise', 401_000, 'buy', 1, {}, Infinity, OPEN_MS + 1);
    rig.row(402_000, 402_000, 402_000);
    expect(rig.ended).toEqual([]);
    rig.row(402_000, 402_000, 402_000);
    expect(rig.seen.fills).toMatchObject([{ price: 402_000 }]);
  });
  test('a trigger of another contract is not touched', () => {
    const otherFixture = new Fixture();
    otherFixture.place('rise', 401_000, 'buy', 1);
    otherFixture.triggers.fireInRow(linearContract(), OPEN_MS, OPEN_MS + 1, 500_000, 500_000, 500_000);
    expect(otherFixture.ended).toEqual([]);
  });
});
