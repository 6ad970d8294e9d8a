// The containers that answers come in - bare, wrapped, in an envelope, in a list of one - and how each is written.

import { isList, isObject, jsonObject, writeJson, type Json, type JsonObject } from '../json/json.ts';
import { instrumentIn } from './record.ts';
import { Mismatch, scalarText, type Value } from './value.ts';
import { SEED_VARIANTS, type Variants } from './variants.ts';

/** A row that could not be read: its instrument is not to be traded until it can, and the list proves no absence. */
export interface RefusedRow {
  /** Null where even that cannot be read. */
  readonly instrument: string | null;
  /** `[3].price: expected a decimal, got "x"`. */
  readonly problem: string;
}

/** Rows as they stood on the wire: newest first. */
export interface Listing<T> {
  readonly rows: readonly T[];
  readonly refused: readonly RefusedRow[];
}

export const listing = <T>(rows: readonly T[]): Listing<T> => ({ rows, refused: [] });

/** How the record, or nothing, stands in an answer; `own`: in none of the common ways. */
export type Container =
  | { readonly kind: 'list'; /** The member that holds it; null: bare. */ readonly member: string | null }
  | { readonly kind: 'one' | 'oneOrNone' | 'empty' | 'done' | 'own' };

/** What an endpoint answers: read from every known container, written in the specification's unless a switch says otherwise. */
export interface AnswerShape<T> {
  /** For people: `list of {symbol, ...}`. */
  readonly shape: string;
  readonly container: Container;
  /** The record that it is about, where it is about one. */
  readonly row: Value<unknown> | null;
  /** Throws Mismatch; `decodeAnswer` is for those outside. */
  read(json: Json): T;
  write(value: T, variants: Variants): Json;
}

export type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** What `json` says, or why it says nothing of that shape. */
export function decodeAnswer<T>(answer: AnswerShape<T>, json: Json): Decoded<T> {
  try {
    return { ok: true, value: answer.read(json) };
  } catch (error) {
    if (error instanceof Mismatch) return { ok: false, problem: `${error.place === '' ? '' : `${error.place}: `}${error.message}` };
    throw error;
  }
}

export function encodeAnswer<T>(answer: AnswerShape<T>, value: T, variants: Variants = SEED_VARIANTS): string {
  return writeJson(answer.write(value, variants));
}

/** True for `{code, msg, data}` with the code of success. */
export function isSuccess(json: Json): json is JsonObject {
  const code = isObject(json) ? json.get('code') : undefined;
  return code !== undefined && scalarText(code) === '0';
}

/** A success in the envelope of futures; `wide` has `msgData` and `succ` too. */
export function envelope(data: Json, okMsg: string, wide = false): Json {
  return jsonObject({ code: '0', msg: okMsg, data, ...(wide ? { msgData: null, succ: true } : {}) });
}

/** The list in a bare array, in a member, or in an envelope; null data is an empty list; undefined for all else. */
export function listIn(json: Json | undefined, ...members: readonly string[]): readonly Json[] | undefined {
  if (isList(json)) return json;
  if (!isObject(json)) return undefined;
  for (const name of [...members, 'list', 'symbols']) {
    const found = json.get(name);
    if (isList(found)) return found;
    if (found === null) return [];
  }
  const data = json.get('data');
  return data === null ? [] : listIn(data, ...members);
}

/** The object itself, the one element of a list, or the data of an envelope; null is "no information", never "there is none". */
export function objectIn(json: Json): JsonObject | null {
  if (isList(json) && json.length === 1) return objectIn(json[0]!);
  if (!isObject(json)) throw new Mismatch('an object', json);
  const data = json.get('data');
  if (data === undefined || !json.has('code')) return json;
  return data === null ? null : objectIn(data);
}

/** The rows that can be read, and what is wrong with the others. */
export function readRows<T>(row: Value<T>, found: readonly Json[]): Listing<T> {
  const rows: T[] = [];
  const refused: RefusedRow[] = [];
  found.forEach((json, at) => {
    try {
      rows.push(row.read(json));
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      error.within(`[${at}]`);
      refused.push({ instrument: instrumentIn(json), problem: `${error.place}: ${error.message}` });
    }
  });
  return { rows, refused };
}

interface ListOptions {
  readonly shape: string;
  /** The member of the answer that holds the list. */
  readonly member?: string;
  readonly write: (rows: readonly Json[], variants: Variants) => Json;
}

/** An answer that is a list of records. */
export function list<T>(row: Value<T>, options: ListOptions): AnswerShape<Listing<T>> {
  const { member } = options;
  return {
    shape: options.shape,
    container: { kind: 'list', member: member ?? null },
    row,
    read(json) {
      const found = listIn(json, ...(member === undefined ? [] : [member]));
      if (!found) throw new Mismatch('a list', json);
      return readRows(row, found);
    },
    write: ({ rows }, variants) =>
      options.write(
        rows.map((value) => row.write(value, variants)),
        variants,
      ),
  };
}

/** An answer that is one record. */
export function one<T>(row: Value<T>, shape: string, write: (json: Json, variants: Variants) => Json = (json) => json): AnswerShape<T> {
  return {
    shape,
    container: { kind: 'one' },
    row,
    read(json) {
      const found = objectIn(json);
      if (found === null) throw new Mismatch('an object', null);
      return row.read(found);
    },
    write: (value, variants) => write(row.write(value, variants), variants),
  };
}

/** An answer that is one record, or null where the service gives no information about what was asked for. */
export function oneOrNone<T>(row: Value<T>, shape: string, write: (json: Json, variants: Variants) => Json): AnswerShape<T | null> {
  return {
    shape,
    container: { kind: 'oneOrNone' },
    row,
    read(json) {
      const found = objectIn(json);
      return found === null ? null : row.read(found);
    },
    write: (value, variants) => (value === null ? envelope(null, 'Success') : write(row.write(value, variants), variants)),
  };
}

/** An answer that says no more than that it was done; null. */
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

/** The same in an envelope: success is code 0, whatever the text. */
export const doneAnswer: AnswerShape<null> = {
  shape: 'envelope without data',
  container: { kind: 'done' },
  row: null,
  read(json) {
    if (!isSuccess(json)) throw new Mismatch('code 0', json);
    return null;
  },
  write: (_, { okMsg }) => envelope(null, okMsg),
};
