// Computes the bridge order by order: the money that each order moved in backtest and bot, and the value of holdings at the end.

import { Decimal, fromScaled } from '../../base/number/decimal.ts';
import type { FeedPlan } from '../../definition/plan/plan.ts';
import { isSameTime } from './differences.ts';
import type { BridgedOrder, BridgedSum } from './divergences.ts';
import { pairedOrders } from './orderPairs.ts';
import type { RecordedRun, ReportedOrder } from './recordedRun.ts';
import { ReportingMoney } from './reportingMoney.ts';
import type { Rerun } from './rerunStrategies.ts';

/** The difference of the net profits by order, funding and holdings. */
export interface TradeBridge {
  /** The orders that moved different amounts of money, in order of time. */
  readonly trades: readonly BridgedOrder[];
  readonly funding: BridgedSum;
  readonly held: BridgedSum;
}

const ZERO = new Decimal(0);

/** The net profit of the bot, and the bars that it received. */
interface LiveMoney {
  readonly net: string;
  readonly feeds: readonly FeedPlan[];
}

/**
 * Returns the bridge. The money of a fill is the amount received, minus the amount paid, minus fees in money. Fees in coins count as
 * holdings, and so does the change in value of cash in other quote assets than the reporting asset.
 */
export function tradeBridge(rerun: Rerun, run: RecordedRun, live: LiveMoney): TradeBridge {
  const { orders, instruments, payments, assets } = rerun;
  const received = assets.feeds.map((feed, index) => ({ ...feed, bars: live.feeds[index]!.bars, firstRow: live.feeds[index]!.firstRow }));
  const liveMoney = new ReportingMoney({ ...assets, feeds: received });
  const ownFills = moneyByOrder(rerun);
  const trades: BridgedOrder[] = [];
  let backtest = ZERO;
  let bot = ZERO;
  for (const { row, recorded } of pairedOrders(rerun, run)) {
    const backtestFills = (row === null ? undefined : ownFills.get(orders.id[row]!)) ?? { money: ZERO, times: [] };
    const other = recorded === null ? ZERO : moneyOf(recorded, backtestFills.times, { rerun, money: liveMoney });
    backtest = backtest.plus(backtestFills.money);
    bot = bot.plus(other);
    if (backtestFills.money.equals(other)) continue;
    const time = recorded?.createdMs ?? orders.createdMs[row!]!;
    const symbol = recorded?.intent?.symbol ?? (row === null ? '' : instruments[orders.instrument[row]!]!.id);
    trades.push({ order: recorded?.number ?? null, time, symbol, ...bridgedSum(backtestFills.money, other) });
  }
  let paid = ZERO;
  for (let row = 0; row < payments.length; row++)
    paid = paid.plus(fromScaled(payments.units[row]!, instruments[payments.instrument[row]!]!.quoteDigits));
  const funded = run.funded.reduce((sum, { amount }) => sum.plus(amount), ZERO);
  return {
    trades: trades.toSorted((a, b) => a.time - b.time),
    funding: bridgedSum(paid, funded),
    held: bridgedSum(new Decimal(rerun.net).minus(backtest).minus(paid), new Decimal(live.net).minus(bot).minus(funded)),
  };
}

/** The fills of an order of the rerun: their money in the reporting asset, and their times. */
interface BacktestFills {
  readonly money: Decimal;
  readonly times: readonly number[];
}

/** Returns the fills of the rerun by order id. */
function moneyByOrder({ fills, instruments, assets }: Rerun): ReadonlyMap<number, BacktestFills> {
  const money = new ReportingMoney(assets);
  const fillsByOrder = new Map<number, BacktestFills>();
  for (let row = 0; row < fills.length; row++) {
    const instrument = instruments[fills.instrument[row]!]!;
    const { quoteDigits } = instrument;
    const ms = fills.timeMs[row]!;
    const fee = fills.feeInBase[row] === 1 ? '0' : fromScaled(fills.fee[row]!, quoteDigits);
    const notional = fromScaled(fills.notional[row]!, quoteDigits);
    const id = fills.orderId[row]!;
    const earlier = fillsByOrder.get(id) ?? { money: ZERO, times: [] };
    const isBuy = fills.side[row] === 0;
    fillsByOrder.set(id, {
      money: earlier.money.plus(money.netAmount(instrument, { isBuy, notional, fee, ms })),
      times: [...earlier.times, ms],
    });
  }
  return fillsByOrder;
}

/**
 * Returns the money that the fills of a recorded order moved. A fill in the bar of the rerun's fill counts at the time of that one, because a
 * backtest has no finer times.
 */
function moneyOf({ fills }: ReportedOrder, times: readonly number[], { rerun, money }: { rerun: Rerun; money: ReportingMoney }): Decimal {
  return fills.reduce((sum, { record: { symbol, side, notional, fee, feeCoin, executedMs } }, place) => {
    const instrument = rerun.instruments.find(({ id }) => id === symbol);
    if (instrument === undefined) return sum;
    const isInMoney = feeCoin === instrument.quote || instrument.contract !== undefined;
    const { bars } = rerun.feeds.findLast((feed) => feed.bars.instrument.id === symbol)!;
    const time = times[place];
    const ms = time !== undefined && isSameTime(time, executedMs, bars) ? time : executedMs;
    return sum.plus(money.netAmount(instrument, { isBuy: side === 'buy', notional, fee: isInMoney ? fee : '0', ms }));
  }, ZERO);
}

/** Returns both amounts and their difference as decimals. */
const bridgedSum = (backtest: Decimal, live: Decimal): BridgedSum => ({
  backtest: backtest.toFixed(),
  live: live.toFixed(),
  amount: live.minus(backtest).toFixed(),
});
