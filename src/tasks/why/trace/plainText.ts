// Converts values of strategies to short texts for an explanation.

import type { Decimal } from '../../../base/number/decimal.ts';

/** Maximum length of the text of a value. */
const MAX_LENGTH = 160;
/** Maximum nesting depth that is shown, and maximum of members of one list or object. */
const MAX_DEPTH = 4;
const MAX_MEMBERS = 12;

/** The text of a value whose getter throws. */
export const UNREADABLE = 'cannot be read';

/** Returns the name of a view, such as a series. Null for any other value. */
export type ViewName = (value: object) => string | null;

/** Returns a value as JSON-like text. For an object that is not plain data: the name of its class. */
export function plainText(value: unknown, nameOf: ViewName = feedText): string {
  let text: string;
  try {
    text = textAt(value, 0, nameOf);
  } catch {
    // A getter of the value threw, for example `this.bars` in a run without that feed.
    text = UNREADABLE;
  }
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 3)}...`;
}

/** Returns a value as text. `depth` is the nesting depth inside the whole value. */
function textAt(value: unknown, depth: number, nameOf: ViewName): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (isDecimal(value)) return value.toString();
  const viewName = nameOf(value);
  if (viewName !== null) return viewName;
  if (Array.isArray(value)) return listText(value, depth, nameOf);
  if (value instanceof Map) return `Map of ${value.size}`;
  if (value instanceof Set) return `Set of ${value.size}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const constructor: unknown = Reflect.get(value, 'constructor');
    return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'an object';
  }
  if (depth >= MAX_DEPTH) return '{...}';
  const entries = Object.entries(value);
  const memberTexts = entries.slice(0, MAX_MEMBERS).map(([key, member]) => `${key}: ${textAt(member, depth + 1, nameOf)}`);
  if (entries.length > MAX_MEMBERS) memberTexts.push('...');
  return `{ ${memberTexts.join(', ')} }`;
}

/** Returns a list as text, with at most MAX_MEMBERS members. */
function listText(list: readonly unknown[], depth: number, nameOf: ViewName): string {
  if (depth >= MAX_DEPTH) return '[...]';
  const memberTexts = Array.from(list.slice(0, MAX_MEMBERS), (member) => textAt(member, depth + 1, nameOf));
  if (list.length > MAX_MEMBERS) memberTexts.push(`... ${list.length} in all`);
  return `[${memberTexts.join(', ')}]`;
}

/** Returns a text such as `feed spot:BTCUSDT 1m` for a feed; null for any other value. */
export function feedText(value: object): string | null {
  if (!('instrument' in value && 'bar' in value && 'interval' in value)) return null;
  const { instrument, interval } = value as { readonly instrument: { readonly id: string }; readonly interval: string };
  return `feed ${instrument.id} ${interval}`;
}

const isDecimal = (value: object): value is Decimal => 'toNumber' in value && 'plus' in value;
