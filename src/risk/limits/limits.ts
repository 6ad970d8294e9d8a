// Lists the limits that a definition may set under `risk:`, one row for each key. Rules, schema and documents read the list.

import { parseRatio } from '../../base/number/decimalText.ts';

/** How a limit is written: a quoted decimal, a whole number, the word `deny`, or windows of the day such as 22:55-23:05. */
export type LimitKind = 'decimal' | 'count' | 'deny' | 'windows';

const CLOCK_TIME = String.raw`([01]\d|2[0-3]):([0-5]\d)`;
const WINDOW_TEXT = `${CLOCK_TIME}-${CLOCK_TIME}`;
/** One window of the day: hour and minute of its start, hour and minute of its end. */
export const WINDOW_PATTERN = new RegExp(`^${WINDOW_TEXT}$`);
/** Several windows, separated by commas. */
export const WINDOWS = new RegExp(`^ *${WINDOW_TEXT}( *, *${WINDOW_TEXT})* *$`);

/** One limit. */
export interface LimitRow {
  readonly key: string;
  readonly kind: LimitKind;
  readonly unit: string;
  /** Largest value of a limit that is used as an exact ratio. */
  readonly max?: number;
  /** The stable code of a denial by this limit. */
  readonly code: string;
  readonly help: string;
  /** True when a larger value is the tighter one. */
  readonly isMinimum?: boolean;
}

/** All limits, in the order of docs/risk.md. The schema of definitions and `isobar tighten` follow from these rows. */
export const LIMITS = [
  { key: 'maxOrderQty', kind: 'decimal', unit: 'base asset', code: 'QTY_MAX', help: 'largest quantity of one order' },
  { key: 'maxOrderNotional', kind: 'decimal', unit: 'quote asset', code: 'NOTIONAL_MAX', help: 'largest worst-case notional of one order' },
  { key: 'maxPositionQty', kind: 'decimal', unit: 'base asset', code: 'POSITION_MAX', help: 'largest worst-case position of one symbol' },
  {
    key: 'maxPositionNotional',
    kind: 'decimal',
    unit: 'quote asset',
    code: 'POSITION_NOTIONAL',
    help: 'largest worst-case notional of one symbol',
  },
  {
    key: 'maxGrossNotional',
    kind: 'decimal',
    unit: 'quote asset',
    code: 'PORTFOLIO',
    help: 'largest worst-case notional over all symbols',
  },
  {
    key: 'maxNetNotional',
    kind: 'decimal',
    unit: 'quote asset',
    code: 'PORTFOLIO',
    help: 'the same with longs and shorts set off against each other',
  },
  {
    key: 'maxLeverage',
    kind: 'decimal',
    unit: 'x equity',
    max: 1e6,
    code: 'LEVERAGE',
    help: 'worst-case notional over all symbols / equity',
  },
  { key: 'maxOpenOrders', kind: 'count', unit: 'orders', code: 'OPEN_ORDERS', help: 'unfinished orders of one symbol' },
  { key: 'maxOpenOrdersTotal', kind: 'count', unit: 'orders', code: 'OPEN_ORDERS', help: 'unfinished orders of the account' },
  {
    key: 'priceBand',
    kind: 'decimal',
    unit: 'fraction',
    max: 1e6,
    code: 'COLLAR',
    help: 'how far beyond the last close, on the taking side, a limit may lie',
  },
  { key: 'maxOrdersPerMinute', kind: 'count', unit: 'orders per minute', code: 'MESSAGE_RATE', help: 'orders sent in any 60 s' },
  {
    key: 'maxOrdersPerFill',
    kind: 'count',
    unit: 'orders per fill',
    code: 'MESSAGE_RATE',
    help: 'orders of a strategy for each of its fills, in any hour',
  },
  {
    key: 'maxDailyLoss',
    kind: 'decimal',
    unit: 'fraction',
    max: 1,
    code: 'DAILY_LOSS',
    help: 'loss since 00:00 UTC, of the equity then, that halts new risk for the day',
  },
  {
    key: 'maxDrawdown',
    kind: 'decimal',
    unit: 'fraction',
    max: 1,
    code: 'DRAWDOWN',
    help: 'fall of equity below its peak that halts new risk permanently',
  },
  {
    key: 'maxConcentration',
    kind: 'decimal',
    unit: 'x equity',
    max: 1e6,
    code: 'CONCENTRATION',
    help: 'worst-case notional of one symbol / equity',
  },
  {
    key: 'marginBuffer',
    kind: 'decimal',
    unit: 'x equity',
    max: 1,
    code: 'MARGIN_BUFFER',
    help: 'futures: margin that has to stay free in the worst case / equity',
    isMinimum: true,
  },
  {
    key: 'minLiquidationAtrs',
    kind: 'decimal',
    unit: 'average ranges',
    max: 1e6,
    code: 'LIQUIDATION_DISTANCE',
    help: 'futures: move against a position, from the last price, that it has to stand in the worst case',
    isMinimum: true,
  },
  { key: 'selfTrade', kind: 'deny', unit: 'deny', code: 'SELF_TRADE', help: 'no order that would trade with an own one' },
  { key: 'parent', kind: 'deny', unit: 'deny', code: 'PARENT', help: 'the orders of a bracket sell no more than its entry buys' },
  {
    key: 'duplicateMs',
    kind: 'count',
    unit: 'ms',
    code: 'DUPLICATE',
    help: 'how soon the same order of a strategy may be sent again',
    isMinimum: true,
  },
  {
    key: 'restricted',
    kind: 'windows',
    unit: 'UTC',
    code: 'RESTRICTED',
    help: "windows of the day without new risk, such as '22:55-23:05'",
  },
  {
    key: 'deployShare',
    kind: 'decimal',
    unit: 'fraction',
    max: 1,
    code: 'DEPLOY_CAP',
    help: 'share of the size limits, and one symbol only, for a new deployment',
  },
  {
    key: 'maxUnknown',
    kind: 'count',
    unit: 'orders',
    code: 'UNKNOWN_BUDGET',
    help: 'orders of unknown outcome at once, and within 10 minutes',
  },
  { key: 'maxFillsPerMinute', kind: 'count', unit: 'per minute', code: 'REPEAT', help: 'executions of a strategy that halt it' },
  {
    key: 'maxRejectsPerMinute',
    kind: 'count',
    unit: 'per minute',
    code: 'REPEAT',
    help: 'refusals of a strategy by the exchange that halt it',
  },
  {
    key: 'maxFillSlip',
    kind: 'decimal',
    unit: 'fraction',
    max: 1,
    code: 'POST_TRADE',
    help: 'how far beyond limit and price a fill may be',
  },
  {
    key: 'maxLossStreak',
    kind: 'count',
    unit: 'round trips',
    code: 'LOSS_STREAK',
    help: 'losing round trips in a row that halt a strategy',
  },
  { key: 'maxPriceAgeMs', kind: 'count', unit: 'ms', code: 'STALE_DATA', help: 'age of the newest price' },
  { key: 'maxBarAge', kind: 'decimal', unit: 'intervals', max: 1e6, code: 'STALE_DATA', help: 'age of the newest closed bar' },
  { key: 'maxAuditAgeMs', kind: 'count', unit: 'ms', code: 'STALE_ACCOUNT', help: 'age of the last complete audit' },
  { key: 'maxClockErrorMs', kind: 'count', unit: 'ms', code: 'CLOCK', help: "uncertainty of the exchange's clock" },
  { key: 'maxNakedMs', kind: 'count', unit: 'ms', code: 'NAKED', help: 'how long a position may be without a stop' },
  { key: 'maxNakedExitMs', kind: 'count', unit: 'ms', code: 'NAKED_EXIT', help: 'after how long without a stop it is closed' },
  { key: 'maxHeartbeatAgeMs', kind: 'count', unit: 'ms', code: 'DEAD_MAN', help: "longest time without a sign of the operator's presence" },
  { key: 'maxAlertAgeMs', kind: 'count', unit: 'ms', code: 'DEAD_MAN', help: 'how long an alert may be unanswered' },
] as const satisfies readonly LimitRow[];

