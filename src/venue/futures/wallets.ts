// The futures accounts of the venue: balances, settings and positions, and the sums that prove that no money appears or vanishes.

import { assert } from '../../base/assert.ts';
import { ConfigError, InvariantError } from '../../base/errors.ts';
import { exact, MAX_EXACT } from '../../base/number/exact.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Account, addAccount } from '../account.ts';
import type { ContractMoney } from './contractMoney.ts';
import { VenuePosition } from './position.ts';

/** How one account trades one contract. */
export interface ContractSetting {
  leverage: number;
  isCross: boolean;
  /** True for net mode, one position for both sides; false for two-way mode, a long and a short position. */
  isNet: boolean;
}

/** One account's money in one settlement asset, in units of it. */
export class Wallet {
  /**
   * Available to the account. Negative only while an open cross position's profit covers it, or while working orders hold the missing
   * amount.
   */
  free = 0;
  /** Initial margin and fees of working orders that open. */
  locked = 0;
  // Sums since the account was opened, from which its money follows.
  /** Deposits. */
  deposited = 0;
  /** Profits of reductions, negative for losses. */
  realised = 0;
  /** Fees of fills. */
  fees = 0;
  /** Funding received, negative if paid. */
  funding = 0;
  /** Fees of liquidations. */
  liquidationFees = 0;
  /** Losses that the insurance account covered. */
  covered = 0;
}

/** A contract of the venue with what is computed from it once. */
export interface ContractTerms {
  readonly instrument: Instrument;
  readonly money: ContractMoney;
  /** Index of the settlement asset. */
  readonly asset: number;
}

/**
 * For each asset, at any time, to the unit: deposited = free + locked + margin of positions, over all accounts, + fees + insurance +
 * market. `market` is the counterparty of every trade and of funding. `insurance` receives liquidation fees and covers losses that an
 * account cannot pay. Both may be negative.
 */
export class Wallets {
  /** The accounts by index. */
  readonly accounts: Account[] = [];
  /** The settlement assets. Methods take their index in this list. */
  readonly assets: readonly string[];
  /** The contracts by the index of their instrument. */
  readonly contracts: readonly ContractTerms[];
  /** Amounts outside of the accounts, by asset: fees taken, the insurance account, the counterparty of all trades, and all deposits. */
  readonly fees: Float64Array;
  readonly insurance: Float64Array;
  readonly market: Float64Array;
  readonly deposited: Float64Array;
  /** By account, then asset; by account, then contract. */
  private readonly wallets: Wallet[][] = [];
  private readonly settings: ContractSetting[][] = [];
  /** By account and contract: the long side, or the only one in net mode, and the short side. */
  private readonly positions: (readonly [VenuePosition, VenuePosition])[][] = [];

  constructor(contracts: readonly ContractTerms[], assets: readonly string[]) {
    this.contracts = contracts;
    this.assets = assets;
    this.fees = new Float64Array(assets.length);
    this.insurance = new Float64Array(assets.length);
    this.market = new Float64Array(assets.length);
    this.deposited = new Float64Array(assets.length);
  }

  /** Opens an account and returns its index. Throws ConfigError when the name is taken. */
  openAccount(name: string, setting: (terms: ContractTerms) => ContractSetting, isRestricted: boolean, maxOpen: number): number {
    const account = addAccount(this.accounts, new Account(name, isRestricted, maxOpen));
    this.wallets.push(listOf(this.assets, () => new Wallet()));
    this.settings.push(listOf(this.contracts, setting));
    this.positions.push(
      listOf(this.contracts, (_, index) => [new VenuePosition(account, index, true), new VenuePosition(account, index, false)]),
    );
    return account;
  }

