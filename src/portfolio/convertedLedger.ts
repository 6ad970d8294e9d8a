// Keeps the bot's books of a spot account with cash in several quote assets. Each asset has books of its own, and equity converts them.

import { ConfigError, InvariantError } from '../base/errors.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import { Conversion } from './conversion.ts';
import type { Ledger } from './ledger.ts';
import { SplitLedger } from './splitLedger.ts';
import { SpotLedger } from './spotLedger.ts';

/**
 * One account for each quote asset. Cash of one asset pays no order in another one.
 *
 * The first account is that of the reporting asset: `cash`, `cashTotal` and `cashAsset` are its own. Fills, holdings and profit of an
 * instrument are in its quote asset. Equity is in the reporting asset. Cash and coins of each other account are added up in its asset; the
 * sum is converted and rounded once.
 */
export class ConvertedLedger extends SplitLedger implements Ledger {
  readonly market = 'spot';
  readonly instruments: readonly Instrument[];
  readonly strategies: number;
  readonly cashAsset: string;
  readonly cashDigits: number;
  /** By quote asset; the reporting asset is the first. */
  readonly accounts: readonly SpotLedger[];
  /** Conversions of the assets of all accounts but the first, so at one index less than in `accounts`. */
  readonly conversions: readonly Conversion[];
  /** By instrument: the index of its account in `accounts`. */
  readonly accountOf: Uint16Array;

  /**
   * `converts`: by quote asset other than the reporting asset, the id of the instrument whose close values it. Throws ConfigError for a
   * quote asset without one, and for a coin that is traded against two quote assets.
   */
  constructor(instruments: readonly Instrument[], strategyCount: number, converts: Readonly<Record<string, string>>) {
    super();
    this.instruments = instruments;
    this.strategies = strategyCount;
    this.conversions = listOf(Object.values(converts), (id) => {
      const index = instruments.findIndex((instrument) => instrument.id === id);
      if (index < 0) throw new InvariantError(`the conversion instrument ${id} is not in the run`);
      return new Conversion(instruments[index]!, index);
    });
    const [firstConversion] = this.conversions;
    if (firstConversion === undefined) throw new InvariantError('a converted ledger has a conversion');
    const assets = [instruments[firstConversion.index]!.quote, ...this.conversions.map(({ asset }) => asset)];
    checkTradedOnce(instruments);
    this.accountOf = Uint16Array.from(instruments, ({ id, quote }) => {
      const accountIndex = assets.indexOf(quote);
      if (accountIndex >= 0) return accountIndex;
      throw new ConfigError(`${id}: no conversion is known for its quote asset ${quote}`, `name it, such as convert: { ${quote}: SYMBOL }`);
    });
    this.accounts = listOf(assets, (asset) => new SpotLedger(instruments, strategyCount, asset));
    this.cashAsset = assets[0]!;
    this.cashDigits = this.accounts[0]!.cashDigits;
    const otherMoney = this.accounts.find(({ cashDigits }) => cashDigits !== this.cashDigits);
    if (otherMoney === undefined) return;
    throw new ConfigError(
      `${otherMoney.cashAsset}: expected money of ${this.cashDigits} digits, as ${this.cashAsset} has, got ${otherMoney.cashDigits}`,
      `set quotePrecision of its instruments to ${this.cashDigits}, and basePrecision of the conversion instrument`,
    );
  }

  /** Sets the prices of the conversions until their first bars close. `startTicks`: the price of an instrument before its first close. */
  begin(startTicks: (index: number) => number): void {
    for (const conversion of this.conversions) conversion.begin(startTicks(conversion.index));
  }
  /** Returns the account that pays the orders of an instrument. */
  override of(index: number): SpotLedger {
    return this.accounts[this.accountOf[index]!]!;
  }
  /** Returns the conversion of an instrument's quote asset; null for the reporting asset. */
  conversionOf(index: number): Conversion | null {
    const account = this.accountOf[index]!;
    return account === 0 ? null : this.conversions[account - 1]!;
  }
  /** Returns the account of an asset, or undefined if no instrument is quoted in it. */
  accountIn(asset: string): SpotLedger | undefined {
    return this.accounts.find(({ cashAsset }) => cashAsset === asset);
  }

  deposit(strategyIndex: number, asset: string, units: number, costUnits = 0): void {
    const account = this.accountIn(asset) ?? this.accountOfCoin(asset);
    account.deposit(strategyIndex, asset, units, costUnits);
  }
  /** Returns the account that trades a coin; the first one if no instrument does. */
  private accountOfCoin(coin: string): SpotLedger {
    const instrumentIndex = this.instruments.findIndex(({ base }) => base === coin);
    return this.accounts[this.accountOf[instrumentIndex] ?? 0]!;
  }
  fill(strategyIndex: number, index: number, isBuy: boolean, fill: Fill): void {
    this.of(index).fill(strategyIndex, index, isBuy, fill);
  }
  cash(strategyIndex: number): number {
    return this.accounts[0]!.cash(strategyIndex);
  }
  get cashTotal(): number {
    return this.accounts[0]!.cashTotal;
  }
  /** Returns the account's units of every asset: cash and coins. An asset may be both, as BTC beside BTCUSDT and ETHBTC. */
  balances(): ReadonlyMap<string, number> {
    const units = new Map(this.accounts.map(({ cashAsset, cashTotal }) => [cashAsset, cashTotal]));
    this.instruments.forEach(({ base }, index) => units.set(base, (units.get(base) ?? 0) + this.of(index).baseTotal(index)));
    return units;
  }

  equityUnits(strategyIndex: number, marks: ArrayLike<number>): number {
    let units = this.accounts[0]!.equityUnits(strategyIndex, marks);
    for (let account = 1; account < this.accounts.length; account++) {
      const conversion = this.conversions[account - 1]!;
      units += conversion.value(this.accounts[account]!.equityUnits(strategyIndex, marks), marks[conversion.index]!);
    }
    return units;
  }
  equityTotalUnits(marks: ArrayLike<number>): number {
    let units = this.accounts[0]!.equityTotalUnits(marks);
    for (let account = 1; account < this.accounts.length; account++) {
      const conversion = this.conversions[account - 1]!;
      units += conversion.value(this.accounts[account]!.equityTotalUnits(marks), marks[conversion.index]!);
    }
    return units;
  }
  markRows(): void {
    throw new InvariantError('cash in two quote assets has at least two instruments, which are marked together');
  }
  assertReconciled(): void {
    for (const account of this.accounts) account.assertReconciled();
  }
}

/** Throws ConfigError for a coin that two instruments trade, because each has a book of its own for it. */
function checkTradedOnce(instruments: readonly Instrument[]): void {
  instruments.forEach(({ base, wireName }, index) => {
    const earlier = instruments.slice(0, index).find((instrument) => instrument.base === base);
    if (earlier === undefined) return;
    throw new ConfigError(
      `${wireName}: ${base} is held through ${earlier.wireName} too`,
      `trade ${base} through one of them, or put them into separate runs`,
    );
  });
}
