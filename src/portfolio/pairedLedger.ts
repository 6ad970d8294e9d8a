// Keeps the bot's books of a futures and a spot account together. Each account has its own positions, and money is summed over both.

import { ConfigError, InvariantError } from '../base/errors.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument, Market } from '../model/instrument.ts';
import type { MarginTerms } from './contractHolding.ts';
import { FuturesLedger } from './futuresLedger.ts';
import type { Ledger } from './ledger.ts';
import { SplitLedger } from './splitLedger.ts';
import { SpotLedger } from './spotLedger.ts';

/**
 * Contracts come before spot instruments in the list. So an instrument has the same index in the run, in the futures ledger and in the spot
 * ledger. The spot ledger gets the whole list, but never holds a contract. Cash of one account backs no order of the other.
 */
export class PairedLedger extends SplitLedger implements Ledger {
  readonly market = 'both';
  readonly instruments: readonly Instrument[];
  /** Number of strategies. */
  readonly strategies: number;
  readonly cashAsset: string;
  readonly cashDigits: number;
  readonly futures: FuturesLedger;
  readonly spot: SpotLedger;
  /** Number of contracts, and so the index of the first spot instrument. */
  readonly contractCount: number;

  /** Throws ConfigError when the two markets do not count money in the same asset and units. */
  constructor(instruments: readonly Instrument[], strategyCount: number, terms: (instrument: Instrument) => MarginTerms) {
    super();
    const contracts = instruments.filter(({ market }) => market === 'futures');
    const contractsAreFirst = contracts.every((contract, instrumentIndex) => contract === instruments[instrumentIndex]);
    if (!contractsAreFirst) throw new InvariantError('contracts stand before spot instruments in the list of instruments');
    this.instruments = instruments;
    this.strategies = strategyCount;
    this.contractCount = contracts.length;
    this.futures = new FuturesLedger(contracts, strategyCount, terms);
    this.spot = new SpotLedger(instruments, strategyCount);
    this.cashAsset = this.futures.cashAsset;
    this.cashDigits = this.futures.cashDigits;
    const otherMoney = instruments.find(({ quote, quoteDigits }) => quote !== this.cashAsset || quoteDigits !== this.cashDigits);
    if (otherMoney === undefined) return;
    const expected = `money in ${this.cashAsset} of ${this.cashDigits} digits, as the contracts have it`;
    throw new ConfigError(
      `${otherMoney.id}: expected ${expected}, got ${otherMoney.quote} of ${otherMoney.quoteDigits}`,
      'run markets together that settle in the same coin; instruments: { SYMBOL: { quotePrecision: ... } } changes the digits',
    );
  }

  /** Returns the ledger of an instrument. */
  override of(instrumentIndex: number): SpotLedger | FuturesLedger {
    return instrumentIndex < this.contractCount ? this.futures : this.spot;
  }
  /** Returns the ledger of a market. */
  ledgerOfMarket(market: Market): SpotLedger | FuturesLedger {
    return market === 'spot' ? this.spot : this.futures;
  }

  deposit(): void {
    throw new InvariantError('a deposit is to one of the accounts: ledgerOfMarket(market).deposit(...)');
  }
  fill(strategyIndex: number, instrumentIndex: number, isBuy: boolean, fill: Fill, isReduceOnly: boolean): void {
    if (instrumentIndex < this.contractCount) this.futures.fill(strategyIndex, instrumentIndex, isBuy, fill, isReduceOnly);
    else this.spot.fill(strategyIndex, instrumentIndex, isBuy, fill);
  }
  cash(strategyIndex: number): number {
    return this.spot.cash(strategyIndex) + this.futures.cash(strategyIndex);
  }
  get cashTotal(): number {
    return this.spot.cashTotal + this.futures.cashTotal;
  }
  equityUnits(strategyIndex: number, marks: ArrayLike<number>): number {
    return this.spot.equityUnits(strategyIndex, marks) + this.futures.equityUnits(strategyIndex, marks);
  }
  equityTotalUnits(marks: ArrayLike<number>): number {
    return this.spot.equityTotalUnits(marks) + this.futures.equityTotalUnits(marks);
  }
  markRows(instrumentIndex: number, out: Float64Array, from: number, to: number, ticks: TickColumn, offset: number): void {
    for (let row = from; row < to; row++) {
      const valueUnits = this.holds(instrumentIndex) ? this.holdingValue(instrumentIndex, ticks[row + offset]!) : 0;
      out[row] = this.cashTotal + valueUnits;
    }
  }
  assertReconciled(): void {
    this.spot.assertReconciled();
    this.futures.assertReconciled();
  }
}

/** Returns the futures ledger of a run, or null if it has none. */
export function futuresLedgerOf(ledger: Ledger): FuturesLedger | null {
  if (ledger instanceof FuturesLedger) return ledger;
  return ledger instanceof PairedLedger ? ledger.futures : null;
}
