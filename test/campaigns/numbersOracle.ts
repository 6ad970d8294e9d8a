// Computes the money that every account must have, in BigInt, from the reported trades alone.

import type { Instrument } from '../../src/model/instrument.ts';
import { deposits, FUTURES, NAMES, type Name, type NumbersWorld, SPOT } from './numbersWorld.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the value of JSON. Its numbers become text, so that no digit is lost. */
export function readExact(body: string): unknown {
  return JSON.parse(body.replaceAll(/(?<=[:[,])(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[,}\]])/g, '"$1"'));
}

/** Returns a plain decimal in whole units. Throws Error if it has more digits. */
export function unitsOf(text: unknown, digits: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(text));
  if (match === null) throw new Error(`no plain decimal: ${String(text)}`);
  const [, sign = '', whole = '', part = ''] = match;
  if (part.length > digits) throw new Error(`${String(text)} has more than ${digits} digits`);
  const units = BigInt(whole + part.padEnd(digits, '0'));
  return sign === '-' ? -units : units;
}

const halfUp = (over: bigint, under: bigint): bigint => (2n * over + under) / (2n * under);
const power = (digits: number): bigint => 10n ** BigInt(digits);
const MILLION = 1_000_000n;

/** Returns the value of lots at a price in ticks, in units of the settlement asset. */
function valueOf({ contract, priceDigits, quantityDigits }: Instrument, lots: bigint, ticks: bigint): bigint {
  if (contract === undefined) throw new Error('no contract');
  const faces = BigInt(contract.multiplier) * lots;
  const faceDigits = contract.multiplierDigits + quantityDigits;
  if (contract.kind === 'linear') return halfUp(faces * ticks * power(contract.marginDigits), power(faceDigits + priceDigits));
  return halfUp(faces * power(contract.marginDigits + priceDigits), ticks * power(faceDigits));
}

/** One position, exact. */
interface Book {
  isLong: boolean;
  lots: bigint;
  entry: bigint;
}

/** One account in one contract, in both modes. */
class Positions {
  isNet = true;
  readonly net: Book = { isLong: true, lots: 0n, entry: 0n };
  readonly long: Book = { isLong: true, lots: 0n, entry: 0n };
  readonly short: Book = { isLong: false, lots: 0n, entry: 0n };
}

/** The expected money of all accounts, updated with each reported trade. */
export class Oracle {
  readonly #world: NumbersWorld;
  /** By account and asset: what trades have made of it. */
  readonly #spot = new Map<string, bigint>();
  readonly #futures = new Map<string, bigint>();
  readonly #positions = new Map<string, Positions>();
  /** By account and instrument. */
  readonly #lastTrade = new Map<string, string>();
  /** By account and asset: all losses, fees and funding; what others cover because the account cannot pay, and have covered until now. */
  readonly #losses = new Map<string, bigint>();
  readonly #gifts = new Map<string, bigint>();
  trades = 0;
  /** By instrument. */
  readonly tradesOf = new Map<string, number>();

  constructor(world: NumbersWorld) {
    this.#world = world;
    for (const name of NAMES) {
      for (const [asset, digits] of assetsOf(SPOT)) this.#spot.set(`${name} ${asset}`, unitsOf(depositOf(name, 'spot', asset), digits));
      for (const [asset, digits] of assetsOf(FUTURES)) {
        this.#futures.set(`${name} ${asset}`, unitsOf(depositOf(name, 'futures', asset), digits));
      }
    }
  }

  /** Notes that an account has changed its position mode, which it can only do without a position and without an order. */
  changedMode(name: Name, contractName: string, isNet: boolean): void {
    const instrument = FUTURES.find(({ wireName }) => wireName === contractName)!;
    this.#readFutures(name, instrument);
    const positions = this.#positionsOf(name, instrument);
    const open = [positions.net, positions.long, positions.short].filter(({ lots }) => lots > 0n);
    if (open.length > 0) throw new Error(`${name} ${contractName}: the mode changed with ${open[0]!.lots} lots open`);
    positions.isNet = isNet;
  }

