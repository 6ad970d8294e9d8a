// Converts money of a strategy into one of the quote assets of its run. Strategies ask for it by `cashIn` and `equityIn`; sizes need it too.

import { StrategyError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { Ledger } from '../../portfolio/ledger.ts';

/** What the functions need of the engine. */
interface MoneyHost {
  readonly ledger: Ledger;
  readonly instruments: readonly Instrument[];
  equityUnits(strategyIndex: number): number;
  lastTicks(instrumentIndex: number): number;
}

/** Returns the cash of a strategy in an asset, or its equity as an amount of that asset, in units. Throws StrategyError for an unknown asset. */
export function moneyIn(host: MoneyHost, strategyIndex: number, strategyName: string, figure: 'cash' | 'equity', asset: string): number {
  const { ledger } = host;
  const isConverted = ledger instanceof ConvertedLedger;
  // A run with one quote asset has a single account, which has no cash in other assets.
  const singleAccount = ledger.cashAsset === asset ? ledger : undefined;
  const account = isConverted ? ledger.accountIn(asset) : singleAccount;
  if (account === undefined) {
    const assets = isConverted ? ledger.accounts.map(({ cashAsset }) => cashAsset).join(', ') : ledger.cashAsset;
    throw new StrategyError(`${strategyName}: ${figure}In of ${asset}, in which this run has no cash`, `the run has cash in ${assets}`);
  }
  if (figure === 'cash') return account.cash(strategyIndex);
  const equityUnits = host.equityUnits(strategyIndex);
  const conversion = isConverted ? ledger.conversions.find((candidate) => candidate.asset === asset) : undefined;
  return conversion === undefined ? equityUnits : conversion.unitsFor(equityUnits, host.lastTicks(conversion.index));
}

/** Returns `units` of the reporting asset as units of an instrument's quote asset, rounded down. */
export function inQuote(host: Omit<MoneyHost, 'equityUnits'>, units: number, instrument: Instrument): number {
  const { ledger, instruments } = host;
  const conversion = ledger instanceof ConvertedLedger ? ledger.conversionOf(instruments.indexOf(instrument)) : null;
  return conversion === null ? units : conversion.unitsFor(units, host.lastTicks(conversion.index));
}
