// Draws the events of the risk campaign on futures: random contracts and limits, orders of strategies, their fills, and funding.

import { lots, ticks, units } from '../../src/base/brand.ts';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { instrumentId, type Instrument } from '../../src/model/instrument.ts';
import type { OrderId } from '../../src/model/order.ts';
import { OrderManager } from '../../src/orders/orderManager.ts';
import { Reservations } from '../../src/orders/reserve/reservation.ts';
import { REPLAY_ABSENCE_BOUNDS } from '../../src/orders/prove/resolver.ts';
import { FuturesLedger } from '../../src/portfolio/futuresLedger.ts';
import { RiskModule } from '../../src/risk/riskModule.ts';
import { FUTURES_RULES } from '../../src/risk/rules.ts';
import { countedMarks } from '../fixtures/countedMarks.ts';
import { fillOf } from '../fixtures/fills.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { limitsAsText, priceRange, type Counts, type Mutation, RiskCourse, scratch, STRATEGIES } from './riskCourse.ts';
import { CLOSE_FEE, type ContractOrder, FuturesTruth, type TrueContract, contractValue } from './riskFuturesTruth.ts';
import { MIN_LOTS, type TrueLimits } from './riskTruth.ts';

/** Largest leverage by the value of a position, in units. */
const TIERS = [
  { upTo: 3e6, max: 20 },
  { upTo: 8e6, max: 10 },
  { upTo: Infinity, max: 4 },
];
/** Value of a lot of each contract, as a multiple of that of the first one. */
const MULTIPLES = [1, 7];
/** Approximate value of a lot of the first contract, in units. */
const LOT_UNITS = 1e5;

/** A course of events on contracts. */
export class FuturesRiskWorld extends RiskCourse<ContractOrder> {
  protected override readonly truth: FuturesTruth;
  protected override readonly ledger: FuturesLedger;
  protected override readonly orders: OrderManager;
  protected override readonly risk: RiskModule;
  protected override readonly marketEventShare = 0.03;
  readonly #instruments: readonly Instrument[];
  /** Index of a contract whose price risk does not know while it checks an order; -1: none. */
  #unpricedIndex = -1;
  #lastTradeId = 0;

