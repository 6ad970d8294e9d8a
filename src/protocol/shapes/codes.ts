// Defines statuses and codes as words, reads their spellings and integers, and states what each status means for an order.

import type { DoneReason, Lifecycle } from '../../model/order.ts';

/** The status of an order. UNKNOWN means every other text, and never ends an order. */
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

/** A wire code as a word, and its raw text. */
export interface CodeReading<Word extends string> {
  readonly word: Word;
  /** The text or digits on the wire. */
  readonly raw: string;
}

/** The meaning of a status for the order's lifecycle. */
export interface StatusMeaning {
  /** `neither`: the order is queried again and keeps its reservation. */
  readonly kind: 'open' | 'terminal' | 'neither';
  /** The lifecycle state that follows; null if the state stays. A terminal status still needs confirmation. */
  readonly lifecycle: Extract<Lifecycle, 'working' | 'cancelSent' | 'done'> | null;
  readonly reason: DoneReason | null;
}

const OPEN: StatusMeaning = { kind: 'open', lifecycle: 'working', reason: null };
const terminalMeaning = (reason: DoneReason): StatusMeaning => ({ kind: 'terminal', lifecycle: 'done', reason });

/**
 * The meaning of each status. Any terminal status may have fills, and PENDING_CANCEL may still end as FILLED. Only the fills say how much
 * was filled.
 */
export const STATUS_MEANING: Readonly<Record<OrderStatus, StatusMeaning>> = {
  INIT: OPEN,
  NEW: OPEN,
  PARTIALLY_FILLED: OPEN,
  PENDING_CANCEL: { kind: 'open', lifecycle: 'cancelSent', reason: null },
  FILLED: terminalMeaning('filled'),
  CANCELED: terminalMeaning('canceled'),
  EXPIRED: terminalMeaning('expired'),
  REJECTED: terminalMeaning('rejected'),
  UNKNOWN: { kind: 'neither', lifecycle: null, reason: null },
};

/** Statuses by their integers, on spot and futures. 7 is partly filled, with the rest cancelled. */
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

/** Returns the status for the text or digits of the wire, in any spelling; UNKNOWN for anything else. Never throws. */
export function readStatus(raw: string): CodeReading<OrderStatus> {
  const text = raw.trim().toUpperCase().replaceAll(' ', '_').replace(/_$/, '');
  const isInteger = /^\d+$/.test(text);
  return { word: isInteger ? (STATUS_INTEGERS[Number(text)] ?? 'UNKNOWN') : statusNamed(text), raw };
}

/** Returns the status of this name or alias. UNKNOWN for any other text. */
function statusNamed(text: string): OrderStatus {
  return text !== 'UNKNOWN' && Object.hasOwn(STATUS_MEANING, text) ? (text as OrderStatus) : (STATUS_ALIASES.get(text) ?? 'UNKNOWN');
}

/** Returns the integer of a status in histories; null for REJECTED, which has none, and for UNKNOWN. */
export function statusInteger(status: OrderStatus): number | null {
  const integer = STATUS_INTEGERS.indexOf(status);
  return integer < 0 ? null : integer;
}

/** Words by their integers on the wire, which count up from `first`. */
interface CodeTable<Word extends string> {
  readonly first: number;
  readonly names: readonly Word[];
}

/** Type of an order on the wire. */
export type OrderType = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'LIQUIDATION' | 'POSITION_MERGE' | 'UNKNOWN';
/** `type` of an order. It is an integer only in histories. */
export const ORDER_TYPES: CodeTable<OrderType> = {
  first: 1,
  names: ['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'LIQUIDATION', 'POSITION_MERGE'],
};

/** Time in force of an order on the wire. */
export type TimeInForceWord = 'LIMIT' | 'MARKET' | 'IOC' | 'FOK' | 'POST_ONLY' | 'UNKNOWN';
/** `timeInForce` as a code. LIMIT and MARKET mean that the order has none. */
export const TIME_IN_FORCE: CodeTable<TimeInForceWord> = { first: 1, names: ['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY'] };

/** Where an order came from. */
export type OrderSource = 'WEB' | 'APP' | 'API' | 'OTHER' | 'UNKNOWN';
/** `source` of an order in histories. */
export const ORDER_SOURCES: CodeTable<OrderSource> = { first: 1, names: ['WEB', 'APP', 'API', 'OTHER'] };

/** Status of a trigger order. */
export type TriggerStatus = 'PENDING' | 'EXPIRED' | 'TRIGGERED' | 'FAILED' | 'CANCELED' | 'UNKNOWN';
/** `status` of a trigger order. TRIGGERED means that it fired, not that its order filled. */
export const TRIGGER_STATUSES: CodeTable<TriggerStatus> = { first: 0, names: ['PENDING', 'EXPIRED', 'TRIGGERED', 'FAILED', 'CANCELED'] };

/** Type of a trigger order. */
export type TriggerType = 'STOP_LOSS' | 'TAKE_PROFIT' | 'RISES_TO' | 'FALLS_TO' | 'UNKNOWN';
/** `triggerType`: the first two close a position. RISES_TO fires when the price rises to the trigger, FALLS_TO when it falls to it. */
export const TRIGGER_TYPES: CodeTable<TriggerType> = { first: 1, names: ['STOP_LOSS', 'TAKE_PROFIT', 'RISES_TO', 'FALLS_TO'] };

/** Returns the word for a code, or for the word itself in any case; UNKNOWN for anything else. Never throws. */
export function readCode<Word extends string>(codes: CodeTable<Word>, raw: string): CodeReading<Word | 'UNKNOWN'> {
  const text = raw.trim().toUpperCase();
  const word = /^\d+$/.test(text) ? codes.names[Number(text) - codes.first] : codes.names.find((name) => name === text);
  return { word: word ?? 'UNKNOWN', raw };
}

/** Returns the integer of a word; null for UNKNOWN. */
export function codeOf<Word extends string>(codes: CodeTable<Word>, word: Word | 'UNKNOWN'): number | null {
  const index = codes.names.findIndex((name) => name === word);
  return index < 0 ? null : index + codes.first;
}
