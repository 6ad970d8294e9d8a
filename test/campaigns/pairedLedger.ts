// A second set of books for futures accounts that trade with each other. It is computed in BigInt from the venue's events, so that a test
// can compare it with the venue's own books.

import { assert } from '../../src/base/assert.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { ContractSetting } from '../../src/venue/futures/wallets.ts';

const MILLION = 1_000_000n;
/** Funding rates are whole numbers of 10^-12. */
const RATE_SCALE = 10n ** 12n;

/** An execution of one order. `index` is the contract, as everywhere in this file. */
export interface Execution {
  readonly account: number;
  readonly index: number;
  readonly isBuy: boolean;
  readonly closes: boolean;
  readonly lots: number;
  /** Ticks. */
  readonly price: number;
  readonly isMaker: boolean;
}

/** A position that the venue liquidates and takes over. `price` is in ticks, `fee` in units. */
export interface Takeover {
  readonly account: number;
  readonly index: number;
  readonly wasLong: boolean;
  readonly price: number;
  readonly fee: number;
}

/** One side of one contract of an account. */
export interface OpenSide {
  readonly account: number;
  readonly index: number;
  isLong: boolean;
  isCross: boolean;
  lots: bigint;
  /** Value of the lots at their entry, in units. */
  entry: bigint;
  /** Margin behind the lots, in units. */
  margin: bigint;
}

/** The terms by which the ledger computes fees and liquidations. */
export interface LedgerTerms {
  readonly instruments: readonly Instrument[];
  readonly assets: readonly string[];
  /** True: fees are rounded up to the unit. False: half up. */
  readonly roundsFeesUp: boolean;
  readonly liquidationFeePpm: number;
}

/** Balances, positions and sums of all accounts, computed from events alone. */
export class NaivePairedLedger {
  /** The settings that each account has chosen, by account and contract. */
  readonly settings: ContractSetting[][] = [];
  /** Money of each account by asset, margins included. */
  readonly money: bigint[][] = [];
  readonly fees: bigint[];
  /** The insurance account by asset: it gets the fees of liquidations and pays what an account cannot. */
  readonly insurance: bigint[];
  readonly deposited: bigint[];
  /** Lots that the exchange holds because it took positions over, by contract. */
  readonly exchangeLots: bigint[];
  /** Money of the exchange from these positions and from funding, which it pays and receives. By asset. */
  readonly exchangeCash: bigint[];
  readonly #terms: LedgerTerms;
  /** By account, contract and side. Net mode uses the first side only. */
  readonly #sides: (readonly [OpenSide, OpenSide])[][] = [];

  constructor(terms: LedgerTerms) {
    this.#terms = terms;
    const zeros = (): bigint[] => terms.assets.map(() => 0n);
    this.fees = zeros();
    this.insurance = zeros();
    this.deposited = zeros();
    this.exchangeCash = zeros();
    this.exchangeLots = terms.instruments.map(() => 0n);
  }

