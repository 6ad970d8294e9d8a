// Order statistics of a run: counts by done reason and by code, the maker share, and the time to acknowledgement and first fill.

import { ENDINGS, ROLES, type OrderColumns, type RunRecord } from '../../model/run/run.ts';
import { InstrumentScale, quoteValueAt } from '../../portfolio/scale.ts';
import { settle, type Figure, type Reason } from '../kernels/figure.ts';
import { ExactSum, moneyText, type Money } from '../series/money.ts';

const LIQUIDATION = ROLES.indexOf('liquidation');

/** Names of the figures that may be missing. `reasons` says why. */
export type OrderFigure =
  | 'makerShare'
  | 'meanTimeToAckMs'
  | 'meanTimeToFirstFillMs'
  | 'meanTimeUnknownMs'
  | 'cancelsLostToFill'
  | 'replacements'
  | 'rateLimitHits'
  | 'rateBudgetWaits';

/** Order statistics as in summary.json. */
export type OrderSummary = { readonly [Name in OrderFigure]: number | null } & {
  readonly created: number;
  /** Sent to the venue: neither denied by risk nor failed before sending. */
  readonly sent: number;
  /** Accepted by the venue. */
  readonly accepted: number;
  readonly filled: number;
  /** Orders with a partial fill, whether ended or still open. */
  readonly partlyFilled: number;
  readonly cancelled: number;
  readonly expired: number;
  /** Refused or rejected by the venue: count by code. */
  readonly rejected: number;
  readonly rejectedByCode: Readonly<Record<string, number>>;
  readonly refusedByRisk: number;
  readonly refusedByRiskByCode: Readonly<Record<string, number>>;
  readonly notSent: number;
  readonly noEffect: number;
  /** Cancelled by the exchange in a liquidation. They are identified by their time, because the exchange does not mark them otherwise. */
  readonly endedByLiquidation: number;
  /** Still open when the run ended. */
  readonly open: number;
  /** Orders with an unknown outcome at some time, and how they ended. */
  readonly unknown: number;
  readonly unknownByEnding: Readonly<Record<string, number>>;
  readonly fills: number;
  /** Notional of all fills, and their fees. A fee in the base asset is valued at the price of the fill. */
  readonly volume: Money;
  readonly fees: Money;
  readonly reasons: Readonly<Partial<Record<OrderFigure, Reason>>>;
};

type Ending = (typeof ENDINGS)[number];

/** Returns the order statistics of a run. */
export function orderSummary(record: RunRecord): OrderSummary {
  const { orders, fills } = record;
  const counts = countOrders(record);
  const totals = fillTotals(record);
  const countEnded = (ending: Ending) => counts.byEnding.get(ending) ?? 0;
  const { values, reasons } = settle<OrderFigure>({
    makerShare: totals.makerShare,
    meanTimeToAckMs: counts.accepted === 0 ? 'not-recorded' : counts.totalAckMs / counts.accepted,
    meanTimeToFirstFillMs: totals.meanTimeToFirstFillMs,
    // A backtest records how orders ended, not their intermediate states, and it has no rate budget.
    meanTimeUnknownMs: 'not-recorded',
    cancelsLostToFill: 'not-recorded',
    replacements: 'not-recorded',
    rateLimitHits: 'not-recorded',
    rateBudgetWaits: 'not-recorded',
  });
  return {
    created: orders.length,
    sent: orders.length - countEnded('denied') - countEnded('notSent'),
    accepted: counts.accepted,
    filled: countEnded('filled'),
    partlyFilled: counts.partlyFilled,
    cancelled: countEnded('canceled') - counts.endedByLiquidation,
    expired: countEnded('expired'),
    rejected: countEnded('refused') + countEnded('rejected'),
    rejectedByCode: sortByKey(counts.rejectedByCode),
    refusedByRisk: countEnded('denied'),
    refusedByRiskByCode: sortByKey(counts.refusedByRiskByCode),
    notSent: countEnded('notSent'),
    noEffect: countEnded('noEffect'),
    endedByLiquidation: counts.endedByLiquidation,
    open: countEnded('open'),
    unknown: counts.unknown,
    unknownByEnding: sortByKey(counts.unknownByEnding),
    fills: fills.length,
    volume: moneyText(totals.volume, record.reportingDigits),
    fees: moneyText(totals.fees, record.reportingDigits),
    ...values,
    reasons,
  };
}

