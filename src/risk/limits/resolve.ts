// Converts the limits of a definition to whole numbers for each instrument, once for each run.

import { parseRatio, scaleDown, type Ratio } from '../../base/number/decimalText.ts';
import { ConfigError } from '../../base/errors.ts';
import { mulDiv } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import { LIMITS, MAX_COUNT, limitProblem, WINDOW_PATTERN, type LimitKey, type RiskLimits } from './limits.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** The limits in units. A limit that is not set is Infinity, or null for a ratio. Values are rounded down, toward less risk. */
export interface ResolvedLimits {
  /** By instrument: the largest order, in lots and in quote units. */
  readonly orderLots: Float64Array;
  readonly orderUnits: Float64Array;
  /** By instrument: the largest position, in base units and in quote units. */
  readonly positionBase: Float64Array;
  readonly positionUnits: Float64Array;
  /** Limits of the account. `limits.ts` explains each limit under its key, such as `maxGrossNotional` for `grossUnits`. */
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
  /** 0 if the rule is off. */
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
  /** Windows of the day without new risk, UTC. */
  readonly windows: readonly Window[];
  /** The keys that are set. */
  readonly set: ReadonlySet<LimitKey>;
}

/** A window of the day, from its first minute to before `toMinute`, both counted from 00:00 UTC. It may contain midnight. `text`: as configured. */
export interface Window {
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly text: string;
}

/** Returns the limits in the units in which rules compare. Throws ConfigError for an invalid one, with its key. */
export function resolveLimits(limits: RiskLimits, instruments: readonly Instrument[]): ResolvedLimits {
  checkLimits(limits);
  // While a deployment is new, its size limits count only by a share.
  const deployShare = ratioOf(limits, 'deployShare');
  const reduced = (max: number): number =>
    deployShare === null || max === INFINITY ? max : mulDiv(max, deployShare.numerator, deployShare.denominator, 'down');
  const perInstrument = (key: LimitKey, digits: (instrument: Instrument) => number) =>
    Float64Array.from(instruments, (instrument) => reduced(scaleLimit(limits, key, digits(instrument))));
  const quoteDigits = instruments[0]?.quoteDigits ?? 0;
  return {
    orderLots: perInstrument('maxOrderQty', (instrument) => instrument.quantityDigits),
    orderUnits: perInstrument('maxOrderNotional', (instrument) => instrument.quoteDigits),
    positionBase: perInstrument('maxPositionQty', (instrument) => instrument.baseDigits),
    positionUnits: perInstrument('maxPositionNotional', (instrument) => instrument.quoteDigits),
    grossUnits: reduced(scaleLimit(limits, 'maxGrossNotional', quoteDigits)),
    netUnits: reduced(scaleLimit(limits, 'maxNetNotional', quoteDigits)),
    leverage: ratioOf(limits, 'maxLeverage'),
    openOrders: countOf(limits, 'maxOpenOrders'),
    openOrdersTotal: countOf(limits, 'maxOpenOrdersTotal'),
    priceBand: ratioOf(limits, 'priceBand'),
    ordersPerMinute: countOf(limits, 'maxOrdersPerMinute'),
    ordersPerFill: countOf(limits, 'maxOrdersPerFill'),
    dailyLoss: ratioOf(limits, 'maxDailyLoss'),
    drawdown: ratioOf(limits, 'maxDrawdown'),
    concentration: ratioOf(limits, 'maxConcentration'),
    marginBuffer: contractRatio(limits, 'marginBuffer', instruments),
    liquidationAtrs: contractRatio(limits, 'minLiquidationAtrs', instruments),
    fillSlip: ratioOf(limits, 'maxFillSlip'),
    barAge: ratioOf(limits, 'maxBarAge'),
    duplicateMs: limits.duplicateMs === undefined ? 0 : countOf(limits, 'duplicateMs'),
    unknowns: countOf(limits, 'maxUnknown'),
    fillsPerMinute: countOf(limits, 'maxFillsPerMinute'),
    rejectsPerMinute: countOf(limits, 'maxRejectsPerMinute'),
    lossStreak: countOf(limits, 'maxLossStreak'),
    priceAgeMs: countOf(limits, 'maxPriceAgeMs'),
    auditAgeMs: countOf(limits, 'maxAuditAgeMs'),
    clockErrorMs: countOf(limits, 'maxClockErrorMs'),
    nakedMs: countOf(limits, 'maxNakedMs'),
    nakedExitMs: countOf(limits, 'maxNakedExitMs'),
    heartbeatAgeMs: countOf(limits, 'maxHeartbeatAgeMs'),
    alertAgeMs: countOf(limits, 'maxAlertAgeMs'),
    windows: limits.restricted === undefined ? [] : windowsOf(limits.restricted),
    set: new Set(LIMITS.map(({ key }) => key).filter((key) => limits[key] !== undefined)),
  };
}

