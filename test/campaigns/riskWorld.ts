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
import { limitsAsText, priceRange, type Counts, type Mutation, RiskCourse, scratch, STRATEGIES } from './riskCourse.ts';
import { BASE_UNITS_PER_LOT, MIN_LOTS, QUOTE_UNITS_PER_TICK_LOT, SpotTruth, type TrueLimits, type TrueOrder } from './riskTruth.ts';

const INSTRUMENTS = [spotInstrument('BTC'), spotInstrument('ETH')];

/** A course of events on spot pairs. */
export class SpotRiskWorld extends RiskCourse<TrueOrder> {
  protected override readonly truth: SpotTruth;
  protected override readonly ledger = new SpotLedger(INSTRUMENTS, STRATEGIES);
  protected override readonly orders: OrderManager;
  protected override readonly risk: RiskModule;
  #trades = 0;

  constructor(seed: number, counts: Counts, { withoutRule = null, ReservationsClass = Reservations }: Mutation = {}) {
    super(seed, counts);
    const heldUnits = this.forEachStrategy(() => INSTRUMENTS.map(() => (this.isDrawn(0.3) ? this.between(1, 40) * BASE_UNITS_PER_LOT : 0)));
    const limits = this.#drawLimits(heldUnits);
    const marks = INSTRUMENTS.map(() => this.between(900, 1100));
    const feeInBase = this.isDrawn(0.5);
    const cash = this.forEachStrategy(() => this.between(1, 20) * 1e7);
    cash.forEach((amount, strategy) => this.ledger.deposit(strategy, 'USDT', amount));
    heldUnits.forEach((holdings, strategy) =>
      holdings.forEach((amount, index) => this.ledger.deposit(strategy, INSTRUMENTS[index]!.base, amount)),
    );
    this.truth = new SpotTruth({ limits, cash, held: heldUnits, marks, feeInBase });
    const terms = { collarPpm: 10_000, takerFeePpm: [1000, 1000], feesIn: feeInBase ? 'received' : 'quote' } as const;
    const reservations = new ReservationsClass(INSTRUMENTS, STRATEGIES, terms);
    this.orders = new OrderManager(this.truth, new ReplayJournal(), reservations, REPLAY_ABSENCE_BOUNDS, scratch);
    const rules = RULES.filter(({ code }) => code !== withoutRule);
    this.risk = new RiskModule({ ledger: this.ledger, reservations, limits: limitsAsText(limits, { quantity: 3, money: 8 }), rules });
    this.risk.attach(countedMarks(() => marks));
    this.startUnits = this.ledger.equityTotalUnits(marks);
    this.risk.begin(this.startUnits, this.nowMs);
  }

  protected override drawOrder(): string | null {
    const truth = this.truth;
    const index = this.between(0, 1);
    const strategy = this.between(0, 1);
    const isBuy = this.isDrawn(0.65);
    const mark = truth.marks[index]!;
    const order = this.orders.draft(strategy, INSTRUMENTS[index]!, index, isBuy ? 'buy' : 'sell', this.nowMs);
    order.slot = `s${this.between(0, 9)}`;
    const kindDraw = this.rng.next();
    if (isBuy && kindDraw < 0.2) order.quoteUnits = units(this.between(MIN_LOTS * 1_100_000, 3e7));
    else order.lots = lots(this.between(1, this.isDrawn(0.3) ? 50 : 15));
    if (order.lots > 0 && kindDraw > 0.4) order.limit = ticks(Math.round(mark * (0.9 + 0.2 * this.rng.next())));
    order.role = order.limit > 0 ? 'limit' : 'market';
    return this.askRisk(
      order,
      (placed) => truth.limitBrokenByApproval(placed, this.ledger.equityTotalUnits(truth.marks)),
      (placed) => truth.reducesRisk(placed),
    );
  }

  protected override execute(order: TrueOrder): void {
    const [low, high] = priceRange(order);
    const price = this.between(Math.ceil(low), Math.floor(high));
    const max = order.byAmount ? Math.floor(order.unfilled / (price * QUOTE_UNITS_PER_TICK_LOT)) : order.unfilled;
    const filled = this.isDrawn(0.4) ? max : this.between(1, Math.max(1, max));
    if (filled <= max && filled > 0) this.truth.execute(order, { ticks: price, lots: filled });
  }

  protected override report(order: TrueOrder): void {
    const { ticks: price, lots: filled } = order.unreported.shift()!;
    const botOrder = this.orders.get(order.id as OrderId)!;
    const notional = price * filled * QUOTE_UNITS_PER_TICK_LOT;
    const feeInBase = this.truth.feeInBase && order.isBuy;
    const fee = feeInBase ? (filled * BASE_UNITS_PER_LOT) / 1000 : notional / 1000;
    const fill = fillOf({ tradeId: ++this.#trades, price, lots: filled, notional, fee, feeInBase, timeMs: this.nowMs });
    this.ledger.fill(order.strategy, order.index, order.isBuy, fill);
    this.orders.filled(botOrder, fill);
    order.reported += filled;
    order.absentMs = NaN;
    this.counts.fills++;
  }

  /** Returns random limits. Null: the limit is off. */
  #drawLimits(heldUnits: readonly number[][]): TrueLimits {
    // The limit on positions must not be below the deposits: no order could repair that.
    const deposited = INSTRUMENTS.map((_, index) => heldUnits.reduce((sum, holdings) => sum + holdings[index]!, 0) / BASE_UNITS_PER_LOT);
    const maybe = (min: number, max: number, unit = 1) => (this.isDrawn(0.3) ? this.between(min, max) * unit : null);
    return {
      orderLots: maybe(5, 45),
      orderUnits: maybe(50, 450, 1e5),
      positionLots: this.isDrawn(0.3) ? this.between(Math.max(20, ...deposited), 100) : null,
      positionUnits: maybe(200, 1000, 1e5),
      grossUnits: maybe(300, 1500, 1e5),
      leverageMilli: maybe(100, 900),
      openOrders: maybe(1, 5),
      openOrdersTotal: maybe(2, 8),
      bandMilli: maybe(5, 90),
      ordersPerMinute: maybe(2, 8),
      dailyLossMilli: maybe(1, 60),
      drawdownMilli: maybe(1, 60),
    };
  }
}
