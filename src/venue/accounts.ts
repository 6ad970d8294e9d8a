// The balances of the simulated spot venue by account and asset, and the sums that prove that no money appears or vanishes.

import { assert } from '../base/assert.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import { exact } from '../base/number/exact.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { Instrument } from '../model/instrument.ts';
import { Account, addAccount } from './account.ts';
import { amountTooLarge } from './money.ts';
import { checkPpm, type VenueConfig } from './venueConfig.ts';

// hot: docs/performance.md#imported-constants
const MAX_EXACT = Number.MAX_SAFE_INTEGER;

/** The balance of one asset in one account, in whole units. Hot: docs/performance.md#record-fields. */
export class Balance {
  /** Units that no order holds. */
  // hot: docs/performance.md#double-fields
  free = 0.5;
  /** Units that open orders hold. */
  locked = 0.5;
  constructor() {
    this.free = this.locked = 0;
  }
  /** Moves units from free to locked. */
  lock(units: number): void {
    this.free = notBelowZero(this.free - units);
    this.locked = exactUnits(this.locked + units);
  }
  /** Moves units from locked to free. */
  unlock(units: number): void {
    this.locked = notBelowZero(this.locked - units);
    this.free = exactUnits(this.free + units);
  }
}

/**
 * Amounts of an asset outside all accounts. `market` is the counterparty of every fill; amounts that it paid are negative.
 */
export class ExternalFlows {
  /** Fees that the venue has taken. */
  // hot: docs/performance.md#double-fields
  fees = 0.5;
  market = 0.5;
  deposited = 0.5;
  constructor() {
    this.fees = this.market = this.deposited = 0;
  }
}

/** One account in one instrument: everything that the venue needs to check and settle an order. */
export class InstrumentAccount {
  readonly account: Account;
  /** Balances of the two assets of the instrument. */
  readonly base: Balance;
  readonly quote: Balance;
  /** Fee rates for orders placed from now on, ppm. */
  makerPpm: number;
  takerPpm: number;
  /** The higher of the two, because a limit may fill as either. */
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

/** Balances in whole units of each asset. For each asset, at any time: deposited = free + locked of all accounts + fees + market. */
export class Accounts {
  /** The assets of all instruments. Methods take their index in this list. */
  readonly assets: readonly string[];
  /** The open accounts, by account index. */
  readonly all: Account[] = [];
  /** Amounts outside all accounts, by asset. */
  readonly external: readonly ExternalFlows[];
  /** Balances by account, then by asset. */
  private readonly balances: (readonly Balance[])[] = [];
  /** Accounts by instrument, then by account. */
  private readonly byInstrument: readonly InstrumentAccount[][];
  private readonly config: VenueConfig;

  constructor(config: VenueConfig) {
    this.config = config;
    this.assets = assetsOf(config.instruments);
    this.external = listOf(this.assets, () => new ExternalFlows());
    this.byInstrument = listOf(config.instruments, () => []);
  }

  /** Opens an account and returns its index. Throws ConfigError when the name is taken. */
  open(name: string): number {
    const { instruments, fees, state, maxOpenOrders } = this.config;
    const account = new Account(name, state?.restrictedAccounts?.includes(name) ?? false, maxOpenOrders);
    const index = addAccount(this.all, account);
    const balances = listOf(this.assets, () => new Balance());
    const balanceOf = (asset: string) => balances[this.asset(asset)]!;
    instruments.forEach(({ base, quote, makerFeePpm, takerFeePpm }, instrumentIndex) => {
      this.byInstrument[instrumentIndex]!.push(
        new InstrumentAccount(account, balanceOf(base), balanceOf(quote), fees.makerPpm ?? makerFeePpm, fees.takerPpm ?? takerFeePpm),
      );
    });
    this.balances.push(balances);
    return index;
  }

  /** Sets the fee rates of one account and instrument, ppm, for orders placed from now on. */
  setFees(accountIndex: number, instrumentIndex: number, makerPpm: number, takerPpm: number): void {
    checkPpm('makerPpm', makerPpm);
    checkPpm('takerPpm', takerPpm);
    const accountAt = this.byInstrument[instrumentIndex]?.[accountIndex] ?? noAccount(accountIndex);
    accountAt.makerPpm = makerPpm;
    accountAt.takerPpm = takerPpm;
    accountAt.maxFeePpm = Math.max(makerPpm, takerPpm);
  }

