// Declares a row of the endpoint table, and the ways in which each kind of parameter can be wrong (parts 4 and 7).

import type { Given } from './caller.ts';
import type { Shape } from './shapes.ts';
import type { World } from './world.ts';

/** A value that is sent, and the code that it is answered; 0: it is taken. */
export type Sample = readonly [value: unknown, code: number];

/** The ways of a parameter to be wrong. `type`, `range` and `precise` are empty where its kind knows no such way. */
export interface Wrong {
  readonly missing: number;
  readonly empty: number;
  readonly type: readonly Sample[];
  readonly range: readonly Sample[];
  readonly precise: readonly Sample[];
}

export interface Endpoint {
  readonly op: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly isSigned: boolean;
  /** It places, ends or changes something. */
  readonly isWrite: boolean;
  readonly params: Readonly<Record<string, Wrong>>;
  /** A call that is right, on an exchange that has been made ready for it. */
  readonly good: (world: World) => Given | Promise<Given>;
  readonly shape: Shape;
}

/** In a query all is text: it can be foreign to a number alone. */
export type Place = 'query' | 'body';
type Need = 'required' | 'optional' | 'defaulted';

const NESTED: readonly Sample[] = [
  [{}, -1102],
  [[], -1102],
  [[1], -1102],
];
const foreign = (place: Place, ...more: readonly Sample[]): readonly Sample[] =>
  place === 'query' ? more : [[true, -1102], ...NESTED, ...more];

export const name = (place: Place, need: Need = 'required'): Wrong => ({
  missing: need === 'required' ? -1121 : 0,
  empty: -1121,
  type: place === 'query' ? [] : [[5, -1102], ...foreign(place)],
  range: [
    ['NOSUCH', -1121],
    ['BTC USDT', -1100],
    ['x'.repeat(65), -1100],
  ],
  precise: [],
});

export const limit = (place: Place, max: number, need: Need = 'optional'): Wrong => ({
  missing: 0,
  empty: need === 'defaulted' ? -1105 : -1102,
  type: foreign(place, ['many', -1102]),
  range: [
    [0, -1102],
    [-1, -1102],
    [max, 0],
    [max + 1, 0],
  ],
  precise: [[5.5, -1102]],
});

export const page = (place: Place): Wrong => ({
  ...limit(place, 1000),
  range: [
    [0, -1102],
    [-1, -1102],
    [1_000_001, -1102],
  ],
});

/** Decimals of the quantity: `precise` has one too many. */
export const volume = (precise: string): Wrong => ({
  missing: -1102,
  empty: -1105,
  type: foreign('body', ['many', -1102]),
  range: [
    [0, -1136],
    [-1, -1136],
  ],
  precise: [
    [precise, -1147],
    ['1e-9', -1147],
  ],
});

/** Wanted by LIMIT alone. */
export const price = (precise: string): Wrong => ({
  missing: -1102,
  empty: -1102,
  type: foreign('body', ['many', -1102]),
  range: [
    [0, -1102],
    [-1, -1102],
  ],
  precise: [[precise, -1147]],
});

/** One of a few words or numbers; `code` for all others. */
export const choice = (code: number, other: unknown, need: Need = 'required'): Wrong => ({
  missing: need === 'required' ? -1102 : 0,
  empty: need === 'required' ? -1105 : -1102,
  type: foreign('body'),
  range: [[other, code]],
  precise: typeof other === 'number' ? [[1.5, code]] : [],
});
export const side = choice(-1117, 'buy');
export const orderType = choice(-1116, 'STOP');

export const clientId = (place: Place): Wrong => ({
  missing: 0,
  empty: 0,
  type: foreign(place),
  range: [
    ['x'.repeat(32), -1100],
    ['a b', -1100],
    ['ä', -1100],
  ],
  precise: [],
});

/** An id of digits. `unknown`: the code for an id that does not exist. */
export const id = (place: Place, unknown: number, need: Need = 'required'): Wrong => ({
  missing: need === 'required' ? -1102 : 0,
  empty: need === 'required' ? -1105 : -1102,
  type: foreign(place, ['x7', -1102]),
  range: [
    ['7', unknown],
    ['a b', -1100],
    ['9'.repeat(32), -1100],
  ],
  precise: [['1.5', -1100]],
});

export const interval: Wrong = {
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

/** A list of at most ten. `badElements`: lists with something in them that is wrong. */
export const list = (max: unknown, badElements: readonly Sample[]): Wrong => ({
  missing: -1102,
  empty: -1102,
  type: [[true, -1102], [5, -1102], ['many', -1102], [{}, -1102], [[], -1102], ...badElements],
  range: [[max, -1101]],
  precise: [],
});
