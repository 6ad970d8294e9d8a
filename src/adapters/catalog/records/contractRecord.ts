// Reads and writes the contract terms in an instrument record, and proposes them if they are unknown.

import { fromScaled } from '../../../base/number/decimal.ts';
import { isPlainDecimal } from '../../../base/number/decimalText.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { Contract, MarginTier } from '../../../model/contract.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { RecordReader } from './recordReader.ts';

const CONTRACT_KINDS = ['linear', 'inverse'] as const;
const STATUSES = ['open', 'closed'] as const;
const FEES = ['openMakerFee', 'openTakerFee', 'closeMakerFee', 'closeTakerFee'] as const;
const CONTRACT_KEYS = [
  'kind',
  'contractId',
  'type',
  'multiplier',
  'maxMarketVolume',
  'minLeverage',
  'maxLeverage',
  ...FEES,
  'status',
  'tiers',
  'assumed',
] as const;
const TIER_KEYS = ['notional', 'maintenanceRate', 'maxLeverage'] as const;

/** Highest leverage of any known service. */
const MAX_LEVERAGE = 1000;
const MAX_FACE_DIGITS = 15;
/** Decimals of a rate in millionths. */
const PPM_DIGITS = 6;

/** The part of the instrument record outside its contract. */
type RecordTerms = Pick<Instrument, 'base' | 'quote' | 'quoteDigits' | 'quantityDigits'>;

/**
 * Returns the member `contract` of a record in natural terms, keys in a fixed order. Volumes are in contracts, amounts in the margin coin.
 */
export function contractRecord(contract: Contract, quantityDigits: number) {
  return {
    kind: contract.kind,
    contractId: contract.contractId,
    type: contract.type,
    multiplier: fromScaled(contract.multiplier, contract.multiplierDigits),
    maxMarketVolume: contract.maxMarketLots === 0 ? null : fromScaled(contract.maxMarketLots, quantityDigits),
    minLeverage: contract.minLeverage,
    maxLeverage: contract.maxLeverage,
    openMakerFee: fromScaled(contract.openMakerFeePpm, PPM_DIGITS),
    openTakerFee: fromScaled(contract.openTakerFeePpm, PPM_DIGITS),
    closeMakerFee: fromScaled(contract.closeMakerFeePpm, PPM_DIGITS),
    closeTakerFee: fromScaled(contract.closeTakerFeePpm, PPM_DIGITS),
    status: contract.isTrading ? 'open' : 'closed',
    tiers: contract.tiers.map(({ upToUnits, maintenancePpm, maxLeverage }) => ({
      notional: upToUnits === null ? null : fromScaled(upToUnits, contract.marginDigits),
      maintenanceRate: fromScaled(maintenancePpm, PPM_DIGITS),
      maxLeverage,
    })),
    ...(contract.assumed === undefined || contract.assumed.length === 0 ? {} : { assumed: contract.assumed }),
  };
}

/** Reads the member `contract` of `record`, whose other members have been read. Throws ConfigError. */
export function parseContract(record: RecordReader<'contract'>, { base, quote, quoteDigits, quantityDigits }: RecordTerms): Contract {
  const terms = record.inner('contract', CONTRACT_KEYS);
  const multiplierDigits = faceDigits(terms);
  const multiplier = terms.decimal('multiplier', multiplierDigits, 'the face value of a contract');
  if (multiplier < 1) throw terms.valueError('multiplier', 'a face value above 0', '0');
  const minLeverage = terms.wholeNumber('minLeverage', 1, MAX_LEVERAGE, '');
  const fee = (key: (typeof FEES)[number]) => terms.rate(key, 'a fraction of the notional');
  const assumedFields = terms.texts('assumed');
  return {
    kind: terms.choice('kind', CONTRACT_KINDS),
    contractId: terms.wholeNumber('contractId', 0, Number.MAX_SAFE_INTEGER, ''),
    type: terms.text('type'),
    marginCoin: quote,
    marginDigits: quoteDigits,
    multiplier,
    multiplierDigits,
    multiplierCoin: base,
    minLeverage,
    maxLeverage: terms.wholeNumber('maxLeverage', minLeverage, MAX_LEVERAGE, ''),
    maxMarketLots: terms.isNull('maxMarketVolume') ? 0 : terms.decimal('maxMarketVolume', quantityDigits, 'null, or a number of contracts'),
    openMakerFeePpm: fee('openMakerFee'),
    openTakerFeePpm: fee('openTakerFee'),
    closeMakerFeePpm: fee('closeMakerFee'),
    closeTakerFeePpm: fee('closeTakerFee'),
    isTrading: terms.choice('status', STATUSES) === 'open',
    tiers: tiersOf(terms, quoteDigits),
    ...(assumedFields.length === 0 ? {} : { assumed: assumedFields }),
  };
}