  /** Returns the index of an asset in the balances. Throws ConfigError for an asset that no instrument trades. */
  asset(name: string): number {
    const index = this.assets.indexOf(name);
    if (index < 0) throw new ConfigError(`asset ${name}: no instrument of this venue trades it`, `known: ${this.assets.join(', ')}`);
    return index;
  }

  /** Returns the balance of an asset in an account. */
  of(accountIndex: number, assetIndex: number): Balance {
    return this.balances[accountIndex]?.[assetIndex] ?? noAccount(accountIndex);
  }

  /** Returns the accounts of an instrument, by account. The list grows with each account that is opened. */
  accountsAt(instrumentIndex: number): readonly InstrumentAccount[] {
    return this.byInstrument[instrumentIndex]!;
  }

  /** Adds units (at least 0) to the free balance of an asset. Throws InvariantError when all deposits of the asset exceed 2^53 - 1 units. */
  deposit(accountIndex: number, assetIndex: number, units: number): void {
    assert(exact(units) >= 0, `a deposit is not negative: ${units}`);
    const accountBalance = this.of(accountIndex, assetIndex);
    const external = this.external[assetIndex]!;
    // The sum over all accounts must stay exact.
    external.deposited = exact(external.deposited + units);
    accountBalance.free = balance(accountBalance.free + units);
  }

  /** Throws InvariantError when any amount of an asset appeared or vanished. */
  assertConserved(): void {
    this.external.forEach(({ fees, market, deposited }, assetIndex) => {
      let sum = BigInt(fees) + BigInt(market);
      for (const balances of this.balances) sum += BigInt(balances[assetIndex]!.free) + BigInt(balances[assetIndex]!.locked);
      assert(sum === BigInt(deposited), `${this.assets[assetIndex]}: ${deposited} units were deposited, ${sum} are there`);
    });
  }
}

/** Returns `units` if it is a valid balance. Whole numbers stay whole as long as they are between 0 and 2^53 - 1. */
export function balance(units: number): number {
  if (units >= 0 && units <= MAX_EXACT) return units;
  return throwInvalidBalance(units);
}

/** Returns `units` of a balance that was reduced. Throws InvariantError below 0; it cannot have become too large. */
export function notBelowZero(units: number): number {
  return units >= 0 ? units : throwInvalidBalance(units);
}
/** Returns `units` of a balance that was increased. Throws ConfigError above 2^53 - 1; it cannot have become negative. */
export function exactUnits(units: number): number {
  return units <= MAX_EXACT ? units : throwInvalidBalance(units);
}

/** Throws ConfigError for a balance that is too large, InvariantError for one that is below 0 or not a number. */
function throwInvalidBalance(units: number): never {
  if (units > MAX_EXACT) throw amountTooLarge();
  throw new InvariantError(`a balance of ${units} units is below 0 or not a number: more was spent than held`);
}

/** Throws InvariantError: the caller has used an account that was never opened. */
export function noAccount(accountIndex: number): never {
  throw new InvariantError(`there is no account ${accountIndex}`);
}

/**
 * Returns the assets of the instruments, in order of appearance. Throws ConfigError when two instruments disagree on the digits of an
 * asset.
 */
function assetsOf(instruments: readonly Instrument[]): string[] {
  const digitsByAsset = new Map<string, { digits: number; instrumentId: string }>();
  for (const { id, base, quote, baseDigits, quoteDigits } of instruments) {
    if (base === quote) throw new ConfigError(`instrument ${id}: expected two assets, got ${base} twice`, 'correct base or quote');
    for (const [asset, digits] of [
      [base, baseDigits],
      [quote, quoteDigits],
    ] as const) {
      const earlier = digitsByAsset.get(asset);
      if (!earlier) digitsByAsset.set(asset, { digits, instrumentId: id });
      else if (earlier.digits !== digits) {
        const message = `instrument ${id}: ${asset} has ${digits} digits, but ${earlier.digits} in ${earlier.instrumentId}`;
        throw new ConfigError(message, `give ${asset} the same basePrecision or quotePrecision in every instrument`);
      }
    }
  }
  return [...digitsByAsset.keys()];
}