  /** Opens an account with its deposits, in units by asset. */
  openAccount(units: readonly bigint[], settingOf: (index: number) => ContractSetting): void {
    const account = this.money.push([...units]) - 1;
    units.forEach((deposit, asset) => (this.deposited[asset]! += deposit));
    const flatSide = (index: number, isLong: boolean): OpenSide => ({
      account,
      index,
      isLong,
      isCross: true,
      lots: 0n,
      entry: 0n,
      margin: 0n,
    });
    this.settings.push(this.#terms.instruments.map((_, index) => settingOf(index)));
    this.#sides.push(this.#terms.instruments.map((_, index) => [flatSide(index, true), flatSide(index, false)]));
  }

  /** Returns both sides of a contract. In net mode the second one stays flat. */
  sides(account: number, index: number): readonly [OpenSide, OpenSide] {
    return this.#sides[account]![index]!;
  }

  /** Returns the open positions of all accounts in a contract. */
  openSides(index: number): readonly OpenSide[] {
    return this.#sides.flatMap((byContract) => [...byContract[index]!]).filter(({ lots }) => lots > 0n);
  }

  /** Books an execution. Returns its fee. */
  bookExecution(execution: Execution): bigint {
    const { account, index, isBuy, closes, lots, price } = execution;
    const { isNet, leverage, isCross } = this.settings[account]![index]!;
    const value = this.value(index, lots, price);
    const fee = this.#chargeFee(execution, value);

    const [first, second] = this.sides(account, index);
    const opposite = !isNet && isBuy ? second : first;
    const mayClose = (isNet || closes) && opposite.lots > 0n && opposite.isLong !== isBuy;
    const closing = mayClose ? min(BigInt(lots), opposite.lots) : 0n;
    const opening = BigInt(lots) - closing;
    assert(!closes || opening === 0n, 'an order that closes opens nothing');
    const closedValue = opening === 0n ? value : this.value(index, Number(closing), price);
    if (closing > 0n) this.#close(opposite, closing, closedValue);
    if (opening > 0n) {
      const sameSide = isNet || isBuy ? first : second;
      if (sameSide.lots === 0n) Object.assign(sameSide, { isLong: isBuy, isCross });
      const openedValue = value - closedValue;
      sameSide.lots += opening;
      sameSide.entry += openedValue;
      sameSide.margin += divideUp(openedValue, BigInt(leverage));
    }
    this.#coverFromInsurance(account, this.assetOf(index));
    return fee;
  }

  /** Takes the fee of an execution from its account. Returns it in units. */
  #chargeFee({ account, index, closes, isMaker }: Execution, value: bigint): bigint {
    const contract = this.#terms.instruments[index]!.contract!;
    const makerPpm = closes ? contract.closeMakerFeePpm : contract.openMakerFeePpm;
    const takerPpm = closes ? contract.closeTakerFeePpm : contract.openTakerFeePpm;
    const round = this.#terms.roundsFeesUp ? divideUp : divideHalfUp;
    const fee = round(value * BigInt(isMaker ? makerPpm : takerPpm), MILLION);
    const asset = this.assetOf(index);
    this.money[account]![asset]! -= fee;
    this.fees[asset]! += fee;
    return fee;
  }

  /** Books a liquidation: the exchange takes a whole position over, and so becomes the counterparty of those who traded with it. */
  bookTakeover({ account, index, wasLong, price, fee }: Takeover): void {
    const [first, second] = this.sides(account, index);
    const side = this.settings[account]![index]!.isNet || wasLong ? first : second;
    assert(side.lots > 0n && side.isLong === wasLong, 'a position that is liquidated was held');
    const asset = this.assetOf(index);
    const { lots, margin, isCross } = side;
    const value = this.value(index, Number(lots), price);
    const remainder = this.#close(side, lots, value);
    const maxFee = divideUp(value * BigInt(this.#terms.liquidationFeePpm), MILLION);
    const paidFee = BigInt(fee);
    assert(paidFee >= 0n && paidFee <= maxFee, `a liquidation fee of ${paidFee}, where ${maxFee} is the most`);
    // An isolated position pays its fee from what is left of its margin.
    const payableFee = min(maxFee, remainder > 0n ? remainder : 0n);
    if (!isCross)
      assert(paidFee === payableFee, `a fee of ${paidFee} was taken from the ${remainder} that were left of a margin of ${margin}`);
    this.money[account]![asset]! -= paidFee;
    this.insurance[asset]! += paidFee;
    this.#coverFromInsurance(account, asset);
    this.exchangeLots[index]! += wasLong ? lots : -lots;
    this.exchangeCash[asset]! -= this.#gainOf(index, wasLong, value);
  }

  /** Books the funding of a position at the mark `ticks`. Longs pay a rate above 0. */
  bookFunding(side: OpenSide, ticks: number, rate: number): void {
    const asset = this.assetOf(side.index);
    const amount = divideHalfUp(this.value(side.index, Number(side.lots), ticks) * BigInt(Math.abs(rate)), RATE_SCALE);
    const received = side.isLong === rate > 0 ? -amount : amount;
    // An isolated position pays at most its margin, and the insurance account pays the remainder.
    const fromAccount = !side.isCross && received < -side.margin ? -side.margin : received;
    if (!side.isCross) side.margin += fromAccount;
    this.money[side.account]![asset]! += fromAccount;
    this.insurance[asset]! += received - fromAccount;
    this.exchangeCash[asset]! -= received;
  }

  /**
   * Returns all money in an asset, with open positions at their entry value. Every position has a counterparty, so the sum equals the
   * deposits. What funding rounds away between payers and payees stays with the exchange.
   */
  total(asset: number): bigint {
    let sum = this.fees[asset]! + this.insurance[asset]! + this.exchangeCash[asset]!;
    for (const money of this.money) sum += money[asset]!;
    this.#terms.instruments.forEach((_, index) => {
      if (this.assetOf(index) !== asset) return;
      for (const { isLong, entry } of this.openSides(index)) sum -= this.#gainOf(index, isLong, entry);
    });
    return sum;
  }

