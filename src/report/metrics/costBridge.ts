// The cost bridge: from the gross profit of the signals, cost by cost, to the net profit. All parts are exact and add up (docs/metrics.md).

import { assert } from '../../base/assert.ts';
import { PAYMENTS, type RunRecord } from '../../model/run/run.ts';
import { shortsOf } from '../trades/positions.ts';
import { costsOf, lastMarkTicksOf } from '../trades/trades.ts';
import { valuationOf } from '../trades/valuation.ts';
import { ExactSum, moneyText, type Money } from '../series/money.ts';

/** Decimal strings in the reporting asset. A cost is negative. The first five add up to the sixth. */
export interface CostBridge {
  /** Profit with every fill at its decision price, without fees and funding. */
  readonly grossSignalPnl: Money;
  /** Spread, slippage and latency together. Bars cannot separate them. */
  readonly spreadSlippage: Money;
  readonly fees: Money;
  /** Funding received minus funding paid. */
  readonly funding: Money;
  /** Fees of liquidations, minus the part of their losses that others paid. */
  readonly liquidationLoss: Money;
  /** Profit of the whole run, with open positions at their last mark. */
  readonly netPnl: Money;
}

/** The parts in units, for charts. */
export interface BridgeUnits {
  readonly gross: bigint;
  readonly slippage: bigint;
  readonly fees: bigint;
  readonly funding: bigint;
  readonly liquidation: bigint;
  readonly net: bigint;
}

/**
 * Returns the gross profit computed independently, from decision prices and last marks alone.
 * Null for a run with spot instruments: the value of deposited coins and of fees in coins changes with the price. The gross profit is then
 * net minus the other parts.
 */
function signalUnits(record: RunRecord): bigint | null {
  const { fills, instruments, payments } = record;
  if (payments === undefined || instruments.some(({ contract }) => contract === undefined)) return null;
  const { slippageUnits } = costsOf(record);
  const shorts = shortsOf(record);
  // By instrument. Shorts that exist beside longs follow after all instruments.
  const lotsHeld = [...instruments, ...instruments].map(() => 0);
  const sum = new ExactSum();
  for (let row = 0; row < fills.length; row++) {
    const instrument = fills.instrument[row]!;
    const isBuy = fills.side[row] === 0;
    sum.add(valuationOf(instruments[instrument]!).flow(isBuy, fills.notional[row]!) - slippageUnits[row]!);
    const position = shorts?.(row) === true ? instrument + instruments.length : instrument;
    lotsHeld[position]! += isBuy ? fills.lots[row]! : -fills.lots[row]!;
  }
  const lastMarkTicks = lastMarkTicksOf(record);
  lotsHeld.forEach((lots, position) => {
    const instrument = position % instruments.length;
    if (lots !== 0) sum.add(valuationOf(instruments[instrument]!).holdingValue(lots, lastMarkTicks(instrument)));
  });
  return sum.total();
}

/** Returns the parts of the bridge. `netUnits` is the change of equity over the run. */
export function bridgeUnits(record: RunRecord, netUnits: number): BridgeUnits {
  const { fills, instruments, payments } = record;
  const valuations = instruments.map(valuationOf);
  const { slippageUnits, isLiquidation } = costsOf(record);
  const slippage = new ExactSum();
  const fees = new ExactSum();
  const funding = new ExactSum();
  const liquidation = new ExactSum();
  for (let row = 0; row < fills.length; row++) {
    slippage.add(slippageUnits[row]!);
    const fee = fills.fee[row]!;
    const feeUnits = fills.feeInBase[row] === 1 ? valuations[fills.instrument[row]!]!.holdingValue(fee, fills.price[row]!) : fee;
    (isLiquidation[row] === 1 ? liquidation : fees).add(-feeUnits);
  }
  for (let row = 0; row < (payments?.length ?? 0); row++) {
    const sum = PAYMENTS[payments!.kind[row]!] === 'funding' ? funding : liquidation;
    sum.add(payments!.units[row]!);
  }
  const net = BigInt(netUnits);
  const parts = { slippage: slippage.total(), fees: fees.total(), funding: funding.total(), liquidation: liquidation.total() };
  const gross = net - parts.slippage - parts.fees - parts.funding - parts.liquidation;
  return { gross, ...parts, net };
}

/** Returns the cost bridge as text. Throws InvariantError when the parts do not add up to net, because some money is then unexplained. */
export function costBridge(record: RunRecord, netUnits: number): CostBridge {
  const { gross, slippage, fees, funding, liquidation, net } = bridgeUnits(record, netUnits);
  const signal = signalUnits(record);
  assert(signal === null || signal === gross, `cost bridge: the signals made ${signal} units, net without its costs is ${gross}`);
  const text = (units: bigint): Money => moneyText(units, record.reportingDigits);
  return {
    grossSignalPnl: text(gross),
    spreadSlippage: text(slippage),
    fees: text(fees),
    funding: text(funding),
    liquidationLoss: text(liquidation),
    netPnl: text(net),
  };
}
