// A call that has passed the gate: who, what, and parameters that are of their types; and the table of those who answer.

import { InvariantError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Op } from '../../protocol/endpoints/endpoints.ts';
import type { HandlerReply, ServiceRequest } from './message.ts';

/** Parameters by the names of the endpoint table. Numbers are text, digit by digit; what was not sent and has no default is absent. */
export interface CallArgs {
  readonly texts: ReadonlyMap<string, string>;
  readonly instrument: Instrument | null;
  readonly ids: readonly string[];
  readonly rows: readonly CallArgs[];
}

/** A parameter that the table makes sure of. */
export function textArg({ texts }: CallArgs, name: string): string {
  const found = texts.get(name);
  if (found === undefined) throw new InvariantError(`the check of parameters let a call without ${name} pass`);
  return found;
}

export const integerArg = (args: CallArgs, name: string): number => Number(textArg(args, name));

export function instrumentArg({ instrument }: CallArgs): Instrument {
  if (instrument === null) throw new InvariantError('the check of parameters let a call without an instrument pass');
  return instrument;
}

/** Who calls: the index of the account in the config; public calls have none. */
export interface Caller {
  readonly account: number;
  readonly uid: string;
}

/** A call of a public endpoint. */
export interface PublicCall {
  readonly args: CallArgs;
  /** The time of the market. */
  readonly nowMs: number;
  /** What the exchange says the time is. */
  readonly clockMs: number;
  /** Names in lower case. */
  readonly headers: ServiceRequest['headers'];
}

export interface SignedCall extends PublicCall {
  readonly caller: Caller;
}

/** Who answers an operation, from step 13 of the order of checks on. */
export type Handler =
  | { readonly kind: 'public'; readonly answer: (call: PublicCall) => HandlerReply }
  | { readonly kind: 'signed'; readonly answer: (call: SignedCall) => HandlerReply };

/** One market of the exchange: a table of handlers. An operation without one is answered -1020. */
export type Handlers = Readonly<Partial<Record<Op, Handler>>>;
export const publicHandler = (answer: (call: PublicCall) => HandlerReply): Handler => ({ kind: 'public', answer });
export const signedHandler = (answer: (call: SignedCall) => HandlerReply): Handler => ({ kind: 'signed', answer });