  /** Takes over the money that accounts have after funding was paid, because no trade shows it. */
  funded(): void {
    for (const name of NAMES) this.#read(name);
    for (const name of NAMES) {
      for (const [asset, { has, should }] of this.#money(name)) {
        const key = `${name} ${asset}`;
        const paid = has - should - (this.#gifts.get(key) ?? 0n);
        add(this.#futures, key, paid);
        // Others bear funding too that an account cannot pay.
        if (paid < 0n) add(this.#losses, key, -paid);
      }
    }
  }

  /** Throws at the first account that has another amount than its trades make. */
  check(): void {
    for (const name of NAMES) this.#read(name);
    for (const name of NAMES) {
      const balances = (this.#ask(name, '/sapi/v1/account') as { balances: readonly Json[] }).balances;
      for (const [asset, digits] of assetsOf(SPOT)) {
        const row = balances.find((each) => each['asset'] === asset) ?? {};
        const free = unitsOf(row['free'], digits);
        const locked = unitsOf(row['locked'], digits);
        const should = this.#spot.get(`${name} ${asset}`)!;
        if (free < 0n || locked < 0n || free + locked !== should) {
          throw new Error(`${name} has ${free} + ${locked} units of ${asset} on spot, and its trades make ${should}`);
        }
      }
      for (const [asset, { has, should }] of this.#money(name)) {
        const key = `${name} ${asset}`;
        const gift = has - should;
        const before = this.#gifts.get(key) ?? 0n;
        // What an account cannot pay of its losses others bear: never more than that, and never to be given back.
        if (gift < before || gift > (this.#losses.get(key) ?? 0n)) {
          throw new Error(`${name} has ${has} units of ${asset} on futures, and its trades make ${should}; borne before: ${before}`);
        }
        this.#gifts.set(key, gift);
      }
    }
  }

  /** By asset. */
  #money(name: Name): ReadonlyMap<string, { readonly has: bigint; readonly should: bigint }> {
    const { account } = this.#ask(name, '/fapi/v1/account') as { account: readonly Json[] };
    return new Map(
      [...assetsOf(FUTURES)].map(([asset, digits]) => {
        const row = account.find((each) => each['marginCoin'] === asset) ?? {};
        const amounts = ['accountNormal', 'accountLock', 'partPositionNormal', 'totalPositionNormal'].map((key) =>
          unitsOf(row[key], digits),
        );
        return [asset, { has: amounts.reduce((sum, each) => sum + each, 0n), should: this.#futures.get(`${name} ${asset}`)! }];
      }),
    );
  }

  #read(name: Name): void {
    for (const instrument of SPOT) this.#readSpot(name, instrument);
    for (const instrument of FUTURES) this.#readFutures(name, instrument);
  }

  /** Adds the new spot trades of a trader to the money that it must have, and checks each fee. */
  #readSpot(name: Name, instrument: Instrument): void {
    const { base, quote, baseDigits, quoteDigits, priceDigits, quantityDigits, makerFeePpm, takerFeePpm } = instrument;
    for (const row of this.#fresh(name, instrument, '/sapi/v1/myTrades', 'symbol', 'id')) {
      const ticks = unitsOf(row['price'], priceDigits);
      const lots = unitsOf(row['qty'], quantityDigits);
      const notional = halfUp(ticks * lots * power(quoteDigits), power(priceDigits + quantityDigits));
      const quantity = lots * power(baseDigits - quantityDigits);
      const isBuyer = row['isBuyer'] === true;
      const fee = unitsOf(row['fee'], isBuyer ? baseDigits : quoteDigits);
      const should = halfUp((isBuyer ? quantity : notional) * BigInt(row['isMaker'] === true ? makerFeePpm : takerFeePpm), MILLION);
      if (fee !== should) throw new Error(`a fee of ${fee} where ${should} is due: ${JSON.stringify(row)}`);
      add(this.#spot, `${name} ${base}`, isBuyer ? quantity - fee : -quantity);
      add(this.#spot, `${name} ${quote}`, isBuyer ? -notional : notional - fee);
    }
  }

  /** Adds the new futures trades of a trader to the money that it must have: fees and realised profits. */
  #readFutures(name: Name, instrument: Instrument): void {
    const { quote, quoteDigits, priceDigits, quantityDigits, wireName } = instrument;
    const positions = this.#positionsOf(name, instrument);
    for (const row of this.#fresh(name, instrument, '/fapi/v1/myTrades', 'contractName', 'tradeId')) {
      const ticks = unitsOf(row['price'], priceDigits);
      const lots = unitsOf(row['qty'], quantityDigits);
      const isBuyer = row['isBuyer'] === true;
      const key = `${name} ${quote}`;
      const fee = unitsOf(row['fee'], quoteDigits);
      add(this.#futures, key, -fee);
      add(this.#losses, key, fee);
      let book = positions.net;
      if (!positions.isNet) {
        const id = String(isBuyer ? row['bidId'] : row['askId']);
        const order = this.#ask(name, `/fapi/v1/order?contractName=${wireName}&orderId=${id}`) as Json;
        book = (order['action'] === 'OPEN') === isBuyer ? positions.long : positions.short;
      }
      const profit = trade(instrument, book, isBuyer, lots, ticks);
      add(this.#futures, key, profit);
      if (profit < 0n) add(this.#losses, key, -profit);
    }
  }

  /** Returns the trades since the last call, the oldest first. */
  #fresh(name: Name, instrument: Instrument, path: string, by: string, idKey: string): readonly Json[] {
    const key = `${name} ${instrument.id}`;
    const values: Json[] = [];
    let rows: readonly Json[];
    do {
      const last = this.#lastTrade.get(key) ?? '0 ';
      const answer = this.#ask(name, `${path}?${by}=${instrument.wireName}&limit=1000&fromId=${Math.max(1, parseInt(last, 10))}`);
      rows = Array.isArray(answer) ? (answer as Json[]).toReversed() : [];
      // Pages overlap: an account that trades with itself has two rows of one id.
      const names = rows.map((row) => `${String(row[idKey])} ${String(row['isBuyer'])}`);
      values.push(...rows.slice(names.indexOf(last) + 1));
      this.#lastTrade.set(key, names.at(-1) ?? last);
    } while (rows.length >= 1000);
    this.trades += values.length;
    this.tradesOf.set(instrument.wireName, (this.tradesOf.get(instrument.wireName) ?? 0) + values.length);
    return values;
  }

  #positionsOf(name: Name, { id }: Instrument): Positions {
    const key = `${name} ${id}`;
    let book = this.#positions.get(key);
    if (book === undefined) this.#positions.set(key, (book = new Positions()));
    return book;
  }

  #ask(name: Name, target: string): unknown {
    const { status, body } = this.#world.get(target, name);
    if (status !== 200) throw new Error(`${name} ${target}: ${status} ${body}`);
    return readExact(body);
  }
}

/** A trade of a position, in net mode or of one side; what it has earned. */
function trade(instrument: Instrument, book: Book, isBuyer: boolean, lots: bigint, ticks: bigint): bigint {
  const value = valueOf(instrument, lots, ticks);
  const maxClosing = lots < book.lots ? lots : book.lots;
  const closing = book.lots > 0n && book.isLong !== isBuyer ? maxClosing : 0n;
  const valueOfPart = closing === 0n ? 0n : valueOf(instrument, closing, ticks);
  const closedValue = closing === lots ? value : valueOfPart;
  let profit = 0n;
  if (closing > 0n) {
    const entry = closing === book.lots ? book.entry : halfUp(book.entry * closing, book.lots);
    const isLinear = instrument.contract!.kind === 'linear';
    profit = book.isLong === isLinear ? closedValue - entry : entry - closedValue;
    book.lots -= closing;
    book.entry -= entry;
  }
  if (lots > closing) {
    if (book.lots === 0n) book.isLong = isBuyer;
    book.lots += lots - closing;
    book.entry += value - closedValue;
  }
  return profit;
}

function add(map: Map<string, bigint>, key: string, units: bigint): void {
  map.set(key, (map.get(key) ?? 0n) + units);
}

const depositOf = (name: Name, market: 'spot' | 'futures', asset: string): string => deposits(name, market)[asset] ?? '0';

/** Digits of the units of each asset: of contracts those that they settle in. */
function assetsOf(instruments: readonly Instrument[]): ReadonlyMap<string, number> {
  return new Map(
    instruments.flatMap(({ market, base, baseDigits, quote, quoteDigits }): [string, number][] =>
      market === 'spot'
        ? [
            [base, baseDigits],
            [quote, quoteDigits],
          ]
        : [[quote, quoteDigits]],
    ),
  );
}
