// One random course of events: a bot (ledger, reservations, orders, risk) that hears late, wrongly or nothing, over a venue that knows.

import { Scratch } from '../../src/base/rowLog.ts';
import { seededRng } from '../../src/base/rng.ts';
import { lots, ticks, units } from '../../src/base/brand.ts';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import { OrderManager } from '../../src/orders/orderManager.ts';
import type { OrderRecord } from '../../src/orders/record.ts';
import { Reservations, TOMBSTONE_MS } from '../../src/orders/reservation.ts';
import { REPLAY_FENCE } from '../../src/orders/resolver.ts';
import { Ledger } from '../../src/portfolio/ledger.ts';
import type { RiskLimits } from '../../src/risk/limits.ts';
import { RiskModule, RULES } from '../../src/risk/riskModule.ts';
import { spotInstrument } from '../fixtures/drafts.ts';
import { fillOf } from '../fixtures/fills.ts';
import { MIN_LOTS, PER_LOT, PER_TICK_LOT, Truth, type TrueLimits, type TrueOrder } from './riskTruth.ts';

const INSTRUMENTS = [spotInstrument('BTC'), spotInstrument('ETH')];
const STRATEGIES = 2;
const DAY_MS = 86_400_000;
const STEPS = 100;
const scratch = new Scratch();

export interface Counts {
  intents: number;
  approved: number;
  fills: number;
  unknown: number;
  tombstones: number;
  lateLandings: number;
  cancels: number;
  readonly denied: Record<string, number>;
}
export const noCounts = (): Counts => ({
  intents: 0,
  approved: 0,
  fills: 0,
  unknown: 0,
  tombstones: 0,
  lateLandings: 0,
  cancels: 0,
  denied: {},
});

export class World {
  readonly #counts: Counts;
  readonly #rng;
  readonly #limits: TrueLimits;
  readonly #truth: Truth;
  readonly #ledger = new Ledger(INSTRUMENTS, STRATEGIES);
  readonly #reservations: Reservations;
  readonly #orders: OrderManager;
  readonly #risk: RiskModule;
  readonly #times = new Float64Array(STEPS + 1);
  readonly #equity = new Float64Array(STEPS + 1);
  #marked = 0;
  #startUnits = 0;
  #nowMs = 20_000 * DAY_MS - 3_600_000;
  #trades = 0;

