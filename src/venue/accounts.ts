// Who owns what: free and locked balances by account and asset, and the sums that show that nothing is made or lost.

import { assert } from '../base/assert.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import { exact, MAX_EXACT } from '../base/exact.ts';
import type { Instrument } from '../model/instrument.ts';
import { outgrown } from './money.ts';
import { checkPpm, type VenueConfig } from './venueConfig.ts';

/**
 * Balances in whole units of each asset. Per asset and at any time: deposited = free + locked of all accounts + fees + market.
 * `market` is the counterparty of every fill, the rest of the world: what it gave is negative.
 */
export class Accounts {
  readonly names: string[] = [];
  readonly assets: readonly string[];
  /** The number of assets: the balance of account a and asset s lies at a * width + s. */
  readonly width: number;
  free = new Float64Array(0);
  locked = new Float64Array(0);
  /** By account. */
  openOrders = new Int32Array(0);
  /** How many of them it may have. */
  mostOpen = new Float64Array(0);
  restricted = new Uint8Array(0);
  /** Rates of account a and instrument i: at a * instruments + i. */
  makerPpm = new Int32Array(0);
  takerPpm = new Int32Array(0);
  /** By asset. */
  readonly fees: Float64Array;
  readonly market: Float64Array;
  readonly deposited: Float64Array;
  private readonly config: VenueConfig;

  constructor(config: VenueConfig) {
    this.config = config;
    this.assets = assetsOf(config.instruments);
    this.width = this.assets.length;
    this.fees = new Float64Array(this.width);
    this.market = new Float64Array(this.width);
    this.deposited = new Float64Array(this.width);
  }

  /** The index of the new account. Throws ConfigError when the name is taken. */
  open(name: string): number {
    if (this.names.includes(name)) throw new ConfigError(`account ${name}: the name is taken`, 'give each account a name of its own');
    const { instruments, fees, state } = this.config;
    const account = this.names.push(name) - 1;
    this.free = widened(this.free, this.width);
    this.locked = widened(this.locked, this.width);
    this.openOrders = Int32Array.of(...this.openOrders, 0);
    this.mostOpen = Float64Array.of(...this.mostOpen, this.config.maxOpenOrders);
    this.restricted = Uint8Array.of(...this.restricted, state?.restrictedAccounts?.includes(name) ? 1 : 0);
    this.makerPpm = Int32Array.of(...this.makerPpm, ...instruments.map((of) => fees.makerPpm ?? of.makerFeePpm));
    this.takerPpm = Int32Array.of(...this.takerPpm, ...instruments.map((of) => fees.takerPpm ?? of.takerFeePpm));
    return account;
  }

  /** Rates of one account and instrument, in millionths, for orders placed from now on. */
  setFees(account: number, instrument: number, makerPpm: number, takerPpm: number): void {
    checkPpm('makerPpm', makerPpm);
    checkPpm('takerPpm', takerPpm);
    const at = account * this.config.instruments.length + instrument;
    this.makerPpm[at] = makerPpm;
    this.takerPpm[at] = takerPpm;
  }

  /** The index of an asset in the balances. Throws ConfigError for an asset that no instrument trades. */
  asset(name: string): number {
    const index = this.assets.indexOf(name);
    if (index < 0) throw new ConfigError(`asset ${name}: no instrument of this venue trades it`, `known: ${this.assets.join(', ')}`);
    return index;
  }

  /** Where the balance of an account and asset lies. */
  at(account: number, asset: number): number {
    if (!(account >= 0 && account < this.names.length)) throw new InvariantError(`there is no account ${account}`);
    return account * this.width + asset;
  }

  deposit(account: number, asset: number, units: number): void {
    assert(exact(units) >= 0, `a deposit is not negative: ${units}`);
    const at = this.at(account, asset);
    // The sum over all accounts is what has to stay exact.
    this.deposited[asset] = exact(this.deposited[asset]! + units);
    this.free[at] = balance(this.free[at]! + units);
  }

  /** Moves units from free to locked, or back where they are negative. */
  lock(at: number, units: number): void {
    this.free[at] = balance(this.free[at]! - units);
    this.locked[at] = balance(this.locked[at]! + units);
  }

  /** Throws InvariantError when an asset was made or lost, by however little. */
  assertConserved(): void {
    for (let asset = 0; asset < this.width; asset++) {
      let sum = BigInt(this.fees[asset]!) + BigInt(this.market[asset]!);
      for (let account = 0; account < this.names.length; account++) {
        const at = this.at(account, asset);
        sum += BigInt(this.free[at]!) + BigInt(this.locked[at]!);
      }
      const deposited = BigInt(this.deposited[asset]!);
      assert(sum === deposited, `${this.assets[asset]}: ${deposited} units were deposited, ${sum} are there`);
    }
  }
}

/** Returns a balance that can be one: whole numbers in give whole numbers out, as long as they stay between 0 and 2^53 - 1. */
export function balance(units: number): number {
  if (units >= 0 && units <= MAX_EXACT) return units;
  return refuseBalance(units);
}

function refuseBalance(units: number): never {
  if (units > MAX_EXACT) throw outgrown();
  throw new InvariantError(`a balance of ${units} units is below 0 or no number: more was spent than held`);
}

function widened(balances: Float64Array<ArrayBuffer>, by: number): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(balances.length + by);
  wider.set(balances);
  return wider;
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
        throw new ConfigError(message, `give ${asset} the same baseDigits or quoteDigits in every instrument`);
      }
    }
  }
  return [...digitsOf.keys()];
}
