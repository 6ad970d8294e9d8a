// Reads and writes the containers of replies: a record or a list, bare, in a member, in an envelope, or in a list of one.

import { InvariantError } from '../../base/errors.ts';
import { isList, isObject, jsonObject, writeJson, type Json, type JsonObject } from '../json/json.ts';
import { instrumentIn } from './record.ts';
import { Mismatch, scalarText, type Value } from './value.ts';
import { SEED_VARIANTS, type Variants } from './variants.ts';

/**
 * A row that could not be read. While there is one, its instrument must not be traded, and the list does not prove that an order is absent.
 */
export interface RefusedRow {
  /** The instrument of the row; null if it cannot be read either. */
  readonly instrument: string | null;
  /** The problem, such as `[3].price: expected a decimal, got "x"`. */
  readonly problem: string;
}

/** The rows of a list in the order of the wire, newest first, and those that could not be read. */
export interface Listing<T> {
  readonly rows: readonly T[];
  readonly refused: readonly RefusedRow[];
}

/** Returns a list without refused rows. */
export const listing = <T>(rows: readonly T[]): Listing<T> => ({ rows, refused: [] });

/** The container of the record in a reply. `own`: a container that no other reply has. */
export type Container =
  | { readonly kind: 'list'; /** The member with the list; null if it is bare. */ readonly member: string | null }
  | { readonly kind: 'one' | 'oneOrNone' | 'empty' | 'done' | 'own' };

/** The reply of an endpoint. It is read from every known container, and written in the specification's unless a switch says otherwise. */
export interface AnswerShape<T> {
  /** Description for users, such as `list of {symbol, ...}`. */
  readonly shape: string;
  readonly container: Container;
  /** The record in the reply; null if it has none. */
  readonly row: Value<unknown> | null;
  /** Throws Mismatch. Callers outside this folder use `decodeAnswer`. */
  read(json: Json): T;
  /** Returns the reply as JSON, as `variants` require. */
  write(value: T, variants: Variants): Json;
}

/** The decoded reply, or one line about what is wrong with it. */
export type DecodeResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Returns the value of `json`, or why it does not have that shape. */
export function decodeAnswer<T>(answer: AnswerShape<T>, json: Json): DecodeResult<T> {
  try {
    return { ok: true, value: answer.read(json) };
  } catch (error) {
    if (error instanceof Mismatch) return { ok: false, problem: `${error.place === '' ? '' : `${error.place}: `}${error.message}` };
    throw error;
  }
}

/** Returns a value as the JSON text of a reply, in the form that `variants` chooses. */
export function encodeAnswer<T>(answer: AnswerShape<T>, value: T, variants: Variants = SEED_VARIANTS): string {
  return writeJson(answer.write(value, variants));
}

/** Returns one row of a list as JSON text. */
export function encodeRow<T>({ row }: AnswerShape<Listing<T>>, value: T, variants: Variants = SEED_VARIANTS): string {
  if (row === null) throw new InvariantError('expected a list of records');
  return writeJson(row.write(value, variants));
}

/** Returns the reply with these rows, each as JSON text, in the form that `variants` chooses. */
export function encodeListOf<T>(answer: AnswerShape<Listing<T>>, rows: readonly string[], variants: Variants = SEED_VARIANTS): string {
  const [before, after, ...furtherParts] = encodeAnswer(answer, listing<T>([]), variants).split('[]');
  if (before === undefined || after === undefined || furtherParts.length > 0) throw new InvariantError('expected a reply with one list');
  // Concatenating is faster than joining a list.
  let text = '';
  for (const row of rows) text += text === '' ? row : `,${row}`;
  return `${before}[${text}]${after}`;
}

/** True for `{code, msg, data}` with the success code. */
export function hasSuccessCode(json: Json): json is JsonObject {
  const code = isObject(json) ? json.get('code') : undefined;
  return code !== undefined && scalarText(code) === '0';
}

/** Returns a success in the envelope of futures. `isWide` adds `msgData` and `succ`. */
export function envelope(data: Json, okMsg: string, isWide = false): Json {
  return jsonObject({ code: '0', msg: okMsg, data, ...(isWide ? { msgData: null, succ: true } : {}) });
}