/** Returns the number of decimals of the face value as written. */
function faceDigits(terms: RecordReader<'multiplier'>): number {
  const text = terms.text('multiplier');
  const digits = isPlainDecimal(text) ? (text.split('.')[1] ?? '').replace(/0+$/, '').length : 0;
  return Math.min(digits, MAX_FACE_DIGITS);
}

/** Returns the tiers. Throws ConfigError unless amounts rise, rates do not fall, and only the last tier has no end. */
function tiersOf(terms: RecordReader<'tiers'>, marginDigits: number): MarginTier[] {
  const rows = terms.list('tiers', TIER_KEYS);
  let lastUnits = 0;
  let lastPpm = 0;
  return rows.map((row, index) => {
    const isLast = index === rows.length - 1;
    if (isLast !== row.isNull('notional')) {
      throw row.valueError(
        'notional',
        isLast ? 'null, for the last tier has no end' : 'an amount: only the last tier has no end',
        row.isNull('notional') ? null : 'one',
      );
    }
    const upToUnits = isLast ? null : row.decimal('notional', marginDigits, 'an amount of the margin coin');
    if (upToUnits !== null && upToUnits <= lastUnits)
      throw row.valueError('notional', 'an amount above that of the tier before', fromScaled(upToUnits, marginDigits));
    const maintenancePpm = row.rate('maintenanceRate', 'a fraction of the value');
    if (maintenancePpm < lastPpm)
      throw row.valueError('maintenanceRate', 'a rate as high as that of the tier before', fromScaled(maintenancePpm, PPM_DIGITS));
    lastUnits = upToUnits ?? lastUnits;
    lastPpm = maintenancePpm;
    return { upToUnits, maintenancePpm, maxLeverage: row.wholeNumber('maxLeverage', 1, MAX_LEVERAGE, '') };
  });
}

/** Usual fees of perpetuals on large venues without discount, in millionths. */
const MAKER_PPM = 200;
const TAKER_PPM = 500;
/**
 * Conservative: for each position size the highest maintenance rate and the lowest leverage that any large venue has for its main pairs.
 */
const DOLLAR_TIERS: readonly (readonly [upTo: number | null, maintenancePpm: number, maxLeverage: number])[] = [
  [50_000, 5_000, 125],
  [250_000, 6_500, 100],
  [1_000_000, 10_000, 50],
  [5_000_000, 25_000, 20],
  [20_000_000, 50_000, 10],
  [null, 125_000, 4],
];
/** If the margin coin is not worth about a dollar, its amounts do not show the size of a position. */
const DOLLARS = /USD|^DAI$/;
const OTHER_TIERS: typeof DOLLAR_TIERS = [[null, 50_000, 10]];

const LEVERAGE = { minLeverage: 1, maxLeverage: 125 } as const;
/** The keys that a proposal invents. No list of contracts reports `tiers`. */
const ASSUMED = ['contractId', 'multiplier', 'maxMarketVolume', 'minLeverage', 'maxLeverage', ...FEES, 'tiers'] as const;

/** Returns maintenance tiers for a contract without known ones. */
export function assumedTiers(marginCoin: string, marginDigits: number): MarginTier[] {
  const rows = DOLLARS.test(marginCoin) ? DOLLAR_TIERS : OTHER_TIERS;
  return rows.map(([upTo, maintenancePpm, maxLeverage]) => ({
    upToUnits: upTo === null ? null : upTo * pow10(marginDigits),
    maintenancePpm,
    maxLeverage,
  }));
}

/**
 * Returns a linear contract for a symbol known only from its bars. Its face value is the smallest step of their volumes, such as a
 * tenth of a coin for one decimal. `assumed` names the invented terms.
 */
export function proposeContract({ base, quote }: Pick<Instrument, 'base' | 'quote'>, volumeDigits: number, marginDigits: number): Contract {
  return {
    contractId: 0,
    kind: 'linear',
    type: 'E',
    marginCoin: quote,
    marginDigits,
    multiplier: 1,
    multiplierDigits: Math.min(volumeDigits, MAX_FACE_DIGITS),
    multiplierCoin: base,
    ...LEVERAGE,
    maxMarketLots: 0,
    openMakerFeePpm: MAKER_PPM,
    openTakerFeePpm: TAKER_PPM,
    closeMakerFeePpm: MAKER_PPM,
    closeTakerFeePpm: TAKER_PPM,
    isTrading: true,
    tiers: assumedTiers(quote, marginDigits),
    assumed: ASSUMED,
  };
}
