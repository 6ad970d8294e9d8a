// The limits that a definition may set under `risk:`, as data: one row a key, read by the rules, the schema and the documents.

/** How the text of a limit is written: a quoted decimal or a whole number. */
export type LimitKind = 'decimal' | 'count';

export interface LimitRow {
  readonly key: string;
  readonly kind: LimitKind;
  readonly unit: string;
  /** The stable code of a refusal by this limit. */
  readonly code: string;
  readonly help: string;
}

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
  { key: 'maxLeverage', kind: 'decimal', unit: 'x equity', code: 'LEVERAGE', help: 'worst-case notional over all symbols / equity' },
  { key: 'maxOpenOrders', kind: 'count', unit: 'orders', code: 'OPEN_ORDERS', help: 'unfinished orders of one symbol' },
  { key: 'maxOpenOrdersTotal', kind: 'count', unit: 'orders', code: 'OPEN_ORDERS', help: 'unfinished orders of the account' },
  {
    key: 'priceBand',
    kind: 'decimal',
    unit: 'fraction',
    code: 'COLLAR',
    help: 'how far beyond the last close, on the taking side, a limit may lie',
  },
  { key: 'maxOrdersPerMinute', kind: 'count', unit: 'orders per minute', code: 'MESSAGE_RATE', help: 'orders sent in any 60 s' },
  {
    key: 'maxDailyLoss',
    kind: 'decimal',
    unit: 'fraction',
    code: 'DAILY_LOSS',
    help: 'loss since 00:00 UTC, of the equity then, that halts new risk for the day',
  },
  {
    key: 'maxDrawdown',
    kind: 'decimal',
    unit: 'fraction',
    code: 'DRAWDOWN',
    help: 'fall of equity below its peak that halts new risk for good',
  },
] as const satisfies readonly LimitRow[];

export type LimitKey = (typeof LIMITS)[number]['key'];
/** Limits as a definition writes them: decimals as text, counts as whole numbers. A missing key is a rule that is off. */
export type RiskLimits = Readonly<Partial<Record<LimitKey, string | number>>>;
