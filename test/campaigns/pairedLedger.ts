// Keeps the books of accounts that trade with each other, apart from the venue's own: what was traded, paid and taken over.

import { assert } from '../../src/base/assert.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { ContractSetting } from '../../src/venue/futures/wallets.ts';

const MILLION = 1_000_000n;
const RATE_SCALE = 10n ** 12n;

/** An execution of one order. */
export interface Executed {
  readonly account: number;
  readonly index: number;
  readonly isBuy: boolean;
  readonly closes: boolean;
  readonly lots: number;
  /** Ticks. */
  readonly price: number;
  readonly isMaker: boolean;
}

/** What the venue says of a position that it takes over. */
export interface TakenOver {
  readonly account: number;
  readonly index: number;
  readonly wasLong: boolean;
  readonly price: number;
  readonly fee: number;
}

export interface Held {
  readonly account: number;
  readonly index: number;
  isLong: boolean;
  isCross: boolean;
  lots: bigint;
  /** Value of the lots as they came in, and the margin behind them. */
  entry: bigint;
  margin: bigint;
}

export interface LedgerTerms {
  readonly instruments: readonly Instrument[];
  readonly assets: readonly string[];
  readonly isFeeUp: boolean;
  readonly liquidationFeePpm: number;
}

export class PairedLedger {
  /** By account, then contract: as the account has chosen it. */
  readonly settings: ContractSetting[][] = [];
  /** Money of each account by asset, margins included. */
  readonly money: bigint[][] = [];
  readonly fees: bigint[];
  /** Gets the fees of liquidations, and bears what an account cannot. */
  readonly insurance: bigint[];
  readonly deposited: bigint[];
  /** What the exchange holds, because it takes over what it liquidates and is the other side of all funding: lots by contract, money by asset. */
  readonly exchangeLots: bigint[];
  readonly exchangeCash: bigint[];
  readonly #terms: LedgerTerms;
  /** By account, contract and side; in net mode the first is the only one. */
  readonly #held: (readonly [Held, Held])[][] = [];

  constructor(terms: LedgerTerms) {
    this.#terms = terms;
    const none = (): bigint[] => terms.assets.map(() => 0n);
    [this.fees, this.insurance, this.deposited, this.exchangeCash] = [none(), none(), none(), none()];
    this.exchangeLots = terms.instruments.map(() => 0n);
  }

