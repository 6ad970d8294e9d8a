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
import {
  BASE_UNITS_PER_LOT,
  FEE_DIVISOR,
  MIN_LOTS,
  QUOTE_UNITS_PER_TICK_LOT,
  SpotTruth,
  type TrueLimits,
  type TrueOrder,
} from './riskTruth.ts';

const INSTRUMENTS = [spotInstrument('BTC'), spotInstrument('ETH')];

/** A course of events on spot pairs. */
export class SpotRiskWorld extends RiskCourse<TrueOrder> {
  protected override readonly truth: SpotTruth;
  protected override readonly ledger = new SpotLedger(INSTRUMENTS, STRATEGIES);
  protected override readonly orders: OrderManager;
  protected override readonly risk: RiskModule;
  #lastTradeId = 0;

  constructor(seed: number, counts: Counts, { withoutRule = null, ReservationsClass = Reservations }: Mutation = {}) {
    super(seed, counts);
    const drawHolding = () => (this.happens(0.3) ? this.drawBetween(1, 40) * BASE_UNITS_PER_LOT : 0);
    const heldUnits = this.perStrategy(() => INSTRUMENTS.map(drawHolding));
    const limits = this.#drawLimits(heldUnits);
    const marks = INSTRUMENTS.map(() => this.drawBetween(900, 1100));
    const feeInBase = this.happens(0.5);
    const cash = this.perStrategy(() => this.drawBetween(1, 20) * 1e7);
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
    const { truth } = this;
    const instrumentIndex = this.drawBetween(0, 1);
    const strategy = this.drawBetween(0, 1);
    const isBuy = this.happens(0.65);
    const markTicks = truth.marks[instrumentIndex]!;
    const order = this.orders.draft(strategy, INSTRUMENTS[instrumentIndex]!, instrumentIndex, isBuy ? 'buy' : 'sell', this.nowMs);
    order.slot = `s${this.drawBetween(0, 9)}`;
    // A fifth of the buys are by amount. Of the orders by quantity, about two thirds have a limit within 10 % of the mark.
    const kindDraw = this.rng.next();
    if (isBuy && kindDraw < 0.2) order.quoteUnits = units(this.drawBetween(MIN_LOTS * 1_100_000, 3e7));
    else order.lots = lots(this.drawBetween(1, this.happens(0.3) ? 50 : 15));
    if (order.lots > 0 && kindDraw > 0.4) order.limit = ticks(Math.round(markTicks * (0.9 + 0.2 * this.rng.next())));
    order.role = order.limit > 0 ? 'limit' : 'market';
    return this.sendIfApproved(
      order,
      (placed) => truth.limitBrokenByApproval(placed, this.ledger.equityTotalUnits(truth.marks)),
      (placed) => truth.reducesRisk(placed),
    );
  }

  protected override execute(order: TrueOrder): void {
    const [low, high] = priceRange(order);
    const priceTicks = this.drawBetween(Math.ceil(low), Math.floor(high));
    const maxLots = order.isByAmount ? Math.floor(order.unfilled / (priceTicks * QUOTE_UNITS_PER_TICK_LOT)) : order.unfilled;
    const filledLots = this.happens(0.4) ? maxLots : this.drawBetween(1, Math.max(1, maxLots));
    if (filledLots <= maxLots && filledLots > 0) this.truth.execute(order, { ticks: priceTicks, lots: filledLots });
  }

  protected override report(order: TrueOrder): void {
    const { ticks: priceTicks, lots: filledLots } = order.unreported.shift()!;
    const botOrder = this.orders.get(order.id as OrderId)!;
    const notional = priceTicks * filledLots * QUOTE_UNITS_PER_TICK_LOT;
    const feeInBase = this.truth.feeInBase && order.isBuy;
    const fee = (feeInBase ? filledLots * BASE_UNITS_PER_LOT : notional) / FEE_DIVISOR;
    const fill = fillOf({
      tradeId: ++this.#lastTradeId,
      price: priceTicks,
      lots: filledLots,
      notional,
      fee,
      feeInBase,
      timeMs: this.nowMs,
    });
    this.ledger.fill(order.strategy, order.index, order.isBuy, fill);
    this.orders.filled(botOrder, fill);
    order.reportedLots += filledLots;
    order.absentMs = NaN;
    this.counts.fills++;
  }

  /** Returns random limits. Null: the limit is off. */
  #drawLimits(heldUnits: readonly number[][]): TrueLimits {
    // The limit on positions must not be below the deposits. Otherwise the campaign would begin with a breach that no order can repair.
    const heldOfAll = (index: number) => heldUnits.reduce((sum, holdings) => sum + holdings[index]!, 0);
    const depositedLots = INSTRUMENTS.map((_, index) => heldOfAll(index) / BASE_UNITS_PER_LOT);
    const drawOrNull = (min: number, max: number, unit = 1) => (this.happens(0.3) ? this.drawBetween(min, max) * unit : null);
    return {
      orderLots: drawOrNull(5, 45),
      orderUnits: drawOrNull(50, 450, 1e5),
      positionLots: this.happens(0.3) ? this.drawBetween(Math.max(20, ...depositedLots), 100) : null,
      positionUnits: drawOrNull(200, 1000, 1e5),
      grossUnits: drawOrNull(300, 1500, 1e5),
      leverageMilli: drawOrNull(100, 900),
      openOrders: drawOrNull(1, 5),
      openOrdersTotal: drawOrNull(2, 8),
      bandMilli: drawOrNull(5, 90),
      ordersPerMinute: drawOrNull(2, 8),
      dailyLossMilli: drawOrNull(1, 60),
      drawdownMilli: drawOrNull(1, 60),
    };
  }
}