  /** Returns the index of a settlement asset. Throws ConfigError for an asset in which no contract settles. */
  asset(name: string): number {
    const index = this.assets.indexOf(name);
    if (index < 0) throw new ConfigError(`asset ${name}: no contract of this venue settles in it`, `known: ${this.assets.join(', ')}`);
    return index;
  }
  /** Returns the balances of an account in one asset. Throws InvariantError for an unknown account. */
  wallet(accountIndex: number, assetIndex: number): Wallet {
    const wallet = this.wallets[accountIndex]?.[assetIndex];
    if (wallet === undefined) throw new InvariantError(`there is no account ${accountIndex} with asset ${assetIndex}`);
    return wallet;
  }
  /** Returns the settings of an account for a contract. Throws InvariantError for an unknown account. */
  setting(accountIndex: number, index: number): ContractSetting {
    const setting = this.settings[accountIndex]?.[index];
    if (setting === undefined) throw new InvariantError(`there is no account ${accountIndex} with contract ${index}`);
    return setting;
  }
  /** Returns the position of an account in a contract; in net mode always the first of the two. */
  position(accountIndex: number, index: number, isLong: boolean): VenuePosition {
    return this.sides(accountIndex, index)[isLong || this.setting(accountIndex, index).isNet ? 0 : 1];
  }
  /** Returns both positions of an account in a contract, long first. In net mode only the first is used. */
  sides(accountIndex: number, index: number): readonly [VenuePosition, VenuePosition] {
    const sides = this.positions[accountIndex]?.[index];
    if (sides === undefined) throw new InvariantError(`there is no account ${accountIndex} with contract ${index}`);
    return sides;
  }
  /**
   * Returns the positions of an account that are not flat, in one asset or in all: by contract, long before short. The list is a copy.
   */
  openPositions(accountIndex: number, assetIndex: number | null = null): readonly VenuePosition[] {
    const heldPositions: VenuePosition[] = [];
    for (let index = 0; index < this.contracts.length; index++) {
      if (assetIndex !== null && this.contracts[index]!.asset !== assetIndex) continue;
      const [long, short] = this.sides(accountIndex, index);
      if (long.lots > 0) heldPositions.push(long);
      if (short.lots > 0) heldPositions.push(short);
    }
    return heldPositions;
  }

  /**
   * Returns the largest absolute value, in units, of the sums that a fill or payment of a position changes. The difference to 2^53 can
   * still be added to any of them.
   */
  largestSum(
    { account, marginUnits, entryUnits, fundingUnits, realisedUnits, feeUnits }: Readonly<VenuePosition>,
    assetIndex: number,
  ): number {
    const { free, locked, realised, fees, funding, covered } = this.wallet(account, assetIndex);
    const largestOfAccount = Math.max(Math.abs(free), locked, Math.abs(realised), fees, Math.abs(funding), covered);
    const largestOfVenue = Math.max(Math.abs(this.market[assetIndex]!), Math.abs(this.insurance[assetIndex]!), this.fees[assetIndex]!);
    return Math.max(largestOfAccount, largestOfVenue, marginUnits, entryUnits, Math.abs(fundingUnits), Math.abs(realisedUnits), feeUnits);
  }
  /** True when `units` can be added to or subtracted from each of those sums. */
  canMove(position: Readonly<VenuePosition>, assetIndex: number, units: number): boolean {
    return this.largestSum(position, assetIndex) + units <= MAX_EXACT;
  }

  /** Adds units (at least 0) to the free balance of an account. */
  deposit(accountIndex: number, assetIndex: number, units: number): void {
    assert(exact(units) >= 0, `a deposit is not negative: ${units}`);
    const wallet = this.wallet(accountIndex, assetIndex);
    this.deposited[assetIndex] = exact(this.deposited[assetIndex]! + units);
    wallet.deposited = exact(wallet.deposited + units);
    wallet.free = exact(wallet.free + units);
  }

  /** Moves units from free to locked; negative units move back. */
  lock(wallet: Wallet, units: number): void {
    wallet.free = exact(wallet.free - units);
    wallet.locked = exact(wallet.locked + units);
    assert(wallet.locked >= 0, 'at most the locked units are unlocked');
  }

  /** Throws InvariantError when any amount of an asset appeared or vanished, or when an account's money differs from its history. */
  assertConserved(): void {
    this.assets.forEach((name, asset) => {
      let sum = BigInt(this.fees[asset]!) + BigInt(this.insurance[asset]!) + BigInt(this.market[asset]!);
      for (let accountIndex = 0; accountIndex < this.accounts.length; accountIndex++) sum += this.checkedMoney(accountIndex, asset);
      const deposited = BigInt(this.deposited[asset]!);
      assert(sum === deposited, `${name}: ${deposited} units were deposited, ${sum} are there`);
    });
  }

  /** Returns all of an account's money in an asset, after comparing it with the account's history. */
  private checkedMoney(accountIndex: number, assetIndex: number): bigint {
    const { free, locked, deposited, realised, fees, funding, liquidationFees, covered } = this.wallet(accountIndex, assetIndex);
    let money = BigInt(free) + BigInt(locked);
    for (const { marginUnits } of this.openPositions(accountIndex, assetIndex)) money += BigInt(marginUnits);
    const history = BigInt(deposited) + BigInt(realised) - BigInt(fees) + BigInt(funding) - BigInt(liquidationFees) + BigInt(covered);
    assert(
      money === history,
      `${this.accounts[accountIndex]?.name}: ${money} units of ${this.assets[assetIndex]} are there, ${history} should be`,
    );
    return money;
  }
}