/** Returns the list in a bare array, a member or an envelope. Null data is an empty list. Returns undefined without a list. */
export function listFrom(json: Json | undefined, ...members: readonly string[]): readonly Json[] | undefined {
  if (isList(json)) return json;
  if (!isObject(json)) return undefined;
  for (const name of [...members, 'list', 'symbols']) {
    const member = json.get(name);
    if (isList(member)) return member;
    if (member === null) return [];
  }
  const data = json.get('data');
  return data === null ? [] : listFrom(data, ...members);
}

/**
 * Returns the object itself, the only element of a list, or the data of an envelope. Null means "no information", never "does not exist".
 */
export function objectFrom(json: Json): JsonObject | null {
  if (isList(json) && json.length === 1) return objectFrom(json[0]!);
  if (!isObject(json)) throw new Mismatch('an object', json);
  const data = json.get('data');
  if (data === undefined || !json.has('code')) return json;
  return data === null ? null : objectFrom(data);
}

/** Returns the rows that can be read, and the problems of the others. */
export function readRows<T>(row: Value<T>, jsonRows: readonly Json[]): Listing<T> {
  const rows: T[] = [];
  const refusedRows: RefusedRow[] = [];
  jsonRows.forEach((json, index) => {
    try {
      rows.push(row.read(json));
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      error.within(`[${index}]`);
      refusedRows.push({ instrument: instrumentIn(json), problem: `${error.place}: ${error.message}` });
    }
  });
  return { rows, refused: refusedRows };
}

/** How a reply contains its list. */
interface ListOptions {
  readonly shape: string;
  /** The member of the reply that holds the list. */
  readonly member?: string;
  readonly write: (rows: readonly Json[], variants: Variants) => Json;
}

/** Returns the shape of a reply that is a list of records. */
export function listAnswer<T>(row: Value<T>, options: ListOptions): AnswerShape<Listing<T>> {
  const { member } = options;
  return {
    shape: options.shape,
    container: { kind: 'list', member: member ?? null },
    row,
    read(json) {
      const jsonRows = listFrom(json, ...(member === undefined ? [] : [member]));
      if (!jsonRows) throw new Mismatch('a list', json);
      return readRows(row, jsonRows);
    },
    write: ({ rows }, variants) =>
      options.write(
        rows.map((value) => row.write(value, variants)),
        variants,
      ),
  };
}

/** Returns the shape of a reply that is one record. */
export function recordAnswer<T>(
  row: Value<T>,
  shape: string,
  write: (json: Json, variants: Variants) => Json = (json) => json,
): AnswerShape<T> {
  return {
    shape,
    container: { kind: 'one' },
    row,
    read(json) {
      const jsonRecord = objectFrom(json);
      if (jsonRecord === null) throw new Mismatch('an object', null);
      return row.read(jsonRecord);
    },
    write: (value, variants) => write(row.write(value, variants), variants),
  };
}

/** Returns the shape of a reply that is one record, or null if the service gives no information. */
export function recordOrNoneAnswer<T>(
  row: Value<T>,
  shape: string,
  write: (json: Json, variants: Variants) => Json,
): AnswerShape<T | null> {
  return {
    shape,
    container: { kind: 'oneOrNone' },
    row,
    read(json) {
      const jsonRecord = objectFrom(json);
      return jsonRecord === null ? null : row.read(jsonRecord);
    },
    write: (value, variants) => (value === null ? envelope(null, 'Success') : write(row.write(value, variants), variants)),
  };
}

/** A reply without data, which only confirms. */
export const emptyAnswer: AnswerShape<null> = {
  shape: 'empty object',
  container: { kind: 'empty' },
  row: null,
  read(json) {
    if (!isObject(json)) throw new Mismatch('an object', json);
    return null;
  },
  write: () => jsonObject({}),
};

/** A confirmation in an envelope. Code 0 is a success, whatever its text. */
export const doneAnswer: AnswerShape<null> = {
  shape: 'envelope without data',
  container: { kind: 'done' },
  row: null,
  read(json) {
    if (!hasSuccessCode(json)) throw new Mismatch('code 0', json);
    return null;
  },
  write: (_, { okMsg }) => envelope(null, okMsg),
};
