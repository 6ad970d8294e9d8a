// Defines the rows of the endpoint table: security, parameters, rate limit and reply of a call.

import type { CommonInterval } from '../../model/interval.ts';
import type { Market } from '../../model/instrument.ts';
import type { AnswerShape } from '../shapes/answer.ts';

/** The five security types of the specification, part 5, and the headers that each requires. */
export const SECURITY = {
  NONE: { key: false, signature: false },
  TRADE: { key: true, signature: true },
  USER_DATA: { key: true, signature: true },
  /** No endpoint of the specification has these two types. A service may have them for calls of its own. */
  USER_STREAM: { key: true, signature: false },
  MARKET_DATA: { key: true, signature: false },
} as const satisfies Readonly<Record<string, { readonly key: boolean; readonly signature: boolean }>>;
/** Whether a call needs a key and a signature. */
export type Security = keyof typeof SECURITY;

/**
 * The effect of a call. Only a `read` may be retried by the layer that sends it. The owner of a `cancel` or `setting` may issue it again
 * after a fresh read. A `create` is sent once and never again. A `test` places no order, and is still sent only once.
 */
export type Effect = 'read' | 'create' | 'cancel' | 'setting' | 'test';

/**
 * `required`: rejected if missing. `optional`: may be missing. `disputed`: the specification says both, so it is always sent, with its
 * default if the caller gives none. `either`: at least one of the parameters with this mark is required.
 */
export type Need = 'required' | 'optional' | 'disputed' | 'either';

/** The parameter and value on which another parameter depends: required with this value, otherwise neither sent nor read. */
export interface OnlyWith {
  readonly name: string;
  readonly is: string;
}

/** The members that parameters of every kind have. */
interface ParamBase {
  readonly need: Need;
  /** Description in `isobar api --list` and in the OpenAPI document. */
  readonly help: string;
  /** Unit of the value, if it is not obvious. */
  readonly unit?: string;
  readonly onlyWith?: OnlyWith;
  /** Other names under which services accept it. */
  readonly otherNames?: readonly string[];
}

/** A parameter that is text. */
export interface TextParam extends ParamBase {
  readonly kind: 'text';
  /** Meaning of the text. `symbol` and `contractName` name an instrument. */
  readonly of: 'symbol' | 'contractName' | 'clientId';
}
/** A parameter with a fixed list of values. */
export interface ChoiceParam extends ParamBase {
  readonly kind: 'choice';
  /** Valid values. Strings are sent as text, numbers as numbers. */
  readonly values: readonly (string | number)[];
}
/** A parameter that is a whole number in a range. */
export interface IntegerParam extends ParamBase {
  readonly kind: 'integer';
  /** Form in a body. Some whole numbers are sent as text. */
  readonly wire: 'number' | 'string';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}
/** A parameter that is a decimal, such as a price. */
export interface DecimalParam extends ParamBase {
  readonly kind: 'decimal';
  readonly wire: 'number' | 'string';
}
/** A parameter that is an id of the venue. */
export interface IdParam extends ParamBase {
  readonly kind: 'id';
  readonly wire: 'number' | 'string';
}
/** A parameter that is the interval of klines. */
export interface IntervalParam extends ParamBase {
  readonly kind: 'interval';
}
/** A parameter that is a time (ms UTC). */
export interface TimeParam extends ParamBase {
  readonly kind: 'time';
}
/** A parameter that is a list of ids. */
export interface IdsParam extends ParamBase {
  readonly kind: 'ids';
  readonly max: number;
}
/** A parameter that is a list of objects, such as the orders of a batch. */
export interface RowsParam extends ParamBase {
  readonly kind: 'rows';
  readonly max: number;
  readonly row: Params;
}

/** One parameter. Decimals are above 0. All parameters of an endpoint go to one place: the query of a GET, the body of a POST. */
export type Param = TextParam | ChoiceParam | IntegerParam | DecimalParam | IdParam | IntervalParam | TimeParam | IdsParam | RowsParam;
/** Parameters by name, in the order of the specification's table. */
export interface Params {
  readonly [name: string]: Param;
}

/** The type of an argument: decimals and ids are text, whole numbers and times (ms) are numbers. */
export type ArgOf<P> = P extends ChoiceParam
  ? P['values'][number]
  : P extends RowsParam
    ? readonly ArgsOf<P['row']>[]
    : P extends IdsParam
      ? readonly string[]
      : P extends IntervalParam
        ? CommonInterval
        : P extends IntegerParam | TimeParam
          ? number
          : string;

type IsRequiredArg<P> = P extends { readonly onlyWith: OnlyWith } | { readonly default: number }
  ? false
  : P extends { readonly need: 'required' | 'disputed' }
    ? true
    : false;
type RequiredNames<P> = { readonly [Name in keyof P]: IsRequiredArg<P[Name]> extends true ? Name : never }[keyof P];

/** The type of a call's arguments. */
export type ArgsOf<P> = keyof P extends never
  ? Readonly<Record<string, never>>
  : { readonly [Name in RequiredNames<P>]: ArgOf<P[Name]> } & {
      readonly [Name in Exclude<keyof P, RequiredNames<P>>]?: ArgOf<P[Name]>;
    };

/** How often a call may be made. Calls of one rate class share a count. Private calls count by key, public calls by IP address. */
export interface RateLimit {
  readonly rateClass: string;
  readonly scope: 'key' | 'ip';
  readonly count: number;
  readonly windowMs: number;
  readonly weight: number;
  /** `spec`: part 8. `dialect`: seen on real services. `assumed`: not published; a cautious limit that only our client observes. */
  readonly source: 'spec' | 'dialect' | 'assumed';
}

/** One call of the API: path, method, security, parameters and answer. */
export interface Endpoint<P extends Params = Params, R = unknown> {
  readonly market: Market;
  readonly method: 'GET' | 'POST';
  /** Another method that the specification lists or services accept. */
  readonly otherMethod?: 'GET';
  readonly path: string;
  /** Paths of the same call on other services. */
  readonly otherPaths?: readonly string[];
  readonly security: Security;
  readonly effect: Effect;
  /** Short description. */
  readonly help: string;
  readonly params: P;
  /** Parameters that are always sent with their defaults, for a POST whose parameters are all optional. No body is ever empty. */
  readonly alwaysSent?: readonly string[];
  readonly answer: AnswerShape<R>;
  readonly limit: RateLimit;
}

/** Returns where the parameters of a call are sent. */
export const paramPlace = ({ method }: Pick<Endpoint, 'method'>): 'query' | 'body' => (method === 'GET' ? 'query' : 'body');

/** True when the sending layer may retry a failed call, with a new signature. */
export const isSafeToRetry = ({ effect }: Pick<Endpoint, 'effect'>): boolean => effect === 'read';

/** Returns the row unchanged. It exists so that the compiler keeps the types of its parameters and reply. */
export const endpoint = <const P extends Params, R>(row: Endpoint<P, R>): Endpoint<P, R> => row;
