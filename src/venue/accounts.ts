// Who owns what: free and locked balances by account and asset, and the sums that show that nothing is made or lost.

import { assert } from '../base/assert.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import { exact } from '../base/number/exact.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { Instrument } from '../model/instrument.ts';
import { Account, enlist } from './account.ts';
import { outgrown } from './money.ts';
import { checkPpm, type VenueConfig } from './venueConfig.ts';

// Not imported: V8 folds a constant of this file, and reads an imported one from its cell at each use.
const MAX_EXACT = Number.MAX_SAFE_INTEGER;

/** What an account has of an asset, in whole units. Records, not arrays: a field is read and written in a third of the steps of a cell. */
export class Balance {
  // Amounts start as a fraction: V8 keeps each as a double then, written in place, from its first value on.
  free = 0.5;
  locked = 0.5;
  constructor() {
    this.free = this.locked = 0;
  }
  /** Moves units from free to locked. */
  lock(units: number): void {
    this.free = left(this.free - units);
    this.locked = grown(this.locked + units);
  }
  /** Moves them back. */
  unlock(units: number): void {
    this.locked = left(this.locked - units);
    this.free = grown(this.free + units);
  }
}

/** Of an asset what no account has. `market` is the counterparty of every fill, the rest of the world: what it gave is negative. */
export class ExternalFlows {
  fees = 0.5;
  market = 0.5;
  deposited = 0.5;
  constructor() {
    this.fees = this.market = this.deposited = 0;
  }
}

/** One account at one instrument: what an order of it is judged and paid by, found in one step. */
export class InstrumentAccount {
  readonly account: Account;
  readonly base: Balance;
  readonly quote: Balance;
  /** Rates in millionths, of orders placed from now on. */
  makerPpm: number;
  takerPpm: number;
  /** The higher of the two: nobody knows as what a limit fills. */
  maxFeePpm: number;
  constructor(account: Account, base: Balance, quote: Balance, makerPpm: number, takerPpm: number) {
    this.account = account;
    this.base = base;
    this.quote = quote;
    this.makerPpm = makerPpm;
    this.takerPpm = takerPpm;
    this.maxFeePpm = Math.max(makerPpm, takerPpm);
  }
}

/** Balances in whole units of each asset. Per asset and at any time: deposited = free + locked of all accounts + fees + market. */
export class Accounts {
  readonly assets: readonly string[];
  readonly all: Account[] = [];
  /** By asset. */
  readonly external: readonly ExternalFlows[];
  /** By account, then asset. */
  private readonly balances: (readonly Balance[])[] = [];
  /** By instrument, then account. */
  private readonly byInstrument: readonly InstrumentAccount[][];
  private readonly config: VenueConfig;

  constructor(config: VenueConfig) {
    this.config = config;
    this.assets = assetsOf(config.instruments);
    this.external = listOf(this.assets, () => new ExternalFlows());
    this.byInstrument = listOf(config.instruments, () => []);
  }

  /** The index of the new account. Throws ConfigError when the name is taken. */
  open(name: string): number {
    const { instruments, fees, state, maxOpenOrders } = this.config;
    const account = new Account(name, state?.restrictedAccounts?.includes(name) ?? false, maxOpenOrders);
    const index = enlist(this.all, account);
    const balances = listOf(this.assets, () => new Balance());
    const of = (asset: string) => balances[this.asset(asset)]!;
    instruments.forEach(({ base, quote, makerFeePpm, takerFeePpm }, at) => {
      this.byInstrument[at]!.push(
        new InstrumentAccount(account, of(base), of(quote), fees.makerPpm ?? makerFeePpm, fees.takerPpm ?? takerFeePpm),
      );
    });
    this.balances.push(balances);
    return index;
  }

  /** Rates of one account and instrument, in millionths, for orders placed from now on. */
  setFees(account: number, instrument: number, makerPpm: number, takerPpm: number): void {
    checkPpm('makerPpm', makerPpm);
    checkPpm('takerPpm', takerPpm);
    const accountAt = this.byInstrument[instrument]?.[account] ?? noAccount(account);
    accountAt.makerPpm = makerPpm;
    accountAt.takerPpm = takerPpm;
    accountAt.maxFeePpm = Math.max(makerPpm, takerPpm);
  }

  /** The index of an asset in the balances. Throws ConfigError for an asset that no instrument trades. */
  asset(name: string): number {
    const index = this.assets.indexOf(name);
    if (index < 0) throw new ConfigError(`asset ${name}: no instrument of this venue trades it`, `known: ${this.assets.join(', ')}`);
    return index;
  }

  /** What an account has of an asset. */
  of(account: number, asset: number): Balance {
    return this.balances[account]?.[asset] ?? noAccount(account);
  }

  /** By account: the list grows with each that is opened. */
  accountsAt(instrument: number): readonly InstrumentAccount[] {
    return this.byInstrument[instrument]!;
  }

  deposit(account: number, asset: number, units: number): void {
    assert(exact(units) >= 0, `a deposit is not negative: ${units}`);
    const of = this.of(account, asset);
    const external = this.external[asset]!;
    // The sum over all accounts is what has to stay exact.
    external.deposited = exact(external.deposited + units);
    of.free = balance(of.free + units);
  }

  /** Throws InvariantError when an asset was made or lost, by however little. */
  assertConserved(): void {
    this.external.forEach(({ fees, market, deposited }, asset) => {
      let sum = BigInt(fees) + BigInt(market);
      for (const balances of this.balances) sum += BigInt(balances[asset]!.free) + BigInt(balances[asset]!.locked);
      assert(sum === BigInt(deposited), `${this.assets[asset]}: ${deposited} units were deposited, ${sum} are there`);
    });
  }
}

/** Returns a balance that can be one: whole numbers in give whole numbers out, as long as they stay between 0 and 2^53 - 1. */
export function balance(units: number): number {
  if (units >= 0 && units <= MAX_EXACT) return units;
  return refuseBalance(units);
}

/** The same for a balance that something was taken from: it may have become too small alone. */
export function left(units: number): number {
  return units >= 0 ? units : refuseBalance(units);
}
/** And for one to which something was added. */
export function grown(units: number): number {
  return units <= MAX_EXACT ? units : refuseBalance(units);
}

function refuseBalance(units: number): never {
  if (units > MAX_EXACT) throw outgrown();
  throw new InvariantError(`a balance of ${units} units is below 0 or no number: more was spent than held`);
}

export function noAccount(account: number): never {
  throw new InvariantError(`there is no account ${account}`);
}

/** The assets of the instruments, in order of appearance. Throws ConfigError when two instruments count one asset differently. */
function assetsOf(instruments: readonly Instrument[]): string[] {
  const digitsOf = new Map<string, { digits: number; by: string }>();
  for (const { id, base, quote, baseDigits, quoteDigits } of instruments) {
    if (base === quote) throw new ConfigError(`instrument ${id}: expected two assets, got ${base} twice`, 'correct base or quote');
    for (const [asset, digits] of [
      [base, baseDigits],
      [quote, quoteDigits],
    ] as const) {
      const known = digitsOf.get(asset);
      if (!known) digitsOf.set(asset, { digits, by: id });
      else if (known.digits !== digits) {
        const message = `instrument ${id}: ${asset} has ${digits} digits, but ${known.digits} in ${known.by}`;
        throw new ConfigError(message, `give ${asset} the same basePrecision or quotePrecision in every instrument`);
      }
    }
  }
  return [...digitsOf.keys()];
}
