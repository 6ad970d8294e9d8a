// Converts limits from text to whole numbers for each instrument, once per run.

import { parseRatio, scaleDown, type Ratio } from '../../base/number/decimalText.ts';
import { ConfigError } from '../../base/errors.ts';
import { mulDiv } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import { LIMITS, MAX_COUNT, limitProblem, WINDOW, type LimitKey, type RiskLimits } from './limits.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Infinity (or null for a ratio) if a limit is not set. Each value is rounded toward less risk: down. */
export interface ResolvedLimits {
  /** By instrument: largest order in lots and in quote units, largest position in base units and in quote units. */
  readonly orderLots: Float64Array;
  readonly orderUnits: Float64Array;
  readonly positionBase: Float64Array;
  readonly positionUnits: Float64Array;
  /** For the account. */
  readonly grossUnits: number;
  readonly netUnits: number;
  readonly leverage: Ratio | null;
  readonly openOrders: number;
  readonly openOrdersTotal: number;
  readonly priceBand: Ratio | null;
  readonly ordersPerMinute: number;
  readonly ordersPerFill: number;
  readonly dailyLoss: Ratio | null;
  readonly drawdown: Ratio | null;
  readonly concentration: Ratio | null;
  readonly marginBuffer: Ratio | null;
  readonly liquidationAtrs: Ratio | null;
  readonly fillSlip: Ratio | null;
  /** Maximum age of the newest closed bar, in intervals. */
  readonly barAge: Ratio | null;
  /** 0: off. */
  readonly duplicateMs: number;
  readonly unknowns: number;
  readonly fillsPerMinute: number;
  readonly rejectsPerMinute: number;
  readonly lossStreak: number;
  readonly priceAgeMs: number;
  readonly auditAgeMs: number;
  readonly clockErrorMs: number;
  readonly nakedMs: number;
  readonly nakedExitMs: number;
  readonly heartbeatAgeMs: number;
  readonly alertAgeMs: number;
  /** Windows closed to new risk, in minutes of the day, UTC. `to` is the first open minute and may lie after midnight. */
  readonly windows: readonly Window[];
  /** The keys that are set. */
  readonly set: ReadonlySet<LimitKey>;
}

