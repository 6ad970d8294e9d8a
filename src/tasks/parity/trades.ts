// Computes the bridge order by order: the money that each order moved in backtest and bot, and the value of holdings at the end.

import { Decimal, fromScaled } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { BridgedOrder, BridgedSum } from './model.ts';
import { pairedOrders } from './pairs.ts';
import type { RecordedRun, ReportedOrder } from './recordedRun.ts';
import type { Rerun } from './rerun.ts';

/** The difference of the net profits by order, funding and holdings. */
export interface TradeBridge {
  /** The orders that moved different amounts of money, in order of time. */
  readonly trades: readonly BridgedOrder[];
  readonly funding: BridgedSum;
  readonly held: BridgedSum;
}

const ZERO = new Decimal(0);

/**
 * Returns the bridge. The money of a fill is the amount received, minus the amount paid, minus fees in money. Fees in coins count as
 * holdings.
 */
export function tradeBridge(rerun: Rerun, run: RecordedRun, liveNet: string): TradeBridge {
  const { orders, fills, instruments, payments } = rerun;
  /** Money of the orders of the rerun, by order id. */
  const rerunMoney = new Map<number, Decimal>();
  for (let row = 0; row < fills.length; row++) {
    const { quoteDigits } = instruments[fills.instrument[row]!]!;
    const fee = fills.feeInBase[row] === 1 ? 0 : fills.fee[row]!;
    const notional = fills.side[row] === 0 ? -fills.notional[row]! : fills.notional[row]!;
    const id = fills.orderId[row]!;
    rerunMoney.set(id, (rerunMoney.get(id) ?? ZERO).plus(fromScaled(notional, quoteDigits)).minus(fromScaled(fee, quoteDigits)));
  }
  const trades: BridgedOrder[] = [];
  let [backtest, live] = [ZERO, ZERO];
  for (const { at: row, recorded } of pairedOrders(rerun, run)) {
    const ownMoney = row === null ? ZERO : (rerunMoney.get(orders.id[row]!) ?? ZERO);
    const liveMoney = recorded === null ? ZERO : moneyOf(recorded, instruments);
    backtest = backtest.plus(ownMoney);
    live = live.plus(liveMoney);
    if (ownMoney.equals(liveMoney)) continue;
    const time = recorded?.createdMs ?? orders.createdMs[row!]!;
    const symbol = recorded?.intent?.symbol ?? (row === null ? '' : instruments[orders.instrument[row]!]!.id);
    trades.push({ order: recorded?.number ?? null, time, symbol, ...sumOf(ownMoney, liveMoney) });
  }
  let paid = ZERO;
  for (let row = 0; row < payments.length; row++)
    paid = paid.plus(fromScaled(payments.units[row]!, instruments[payments.instrument[row]!]!.quoteDigits));
  const funded = run.funded.reduce((sum, { amount }) => sum.plus(amount), ZERO);
  return {
    trades: trades.toSorted((a, b) => a.time - b.time),
    funding: sumOf(paid, funded),
    held: sumOf(new Decimal(rerun.net).minus(backtest).minus(paid), new Decimal(liveNet).minus(live).minus(funded)),
  };
}

/** Returns the money that the fills of a recorded order moved. */
function moneyOf({ fills }: ReportedOrder, instruments: readonly Instrument[]): Decimal {
  return fills.reduce((sum, { record: { symbol, side, notional, fee, feeCoin } }) => {
    const instrument = instruments.find(({ id }) => id === symbol);
    const isInMoney = instrument === undefined || feeCoin === instrument.quote || instrument.contract !== undefined;
    const received = side === 'buy' ? sum.minus(notional) : sum.plus(notional);
    return isInMoney ? received.minus(fee) : received;
  }, ZERO);
}

/** Returns both amounts and their difference as decimals. */
const sumOf = (backtest: Decimal, live: Decimal): BridgedSum => ({
  backtest: backtest.toFixed(),
  live: live.toFixed(),
  amount: live.minus(backtest).toFixed(),
});
