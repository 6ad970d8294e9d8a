// Declares a row of the endpoint table, and the ways in which each kind of parameter can be wrong (parts 4 and 7).

import type { CallArgs } from './caller.ts';
import type { Shape } from './shapes.ts';
import type { World } from './world.ts';

/** A value that is sent, and the code of the reply. The code 0 means that the exchange accepts the value. */
export type Sample = readonly [value: unknown, code: number];

/**
 * The codes of all ways in which a parameter can be invalid: missing, empty, of a wrong type, out of range, too precise. A list is empty if the
 * kind of parameter cannot be invalid in that way.
 */
export interface InvalidValues {
  readonly missing: number;
  readonly empty: number;
  readonly type: readonly Sample[];
  readonly range: readonly Sample[];
  readonly precise: readonly Sample[];
}

/** One documented endpoint, as a client sees it. */
export interface Endpoint {
  readonly op: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly isSigned: boolean;
  /** True if the call places, cancels or changes something. */
  readonly isWrite: boolean;
  readonly params: Readonly<Record<string, InvalidValues>>;
  /** Returns arguments of a valid call, and places the orders that the call needs. */
  readonly validArgs: (world: World) => CallArgs | Promise<CallArgs>;
  readonly shape: Shape;
}

/** Where a parameter is sent. Values in a query are text, so only numbers can have a wrong type there. */
export type Place = 'query' | 'body';
/** Whether a parameter must be sent. `defaulted`: it may be left out, but an empty value is an error of its own. */
type Need = 'required' | 'optional' | 'defaulted';

/** Objects and lists. */
const NESTED: readonly Sample[] = [
  [{}, -1102],
  [[], -1102],
  [[1], -1102],
];

/** Returns values of a wrong type: `samples` in any place, and in a body also booleans, objects and lists. */
const wrongTypes = (place: Place, ...samples: readonly Sample[]): readonly Sample[] =>
  place === 'query' ? samples : [[true, -1102], ...NESTED, ...samples];

/** The wrong values of a symbol or a contract name. */
export const nameParam = (place: Place, need: Need = 'required'): InvalidValues => ({
  missing: need === 'required' ? -1121 : 0,
  empty: -1121,
  type: place === 'query' ? [] : [[5, -1102], ...wrongTypes(place)],
  range: [
    ['NOSUCH', -1121],
    ['BTC USDT', -1100],
    ['x'.repeat(65), -1100],
  ],
  precise: [],
});

/** The wrong values of a maximum number of rows. */
export const limitParam = (place: Place, max: number, need: Need = 'optional'): InvalidValues => ({
  missing: 0,
  empty: need === 'defaulted' ? -1105 : -1102,
  type: wrongTypes(place, ['many', -1102]),
  range: [
    [0, -1102],
    [-1, -1102],
    [max, 0],
    [max + 1, 0],
  ],
  precise: [[5.5, -1102]],
});

/** The wrong values of a page number. */
export const pageParam = (place: Place): InvalidValues => ({
  ...limitParam(place, 1000),
  range: [
    [0, -1102],
    [-1, -1102],
    [1_000_001, -1102],
  ],
});

/** The wrong values of a quantity. `precise` is a value with one decimal too many. */
export const volumeParam = (precise: string): InvalidValues => ({
  missing: -1102,
  empty: -1105,
  type: wrongTypes('body', ['many', -1102]),
  range: [
    [0, -1136],
    [-1, -1136],
  ],
  precise: [
    [precise, -1147],
    ['1e-9', -1147],
  ],
});

/** The wrong values of a price, which only a LIMIT order has. `precise` is a value with one decimal too many. */
export const priceParam = (precise: string): InvalidValues => ({
  missing: -1102,
  empty: -1102,
  type: wrongTypes('body', ['many', -1102]),
  range: [
    [0, -1102],
    [-1, -1102],
  ],
  precise: [[precise, -1147]],
});

/** The wrong values of a choice between a few words or numbers. `other` is an example of all other values, which get `code`. */
export const choiceParam = (code: number, other: unknown, need: Need = 'required'): InvalidValues => ({
  missing: need === 'required' ? -1102 : 0,
  empty: need === 'required' ? -1105 : -1102,
  type: wrongTypes('body'),
  range: [[other, code]],
  precise: typeof other === 'number' ? [[1.5, code]] : [],
});
/** The wrong values of a side. */
export const sideParam = choiceParam(-1117, 'buy');
/** The wrong values of an order type. */
export const orderTypeParam = choiceParam(-1116, 'STOP');

/** The wrong values of a client order id. */
export const clientIdParam = (place: Place): InvalidValues => ({
  missing: 0,
  empty: 0,
  type: wrongTypes(place),
  range: [
    ['x'.repeat(32), -1100],
    ['a b', -1100],
    ['ä', -1100],
  ],
  precise: [],
});

/** The wrong values of an id of digits. `unknownCode` is the code for an id that does not exist. */
export const idParam = (place: Place, unknownCode: number, need: Need = 'required'): InvalidValues => ({
  missing: need === 'required' ? -1102 : 0,
  empty: need === 'required' ? -1105 : -1102,
  type: wrongTypes(place, ['x7', -1102]),
  range: [
    ['7', unknownCode],
    ['a b', -1100],
    ['9'.repeat(32), -1100],
  ],
  precise: [['1.5', -1100]],
});

/** The wrong values of an interval, such as lengths that no endpoint has. */
export const intervalParam: InvalidValues = {
  missing: -1102,
  empty: -1105,
  type: [],
  range: [
    ['4h', -1102],
    ['2min', -1102],
    ['1M', -1102],
  ],
  precise: [],
};

/** The wrong values of a list of at most ten. `tooLong` is a list of eleven, and `badElements` are lists with an invalid element. */
export const listParam = (tooLong: unknown, badElements: readonly Sample[]): InvalidValues => ({
  missing: -1102,
  empty: -1102,
  type: [[true, -1102], [5, -1102], ['many', -1102], [{}, -1102], [[], -1102], ...badElements],
  range: [[tooLong, -1101]],
  precise: [],
});