export interface Window {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Throws ConfigError naming the key of a limit that is not a plain decimal above 0, or is out of range. */
export function resolveLimits(limits: RiskLimits, instruments: readonly Instrument[]): ResolvedLimits {
  for (const row of LIMITS) {
    const { key, kind } = row;
    const value = limits[key];
    if (value === undefined) continue;
    if (kind === 'count') checkCount(key, value);
    else if (kind === 'decimal') checkDecimal(key, value);
    else if (kind === 'deny') checkDeny(key, value);
    const wanted = limitProblem(row, String(value));
    if (wanted !== null) throw new ConfigError(`risk.${key}: expected ${wanted}, got ${value}`, 'docs/risk.md says what it counts');
  }
  // A new deployment may use only a share of every size.
  const share = ratio(limits, 'deployShare');
  const part = (max: number): number =>
    share === null || max === INFINITY ? max : mulDiv(max, share.numerator, share.denominator, 'down');
  const perInstrument = (key: LimitKey, digits: (of: Instrument) => number) =>
    Float64Array.from(instruments, (of) => part(scaleLimit(limits, key, digits(of))));
  const quoteDigits = instruments[0]?.quoteDigits ?? 0;
  return {
    orderLots: perInstrument('maxOrderQty', (of) => of.quantityDigits),
    orderUnits: perInstrument('maxOrderNotional', (of) => of.quoteDigits),
    positionBase: perInstrument('maxPositionQty', (of) => of.baseDigits),
    positionUnits: perInstrument('maxPositionNotional', (of) => of.quoteDigits),
    grossUnits: part(scaleLimit(limits, 'maxGrossNotional', quoteDigits)),
    netUnits: part(scaleLimit(limits, 'maxNetNotional', quoteDigits)),
    leverage: ratio(limits, 'maxLeverage'),
    openOrders: count(limits, 'maxOpenOrders'),
    openOrdersTotal: count(limits, 'maxOpenOrdersTotal'),
    priceBand: ratio(limits, 'priceBand'),
    ordersPerMinute: count(limits, 'maxOrdersPerMinute'),
    ordersPerFill: count(limits, 'maxOrdersPerFill'),
    dailyLoss: ratio(limits, 'maxDailyLoss'),
    drawdown: ratio(limits, 'maxDrawdown'),
    concentration: ratio(limits, 'maxConcentration'),
    marginBuffer: ofContracts(limits, 'marginBuffer', instruments),
    liquidationAtrs: ofContracts(limits, 'minLiquidationAtrs', instruments),
    fillSlip: ratio(limits, 'maxFillSlip'),
    barAge: ratio(limits, 'maxBarAge'),
    duplicateMs: limits.duplicateMs === undefined ? 0 : count(limits, 'duplicateMs'),
    unknowns: count(limits, 'maxUnknown'),
    fillsPerMinute: count(limits, 'maxFillsPerMinute'),
    rejectsPerMinute: count(limits, 'maxRejectsPerMinute'),
    lossStreak: count(limits, 'maxLossStreak'),
    priceAgeMs: count(limits, 'maxPriceAgeMs'),
    auditAgeMs: count(limits, 'maxAuditAgeMs'),
    clockErrorMs: count(limits, 'maxClockErrorMs'),
    nakedMs: count(limits, 'maxNakedMs'),
    nakedExitMs: count(limits, 'maxNakedExitMs'),
    heartbeatAgeMs: count(limits, 'maxHeartbeatAgeMs'),
    alertAgeMs: count(limits, 'maxAlertAgeMs'),
    windows: limits.restricted === undefined ? [] : windowsOf(limits.restricted),
    set: new Set(LIMITS.map(({ key }) => key).filter((key) => limits[key] !== undefined)),
  };
}

function checkCount(key: LimitKey, value: string | number): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_COUNT) return;
  throw new ConfigError(`risk.${key}: expected a whole number from 1 to ${MAX_COUNT}, got ${value}`, `leave ${key} out to have no limit`);
}

function checkDeny(key: LimitKey, value: string | number): void {
  if (value !== 'deny') throw new ConfigError(`risk.${key}: expected deny, got ${value}`, `leave ${key} out to allow it`);
}

function windowsOf(value: string | number): readonly Window[] {
  return String(value)
    .split(',')
    .map((part) => {
      const found = WINDOW.exec(part.trim());
      if (!found) {
        throw new ConfigError(
          `risk.restricted: expected windows of the day, got ${value}`,
          "write restricted: '22:55-23:05, 07:00-07:10', in UTC",
        );
      }
      const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = found.slice(1).map(Number);
      return { from: fromHour * 60 + fromMinute, to: toHour * 60 + toMinute, text: part.trim() };
    });
}

function checkDecimal(key: LimitKey, value: string | number): void {
  if (typeof value === 'string' && scaleDown(value, 0) !== null && /[1-9]/.test(value)) return;
  throw new ConfigError(
    `risk.${key}: expected a quoted decimal above 0, got ${value}`,
    `write ${key}: '0.5', or leave it out to have no limit`,
  );
}

function scaleLimit(limits: RiskLimits, key: LimitKey, digits: number): number {
  const value = limits[key];
  return value === undefined ? INFINITY : scaleDown(String(value), digits)!;
}

function count(limits: RiskLimits, key: LimitKey): number {
  const value = limits[key];
  return value === undefined ? INFINITY : Number(value);
}

function ofContracts(limits: RiskLimits, key: LimitKey, instruments: readonly Instrument[]): Ratio | null {
  if (limits[key] === undefined || instruments.some(({ contract }) => contract !== undefined)) return ratio(limits, key);
  throw new ConfigError(`risk.${key}: expected contracts, coins have no margin`, `leave ${key} out on spot`);
}

function ratio(limits: RiskLimits, key: LimitKey): Ratio | null {
  const value = limits[key];
  return value === undefined ? null : parseRatio(String(value));
}
