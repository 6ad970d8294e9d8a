// Instrument records: proposed from what a file of bars shows, or read from JSON in natural terms (precisions, decimal text).

import { lots } from '../../base/brand.ts';
import { fromScaled, isPlainDecimal, toScaled } from '../../base/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { pow10 } from '../../base/exact.ts';
import { nearest } from '../../base/nearest.ts';
import { instrumentId, type Instrument, type Market } from '../../model/instrument.ts';

/** What the bars of a file say about their instrument. Digits are those behind the point, trailing zeros not counted. */
export interface SeenFigures {
  readonly priceDigits: number;
  readonly volumeDigits: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Whole prices stay below 2^51: then the double nearest to a decimal price times its scale rounds to the right tick. */
export const MAX_TICKS = 2 ** 51;
const MAX_DIGITS = 15;
/** No exchange known to us settles finer than this. */
const FINEST_MONEY_DIGITS = 8;
/** An account that a proposed record can hold: this much of the quote asset, or that many whole units of the base asset. */
const LARGEST_ACCOUNT_QUOTE = 1e7;
const LARGEST_ACCOUNT_BASE = 100;
const DEFAULT_FEE_PPM = 1000;
/** Longer names first where one ends with the other. */
const QUOTES = 'FDUSD USDT USDC BUSD TUSD USDP USD DAI EUR GBP JPY CHF AUD TRY BRL KRW BTC ETH BNB'.split(' ');

/** Base and quote of BTCUSDT, BTC-USDT, BTC_USDT or E-BTC-USDT; null when the quote asset is none that is known. */
export function splitSymbol(symbol: string): { base: string; quote: string } | null {
  const parts = symbol.split(/[-_]/).filter((part) => part !== '');
  const [base, quote] = parts.slice(-2);
  if (base !== undefined && quote !== undefined) return { base, quote };
  const known = QUOTES.find((name) => symbol.length > name.length && symbol.endsWith(name));
  return known === undefined ? null : { base: symbol.slice(0, -known.length), quote: known };
}

/**
 * The record that `import` proposes. Price digits are those seen; quantity digits those of the volumes, at most 8; fees 0.1 %.
 * Money is whole in 10^-8, coarser where an account of ten million of the quote asset, or of a hundred whole units of the
 * base asset at the highest price, would pass 2^53 - 1 units (IDR, KRW); likewise the base asset where ten million of the
 * quote asset buy that many coins at the lowest price (PEPE). Throws ConfigError when no exact record fits the prices.
 */
export function proposeInstrument(market: Market, symbol: string, seen: SeenFigures): Instrument {
  const assets = splitSymbol(symbol);
  if (assets === null) {
    throw new ConfigError(
      `${symbol}: the quote asset is none of ${QUOTES.join(', ')}`,
      'name base and quote in a file given by --instrument FILE, or the symbol as BASE-QUOTE by --symbol',
    );
  }
  if (seen.priceDigits > MAX_DIGITS || seen.highest * pow10(seen.priceDigits) >= MAX_TICKS) {
    throw new ConfigError(
      `${symbol}: a price of ${seen.highest} with ${seen.priceDigits} digits behind the point is finer than exact money can be`,
      'give the precision by --instrument FILE and round by --round-to-tick',
    );
  }
  const quoteDigits = digitsThatHold(Math.max(LARGEST_ACCOUNT_QUOTE, LARGEST_ACCOUNT_BASE * seen.highest));
  const baseDigits = digitsThatHold(Math.max(LARGEST_ACCOUNT_BASE, LARGEST_ACCOUNT_QUOTE / seen.lowest));
  return {
    id: instrumentId(market, symbol),
    market,
    wireName: symbol,
    ...assets,
    priceDigits: seen.priceDigits,
    quantityDigits: Math.min(seen.volumeDigits, baseDigits),
    quoteDigits,
    baseDigits,
    minLots: lots(1),
    makerFeePpm: DEFAULT_FEE_PPM,
    takerFeePpm: DEFAULT_FEE_PPM,
  };
}

/** The most digits, up to 8, at which `amount` is an exact integer. */
function digitsThatHold(amount: number): number {
  let digits = FINEST_MONEY_DIGITS;
  while (digits > 0 && amount * pow10(digits) > Number.MAX_SAFE_INTEGER) digits--;
  return digits;
}

/** The record as JSON text, in natural terms, keys in a fixed order. */
export function instrumentText(of: Instrument): string {
  const record = {
    base: of.base,
    quote: of.quote,
    pricePrecision: of.priceDigits,
    quantityPrecision: of.quantityDigits,
    minQuantity: fromScaled(of.minLots, of.quantityDigits),
    makerFee: fromScaled(of.makerFeePpm, 6),
    takerFee: fromScaled(of.takerFeePpm, 6),
    quotePrecision: of.quoteDigits,
    basePrecision: of.baseDigits,
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

const KEYS = [
  'base',
  'quote',
  'pricePrecision',
  'quantityPrecision',
  'minQuantity',
  'makerFee',
  'takerFee',
  'quotePrecision',
  'basePrecision',
] as const;
type Key = (typeof KEYS)[number];

/** Reads the JSON of a record; `file` names it in messages. quotePrecision and basePrecision are 8 where absent. Throws ConfigError. */
export function parseInstrument(json: string, file: string, market: Market, symbol: string): Instrument {
  const record = new RecordReader(json, file);
  const quantityDigits = record.digits('quantityPrecision');
  const baseDigits = record.digits('basePrecision', Math.max(FINEST_MONEY_DIGITS, quantityDigits));
  if (baseDigits < quantityDigits) throw record.wrong('basePrecision', `at least the quantityPrecision, ${quantityDigits}`, baseDigits);
  const minLots = record.decimal('minQuantity', quantityDigits, 'a quantity');
  if (minLots < 1) throw record.wrong('minQuantity', 'a quantity above 0', '0');
  return {
    id: instrumentId(market, symbol),
    market,
    wireName: symbol,
    base: record.asset('base'),
    quote: record.asset('quote'),
    priceDigits: record.digits('pricePrecision'),
    quantityDigits,
    quoteDigits: record.digits('quotePrecision', FINEST_MONEY_DIGITS),
    baseDigits,
    minLots: lots(minLots),
    makerFeePpm: record.fee('makerFee'),
    takerFeePpm: record.fee('takerFee'),
  };
}

/** Takes checked values out of the JSON object of a record. */
class RecordReader {
  private readonly values: Readonly<Record<string, unknown>>;
  private readonly json: string;
  private readonly file: string;

  constructor(json: string, file: string) {
    this.json = json;
    this.file = file;
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (error) {
      throw new ConfigError(`${file}: no valid JSON: ${error instanceof Error ? error.message : String(error)}`, REMEDY);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ConfigError(`${file}: expected an object`, REMEDY);
    this.values = { ...value };
    for (const key of Object.keys(this.values)) {
      if ((KEYS as readonly string[]).includes(key)) continue;
      const near = nearest(key, KEYS);
      throw new ConfigError(`${this.place(key)}: unknown key`, near === null ? `the keys are ${KEYS.join(', ')}` : `did you mean ${near}?`);
    }
  }

  asset(key: Key): string {
    const value = this.values[key];
    if (typeof value !== 'string' || !/^[A-Za-z0-9.]{1,20}$/.test(value))
      throw this.wrong(key, 'the name of an asset such as "BTC"', value);
    return value;
  }

  digits(key: Key, otherwise?: number): number {
    const value = this.values[key] ?? otherwise;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_DIGITS) {
      throw this.wrong(key, `a whole number of digits, 0 to ${MAX_DIGITS}`, value);
    }
    return value;
  }

  /** A decimal in quotes, scaled by 10^digits. */
  decimal(key: Key, digits: number, what: string): number {
    const value = this.values[key];
    const expected = `${what} in quotes with at most ${digits} digits behind the point`;
    if (typeof value !== 'string' || !isPlainDecimal(value) || value.startsWith('-')) throw this.wrong(key, expected, value);
    const scaled = toScaled(value, digits);
    if (scaled === null) throw this.wrong(key, expected, value);
    return scaled;
  }

  fee(key: Key): number {
    const ppm = this.decimal(key, 6, 'a fraction of the notional such as "0.001"');
    if (ppm >= 1_000_000) throw this.wrong(key, 'a fraction below 1 ("0.001" is 0.1 %)', this.values[key]);
    return ppm;
  }

  wrong(key: Key, expected: string, got: unknown): ConfigError {
    return new ConfigError(`${this.place(key)}: expected ${expected}, got ${got === undefined ? 'nothing' : JSON.stringify(got)}`, REMEDY);
  }

  private place(key: string): string {
    const at = this.json.indexOf(`"${key}"`);
    return at < 0 ? `${this.file} ${key}` : `${this.file}:${this.json.slice(0, at).split('\n').length} ${key}`;
  }
}

const REMEDY = 'docs/data.md shows a record';
