// A call whose request passed every check: its caller and its typed parameters. Also the table of handlers that answer calls.

import { InvariantError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Op } from '../../protocol/endpoints/endpoints.ts';
import type { HandlerReply, ServiceRequest } from './message.ts';

/**
 * Parameters by their names in the endpoint table. Numbers are text, digit by digit. A parameter that was not sent and has no default is
 * absent.
 */
export interface CallArgs {
  readonly texts: ReadonlyMap<string, string>;
  readonly instrument: Instrument | null;
  readonly ids: readonly string[];
  readonly rows: readonly CallArgs[];
}

/** Returns a parameter that the checks guarantee. Throws InvariantError if it is missing. */
export function textArg({ texts }: CallArgs, name: string): string {
  const text = texts.get(name);
  if (text === undefined) throw new InvariantError(`the check of parameters let a call without ${name} pass`);
  return text;
}

/** Returns a parameter that the checks guarantee to be a whole number. */
export const integerArg = (args: CallArgs, name: string): number => Number(textArg(args, name));

/** Returns the instrument that the checks have found by its symbol. Throws InvariantError if the call has none. */
export function instrumentArg({ instrument }: CallArgs): Instrument {
  if (instrument === null) throw new InvariantError('the check of parameters let a call without an instrument pass');
  return instrument;
}

/** The caller: the index of its account in the config, and its uid. Public calls have no caller. */
export interface Caller {
  readonly account: number;
  readonly uid: string;
}

/** A call of a public endpoint. */
export interface PublicCall {
  readonly args: CallArgs;
  /** Market time, ms UTC. */
  readonly nowMs: number;
  /** The time that the exchange reports, ms UTC. */
  readonly clockMs: number;
  /** Header names are in lower case. */
  readonly headers: ServiceRequest['headers'];
}

/** A call of a signed endpoint, after its signature was checked. */
export interface SignedCall extends PublicCall {
  readonly caller: Caller;
}

/** Handles one operation from step 13 of the order of checks on. */
export type Handler =
  | { readonly kind: 'public'; readonly answer: (call: PublicCall) => HandlerReply }
  | { readonly kind: 'signed'; readonly answer: (call: SignedCall) => HandlerReply };

/** The handlers of one market. An operation without a handler is answered with -1020. */
export type Handlers = Readonly<Partial<Record<Op, Handler>>>;

/** Returns a handler for an endpoint that needs no key. */
export const publicHandler = (answer: (call: PublicCall) => HandlerReply): Handler => ({ kind: 'public', answer });
/** Returns a handler for an endpoint that needs a signature. */
export const signedHandler = (answer: (call: SignedCall) => HandlerReply): Handler => ({ kind: 'signed', answer });
