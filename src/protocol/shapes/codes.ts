// Statuses and codes as words: one reading of every spelling and integer that was seen, and what each status means to an order.

import type { DoneReason, Lifecycle } from '../../model/order.ts';

/** What an order's status can be; UNKNOWN is what no table says, and ends nothing. */
export type OrderStatus =
  | 'INIT'
  | 'NEW'
  | 'PARTIALLY_FILLED'
  | 'FILLED'
  | 'CANCELED'
  | 'PENDING_CANCEL'
  | 'EXPIRED'
  | 'REJECTED'
  | 'UNKNOWN';

/** A code of the wire in words, and as it came. */
export interface CodeReading<Word extends string> {
  readonly word: Word;
  /** The text or the digits on the wire. */
  readonly raw: string;
}

export interface StatusMeaning {
  /** `neither`: the order is asked about again, and keeps all that it holds. */
  readonly kind: 'open' | 'terminal' | 'neither';
  /** The state of the bot's belief that follows; null where nothing does. A terminal status still wants confirmation. */
  readonly lifecycle: Extract<Lifecycle, 'working' | 'cancelSent' | 'done'> | null;
  readonly reason: DoneReason | null;
}

const OPEN: StatusMeaning = { kind: 'open', lifecycle: 'working', reason: null };
const ended = (reason: DoneReason): StatusMeaning => ({ kind: 'terminal', lifecycle: 'done', reason });

/** Any terminal status may carry fills, and PENDING_CANCEL may still end FILLED: what was filled is told by the fills alone. */
export const STATUS_MEANING: Readonly<Record<OrderStatus, StatusMeaning>> = {
  INIT: OPEN,
  NEW: OPEN,
  PARTIALLY_FILLED: OPEN,
  PENDING_CANCEL: { kind: 'open', lifecycle: 'cancelSent', reason: null },
  FILLED: ended('filled'),
  CANCELED: ended('canceled'),
  EXPIRED: ended('expired'),
  REJECTED: ended('rejected'),
  UNKNOWN: { kind: 'neither', lifecycle: null, reason: null },
};

/** Integers of spot and futures; 7 is partly filled with the rest cancelled. */
const STATUS_INTEGERS: readonly OrderStatus[] = [
  'INIT',
  'NEW',
  'FILLED',
  'PARTIALLY_FILLED',
  'CANCELED',
  'PENDING_CANCEL',
  'EXPIRED',
  'CANCELED',
];
const STATUS_ALIASES: ReadonlyMap<string, OrderStatus> = new Map<string, OrderStatus>([
  ['NEW_ORDER', 'NEW'],
  ['PART_FILLED', 'PARTIALLY_FILLED'],
  ['CANCELLED', 'CANCELED'],
  ['TO_BE_CANCELED', 'PENDING_CANCEL'],
  ['TO_BE_CANCELLED', 'PENDING_CANCEL'],
  ['PARTIALLY_FILLED/CANCELED', 'CANCELED'],
  ['PART_CANCELED', 'CANCELED'],
]);

/** The status that text or digits of the wire say, whatever the spelling; UNKNOWN for all else. Never throws. */
export function readStatus(raw: string): CodeReading<OrderStatus> {
  const text = raw.trim().toUpperCase().replaceAll(' ', '_').replace(/_$/, '');
  return { word: /^\d+$/.test(text) ? (STATUS_INTEGERS[Number(text)] ?? 'UNKNOWN') : statusNamed(text), raw };
}

function statusNamed(text: string): OrderStatus {
  return text !== 'UNKNOWN' && Object.hasOwn(STATUS_MEANING, text) ? (text as OrderStatus) : (STATUS_ALIASES.get(text) ?? 'UNKNOWN');
}

/** The integer of a status in histories; null for REJECTED, which has none, and for UNKNOWN. */
export function statusInteger(status: OrderStatus): number | null {
  const found = STATUS_INTEGERS.indexOf(status);
  return found < 0 ? null : found;
}

/** Words in the order of their integers on the wire, from `first` on. */
interface Codes<Word extends string> {
  readonly first: number;
  readonly names: readonly Word[];
}

export type OrderType = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'LIQUIDATION' | 'POSITION_MERGE' | 'UNKNOWN';
/** `type` of an order; as an integer in histories only. */
export const ORDER_TYPES: Codes<OrderType> = {
  first: 1,
  names: ['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'LIQUIDATION', 'POSITION_MERGE'],
};

export type TimeInForceWord = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'UNKNOWN';
/** `timeInForce` where it is a code; LIMIT and MARKET mean that the order has none. */
export const TIME_IN_FORCE: Codes<TimeInForceWord> = { first: 1, names: ['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY'] };

export type OrderSource = 'WEB' | 'APP' | 'API' | 'OTHER' | 'UNKNOWN';
/** `source` of an order in histories. */
export const ORDER_SOURCES: Codes<OrderSource> = { first: 1, names: ['WEB', 'APP', 'API', 'OTHER'] };

export type TriggerStatus = 'PENDING' | 'EXPIRED' | 'TRIGGERED' | 'FAILED' | 'CANCELED' | 'UNKNOWN';
/** `status` of a trigger order. TRIGGERED says that it fired, not that its order filled. */
export const TRIGGER_STATUSES: Codes<TriggerStatus> = { first: 0, names: ['PENDING', 'EXPIRED', 'TRIGGERED', 'FAILED', 'CANCELED'] };

export type TriggerType = 'STOP_LOSS' | 'TAKE_PROFIT' | 'RISES_TO' | 'FALLS_TO' | 'UNKNOWN';
/** `triggerType`: the first two close a position; 3 fires when the price rises to the trigger, 4 when it falls to it. */
export const TRIGGER_TYPES: Codes<TriggerType> = { first: 1, names: ['STOP_LOSS', 'TAKE_PROFIT', 'RISES_TO', 'FALLS_TO'] };

/** The word that a code, or the word itself in any case, stands for; UNKNOWN for all else. Never throws. */
export function readCode<Word extends string>(codes: Codes<Word>, raw: string): CodeReading<Word | 'UNKNOWN'> {
  const text = raw.trim().toUpperCase();
  const word = /^\d+$/.test(text) ? codes.names[Number(text) - codes.first] : codes.names.find((name) => name === text);
  return { word: word ?? 'UNKNOWN', raw };
}

/** The integer of a word; null for UNKNOWN. */
export function codeOf<Word extends string>(codes: Codes<Word>, word: Word | 'UNKNOWN'): number | null {
  const found = codes.names.findIndex((name) => name === word);
  return found < 0 ? null : found + codes.first;
}