  /** An account with the same number of units of each asset. */
  open(units: readonly bigint[], setting: (index: number) => ContractSetting): void {
    const account = this.money.push([...units]) - 1;
    units.forEach((each, asset) => (this.deposited[asset]! += each));
    const flat = (index: number, isLong: boolean): Held => ({ account, index, isLong, isCross: true, lots: 0n, entry: 0n, margin: 0n });
    this.settings.push(this.#terms.instruments.map((_, index) => setting(index)));
    this.#held.push(this.#terms.instruments.map((_, index) => [flat(index, true), flat(index, false)]));
  }

  /** Both sides of a contract, or the one of net mode and another that stays flat. */
  sides(account: number, index: number): readonly [Held, Held] {
    return this.#held[account]![index]!;
  }

  /** All that accounts hold of a contract. */
  heldOf(index: number): readonly Held[] {
    return this.#held.flatMap((of) => [...of[index]!]).filter(({ lots }) => lots > 0n);
  }

  /** Returns the fee, which is of the whole execution. */
  executed({ account, index, isBuy, closes, lots, price, isMaker }: Executed): bigint {
    const { contract } = this.#terms.instruments[index]!;
    const { isNet, leverage, isCross } = this.settings[account]![index]!;
    const value = this.value(index, lots, price);
    const maker = closes ? contract!.closeMakerFeePpm : contract!.openMakerFeePpm;
    const taker = closes ? contract!.closeTakerFeePpm : contract!.openTakerFeePpm;
    const share = value * BigInt(isMaker ? maker : taker);
    const fee = this.#terms.isFeeUp ? up(share, MILLION) : halfUp(share, MILLION);
    const asset = this.assetOf(index);
    this.money[account]![asset]! -= fee;
    this.fees[asset]! += fee;

    const [first, second] = this.sides(account, index);
    const other = isNet ? first : isBuy ? second : first;
    const closing = (isNet || closes) && other.lots > 0n && other.isLong !== isBuy ? min(BigInt(lots), other.lots) : 0n;
    const opening = BigInt(lots) - closing;
    assert(!closes || opening === 0n, 'an order that closes opens nothing');
    const closed = opening === 0n ? value : this.value(index, Number(closing), price);
    if (closing > 0n) this.#leave(other, closing, closed);
    if (opening > 0n) {
      const into = isNet ? first : isBuy ? first : second;
      if (into.lots === 0n) Object.assign(into, { isLong: isBuy, isCross });
      into.lots += opening;
      into.entry += value - closed;
      into.margin += up(value - closed, BigInt(leverage));
    }
    this.#coverFromInsurance(account, asset);
    return fee;
  }

  /** The exchange takes a whole position over at a price; it becomes the other side of those who traded with it. */
  takenOver({ account, index, wasLong, price, fee }: TakenOver): void {
    const [first, second] = this.sides(account, index);
    const held = this.settings[account]![index]!.isNet || wasLong ? first : second;
    assert(held.lots > 0n && held.isLong === wasLong, 'a position that is liquidated was held');
    const asset = this.assetOf(index);
    const { lots, margin, isCross } = held;
    const value = this.value(index, Number(lots), price);
    const left = this.#leave(held, lots, value);
    const max = up(value * BigInt(this.#terms.liquidationFeePpm), MILLION);
    const due = BigInt(fee);
    assert(due >= 0n && due <= max, `a liquidation fee of ${due}, of ${max} at most`);
    if (!isCross) assert(due === min(max, left > 0n ? left : 0n), `of ${left} that was left of ${margin}, ${due} was taken`);
    this.money[account]![asset]! -= due;
    this.insurance[asset]! += due;
    this.#coverFromInsurance(account, asset);
    this.exchangeLots[index]! += wasLong ? lots : -lots;
    this.exchangeCash[asset]! -= this.#signed(index, wasLong, value);
  }

  /** The funding of a position: longs pay a rate above 0. */
  funded(held: Held, ticks: number, rate: number): void {
    const asset = this.assetOf(held.index);
    const share = halfUp(this.value(held.index, Number(held.lots), ticks) * BigInt(Math.abs(rate)), RATE_SCALE);
    const due = held.isLong === rate > 0 ? -share : share;
    // An isolated position pays what it has, the insurance the rest.
    const own = !held.isCross && due < -held.margin ? -held.margin : due;
    if (!held.isCross) held.margin += own;
    this.money[held.account]![asset]! += own;
    this.insurance[asset]! += due - own;
    this.exchangeCash[asset]! -= due;
  }

  /**
   * All there is in an asset, open positions at what they came in at: with a counterparty for each of them it is what was deposited. What
   * funding rounds away between payers and payees stays with the exchange.
   */
  total(asset: number): bigint {
    let sum = this.fees[asset]! + this.insurance[asset]! + this.exchangeCash[asset]!;
    for (const money of this.money) sum += money[asset]!;
    this.#terms.instruments.forEach((_, index) => {
      if (this.assetOf(index) !== asset) return;
      for (const { isLong, entry } of this.heldOf(index)) sum -= this.#signed(index, isLong, entry);
    });
    return sum;
  }

  /** Lots held long less lots held short, the exchange's among them. */
  netLots(index: number): bigint {
    return this.heldOf(index).reduce((sum, { isLong, lots }) => sum + (isLong ? lots : -lots), this.exchangeLots[index]!);
  }

  assetOf(index: number): number {
    return this.#terms.assets.indexOf(this.#terms.instruments[index]!.quote);
  }

  /** Money of an account that is not a margin of a position. */
  loose(account: number, asset: number): bigint {
    let units = this.money[account]![asset]!;
    this.#terms.instruments.forEach((_, index) => {
      if (this.assetOf(index) === asset) for (const { margin } of this.sides(account, index)) units -= margin;
    });
    return units;
  }

  /** Value of lots at a price, rounded half up to the unit: both sides of a trade share the rounded figure, so no remainder is left. */
  value(index: number, lots: number, price: number): bigint {
    const { contract, priceDigits, quantityDigits } = this.#terms.instruments[index]!;
    const { kind, multiplier, multiplierDigits, marginDigits } = contract!;
    const faces = BigInt(multiplier) * BigInt(lots);
    const [unit, tick, face] = [10n ** BigInt(marginDigits), 10n ** BigInt(priceDigits), 10n ** BigInt(multiplierDigits + quantityDigits)];
    return kind === 'linear' ? halfUp(faces * BigInt(price) * unit, tick * face) : halfUp(faces * unit * tick, BigInt(price) * face);
  }

  /** Lots leave a position; what the rounding of their shares leaves stays with the rest of it. Returns margin and profit of what left. */
  #leave(held: Held, lots: bigint, value: bigint): bigint {
    const isAll = lots === held.lots;
    const entry = isAll ? held.entry : halfUp(held.entry * lots, held.lots);
    const margin = isAll ? held.margin : (held.margin * lots) / held.lots;
    const profit = this.#signed(held.index, held.isLong, value - entry);
    held.lots -= lots;
    held.entry -= entry;
    held.margin -= margin;
    const asset = this.assetOf(held.index);
    this.money[held.account]![asset]! += profit;
    const left = margin + profit;
    if (held.isCross || left >= 0n) return left;
    // An isolated position loses its margin and no more: first that of the part, then that of the rest.
    const own = min(-left, held.margin);
    held.margin -= own;
    if (own < -left) this.#cover(held.account, asset, -left - own);
    return left;
  }

  /** What an account owes with no cross position left that could pay. */
  #coverFromInsurance(account: number, asset: number): void {
    const units = this.loose(account, asset);
    if (units >= 0n) return;
    const isBacked = this.#held[account]!.some((sides, index) => {
      return this.assetOf(index) === asset && sides.some(({ lots, isCross }) => lots > 0n && isCross);
    });
    if (!isBacked) this.#cover(account, asset, -units);
  }

  #cover(account: number, asset: number, units: bigint): void {
    this.money[account]![asset]! += units;
    this.insurance[asset]! -= units;
  }

  /** The gain of the holder when the price rises: an inverse contract pays in the coin, which buys fewer coins at a higher price. */
  #signed(index: number, isLong: boolean, units: bigint): bigint {
    const isLinear = this.#terms.instruments[index]!.contract!.kind === 'linear';
    return isLong === isLinear ? units : -units;
  }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const up = (a: bigint, by: bigint): bigint => (a + by - 1n) / by;
const halfUp = (a: bigint, by: bigint): bigint => (2n * a + by) / (2n * by);
