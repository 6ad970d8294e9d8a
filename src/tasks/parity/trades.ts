// Makes the bridge trade by trade: the money that each order moved in backtest and bot, and the value of holdings at the end.

import { Decimal, fromScaled } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { BridgedOrder, BridgedSum } from './model.ts';
import { pairedOrders } from './pairs.ts';
import type { RecordedRun, ReportedOrder } from './recordedRun.ts';
import type { Rerun } from './rerun.ts';

export interface TradeBridge {
  /** The orders that moved different amounts of money, in order of time. */
  readonly trades: readonly BridgedOrder[];
  readonly funding: BridgedSum;
  readonly held: BridgedSum;
}

const ZERO = new Decimal(0);

/** Returns the bridge. The money of fills is received minus paid minus fees in money. Fees in coins are part of the holdings. */
export function tradeBridge(rerun: Rerun, run: RecordedRun, liveNet: string): TradeBridge {
  const { orders, fills, instruments, payments } = rerun;
  const own = new Map<number, Decimal>();
  for (let row = 0; row < fills.length; row++) {
    const { quoteDigits } = instruments[fills.instrument[row]!]!;
    const fee = fills.feeInBase[row] === 1 ? 0 : fills.fee[row]!;
    const notional = fills.side[row] === 0 ? -fills.notional[row]! : fills.notional[row]!;
    const id = fills.orderId[row]!;
    own.set(id, (own.get(id) ?? ZERO).plus(fromScaled(notional, quoteDigits)).minus(fromScaled(fee, quoteDigits)));
  }
  const trades: BridgedOrder[] = [];
  let [backtest, live] = [ZERO, ZERO];
  for (const { at, recorded } of pairedOrders(rerun, run)) {
    const mine = at === null ? ZERO : (own.get(orders.id[at]!) ?? ZERO);
    const theirs = recorded === null ? ZERO : moneyOf(recorded, instruments);
    [backtest, live] = [backtest.plus(mine), live.plus(theirs)];
    if (mine.equals(theirs)) continue;
    const time = recorded?.createdMs ?? orders.createdMs[at!]!;
    const symbol = recorded?.intent?.symbol ?? (at === null ? '' : instruments[orders.instrument[at]!]!.id);
    trades.push({ order: recorded?.number ?? null, time, symbol, ...sumOf(mine, theirs) });
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

function moneyOf({ fills }: ReportedOrder, instruments: readonly Instrument[]): Decimal {
  return fills.reduce((sum, { record: { symbol, side, notional, fee, feeCoin } }) => {
    const instrument = instruments.find(({ id }) => id === symbol);
    const isInMoney = instrument === undefined || feeCoin === instrument.quote || instrument.contract !== undefined;
    const received = side === 'buy' ? sum.minus(notional) : sum.plus(notional);
    return isInMoney ? received.minus(fee) : received;
  }, ZERO);
}

const sumOf = (backtest: Decimal, live: Decimal): BridgedSum => ({
  backtest: backtest.toFixed(),
  live: live.toFixed(),
  amount: live.minus(backtest).toFixed(),
});
