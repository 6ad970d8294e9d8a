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
import { asText, type Counts, RiskCourse, scratch, STRATEGIES } from './riskCourse.ts';
import { CLOSE_FEE, type ContractOrder, FuturesTruth, type TrueContract, otherValue } from './riskFuturesTruth.ts';
import { MIN_LOTS, type TrueLimits } from './riskTruth.ts';

const TIERS = [
  { upTo: 3e6, max: 20 },
  { upTo: 8e6, max: 10 },
  { upTo: Infinity, max: 4 },
];
/** Approximate value of a lot of the first contract, in units. A lot of the second is worth seven times as much. */
const LOT = 1e5;

export class FuturesRiskWorld extends RiskCourse<ContractOrder> {
  protected override readonly truth: FuturesTruth;
  protected override readonly ledger: FuturesLedger;
  protected override readonly orders: OrderManager;
  protected override readonly risk: RiskModule;
  protected override readonly otherShare = 0.03;
  readonly #instruments: readonly Instrument[];
  /** The contract whose price is not known for a while; -1: none. */
  #unknown = -1;
  #trades = 0;

  /** `without`: code of a rule that is left out. `kind`: the reservations, or a broken kind of them. */
  constructor(seed: number, counts: Counts, without: string | null = null, kind: typeof Reservations = Reservations) {
    super(seed, counts);
    const isLinear = this.random(0.5);
    const contracts = [1, 7].map((multiple): TrueContract => ({
      isLinear,
      size: multiple * (isLinear ? 1 : 1e11),
      leverage: this.whole(1, 14),
      isNet: this.random(0.5),
      isCross: this.random(0.5),
      isTrading: this.random(0.9),
      tiers: TIERS,
    }));
    this.#instruments = contracts.map(instrumentOf);
    const limits = this.#drawLimits();
    const marks = contracts.map(() => Math.round((isLinear ? 1e5 : 1e6) * (0.9 + 0.2 * this.rng.next())));
    const wallets = this.twice(() => this.whole(1, 40) * 2e5);
    this.ledger = new FuturesLedger(this.#instruments, STRATEGIES, (of) => contracts[this.#instruments.indexOf(of)]!);
    wallets.forEach((amount, strategy) => this.ledger.deposit(strategy, this.ledger.cashAsset, amount));
    this.truth = new FuturesTruth(limits, contracts, wallets, marks);
    const reservations = new kind(this.#instruments, STRATEGIES, {
      collarPpm: 10_000,
      takerFeePpm: [500, 500],
      feesIn: 'quote',
      leverage: contracts.map(({ leverage }) => leverage),
    });
    this.orders = new OrderManager(this.truth, new ReplayJournal(), reservations, REPLAY_ABSENCE_BOUNDS, scratch);
    const rules = FUTURES_RULES.filter(({ code }) => code !== without);
    this.risk = new RiskModule({ ledger: this.ledger, reservations, limits: asText(limits, 0, isLinear ? 4 : 8), rules });
    this.risk.attach(countedMarks(() => marks.map((mark, index) => (index === this.#unknown ? NaN : mark))));
    this.startUnits = this.ledger.equityTotalUnits(marks);
    this.risk.begin(this.startUnits, this.nowMs);
  }

  protected override intent(): string | null {
    const { truth } = this;
    const index = this.whole(0, 1);
    const strategy = this.random(0.8) ? index : 1 - index;
    const isBuy = this.random(0.5);
    const mark = truth.marks[index]!;
    const order = this.orders.draft(strategy, this.#instruments[index]!, index, isBuy ? 'buy' : 'sell', this.nowMs);
    order.slot = `s${this.whole(0, 9)}`;
    order.reduceOnly = this.random(0.25);
    const kind = this.rng.next();
    if (!order.reduceOnly && kind < 0.15) order.quoteUnits = units(this.whole(1, 40) * LOT);
    else order.lots = lots(this.whole(1, this.random(0.3) ? 50 : 15));
    if (order.lots > 0 && kind > 0.4) order.limit = ticks(Math.round(mark * (0.9 + 0.2 * this.rng.next())));
    this.#unknown = this.random(0.05) ? 1 - index : -1;
    const broken = this.ask(
      order,
      (placed) => truth.brokenBy(placed),
      (placed) => truth.isLess(placed),
    );
    this.#unknown = -1;
    return broken;
  }

  protected override execute(order: ContractOrder): void {
    const [low, high] =
      order.limit > 0
        ? order.isBuy
          ? [order.limit * 0.95, order.limit]
          : [order.limit, order.limit * 1.05]
        : [order.lowest, order.highest];
    const price = this.whole(Math.ceil(low), Math.floor(high));
    const contract = this.truth.contracts[order.index]!;
    const rest = order.byAmount ? Math.floor((order.left - 1) / otherValue(contract, 1, price)) : order.left;
    const max = this.truth.within(order, rest);
    const filled = this.random(0.4) ? max : this.whole(1, Math.max(1, max));
    if (filled <= max && filled > 0) this.truth.execute(order, { ticks: price, lots: filled });
    // Nothing is left to close, or the value pays for nothing: the exchange ends the order.
    else order.state = 'over';
  }

  /** Executions of a contract are reported in their order, whatever their orders, because their ids ascend. */
  protected override report({ index }: ContractOrder): void {
    const order = this.truth.unheard[index]!.shift()!;
    const { ticks: price, lots: filled } = order.unreported.shift()!;
    const belief = this.orders.get(order.id as OrderId)!;
    const notional = Math.round(otherValue(this.truth.contracts[index]!, filled, price));
    const fee = Math.round(notional * CLOSE_FEE);
    const fill = fillOf({ tradeId: ++this.#trades, price, lots: filled, notional, fee, timeMs: this.nowMs });
    this.truth.book(order, filled, notional, fee);
    this.ledger.fill(order.strategy, index, order.isBuy, fill, order.closes);
    this.orders.filled(belief, fill);
    order.reported += filled;
    order.absentMs = NaN;
    this.counts.fills++;
  }

  /** Funding. An isolated position pays at most its margin. */
  protected override other(): void {
    const index = this.whole(0, 1);
    const isLong = this.random(0.5);
    const { lots: held, entryUnits, marginUnits } = this.ledger.side(index, isLong);
    if (held === 0) return;
    const share = Math.round(entryUnits * 0.01 * (this.rng.next() - 0.5));
    const paid = this.ledger.terms(index).isCross ? share : Math.max(share, -marginUnits);
    this.truth.fund(index, isLong, paid);
    this.ledger.funded(index, isLong, paid);
    this.counts.funding = (this.counts.funding ?? 0) + 1;
  }

  #drawLimits(): TrueLimits {
    const maybe = (min: number, limit: number, unit = 1) => (this.random(0.3) ? this.whole(min, limit) * unit : null);
    return {
      orderLots: maybe(5, 45),
      orderUnits: maybe(5, 60, LOT),
      positionLots: maybe(10, 80),
      positionUnits: maybe(10, 100, LOT),
      grossUnits: maybe(20, 200, LOT),
      leverageMilli: maybe(300, 6000),
      open: maybe(1, 5),
      openTotal: maybe(2, 8),
      bandMilli: maybe(5, 90),
      perMinute: maybe(2, 8),
      dailyLossMilli: maybe(1, 200),
      drawdownMilli: maybe(1, 200),
    };
  }
}

function instrumentOf({ isLinear, isTrading }: TrueContract, index: number): Instrument {
  const name = `E-${index}`;
  const tiers = TIERS.map(({ upTo, max }) => ({ upToUnits: upTo < Infinity ? upTo : null, maintenancePpm: 5000, maxLeverage: max }));
  const of = { id: instrumentId('futures', name), wireName: name, minLots: lots(MIN_LOTS) };
  const multiple = index === 0 ? 1 : 7;
  return isLinear
    ? linearContract({ multiplier: multiple, tiers, isTrading }, of)
    : inverseContract({ multiplier: multiple * 100, tiers, isTrading }, of);
}