  /** Returns the long lots less the short lots of a contract, those of the exchange included. */
  netLots(index: number): bigint {
    return this.openSides(index).reduce((sum, { isLong, lots }) => sum + (isLong ? lots : -lots), this.exchangeLots[index]!);
  }

  /** Returns the asset in which a contract settles, as an index of `terms.assets`. */
  assetOf(index: number): number {
    return this.#terms.assets.indexOf(this.#terms.instruments[index]!.quote);
  }

  /** Returns the money of an account that is not the margin of a position. */
  freeUnits(account: number, asset: number): bigint {
    let units = this.money[account]![asset]!;
    this.#terms.instruments.forEach((_, index) => {
      if (this.assetOf(index) === asset) for (const { margin } of this.sides(account, index)) units -= margin;
    });
    return units;
  }

  /** Returns the value of lots at a price in ticks, rounded half up to the unit. Both sides of a trade use it, so nothing is lost. */
  value(index: number, lots: number, price: number): bigint {
    const { contract, priceDigits, quantityDigits } = this.#terms.instruments[index]!;
    const { kind, multiplier, multiplierDigits, marginDigits } = contract!;
    const quantity = BigInt(multiplier) * BigInt(lots);
    const quantityScale = 10n ** BigInt(multiplierDigits + quantityDigits);
    const priceScale = 10n ** BigInt(priceDigits);
    const unitScale = 10n ** BigInt(marginDigits);
    return kind === 'linear'
      ? divideHalfUp(quantity * BigInt(price) * unitScale, priceScale * quantityScale)
      : divideHalfUp(quantity * unitScale * priceScale, BigInt(price) * quantityScale);
  }

  /**
   * Closes lots of a position at a value, and books the profit. Returns what is left of their margin after it; a rounding remainder stays
   * with the lots that remain.
   */
  #close(side: OpenSide, lots: bigint, value: bigint): bigint {
    const isWholePosition = lots === side.lots;
    const entry = isWholePosition ? side.entry : divideHalfUp(side.entry * lots, side.lots);
    const margin = isWholePosition ? side.margin : (side.margin * lots) / side.lots;
    const profit = this.#gainOf(side.index, side.isLong, value - entry);
    side.lots -= lots;
    side.entry -= entry;
    side.margin -= margin;
    const asset = this.assetOf(side.index);
    this.money[side.account]![asset]! += profit;
    const remainder = margin + profit;
    if (side.isCross || remainder >= 0n) return remainder;
    // An isolated position loses at most its margin: first that of the closed lots, then that of the remaining ones.
    const loss = -remainder;
    const fromRemainingMargin = min(loss, side.margin);
    side.margin -= fromRemainingMargin;
    if (fromRemainingMargin < loss) this.#cover(side.account, asset, loss - fromRemainingMargin);
    return remainder;
  }

  /** Pays the debt of an account that has no cross position left to pay it from. */
  #coverFromInsurance(account: number, asset: number): void {
    const units = this.freeUnits(account, asset);
    if (units >= 0n) return;
    const hasCrossPosition = this.#sides[account]!.some((sides, index) => {
      return this.assetOf(index) === asset && sides.some(({ lots, isCross }) => lots > 0n && isCross);
    });
    if (!hasCrossPosition) this.#cover(account, asset, -units);
  }

  /** Moves units from the insurance account to an account that cannot pay. */
  #cover(account: number, asset: number, units: bigint): void {
    this.money[account]![asset]! += units;
    this.insurance[asset]! -= units;
  }

  /** Returns a change in value as the gain of the holder. The value of an inverse contract falls when the price rises. */
  #gainOf(index: number, isLong: boolean, units: bigint): bigint {
    const isLinear = this.#terms.instruments[index]!.contract!.kind === 'linear';
    return isLong === isLinear ? units : -units;
  }
}

const min = (first: bigint, second: bigint): bigint => (first < second ? first : second);
/** Returns a quotient, rounded up. */
const divideUp = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;
/** Returns a quotient, rounded half up. */
const divideHalfUp = (value: bigint, divisor: bigint): bigint => (2n * value + divisor) / (2n * divisor);
