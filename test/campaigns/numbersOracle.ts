// Computes the money that every account must have, in BigInt, from the reported trades alone.

import type { Instrument } from '../../src/model/instrument.ts';
import { depositsOf, CONTRACTS, ACCOUNT_NAMES, type AccountName, type NumbersExchange, SPOT_PAIRS } from './numbersExchange.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the value of JSON. Its numbers become text, so that no digit is lost. */
export function readExact(body: string): unknown {
  return JSON.parse(body.replaceAll(/(?<=[:[,])(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[,}\]])/g, '"$1"'));
}

/** Returns a plain decimal in whole units. Throws Error if it has more digits. */
export function unitsOf(text: unknown, digits: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text));
  if (match === null) throw new Error(`no plain decimal: ${String(text)}`);
  const [, sign = '', integerPart = '', decimalPart = ''] = match;
  if (decimalPart.length > digits) throw new Error(`${String(text)} has more than ${digits} digits`);
  const units = BigInt(integerPart + decimalPart.padEnd(digits, '0'));
  return sign === '-' ? -units : units;
}

/** Returns a quotient, rounded half up. */
const divideHalfUp = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator);
const powerOfTen = (digits: number): bigint => 10n ** BigInt(digits);
const MILLION = 1_000_000n;
/** Rows of a page of own trades. */
const PAGE_ROWS = 1000;

/** Returns the value of lots at a price in ticks, in units of the settlement asset. */
function valueOf({ contract, priceDigits, quantityDigits }: Instrument, lots: bigint, ticks: bigint): bigint {
  if (contract === undefined) throw new Error('no contract');
  const faces = BigInt(contract.multiplier) * lots;
  const faceDigits = contract.multiplierDigits + quantityDigits;
  if (contract.kind === 'linear')
    return divideHalfUp(faces * ticks * powerOfTen(contract.marginDigits), powerOfTen(faceDigits + priceDigits));
  return divideHalfUp(faces * powerOfTen(contract.marginDigits + priceDigits), ticks * powerOfTen(faceDigits));
}

/** One position. `entryUnits`: the value at which its lots were opened, in units. */
interface BookedPosition {
  isLong: boolean;
  lots: bigint;
  entryUnits: bigint;
}

/** One account in one contract, in both modes. */
class PositionsOfContract {
  isNet = true;
  readonly net: BookedPosition = { isLong: true, lots: 0n, entryUnits: 0n };
  readonly long: BookedPosition = { isLong: true, lots: 0n, entryUnits: 0n };
  readonly short: BookedPosition = { isLong: false, lots: 0n, entryUnits: 0n };
}

/** Keeps the money that all accounts must have, from their deposits and each trade that the exchange reports. */
export class MoneyOracle {
  readonly #exchange: NumbersExchange;
  /** By account and asset: the units that the deposits and the trades make, for each market. */
  readonly #spotUnits = new Map<string, bigint>();
  readonly #futuresUnits = new Map<string, bigint>();
  readonly #positions = new Map<string, PositionsOfContract>();
  /** By account and instrument: id and side of the newest trade that was read. */
  readonly #lastTrade = new Map<string, string>();
  /** By account and asset: the sum of all losses, fees and paid funding. */
  readonly #lossUnits = new Map<string, bigint>();
  /** By account and asset: what other accounts have covered because this one could not pay. */
  readonly #coveredUnits = new Map<string, bigint>();
  /** Number of own trades of all accounts. */
  trades = 0;
  /** Number of own trades, by instrument. */
  readonly tradeCountBySymbol = new Map<string, number>();

  constructor(exchange: NumbersExchange) {
    this.#exchange = exchange;
    for (const name of ACCOUNT_NAMES) {
      for (const [asset, digits] of assetsOf(SPOT_PAIRS))
        this.#spotUnits.set(`${name} ${asset}`, unitsOf(depositOf(name, 'spot', asset), digits));
      for (const [asset, digits] of assetsOf(CONTRACTS)) {
        this.#futuresUnits.set(`${name} ${asset}`, unitsOf(depositOf(name, 'futures', asset), digits));
      }
    }
  }

  /** Records that an account has changed its position mode. Throws if it had a position, because the exchange must refuse that. */
  recordModeChange(name: AccountName, contractName: string, isNet: boolean): void {
    const instrument = CONTRACTS.find(({ wireName }) => wireName === contractName)!;
    this.#readFutures(name, instrument);
    const positions = this.#positionsOf(name, instrument);
    const openPositions = [positions.net, positions.long, positions.short].filter(({ lots }) => lots > 0n);
    if (openPositions.length > 0) throw new Error(`${name} ${contractName}: the mode changed with ${openPositions[0]!.lots} lots open`);
    positions.isNet = isNet;
  }

