// The form of a row of the endpoint table: who may call it, with what, how often, and what comes back.

import type { Interval } from '../../model/interval.ts';
import type { Market } from '../../model/instrument.ts';
import type { AnswerShape } from '../shapes/answer.ts';

/** The five security types of the specification, part 5, and the headers that each wants. */
export const SECURITY = {
  NONE: { key: false, signature: false },
  TRADE: { key: true, signature: true },
  USER_DATA: { key: true, signature: true },
  /** No endpoint has these two; a service can show them on routes of its own. */
  USER_STREAM: { key: true, signature: false },
  MARKET_DATA: { key: true, signature: false },
} as const satisfies Readonly<Record<string, { readonly key: boolean; readonly signature: boolean }>>;
export type Security = keyof typeof SECURITY;

/**
 * What a call does. Only `read` may be sent again by whoever sends. `cancel` and `setting` may be issued again by their owner after a
 * fresh read. `create` is sent once and never again. `test` places nothing, and is sent once all the same.
 */
export type Effect = 'read' | 'create' | 'cancel' | 'setting' | 'test';

/**
 * `required`: refused without it. `optional`. `disputed`: the specification says both, so it is always sent, as its default where the
 * caller gives none. `either`: at least one of those so marked.
 */
export type Need = 'required' | 'optional' | 'disputed' | 'either';

/** Another parameter's value, without which this one is neither wanted nor read; with it, it is required. */
export interface OnlyWith {
  readonly name: string;
  readonly is: string;
}

interface Common {
  readonly need: Need;
  /** In words. */
  readonly help: string;
  /** What it counts in, where that is not plain. */
  readonly unit?: string;
  readonly onlyWith?: OnlyWith;
  /** Names under which services know it too. */
  readonly otherNames?: readonly string[];
}

export interface TextParam extends Common {
  readonly kind: 'text';
  /** `symbol` and `contractName`: names of instruments. */
  readonly of: 'symbol' | 'contractName' | 'clientId';
}
export interface ChoiceParam extends Common {
  readonly kind: 'choice';
  /** Text on the wire is text here, numbers are numbers. */
  readonly values: readonly (string | number)[];
}
export interface IntegerParam extends Common {
  readonly kind: 'integer';
  /** Some whole numbers are text in a body. */
  readonly wire: 'number' | 'string';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}
export interface DecimalParam extends Common {
  readonly kind: 'decimal';
  readonly wire: 'number' | 'string';
}
export interface IdParam extends Common {
  readonly kind: 'id';
  readonly wire: 'number' | 'string';
}
export interface IntervalParam extends Common {
  readonly kind: 'interval';
}
export interface TimeParam extends Common {
  readonly kind: 'time';
}
export interface IdsParam extends Common {
  readonly kind: 'ids';
  readonly max: number;
}
export interface RowsParam extends Common {
  readonly kind: 'rows';
  readonly max: number;
  readonly row: Params;
}

/** One parameter. Decimals are above 0. All of an endpoint go to one place: the query of a GET, the body of a POST. */
export type Param = TextParam | ChoiceParam | IntegerParam | DecimalParam | IdParam | IntervalParam | TimeParam | IdsParam | RowsParam;
/** By name, in the order of the specification's table. */
export interface Params {
  readonly [name: string]: Param;
}

/** What a program gives for a parameter: decimals and ids as text, whole numbers and times (ms) as numbers. */
export type ArgOf<P> = P extends ChoiceParam
  ? P['values'][number]
  : P extends RowsParam
    ? readonly ArgsOf<P['row']>[]
    : P extends IdsParam
      ? readonly string[]
      : P extends IntervalParam
        ? Interval
        : P extends IntegerParam | TimeParam
          ? number
          : string;

type MustGive<P> = P extends { readonly onlyWith: OnlyWith } | { readonly default: number }
  ? false
  : P extends { readonly need: 'required' | 'disputed' }
    ? true
    : false;
type GivenNames<P> = { readonly [Name in keyof P]: MustGive<P[Name]> extends true ? Name : never }[keyof P];

/** The arguments of a call, as its parameters say. */
export type ArgsOf<P> = keyof P extends never
  ? Readonly<Record<string, never>>
  : { readonly [Name in GivenNames<P>]: ArgOf<P[Name]> } & {
      readonly [Name in Exclude<keyof P, GivenNames<P>>]?: ArgOf<P[Name]>;
    };

/** How often a call may be made. Calls of one class share its count; private data counts on the key, public data on the IP. */
export interface RateLimit {
  readonly rateClass: string;
  readonly scope: 'key' | 'ip';
  readonly count: number;
  readonly windowMs: number;
  readonly weight: number;
  /** `spec`: part 8. `dialect`: seen on real services. `assumed`: not published anywhere; careful, and kept to by us alone. */
  readonly source: 'spec' | 'dialect' | 'assumed';
}

export interface Endpoint<P extends Params = Params, R = unknown> {
  readonly market: Market;
  readonly method: 'GET' | 'POST';
  /** A method that the specification lists, or services know, too. */
  readonly otherMethod?: 'GET';
  readonly path: string;
  /** Paths of the same call on other services. */
  readonly otherPaths?: readonly string[];
  readonly security: Security;
  readonly effect: Effect;
  /** In a few words. */
  readonly help: string;
  readonly params: P;
  /** A POST whose parameters are all optional: these are sent with their defaults, so that no body is ever empty. */
  readonly alwaysSent?: readonly string[];
  readonly answer: AnswerShape<R>;
  readonly limit: RateLimit;
}

/** Where the parameters go. */
export const paramPlace = ({ method }: Pick<Endpoint, 'method'>): 'query' | 'body' => (method === 'GET' ? 'query' : 'body');

/** True where a failed call may be sent again, freshly signed, by the layer that sent it. */
export const isSafeToRetry = ({ effect }: Pick<Endpoint, 'effect'>): boolean => effect === 'read';

/** A row, with the types of its parameters and its answer kept. */
export const endpoint = <const P extends Params, R>(row: Endpoint<P, R>): Endpoint<P, R> => row;