/** The largest valid count, because a rule may keep one time for each counted order. */
export const MAX_COUNT = 1_000_000;

/**
 * Returns the expectation that a value breaks, as the text after "expected"; null if the value is valid. The form of the text must be valid
 * already.
 */
export function limitProblem({ kind, max }: LimitRow, value: string): string | null {
  if (kind === 'windows')
    return value.split(',').every((window) => isNotEmptyWindow(window.trim())) ? null : 'windows that are longer than nothing';
  if (max === undefined) return null;
  const valueRatio = parseRatio(value);
  return valueRatio && valueRatio.numerator <= max * valueRatio.denominator ? null : `at most ${max}, with at most 9 decimals`;
}

/** True for a window that is not empty, and for text that is not a window, which is reported elsewhere. */
const isNotEmptyWindow = (window: string): boolean => !WINDOW_PATTERN.test(window) || window.slice(0, 5) !== window.slice(6);

/** Returns a limit that the operator has typed in the form of a definition: a number for a count, otherwise the text. */
export function limitValue(key: LimitKey, text: string): string | number {
  return LIMITS.find((row) => row.key === key)?.kind === 'count' ? Number(text) : text;
}

/** The key of a limit in a definition, such as `maxDrawdown`. */
export type LimitKey = (typeof LIMITS)[number]['key'];
/** Limits as a definition writes them: decimals as text, counts as whole numbers. A missing key means that the rule is off. */
export type RiskLimits = Readonly<Partial<Record<LimitKey, string | number>>>;

/**
 * Limits of rules that count orders, fills, refusals or losses over time. Books and open orders do not contain these counts, so a start has to
 * replay the whole lifetime for them.
 */
export const COUNTING_LIMITS: readonly LimitKey[] = [
  'maxOrdersPerMinute',
  'maxOrdersPerFill',
  'duplicateMs',
  'parent',
  'maxUnknown',
  'maxFillsPerMinute',
  'maxRejectsPerMinute',
  'maxLossStreak',
];
