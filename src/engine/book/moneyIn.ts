// Money of a strategy in one of the quote assets of its run.

import { StrategyError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { Ledger } from '../../portfolio/ledger.ts';

/** What the functions need of the engine. */
interface MoneyHost {
  readonly ledger: Ledger;
  readonly instruments: readonly Instrument[];
  equityUnits(strategy: number): number;
  lastTicks(instrumentIndex: number): number;
}

/** Returns the cash of a strategy in an asset, or its equity as an amount of that asset, in units. Throws StrategyError for an unknown asset. */
export function moneyIn(host: MoneyHost, strategy: number, name: string, what: 'cash' | 'equity', asset: string): number {
  const { ledger } = host;
  const isConverted = ledger instanceof ConvertedLedger;
  const onlyAccount = ledger.cashAsset === asset ? ledger : undefined;
  const account = isConverted ? ledger.accountIn(asset) : onlyAccount;
  if (account === undefined) {
    const assets = isConverted ? ledger.accounts.map(({ cashAsset }) => cashAsset).join(', ') : ledger.cashAsset;
    throw new StrategyError(`${name}: ${what}In of ${asset}, in which this run has no cash`, `the run has cash in ${assets}`);
  }
  if (what === 'cash') return account.cash(strategy);
  const equity = host.equityUnits(strategy);
  const conversion = isConverted ? ledger.conversions.find((each) => each.asset === asset) : undefined;
  return conversion === undefined ? equity : conversion.unitsFor(equity, host.lastTicks(conversion.index));
}

/** Returns money of the reporting asset in the quote asset of an instrument, rounded down. */
export function inQuote(host: Omit<MoneyHost, 'equityUnits'>, units: number, instrument: Instrument): number {
  const { ledger, instruments } = host;
  const conversion = ledger instanceof ConvertedLedger ? ledger.conversionOf(instruments.indexOf(instrument)) : null;
  return conversion === null ? units : conversion.unitsFor(units, host.lastTicks(conversion.index));
}
