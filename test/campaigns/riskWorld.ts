// Draws the events of the risk campaign on spot: orders of strategies, and their fills.

import { lots, ticks, units } from '../../src/base/brand.ts';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import type { OrderId } from '../../src/model/order.ts';
import { OrderManager } from '../../src/orders/orderManager.ts';
import { Reservations } from '../../src/orders/reserve/reservation.ts';
import { REPLAY_ABSENCE_BOUNDS } from '../../src/orders/prove/resolver.ts';
import { SpotLedger } from '../../src/portfolio/spotLedger.ts';
import { RiskModule } from '../../src/risk/riskModule.ts';
import { RULES } from '../../src/risk/rules.ts';
import { countedMarks } from '../fixtures/countedMarks.ts';
import { spotInstrument } from '../fixtures/drafts.ts';
import { fillOf } from '../fixtures/fills.ts';
import { asText, type Counts, RiskCourse, scratch, STRATEGIES } from './riskCourse.ts';
import { MIN_LOTS, PER_LOT, PER_TICK_LOT, Truth, type TrueLimits, type TrueOrder } from './riskTruth.ts';

const INSTRUMENTS = [spotInstrument('BTC'), spotInstrument('ETH')];

export class World extends RiskCourse<TrueOrder> {
  protected override readonly truth: Truth;
  protected override readonly ledger = new SpotLedger(INSTRUMENTS, STRATEGIES);
  protected override readonly orders: OrderManager;
  protected override readonly risk: RiskModule;
  #trades = 0;

  /** `without`: code of a rule that is left out. `kind`: the reservations, or a broken kind of them. */
  constructor(seed: number, counts: Counts, without: string | null = null, kind: typeof Reservations = Reservations) {
    super(seed, counts);
    const held = this.twice(() => INSTRUMENTS.map(() => (this.random(0.3) ? this.whole(1, 40) * PER_LOT : 0)));
    const limits = this.#drawLimits(held);
    const marks = INSTRUMENTS.map(() => this.whole(900, 1100));
    const feeInBase = this.random(0.5);
    const cash = this.twice(() => this.whole(1, 20) * 1e7);
    cash.forEach((amount, strategy) => this.ledger.deposit(strategy, 'USDT', amount));
    held.forEach((book, strategy) => book.forEach((amount, index) => this.ledger.deposit(strategy, INSTRUMENTS[index]!.base, amount)));
    this.truth = new Truth(limits, cash, held, marks, feeInBase);
    const terms = { collarPpm: 10_000, takerFeePpm: [1000, 1000], feesIn: feeInBase ? 'received' : 'quote' } as const;
    const reservations = new kind(INSTRUMENTS, STRATEGIES, terms);
    this.orders = new OrderManager(this.truth, new ReplayJournal(), reservations, REPLAY_ABSENCE_BOUNDS, scratch);
    const rules = RULES.filter(({ code }) => code !== without);
    this.risk = new RiskModule({ ledger: this.ledger, reservations, limits: asText(limits, 3, 8), rules });
    this.risk.attach(countedMarks(() => marks));
    this.startUnits = this.ledger.equityTotalUnits(marks);
    this.risk.begin(this.startUnits, this.nowMs);
  }

  protected override intent(): string | null {
    const truth = this.truth;
    const index = this.whole(0, 1);
    const strategy = this.whole(0, 1);
    const isBuy = this.random(0.65);
    const mark = truth.marks[index]!;
    const order = this.orders.draft(strategy, INSTRUMENTS[index]!, index, isBuy ? 'buy' : 'sell', this.nowMs);
    order.slot = `s${this.whole(0, 9)}`;
    const kind = this.rng.next();
    if (isBuy && kind < 0.2) order.quoteUnits = units(this.whole(MIN_LOTS * 1_100_000, 3e7));
    else order.lots = lots(this.whole(1, this.random(0.3) ? 50 : 15));
    if (order.lots > 0 && kind > 0.4) order.limit = ticks(Math.round(mark * (0.9 + 0.2 * this.rng.next())));
    return this.ask(
      order,
      (placed) => truth.brokenBy(placed, this.ledger.equityTotalUnits(truth.marks)),
      () => !isBuy,
    );
  }

  protected override execute(order: TrueOrder): void {
    const [low, high] =
      order.limit > 0
        ? order.isBuy
          ? [order.limit * 0.95, order.limit]
          : [order.limit, order.limit * 1.05]
        : [order.lowest, order.highest];
    const price = this.whole(Math.ceil(low), Math.floor(high));
    const max = order.byAmount ? Math.floor(order.left / (price * PER_TICK_LOT)) : order.left;
    const filled = this.random(0.4) ? max : this.whole(1, Math.max(1, max));
    if (filled <= max && filled > 0) this.truth.execute(order, { ticks: price, lots: filled });
  }

  protected override report(order: TrueOrder): void {
    const { ticks: price, lots: filled } = order.unreported.shift()!;
    const belief = this.orders.get(order.id as OrderId)!;
    const notional = price * filled * PER_TICK_LOT;
    const feeInBase = this.truth.feeInBase && order.isBuy;
    const fee = feeInBase ? (filled * PER_LOT) / 1000 : notional / 1000;
    const fill = fillOf({ tradeId: ++this.#trades, price, lots: filled, notional, fee, feeInBase, timeMs: this.nowMs });
    this.ledger.fill(order.strategy, order.index, order.isBuy, fill);
    this.orders.filled(belief, fill);
    order.reported += filled;
    order.absentMs = NaN;
    this.counts.fills++;
  }

  #drawLimits(held: readonly number[][]): TrueLimits {
    // No order can help it when more is brought in than may be held.
    const brought = Math.max(...INSTRUMENTS.map((_, index) => held.reduce((sum, book) => sum + book[index]!, 0))) / PER_LOT;
    const maybe = (min: number, limit: number, unit = 1) => (this.random(0.3) ? this.whole(min, limit) * unit : null);
    return {
      orderLots: maybe(5, 45),
      orderUnits: maybe(50, 450, 1e5),
      positionLots: this.random(0.3) ? this.whole(Math.max(20, brought), 100) : null,
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
}
