// Proposes instrument records from the figures in a file of bars, and reads and writes them as JSON (precisions, decimal text).

import { lots } from '../../../base/brand.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import { instrumentId, MAX_PRICE_TICKS, type Instrument, type Market } from '../../../model/instrument.ts';
import { contractRecord, parseContract, proposeContract } from './contractRecord.ts';
import { RecordReader } from './recordReader.ts';

/** Figures of an instrument, taken from the bars of a file. Digits are decimals without trailing zeros. */
export interface SeenFigures {
  readonly priceDigits: number;
  readonly volumeDigits: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Prices in ticks stay below 2^51, so that a price's double times its scale rounds to the right tick. */
export const MAX_TICKS = MAX_PRICE_TICKS;
/** Maximum number of decimals of a price. */
export const MAX_DIGITS = 15;
/** No known venue settles finer than this. */
const FINEST_MONEY_DIGITS = 8;
/** A proposed record can hold an account of this much of the quote asset, or of this many whole units of the base asset. */
const MAX_ACCOUNT_QUOTE = 1e7;
const MAX_ACCOUNT_BASE = 100;
/** Fee of a proposed spot record: 0.1 %. */
const DEFAULT_FEE_PPM = 1000;
/** Decimals of a rate in millionths. */
const PPM_DIGITS = 6;
/** Known quote assets. If one name ends with another, the longer one comes first. */
const QUOTE_ASSETS = 'FDUSD USDT USDC BUSD TUSD USDP USD DAI EUR GBP JPY CHF AUD TRY BRL KRW BTC ETH BNB'.split(' ');

/** Returns base and quote of BTCUSDT, BTC-USDT, BTC_USDT or E-BTC-USDT; null if the quote asset is unknown or equals the base. */
export function splitSymbol(symbol: string): { base: string; quote: string } | null {
  const parts = symbol.split(/[-_]/).filter((part) => part !== '');
  const [base, quote] = parts.slice(-2);
  if (base !== undefined && quote !== undefined) return base === quote ? null : { base, quote };
  const knownQuote = QUOTE_ASSETS.find((name) => symbol.length > name.length && symbol.endsWith(name) && symbol !== name + name);
  return knownQuote === undefined ? null : { base: symbol.slice(0, -knownQuote.length), quote: knownQuote };
}

/** Throws ConfigError if the highest price in ticks exceeds the exact integers. */
function checkPriceDigits(symbol: string, { priceDigits, highest }: Pick<SeenFigures, 'priceDigits' | 'highest'>): void {
  if (priceDigits <= MAX_DIGITS && highest * pow10(priceDigits) < MAX_TICKS) return;
  throw new ConfigError(
    `${symbol}: a price of ${highest} with ${priceDigits} digits behind the point is finer than exact money can be`,
    'give the precision by --instrument FILE and round by --round-to-tick',
  );
}

/**
 * Returns the record with at least as many price digits as the bars have; never fewer than before. Throws ConfigError if prices would
 * then be too large for exact ticks.
 */
export function widenedBy(instrument: Instrument, seen: SeenFigures): Instrument {
  if (seen.priceDigits <= instrument.priceDigits) return instrument;
  checkPriceDigits(instrument.wireName, seen);
  return { ...instrument, priceDigits: seen.priceDigits };
}

/**
 * Returns the record that `import` proposes. Price digits are those seen, quantity digits those of the volumes (at most 8), fees 0.1 %.
 * Money is whole in 10^-8. It is coarser if an account of ten million of the quote asset, or of a hundred whole units of the base asset at
 * the highest price, would exceed 2^53 - 1 units (IDR, KRW). The base asset is coarser too if ten million of the quote asset buy that many
 * coins at the lowest price (PEPE).
 * For futures the record is that of a linear contract (contractRecord.ts), and quantities are whole contracts. Throws ConfigError if no
 * exact record fits the prices.
 */
export function proposeInstrument(market: Market, symbol: string, seen: SeenFigures): Instrument {
  const assets = splitSymbol(symbol);
  if (assets === null) {
    throw new ConfigError(
      `${symbol}: the quote asset must be one of ${QUOTE_ASSETS.join(', ')}, or the base asset too`,
      'name base and quote in a file given by --instrument FILE, or the symbol as BASE-QUOTE by --symbol',
    );
  }
  checkPriceDigits(symbol, seen);
  const { quoteDigits, baseDigits } = unitDigits(seen);
  const common = { id: instrumentId(market, symbol), market, wireName: symbol, ...assets, priceDigits: seen.priceDigits, quoteDigits };
  if (market === 'futures') {
    const contract = proposeContract(assets, seen.volumeDigits, quoteDigits);
    return { ...common, quantityDigits: 0, baseDigits: 0, minLots: lots(1), makerFeePpm: 0, takerFeePpm: 0, contract };
  }
  return {
    ...common,
    quantityDigits: Math.min(seen.volumeDigits, baseDigits),
    baseDigits,
    minLots: lots(1),
    makerFeePpm: DEFAULT_FEE_PPM,
    takerFeePpm: DEFAULT_FEE_PPM,
  };
}

/** Returns the digits of the units of both assets, from the lowest and the highest price (see `proposeInstrument`). */
export function unitDigits({ lowest, highest }: Pick<SeenFigures, 'lowest' | 'highest'>): Pick<Instrument, 'quoteDigits' | 'baseDigits'> {
  return {
    quoteDigits: digitsThatHold(Math.max(MAX_ACCOUNT_QUOTE, MAX_ACCOUNT_BASE * highest)),
    baseDigits: digitsThatHold(Math.max(MAX_ACCOUNT_BASE, MAX_ACCOUNT_QUOTE / lowest)),
  };
}

/** Returns the maximum number of digits, up to 8, with which `amount` is an exact integer. */
function digitsThatHold(amount: number): number {
  let digits = FINEST_MONEY_DIGITS;
  while (digits > 0 && amount * pow10(digits) > Number.MAX_SAFE_INTEGER) digits--;
  return digits;
}

/** Returns the record as JSON text in natural terms, keys in a fixed order. */
export function instrumentText(instrument: Instrument): string {
  const record = {
    base: instrument.base,
    quote: instrument.quote,
    pricePrecision: instrument.priceDigits,
    quantityPrecision: instrument.quantityDigits,
    minQuantity: fromScaled(instrument.minLots, instrument.quantityDigits),
    // A contract's fees are among its terms.
    ...(instrument.contract
      ? {}
      : { makerFee: fromScaled(instrument.makerFeePpm, PPM_DIGITS), takerFee: fromScaled(instrument.takerFeePpm, PPM_DIGITS) }),
    quotePrecision: instrument.quoteDigits,
    basePrecision: instrument.baseDigits,
    ...(instrument.contract ? { contract: contractRecord(instrument.contract, instrument.quantityDigits) } : {}),
  };
  return `${JSON.stringify(record, null, 2)}\n`;
}

const RECORD_KEYS = [
  'base',
  'quote',
  'pricePrecision',
  'quantityPrecision',
  'minQuantity',
  'makerFee',
  'takerFee',
  'quotePrecision',
  'basePrecision',
  'contract',
] as const;

/** Reads the JSON of a record; `file` names it in messages. quotePrecision and basePrecision default to 8. Throws ConfigError. */
export function parseInstrument(json: string, file: string, market: Market, symbol: string): Instrument {
  return instrumentOf(RecordReader.parse(json, file, RECORD_KEYS), market, symbol);
}

/** Returns `instrument` with changed values for some keys of its record. `where` returns the place of each key for messages. Throws ConfigError. */
export function changedInstrument(instrument: Instrument, changes: object, where: (key: string) => string): Instrument {
  const digits: unknown = 'quantityPrecision' in changes ? changes.quantityPrecision : undefined;
  const implied = typeof digits === 'number' && digits !== instrument.quantityDigits ? impliedByLot(instrument, digits) : {};
  const record: unknown = { ...JSON.parse(instrumentText(instrument)), ...implied, ...changes };
  return instrumentOf(RecordReader.fromRecord(record, where, RECORD_KEYS), instrument.market, instrument.wireName);
}

/**
 * Returns what another lot of `quantityDigits` implies for keys that are not changed with it. A smallest order of one lot stays one lot; a larger one
 * is rounded up to whole lots. The base asset is kept at least as finely as orders, and exactly so for a contract.
 */
function impliedByLot({ minLots, quantityDigits, baseDigits, contract }: Instrument, newDigits: number): object {
  const isCoarser = newDigits < quantityDigits;
  const newMinLots = minLots === 1 || !isCoarser ? minLots : Math.ceil(minLots / pow10(quantityDigits - newDigits));
  return {
    minQuantity: fromScaled(newMinLots, minLots === 1 || isCoarser ? newDigits : quantityDigits),
    basePrecision: contract === undefined ? Math.max(baseDigits, newDigits) : newDigits,
  };
}

/** Returns the error for a fee beside a contract, which has separate fees for opening and closing. */
function feeBesideContract(record: RecordReader<(typeof RECORD_KEYS)[number]>, key: 'makerFee' | 'takerFee'): ConfigError {
  const [side, name] = key === 'makerFee' ? ['maker', 'MakerFee'] : ['taker', 'TakerFee'];
  return record.valueError(
    key,
    `nothing: the fees of a contract, fractions of the notional, are open${name} and close${name} of its record`,
    record.uncheckedValue(key),
    `in a run definition fees: { ${side}: '0.0005' } sets both (0.05 %); docs/data.md shows a record`,
  );
}

/** Returns the instrument of a record. Throws ConfigError for a value out of range. */
function instrumentOf(record: RecordReader<(typeof RECORD_KEYS)[number]>, market: Market, symbol: string): Instrument {
  const digits = (key: 'pricePrecision' | 'quantityPrecision' | 'quotePrecision' | 'basePrecision', defaultDigits?: number) =>
    record.wholeNumber(key, 0, MAX_DIGITS, ' of digits', defaultDigits);
  const quantityDigits = digits('quantityPrecision');
  const hasContract = record.has('contract');
  const baseDigits = digits('basePrecision', hasContract ? quantityDigits : Math.max(FINEST_MONEY_DIGITS, quantityDigits));
  const isWrong = hasContract ? baseDigits !== quantityDigits : baseDigits < quantityDigits;
  if (isWrong) {
    const expected = hasContract
      ? `the quantityPrecision of the contract, ${quantityDigits}`
      : `at least the quantityPrecision, ${quantityDigits}`;
    throw record.valueError('basePrecision', expected, baseDigits);
  }
  const minLots = record.decimal('minQuantity', quantityDigits, 'a quantity');
  if (minLots < 1) throw record.valueError('minQuantity', 'a quantity above 0', '0');
  const fee = (key: 'makerFee' | 'takerFee') => {
    if (!hasContract) return record.rate(key, 'a fraction of the notional');
    if (record.has(key)) throw feeBesideContract(record, key);
    return 0;
  };
  const common = {
    id: instrumentId(market, symbol),
    market,
    wireName: symbol,
    base: record.asset('base'),
    quote: record.asset('quote'),
    priceDigits: digits('pricePrecision'),
    quantityDigits,
    quoteDigits: digits('quotePrecision', FINEST_MONEY_DIGITS),
    baseDigits,
    minLots: lots(minLots),
    makerFeePpm: fee('makerFee'),
    takerFeePpm: fee('takerFee'),
  };
  if (common.base === common.quote) throw record.valueError('base', 'another asset than the quote', common.base);
  if (!hasContract) return common;
  if (market !== 'futures') throw record.valueError('contract', 'none for an instrument of spot', record.uncheckedValue('contract'));
  return { ...common, contract: parseContract(record, common) };
}
