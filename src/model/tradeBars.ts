// Bars from trades, which have no length of time: their names, such as 500ticks or 1000000dollar, and what ends one.

/** What is counted until a bar ends: trades, their volume in the base asset, their value in the quote asset, or high minus low. */
export const TRADE_BAR_KINDS = ['ticks', 'volume', 'dollar', 'range'] as const;
export type TradeBarKind = (typeof TRADE_BAR_KINDS)[number];
/** How many of what end a bar. A plain decimal without needless zeros, so that equal bars have one name. */
export type TradeBars = `${number}${TradeBarKind}`;

/** Most digits behind the point of an amount. */
const MAX_DIGITS = 12;
/** What every name of bars from trades looks like, for schemas. */
export const TRADE_BAR_PATTERN = /^(0|[1-9]\d{0,14})(\.\d{1,12})?(ticks|volume|dollar|range)$/;
/** What an input may use for bars from trades, for messages. */
export const TRADE_BAR_FORM = 'an amount of trades such as 500ticks, 10volume, 1000000dollar or 25range';

export interface TradeBarRule {
  readonly kind: TradeBarKind;
  /** A bar ends when it holds this much, in units of 10^-digits; above 0. */
  readonly amount: bigint;
  readonly digits: number;
}

/** Returns the bars from trades that `text` names, or null: 10.50volume and 10.5volume are the same. A number of ticks is whole. */
export function parseTradeBars(text: string): TradeBars | null {
  const rule = tradeBarRule(text);
  if (rule === null) return null;
  const figure = text.slice(0, -rule.kind.length);
  return `${figure.includes('.') ? figure.replace(/\.?0+$/, '') : figure}${rule.kind}` as TradeBars;
}

/** Returns what ends a bar of that name, or null if it names none. */
export function tradeBarRule(text: string): TradeBarRule | null {
  const [, whole = '', part = '', kind] = TRADE_BAR_PATTERN.exec(text) ?? [];
  if (kind === undefined || (kind === 'ticks' && part !== '')) return null;
  const amount = BigInt(whole + part.slice(1).padEnd(MAX_DIGITS, '0'));
  return amount > 0n ? { kind: kind as TradeBarKind, amount, digits: MAX_DIGITS } : null;
}

export function isTradeBars(interval: string): interval is TradeBars {
  return TRADE_BAR_PATTERN.test(interval);
}
