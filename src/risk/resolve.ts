// Limits as text to limits as whole numbers of each instrument, once per run.

import { parseRatio, scaledDown, type Ratio } from '../base/decimalText.ts';
import { ConfigError } from '../base/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import { LIMITS, type LimitKey, type RiskLimits } from './limits.ts';

/** Infinity (or null for a ratio) where a limit is not set. Each is rounded toward less risk: down. */
export interface ResolvedLimits {
  /** By instrument: largest order in lots and in quote units, largest position in base units and in quote units. */
  readonly orderLots: Float64Array;
  readonly orderUnits: Float64Array;
  readonly positionBase: Float64Array;
  readonly positionUnits: Float64Array;
  /** Of the account. */
  readonly grossUnits: number;
  readonly leverage: Ratio | null;
  readonly openOrders: number;
  readonly openOrdersTotal: number;
  readonly priceBand: Ratio | null;
  readonly ordersPerMinute: number;
  readonly dailyLoss: Ratio | null;
  readonly drawdown: Ratio | null;
  /** The keys that are set. */
  readonly set: ReadonlySet<LimitKey>;
}

/** A rate limit beyond this is none: it would not fit the ring of times. */
const MOST_COUNT = 1_000_000;

/** Throws ConfigError naming the key of a limit that is no plain decimal above 0, or out of its range. */
export function resolveLimits(limits: RiskLimits, instruments: readonly Instrument[]): ResolvedLimits {
  for (const { key, kind } of LIMITS) {
    const value = limits[key];
    if (value === undefined) continue;
    if (kind === 'count') checkCount(key, value);
    else checkDecimal(key, value);
  }
  const perInstrument = (key: LimitKey, digits: (of: Instrument) => number) =>
    Float64Array.from(instruments, (of) => scaled(limits, key, digits(of)));
  const quoteDigits = instruments[0]?.quoteDigits ?? 0;
  return {
    orderLots: perInstrument('maxOrderQty', (of) => of.quantityDigits),
    orderUnits: perInstrument('maxOrderNotional', (of) => of.quoteDigits),
    positionBase: perInstrument('maxPositionQty', (of) => of.baseDigits),
    positionUnits: perInstrument('maxPositionNotional', (of) => of.quoteDigits),
    grossUnits: scaled(limits, 'maxGrossNotional', quoteDigits),
    leverage: ratio(limits, 'maxLeverage', 1e6),
    openOrders: count(limits, 'maxOpenOrders'),
    openOrdersTotal: count(limits, 'maxOpenOrdersTotal'),
    priceBand: ratio(limits, 'priceBand', 1e6),
    ordersPerMinute: count(limits, 'maxOrdersPerMinute'),
    dailyLoss: ratio(limits, 'maxDailyLoss', 1),
    drawdown: ratio(limits, 'maxDrawdown', 1),
    set: new Set(LIMITS.map(({ key }) => key).filter((key) => limits[key] !== undefined)),
  };
}

function checkCount(key: LimitKey, value: string | number): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_COUNT) return;
  throw new ConfigError(`risk.${key}: expected a whole number from 1 to ${MOST_COUNT}, got ${value}`, `leave ${key} out to have no limit`);
}

function checkDecimal(key: LimitKey, value: string | number): void {
  if (typeof value === 'string' && scaledDown(value, 0) !== null && /[1-9]/.test(value)) return;
  throw new ConfigError(
    `risk.${key}: expected a quoted decimal above 0, got ${value}`,
    `write ${key}: '0.5', or leave it out to have no limit`,
  );
}

function scaled(limits: RiskLimits, key: LimitKey, digits: number): number {
  const value = limits[key];
  return value === undefined ? Infinity : scaledDown(String(value), digits)!;
}

function count(limits: RiskLimits, key: LimitKey): number {
  const value = limits[key];
  return value === undefined ? Infinity : Number(value);
}

function ratio(limits: RiskLimits, key: LimitKey, most: number): Ratio | null {
  const value = limits[key];
  if (value === undefined) return null;
  const found = parseRatio(String(value));
  if (found && found.over <= most * found.under) return found;
  throw new ConfigError(`risk.${key}: expected at most ${most}, with at most 9 decimals, got ${value}`, `write a fraction: 0.05 is 5 %`);
}