/** Counts over all orders of a run. */
interface OutcomeCounts {
  readonly byEnding: Map<Ending, number>;
  readonly rejectedByCode: Record<string, number>;
  readonly refusedByRiskByCode: Record<string, number>;
  readonly unknownByEnding: Record<string, number>;
  partlyFilled: number;
  accepted: number;
  /** Sum of the times from creation to arrival at the venue, over the accepted orders. */
  totalAckMs: number;
  unknown: number;
  endedByLiquidation: number;
}

/** Counts the orders of a run by their endings and codes. */
function countOrders({ orders, instruments }: RunRecord): OutcomeCounts {
  const counts: OutcomeCounts = {
    byEnding: new Map(),
    rejectedByCode: {},
    refusedByRiskByCode: {},
    unknownByEnding: {},
    partlyFilled: 0,
    accepted: 0,
    totalAckMs: 0,
    unknown: 0,
    endedByLiquidation: 0,
  };
  const liquidatedMs = liquidationTimes(orders);
  for (let row = 0; row < orders.length; row++) {
    const ending = ENDINGS[orders.ending[row]!]!;
    counts.byEnding.set(ending, (counts.byEnding.get(ending) ?? 0) + 1);
    const code = orders.texts[orders.code[row]!] || 'no code';
    if (ending === 'denied') count(counts.refusedByRiskByCode, code);
    if (ending === 'refused' || ending === 'rejected') count(counts.rejectedByCode, code);
    if (orders.filledLots[row]! > 0 && ending !== 'filled') counts.partlyFilled++;
    const createdMs = orders.createdMs[row]!;
    const doneMs = orders.doneMs[row]!;
    const isOfContract = instruments[orders.instrument[row]!]!.contract !== undefined;
    // A liquidation cancels only existing orders. An order created at that same instant was cancelled by something else.
    if (ending === 'canceled' && isOfContract && createdMs < doneMs && liquidatedMs.has(doneMs)) counts.endedByLiquidation++;
    if (orders.wasUnknown[row] === 1) {
      counts.unknown++;
      count(counts.unknownByEnding, ending);
    }
    const arrivedMs = orders.arrivedMs[row]!;
    if (!Number.isNaN(arrivedMs)) {
      counts.accepted++;
      counts.totalAckMs += arrivedMs - createdMs;
    }
  }
  return counts;
}

/** Returns the times at which liquidation orders of the exchange ended. */
function liquidationTimes({ length, role, doneMs }: OrderColumns): ReadonlySet<number> {
  const times = new Set<number>();
  for (let row = 0; row < length; row++) if (role[row] === LIQUIDATION) times.add(doneMs[row]!);
  return times;
}

/** Adds 1 to the count of `key`. */
function count(into: Record<string, number>, key: string): void {
  into[key] = (into[key] ?? 0) + 1;
}

/** Returns the counts with their keys in ascending order. */
function sortByKey(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Figures of the fills of a run. Money in units of the reporting asset. */
interface FillTotals {
  readonly volume: bigint;
  readonly fees: bigint;
  readonly makerShare: Figure;
  readonly meanTimeToFirstFillMs: Figure;
}

/** Returns the sums over all fills. A fee in the base asset is valued at the price of its fill. */
function fillTotals({ orders, fills, instruments }: RunRecord): FillTotals {
  const scales = instruments.map((instrument) => new InstrumentScale(instrument).ofUnits);
  const volume = new ExactSum();
  const fees = new ExactSum();
  const makerVolume = new ExactSum();
  const hasFilled = new Uint8Array(orders.length);
  let firstFills = 0;
  let waitedMs = 0;
  for (let row = 0; row < fills.length; row++) {
    volume.add(fills.notional[row]!);
    const fee = fills.fee[row]!;
    fees.add(fills.feeInBase[row] === 1 ? quoteValueAt(fee, fills.price[row]!, scales[fills.instrument[row]!]!) : fee);
    if (fills.isMaker[row] === 1) makerVolume.add(fills.notional[row]!);
    const order = fills.orderId[row]! - 1;
    if (hasFilled[order] === 1) continue;
    hasFilled[order] = 1;
    firstFills++;
    waitedMs += fills.timeMs[row]! - orders.createdMs[order]!;
  }
  const total = volume.total();
  return {
    volume: total,
    fees: fees.total(),
    makerShare: total === 0n ? 'no-trades' : Number(makerVolume.total()) / Number(total),
    meanTimeToFirstFillMs: firstFills === 0 ? 'no-trades' : waitedMs / firstFills,
  };
}