/** Throws ConfigError naming the key of a limit that is not a plain decimal above 0, or is out of range. */
function checkLimits(limits: RiskLimits): void {
  for (const row of LIMITS) {
    const { key, kind } = row;
    const value = limits[key];
    if (value === undefined) continue;
    if (kind === 'count') checkCount(key, value);
    else if (kind === 'decimal') checkDecimal(key, value);
    else if (kind === 'deny') checkDeny(key, value);
    const expectation = limitProblem(row, String(value));
    if (expectation !== null)
      throw new ConfigError(`risk.${key}: expected ${expectation}, got ${value}`, 'docs/risk.md says what it counts');
  }
}

/** Throws ConfigError unless the value is a whole number from 1 to MAX_COUNT. */
function checkCount(key: LimitKey, value: string | number): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_COUNT) return;
  throw new ConfigError(`risk.${key}: expected a whole number from 1 to ${MAX_COUNT}, got ${value}`, `leave ${key} out to have no limit`);
}

/** Throws ConfigError unless the value is `deny`. */
function checkDeny(key: LimitKey, value: string | number): void {
  if (value !== 'deny') throw new ConfigError(`risk.${key}: expected deny, got ${value}`, `leave ${key} out to allow it`);
}

/** Returns the windows of the day in a text such as `23:30-00:30, 12:00-13:00`. Throws ConfigError for an invalid one. */
function windowsOf(value: string | number): readonly Window[] {
  return String(value)
    .split(',')
    .map((windowText) => {
      const match = WINDOW_PATTERN.exec(windowText.trim());
      if (!match) {
        throw new ConfigError(
          `risk.restricted: expected windows of the day, got ${value}`,
          "write restricted: '22:55-23:05, 07:00-07:10', in UTC",
        );
      }
      const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = match.slice(1).map(Number);
      return { fromMinute: fromHour * 60 + fromMinute, toMinute: toHour * 60 + toMinute, text: windowText.trim() };
    });
}

/** Throws ConfigError unless the value is plain decimal text above 0. */
function checkDecimal(key: LimitKey, value: string | number): void {
  if (typeof value === 'string' && scaleDown(value, 0) !== null && /[1-9]/.test(value)) return;
  throw new ConfigError(
    `risk.${key}: expected a quoted decimal above 0, got ${value}`,
    `write ${key}: '0.5', or leave it out to have no limit`,
  );
}

/** Returns a decimal limit in whole units of 10^-digits, rounded down; Infinity if it is not set. */
function scaleLimit(limits: RiskLimits, key: LimitKey, digits: number): number {
  const value = limits[key];
  return value === undefined ? INFINITY : scaleDown(String(value), digits)!;
}

/** Returns a limit that is a count. Infinity if it is not set. */
function countOf(limits: RiskLimits, key: LimitKey): number {
  const value = limits[key];
  return value === undefined ? INFINITY : Number(value);
}

/** Returns a ratio that only contracts have. Throws ConfigError if it is set and the run has no contract. */
function contractRatio(limits: RiskLimits, key: LimitKey, instruments: readonly Instrument[]): Ratio | null {
  if (limits[key] === undefined || instruments.some(({ contract }) => contract !== undefined)) return ratioOf(limits, key);
  throw new ConfigError(`risk.${key}: expected contracts, coins have no margin`, `leave ${key} out on spot`);
}

/** Returns a limit as an exact fraction. Null if it is not set. */
function ratioOf(limits: RiskLimits, key: LimitKey): Ratio | null {
  const value = limits[key];
  return value === undefined ? null : parseRatio(String(value));
}