  /** `without`: code of a rule that is left out. `kind`: the reservations, or a broken kind of them. */
  constructor(seed: number, counts: Counts, without: string | null = null, kind: typeof Reservations = Reservations) {
    this.#rng = seededRng(seed);
    this.#counts = counts;
    const held = this.#twice(() => INSTRUMENTS.map(() => (this.#chance(0.3) ? this.#whole(1, 40) * PER_LOT : 0)));
    this.#limits = this.#drawLimits(held);
    const marks = INSTRUMENTS.map(() => this.#whole(900, 1100));
    const feeInBase = this.#chance(0.5);
    const cash = this.#twice(() => this.#whole(1, 20) * 1e7);
    cash.forEach((amount, strategy) => this.#ledger.deposit(strategy, 'USDT', amount));
    held.forEach((book, strategy) => book.forEach((amount, index) => this.#ledger.deposit(strategy, INSTRUMENTS[index]!.base, amount)));
    this.#truth = new Truth(this.#limits, cash, held, marks, feeInBase);
    const terms = { collarPpm: 10_000, takerFeePpm: [1000, 1000], feesIn: feeInBase ? 'received' : 'quote' } as const;
    this.#reservations = new kind(INSTRUMENTS, STRATEGIES, terms);
    this.#orders = new OrderManager(this.#truth, new ReplayJournal(), this.#reservations, REPLAY_FENCE, scratch);
    const rules = RULES.filter(({ code }) => code !== without);
    this.#risk = new RiskModule({ ledger: this.#ledger, reservations: this.#reservations, limits: asText(this.#limits), rules });
    this.#risk.attach({ lastTicks: (index) => marks[index]! });
    this.#startUnits = this.#ledger.equityTotalUnits(marks);
    this.#risk.begin(this.#startUnits, this.#nowMs);
  }

  /** Runs to the end: the code of the first limit that the truth breaks, or null. Throws what the bot throws. */
  run(): string | null {
    for (let step = 0; step < STEPS; step++) {
      const broken = this.#step() ?? this.#truth.brokenAlways();
      if (broken !== null) return broken;
      this.#truth.orders = this.#truth.orders.filter((order) => order.isPossible || order.unreported.length > 0 || this.#isActive(order));
    }
    this.#ledger.assertReconciled();
    this.#orders.release();
    return null;
  }

  #step(): string | null {
    const draw = this.#rng.next();
    if (draw < 0.25) return this.#intent();
    if (draw < 0.29) this.#move();
    else if (draw < 0.33) this.#wait(this.#chance(0.2) ? this.#whole(1, 45) * 60_000 : this.#whole(1, 40_000));
    else {
      const order = this.#truth.orders[this.#whole(0, this.#truth.orders.length - 1)];
      if (order) this.#happen(order, this.#whole(0, 9));
    }
    return null;
  }

  // --- What the strategies want

  #intent(): string | null {
    const truth = this.#truth;
    const index = this.#whole(0, 1);
    const strategy = this.#whole(0, 1);
    const isBuy = this.#chance(0.65);
    const mark = truth.marks[index]!;
    const order = this.#orders.draft(strategy, INSTRUMENTS[index]!, index, isBuy ? 'buy' : 'sell', this.#nowMs);
    order.slot = `s${this.#whole(0, 9)}`;
    const kind = this.#rng.next();
    if (isBuy && kind < 0.2) order.quoteUnits = units(this.#whole(MIN_LOTS * 1_100_000, 3e7));
    else order.lots = lots(this.#whole(1, this.#chance(0.3) ? 50 : 15));
    if (order.lots > 0 && kind > 0.4) order.limit = ticks(Math.round(mark * (0.9 + 0.2 * this.#rng.next())));
    this.#counts.intents++;
    const obstacle = this.#orders.obstacle(order);
    if (obstacle !== null) return this.#deny(order, obstacle);
    this.#risk.observe(this.#times, this.#equity, this.#marked);
    const approved = this.#risk.check(order, this.#nowMs, mark);
    if (approved === null) return this.#deny(order, this.#risk.code!);
    this.#counts.approved++;
    truth.nowMs = this.#nowMs;
    this.#orders.submit(approved);
    const placed = truth.orders.at(-1)!;
    const broken = truth.brokenBy(placed, this.#ledger.equityTotalUnits(truth.marks));
    return broken ?? (isBuy ? this.#brokenByLoss() : null);
  }
  #deny(order: OrderRecord, code: string): null {
    this.#orders.deny(order, code);
    this.#counts.denied[code] = (this.#counts.denied[code] ?? 0) + 1;
    return null;
  }

  /** Whether new risk should have been halted: a naive walk over all marks so far. */
  #brokenByLoss(): string | null {
    const { dailyLossMilli, drawdownMilli } = this.#limits;
    const dayStart = this.#nowMs - (this.#nowMs % DAY_MS);
    let peak = this.#startUnits;
    let anchor = this.#startUnits;
    for (let row = 0; row < this.#marked; row++) {
      const equity = this.#equity[row]!;
      if (drawdownMilli !== null && equity * 1000 <= peak * (1000 - drawdownMilli)) return 'DRAWDOWN';
      peak = Math.max(peak, equity);
      if (this.#times[row]! <= dayStart) anchor = equity;
      if (dailyLossMilli !== null && this.#times[row]! >= dayStart && equity * 1000 <= anchor * (1000 - dailyLossMilli))
        return 'DAILY_LOSS';
    }
    return null;
  }

  // --- What happens at the venue, and what the bot hears of it

  #happen(order: TrueOrder, what: number): void {
    const belief = this.#orders.get(order.id as OrderId);
    const lifecycle = belief?.lifecycle ?? 'done';
    if (what === 0 && order.state === 'inFlight') {
      order.state = this.#chance(0.85) ? 'live' : 'over';
      order.wasAdmitted = order.state === 'live';
      if (order.wasAdmitted && !Number.isNaN(order.tombMs)) this.#counts.lateLandings++;
    } else if (what <= 2 && order.state === 'live') this.#execute(order);
    else if (what === 3 && order.state === 'live' && order.cancelAsked) order.state = 'over';
    else if (what <= 4 && order.unreported.length > 0) this.#report(order);
    else if (what === 5 && belief && (lifecycle === 'sent' || lifecycle === 'unknown')) this.#answer(order, belief);
    else if (what === 6 && lifecycle === 'sent' && belief) {
      this.#orders.outcomeUnknown(belief, this.#nowMs);
      this.#counts.unknown++;
    } else if (what === 7 && belief && lifecycle === 'unknown' && order.reported === 0) {
      order.tombMs = this.#nowMs;
      this.#orders.noEffect(belief, this.#nowMs);
      this.#counts.tombstones++;
    } else if (what === 8 && belief && lifecycle !== 'done') {
      this.#orders.cancel(belief, this.#nowMs);
      this.#counts.cancels++;
    } else if (what === 9 && belief && order.state === 'over' && order.unreported.length === 0) {
      if (lifecycle === 'working' || lifecycle === 'cancelSent')
        this.#orders.ended(belief, order.cancelAsked ? 'canceled' : 'expired', this.#nowMs);
    }
  }

  #execute(order: TrueOrder): void {
    const [low, high] =
      order.limit > 0
        ? order.isBuy
          ? [order.limit * 0.95, order.limit]
          : [order.limit, order.limit * 1.05]
        : [order.lowest, order.highest];
    const price = this.#whole(Math.ceil(low), Math.floor(high));
    const most = order.byAmount ? Math.floor(order.left / (price * PER_TICK_LOT)) : order.left;
    const filled = this.#chance(0.4) ? most : this.#whole(1, Math.max(1, most));
    if (filled <= most && filled > 0) this.#truth.execute(order, { ticks: price, lots: filled });
  }

  #report(order: TrueOrder): void {
    const { ticks: price, lots: filled } = order.unreported.shift()!;
    const belief = this.#orders.get(order.id as OrderId)!;
    const notional = price * filled * PER_TICK_LOT;
    const feeInBase = this.#truth.feeInBase && order.isBuy;
    const fee = feeInBase ? (filled * PER_LOT) / 1000 : notional / 1000;
    const fill = fillOf({ tradeId: ++this.#trades, price, lots: filled, notional, fee, feeInBase, timeMs: this.#nowMs });
    this.#ledger.fill(order.strategy, order.index, order.isBuy, fill);
    this.#orders.filled(belief, fill);
    order.reported += filled;
    order.tombMs = NaN;
    this.#counts.fills++;
  }

  #answer(order: TrueOrder, belief: OrderRecord): void {
    if (order.wasAdmitted) this.#orders.acked(belief, order.id as VenueOrderId, this.#nowMs);
    else if (order.state === 'over') this.#orders.refused(belief, '-2010', this.#nowMs);
  }

  /** A tombstone that has not been heard of for as long as it is reserved never will be: the assumption of order safety, section 8. */
  #wait(ms: number): void {
    this.#nowMs += ms;
    for (const order of this.#truth.orders) {
      if (!(order.tombMs + TOMBSTONE_MS <= this.#nowMs)) continue;
      while (order.unreported.length > 0) this.#report(order);
      if (!Number.isNaN(order.tombMs)) order.state = 'over';
    }
    this.#mark();
  }
  #move(): void {
    const { marks } = this.#truth;
    marks.forEach((mark, index) => (marks[index] = Math.max(10, Math.round(mark * (0.97 + 0.06 * this.#rng.next())))));
    this.#nowMs++;
    this.#mark();
  }
  #mark(): void {
    this.#times[this.#marked] = this.#nowMs;
    this.#equity[this.#marked++] = this.#ledger.equityTotalUnits(this.#truth.marks);
  }

  #isActive({ id }: TrueOrder): boolean {
    return this.#orders.active().some((order) => order.id === id);
  }
  #drawLimits(held: readonly number[][]): TrueLimits {
    // No order can help it when more is brought in than may be held.
    const brought = Math.max(...INSTRUMENTS.map((_, index) => held.reduce((sum, book) => sum + book[index]!, 0))) / PER_LOT;
    const maybe = (least: number, most: number, unit = 1) => (this.#chance(0.3) ? this.#whole(least, most) * unit : null);
    return {
      orderLots: maybe(5, 45),
      orderUnits: maybe(50, 450, 1e5),
      positionLots: this.#chance(0.3) ? this.#whole(Math.max(20, brought), 100) : null,
      positionUnits: maybe(200, 1000, 1e5),
      grossUnits: maybe(300, 1500, 1e5),
      leverageMilli: maybe(100, 900),
      open: maybe(1, 5),
      openTotal: maybe(2, 8),
      bandMilli: maybe(5, 90),
      perMinute: maybe(2, 8),
      dailyLossMilli: maybe(1, 60),
      drawdownMilli: maybe(1, 60),
    };
  }
  #chance(share: number): boolean {
    return this.#rng.next() < share;
  }
  /** Uniform over whole numbers, both ends included. */
  #whole(least: number, most: number): number {
    return least + Math.floor(this.#rng.next() * (most - least + 1));
  }
  #twice<T>(make: () => T): T[] {
    return Array.from({ length: STRATEGIES }, make);
  }
}

const money = (value: number) => (value / 1e8).toFixed(8);
const part = (value: number) => (value / 1000).toFixed(3);
const whole = (value: number) => value;

function asText(limits: TrueLimits): RiskLimits {
  const rows: [string, number | null, (value: number) => string | number][] = [
    ['maxOrderQty', limits.orderLots, part],
    ['maxOrderNotional', limits.orderUnits, money],
    ['maxPositionQty', limits.positionLots, part],
    ['maxPositionNotional', limits.positionUnits, money],
    ['maxGrossNotional', limits.grossUnits, money],
    ['maxLeverage', limits.leverageMilli, part],
    ['maxOpenOrders', limits.open, whole],
    ['maxOpenOrdersTotal', limits.openTotal, whole],
    ['priceBand', limits.bandMilli, part],
    ['maxOrdersPerMinute', limits.perMinute, whole],
    ['maxDailyLoss', limits.dailyLossMilli, part],
    ['maxDrawdown', limits.drawdownMilli, part],
  ];
  return Object.fromEntries(rows.flatMap(([key, value, text]) => (value === null ? [] : [[key, text(value)]])));
}
