// Parses the names of bars from trades, such as 500ticks or 1000000dollar. Such a bar ends after an amount of trading.

/** The quantities that end a bar: number of trades, volume in the base asset, value in the quote asset, or high minus low. */
export const TRADE_BAR_KINDS = ['ticks', 'volume', 'dollar', 'range'] as const;
/** One of the quantities that end a bar. */
export type TradeBarKind = (typeof TRADE_BAR_KINDS)[number];
/** The amount that ends a bar, and its kind. The amount is a plain decimal without redundant zeros, so equal bars have equal names. */
export type TradeBars = `${number}${TradeBarKind}`;

/** Maximum number of decimals of an amount. */
const MAX_DIGITS = 12;
/** Pattern of the names, for schemas. */
export const TRADE_BAR_PATTERN = /^(0|[1-9]\d{0,14})(\.\d{1,12})?(ticks|volume|dollar|range)$/;
/** The valid forms of a name, for messages. */
export const TRADE_BAR_FORM = 'an amount of trades such as 500ticks, 10volume, 1000000dollar or 25range';

/** The rule that ends a bar. */
export interface TradeBarRule {
  readonly kind: TradeBarKind;
  /** Amount at which a bar ends, in units of 10^-digits, above 0. */
  readonly amount: bigint;
  readonly digits: number;
}

/** Returns the name of bars from trades in its shortest form, such as 10.5volume for 10.50volume. Null for invalid text. */
export function parseTradeBars(text: string): TradeBars | null {
  const rule = tradeBarRule(text);
  if (rule === null) return null;
  const amountText = text.slice(0, -rule.kind.length);
  const shortAmount = amountText.includes('.') ? amountText.replace(/\.?0+$/, '') : amountText;
  return `${shortAmount}${rule.kind}` as TradeBars;
}

/** Returns the rule that ends a bar of this name. Null for invalid text, such as a fraction of a trade. */
export function tradeBarRule(text: string): TradeBarRule | null {
  const [, whole = '', fraction = '', kind] = TRADE_BAR_PATTERN.exec(text) ?? [];
  if (kind === undefined || (kind === 'ticks' && fraction !== '')) return null;
  const amount = BigInt(whole + fraction.slice(1).padEnd(MAX_DIGITS, '0'));
  return amount > 0n ? { kind: kind as TradeBarKind, amount, digits: MAX_DIGITS } : null;
}

/** True for the name of bars from trades. */
export function isTradeBars(interval: string): interval is TradeBars {
  return TRADE_BAR_PATTERN.test(interval);
}