  constructor(seed: number, counts: Counts, { withoutRule = null, ReservationsClass = Reservations }: Mutation = {}) {
    super(seed, counts);
    const isLinear = this.happens(0.5);
    const contracts = MULTIPLES.map((multiple): TrueContract => ({
      isLinear,
      lotValue: multiple * (isLinear ? 1 : 1e11),
      leverage: this.drawBetween(1, 14),
      isNet: this.happens(0.5),
      isCross: this.happens(0.5),
      isTrading: this.happens(0.9),
      tiers: TIERS,
    }));
    this.#instruments = contracts.map(instrumentOf);
    const limits = this.#drawLimits();
    const marks = contracts.map(() => Math.round((isLinear ? 1e5 : 1e6) * (0.9 + 0.2 * this.rng.next())));
    const wallets = this.perStrategy(() => this.drawBetween(1, 40) * 2e5);
    this.ledger = new FuturesLedger(this.#instruments, STRATEGIES, (instrument) => contracts[this.#instruments.indexOf(instrument)]!);
    wallets.forEach((amount, strategy) => this.ledger.deposit(strategy, this.ledger.cashAsset, amount));
    this.truth = new FuturesTruth({ limits, contracts, wallets, marks });
    const reservations = new ReservationsClass(this.#instruments, STRATEGIES, {
      collarPpm: 10_000,
      takerFeePpm: [500, 500],
      feesIn: 'quote',
      leverage: contracts.map(({ leverage }) => leverage),
    });
    this.orders = new OrderManager(this.truth, new ReplayJournal(), reservations, REPLAY_ABSENCE_BOUNDS, scratch);
    const rules = FUTURES_RULES.filter(({ code }) => code !== withoutRule);
    this.risk = new RiskModule({
      ledger: this.ledger,
      reservations,
      limits: limitsAsText(limits, { quantity: 0, money: isLinear ? 4 : 8 }),
      rules,
    });
    this.risk.attach(countedMarks(() => marks.map((mark, index) => (index === this.#unpricedIndex ? NaN : mark))));
    this.startUnits = this.ledger.equityTotalUnits(marks);
    this.risk.begin(this.startUnits, this.nowMs);
  }

  protected override drawOrder(): string | null {
    const { truth } = this;
    const instrumentIndex = this.drawBetween(0, 1);
    // A contract belongs to the first strategy that trades it, so most orders are of the strategy with the same index.
    const strategy = this.happens(0.8) ? instrumentIndex : 1 - instrumentIndex;
    const isBuy = this.happens(0.5);
    const markTicks = truth.marks[instrumentIndex]!;
    const order = this.orders.draft(strategy, this.#instruments[instrumentIndex]!, instrumentIndex, isBuy ? 'buy' : 'sell', this.nowMs);
    order.slot = `s${this.drawBetween(0, 9)}`;
    order.reduceOnly = this.happens(0.25);
    // 15 % of the orders that may open are by amount. Of the orders by quantity, about two thirds have a limit within 10 % of the mark.
    const kindDraw = this.rng.next();
    if (!order.reduceOnly && kindDraw < 0.15) order.quoteUnits = units(this.drawBetween(1, 40) * LOT_UNITS);
    else order.lots = lots(this.drawBetween(1, this.happens(0.3) ? 50 : 15));
    if (order.lots > 0 && kindDraw > 0.4) order.limit = ticks(Math.round(markTicks * (0.9 + 0.2 * this.rng.next())));
    order.role = order.limit > 0 ? 'limit' : 'market';
    this.#unpricedIndex = this.happens(0.05) ? 1 - instrumentIndex : -1;
    const brokenLimit = this.sendIfApproved(
      order,
      (placed) => truth.limitBrokenByApproval(placed),
      (placed) => truth.reducesRisk(placed),
    );
    this.#unpricedIndex = -1;
    return brokenLimit;
  }

  protected override execute(order: ContractOrder): void {
    const [low, high] = priceRange(order);
    const priceTicks = this.drawBetween(Math.ceil(low), Math.floor(high));
    const contract = this.truth.contracts[order.index]!;
    const unfilledLots = order.isByAmount ? Math.floor((order.unfilled - 1) / contractValue(contract, 1, priceTicks)) : order.unfilled;
    const maxLots = this.truth.executableLots(order, unfilledLots);
    const filledLots = this.happens(0.4) ? maxLots : this.drawBetween(1, Math.max(1, maxLots));
    if (filledLots <= maxLots && filledLots > 0) this.truth.execute(order, { ticks: priceTicks, lots: filledLots });
    // Nothing is left to close, or the amount pays for no lot: the exchange ends the order.
    else order.state = 'ended';
  }

  /** Reports the oldest execution of the contract, also one of another order, because trade ids must ascend. */
  protected override report({ index }: ContractOrder): void {
    const order = this.truth.unreported[index]!.shift()!;
    const { ticks: priceTicks, lots: filledLots } = order.unreported.shift()!;
    const botOrder = this.orders.get(order.id as OrderId)!;
    const notional = Math.round(contractValue(this.truth.contracts[index]!, filledLots, priceTicks));
    const fee = Math.round(notional * CLOSE_FEE);
    const fill = fillOf({ tradeId: ++this.#lastTradeId, price: priceTicks, lots: filledLots, notional, fee, timeMs: this.nowMs });
    this.truth.book(order, filledLots, notional, fee);
    this.ledger.fill(order.strategy, index, order.isBuy, fill, order.closes);
    this.orders.filled(botOrder, fill);
    order.reportedLots += filledLots;
    order.absentMs = NaN;
    this.counts.fills++;
  }

  /** Books a funding payment of up to 0.5 % of a position. An isolated position pays at most its margin. */
  protected override applyMarketEvent(): void {
    const index = this.drawBetween(0, 1);
    const isLong = this.happens(0.5);
    const { lots: heldLots, entryUnits, marginUnits } = this.ledger.side(index, isLong);
    if (heldLots === 0) return;
    const payment = Math.round(entryUnits * 0.01 * (this.rng.next() - 0.5));
    const paid = this.ledger.terms(index).isCross ? payment : Math.max(payment, -marginUnits);
    this.truth.fund(index, isLong, paid);
    this.ledger.funded(index, isLong, paid);
    this.counts.funding = (this.counts.funding ?? 0) + 1;
  }

  /** Returns random limits. Null: the limit is off. */
  #drawLimits(): TrueLimits {
    const drawOrNull = (min: number, max: number, unit = 1) => (this.happens(0.3) ? this.drawBetween(min, max) * unit : null);
    return {
      orderLots: drawOrNull(5, 45),
      orderUnits: drawOrNull(5, 60, LOT_UNITS),
      positionLots: drawOrNull(10, 80),
      positionUnits: drawOrNull(10, 100, LOT_UNITS),
      grossUnits: drawOrNull(20, 200, LOT_UNITS),
      leverageMilli: drawOrNull(300, 6000),
      openOrders: drawOrNull(1, 5),
      openOrdersTotal: drawOrNull(2, 8),
      bandMilli: drawOrNull(5, 90),
      ordersPerMinute: drawOrNull(2, 8),
      dailyLossMilli: drawOrNull(1, 200),
      drawdownMilli: drawOrNull(1, 200),
    };
  }
}

/** Returns a contract with this arithmetic. */
function instrumentOf({ isLinear, isTrading }: TrueContract, index: number): Instrument {
  const name = `E-${index}`;
  const tiers = TIERS.map(({ upTo, max }) => ({ upToUnits: upTo < Infinity ? upTo : null, maintenancePpm: 5000, maxLeverage: max }));
  const common = { id: instrumentId('futures', name), wireName: name, minLots: lots(MIN_LOTS) };
  const multiple = MULTIPLES[index]!;
  return isLinear
    ? linearContract({ multiplier: multiple, tiers, isTrading }, common)
    : inverseContract({ multiplier: multiple * 100, tiers, isTrading }, common);
}