  /** Books a payment of funding from the balances after it, because no trade shows it. */
  bookFunding(): void {
    for (const name of ACCOUNT_NAMES) this.#readTrades(name);
    for (const name of ACCOUNT_NAMES) {
      for (const [asset, { actual, expected }] of this.#futuresMoney(name)) {
        const key = `${name} ${asset}`;
        const fundingUnits = actual - expected - (this.#coveredUnits.get(key) ?? 0n);
        addUnits(this.#futuresUnits, key, fundingUnits);
        // Other accounts also cover funding that this one cannot pay.
        if (fundingUnits < 0n) addUnits(this.#lossUnits, key, -fundingUnits);
      }
    }
  }

  /** Throws at the first account that has another amount than its trades make. */
  check(): void {
    for (const name of ACCOUNT_NAMES) this.#readTrades(name);
    for (const name of ACCOUNT_NAMES) {
      this.#checkSpot(name);
      this.#checkFutures(name);
    }
  }

  /** Throws if a spot balance of an account is not what its trades make. */
  #checkSpot(name: AccountName): void {
    const balances = (this.#get(name, '/sapi/v1/account') as { balances: readonly Json[] }).balances;
    for (const [asset, digits] of assetsOf(SPOT_PAIRS)) {
      const row = balances.find((balanceRow) => balanceRow['asset'] === asset) ?? {};
      const free = unitsOf(row['free'], digits);
      const locked = unitsOf(row['locked'], digits);
      const expected = this.#spotUnits.get(`${name} ${asset}`)!;
      if (free < 0n || locked < 0n || free + locked !== expected) {
        throw new Error(`${name} has ${free} + ${locked} units of ${asset} on spot, and its trades make ${expected}`);
      }
    }
  }

  /** Throws if the futures money of an account is not what its trades make, plus what other accounts may have covered. */
  #checkFutures(name: AccountName): void {
    for (const [asset, { actual, expected }] of this.#futuresMoney(name)) {
      const key = `${name} ${asset}`;
      const covered = actual - expected;
      const coveredBefore = this.#coveredUnits.get(key) ?? 0n;
      // Other accounts cover only losses that this one cannot pay. The sum never exceeds its losses, and is never paid back.
      if (covered < coveredBefore || covered > (this.#lossUnits.get(key) ?? 0n)) {
        throw new Error(
          `${name} has ${actual} units of ${asset} on futures, and its trades make ${expected}; covered before: ${coveredBefore}`,
        );
      }
      this.#coveredUnits.set(key, covered);
    }
  }

  /** Returns for each asset of futures the units that an account has, and those that its trades make. */
  #futuresMoney(name: AccountName): ReadonlyMap<string, { readonly actual: bigint; readonly expected: bigint }> {
    const { account } = this.#get(name, '/fapi/v1/account') as { account: readonly Json[] };
    return new Map(
      [...assetsOf(CONTRACTS)].map(([asset, digits]) => {
        const row = account.find((balanceRow) => balanceRow['marginCoin'] === asset) ?? {};
        const amountFields = ['accountNormal', 'accountLock', 'partPositionNormal', 'totalPositionNormal'];
        const actual = amountFields.reduce((sum, field) => sum + unitsOf(row[field], digits), 0n);
        return [asset, { actual, expected: this.#futuresUnits.get(`${name} ${asset}`)! }];
      }),
    );
  }

  /** Reads the new trades of an account on all instruments. */
  #readTrades(name: AccountName): void {
    for (const instrument of SPOT_PAIRS) this.#readSpot(name, instrument);
    for (const instrument of CONTRACTS) this.#readFutures(name, instrument);
  }

  /** Adds the new spot trades of a trader to the money that it must have, and checks each fee. */
  #readSpot(name: AccountName, instrument: Instrument): void {
    const { base, quote, baseDigits, quoteDigits, priceDigits, quantityDigits, makerFeePpm, takerFeePpm } = instrument;
    for (const row of this.#newTrades(name, instrument, '/sapi/v1/myTrades', 'symbol', 'id')) {
      const ticks = unitsOf(row['price'], priceDigits);
      const lots = unitsOf(row['qty'], quantityDigits);
      const notional = divideHalfUp(ticks * lots * powerOfTen(quoteDigits), powerOfTen(priceDigits + quantityDigits));
      const quantity = lots * powerOfTen(baseDigits - quantityDigits);
      const isBuyer = row['isBuyer'] === true;
      const fee = unitsOf(row['fee'], isBuyer ? baseDigits : quoteDigits);
      const feePpm = row['isMaker'] === true ? makerFeePpm : takerFeePpm;
      const expectedFee = divideHalfUp((isBuyer ? quantity : notional) * BigInt(feePpm), MILLION);
      if (fee !== expectedFee) throw new Error(`a fee of ${fee} where ${expectedFee} is due: ${JSON.stringify(row)}`);
      addUnits(this.#spotUnits, `${name} ${base}`, isBuyer ? quantity - fee : -quantity);
      addUnits(this.#spotUnits, `${name} ${quote}`, isBuyer ? -notional : notional - fee);
    }
  }

  /** Adds the new futures trades of a trader to the money that it must have: fees and realised profits. */
  #readFutures(name: AccountName, instrument: Instrument): void {
    const { quote, quoteDigits, priceDigits, quantityDigits, wireName } = instrument;
    const positions = this.#positionsOf(name, instrument);
    for (const row of this.#newTrades(name, instrument, '/fapi/v1/myTrades', 'contractName', 'tradeId')) {
      const ticks = unitsOf(row['price'], priceDigits);
      const lots = unitsOf(row['qty'], quantityDigits);
      const isBuyer = row['isBuyer'] === true;
      const key = `${name} ${quote}`;
      const fee = unitsOf(row['fee'], quoteDigits);
      addUnits(this.#futuresUnits, key, -fee);
      addUnits(this.#lossUnits, key, fee);
      let position = positions.net;
      if (!positions.isNet) {
        const id = String(isBuyer ? row['bidId'] : row['askId']);
        const order = this.#get(name, `/fapi/v1/order?contractName=${wireName}&orderId=${id}`) as Json;
        position = (order['action'] === 'OPEN') === isBuyer ? positions.long : positions.short;
      }
      const profit = bookTrade(instrument, position, isBuyer, lots, ticks);
      addUnits(this.#futuresUnits, key, profit);
      if (profit < 0n) addUnits(this.#lossUnits, key, -profit);
    }
  }

  /** Returns the trades since the last call, the oldest first. */
  #newTrades(name: AccountName, instrument: Instrument, path: string, instrumentParam: string, idKey: string): readonly Json[] {
    const key = `${name} ${instrument.id}`;
    const newRows: Json[] = [];
    let rows: readonly Json[];
    do {
      const lastTrade = this.#lastTrade.get(key) ?? '0 ';
      const fromId = Math.max(1, parseInt(lastTrade, 10));
      const reply = this.#get(name, `${path}?${instrumentParam}=${instrument.wireName}&limit=${PAGE_ROWS}&fromId=${fromId}`);
      rows = Array.isArray(reply) ? (reply as Json[]).toReversed() : [];
      // Pages overlap: an account that trades with itself has two rows of one id.
      const rowKeys = rows.map((row) => `${String(row[idKey])} ${String(row['isBuyer'])}`);
      newRows.push(...rows.slice(rowKeys.indexOf(lastTrade) + 1));
      this.#lastTrade.set(key, rowKeys.at(-1) ?? lastTrade);
    } while (rows.length >= PAGE_ROWS);
    this.trades += newRows.length;
    this.tradeCountBySymbol.set(instrument.wireName, (this.tradeCountBySymbol.get(instrument.wireName) ?? 0) + newRows.length);
    return newRows;
  }

  /** Returns the positions of an account in a contract. Creates them on the first call. */
  #positionsOf(name: AccountName, { id }: Instrument): PositionsOfContract {
    const key = `${name} ${id}`;
    let position = this.#positions.get(key);
    if (position === undefined) this.#positions.set(key, (position = new PositionsOfContract()));
    return position;
  }

  /** Reads a signed endpoint as an account. Throws if the reply is no 200. */
  #get(name: AccountName, target: string): unknown {
    const { status, body } = this.#exchange.get(target, name);
    if (status !== 200) throw new Error(`${name} ${target}: ${status} ${body}`);
    return readExact(body);
  }
}

/** Books a trade into a position: the net one, or that of one side. Returns the realised profit. */
function bookTrade(instrument: Instrument, position: BookedPosition, isBuyer: boolean, lots: bigint, ticks: bigint): bigint {
  const value = valueOf(instrument, lots, ticks);
  const maxClosing = lots < position.lots ? lots : position.lots;
  const closingLots = position.lots > 0n && position.isLong !== isBuyer ? maxClosing : 0n;
  const valueOfClosingLots = closingLots === 0n ? 0n : valueOf(instrument, closingLots, ticks);
  const closedValue = closingLots === lots ? value : valueOfClosingLots;
  let profit = 0n;
  if (closingLots > 0n) {
    const closedEntry =
      closingLots === position.lots ? position.entryUnits : divideHalfUp(position.entryUnits * closingLots, position.lots);
    const isLinear = instrument.contract!.kind === 'linear';
    profit = position.isLong === isLinear ? closedValue - closedEntry : closedEntry - closedValue;
    position.lots -= closingLots;
    position.entryUnits -= closedEntry;
  }
  if (lots > closingLots) {
    if (position.lots === 0n) position.isLong = isBuyer;
    position.lots += lots - closingLots;
    position.entryUnits += value - closedValue;
  }
  return profit;
}

/** Adds units to the sum of a key. */
function addUnits(unitsByKey: Map<string, bigint>, key: string, units: bigint): void {
  unitsByKey.set(key, (unitsByKey.get(key) ?? 0n) + units);
}

const depositOf = (name: AccountName, market: 'spot' | 'futures', asset: string): string => depositsOf(name, market)[asset] ?? '0';

/** Returns the digits of the units of each asset. Of a contract, that is only the asset in which it settles. */
function assetsOf(instruments: readonly Instrument[]): ReadonlyMap<string, number> {
  return new Map(
    instruments.flatMap(({ market, base, baseDigits, quote, quoteDigits }) => {
      const quoteEntry = [quote, quoteDigits] as const;
      return market === 'spot' ? [[base, baseDigits] as const, quoteEntry] : [quoteEntry];
    }),
  );
}
