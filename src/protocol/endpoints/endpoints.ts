// All endpoints in one table: the single source for the client, the paper exchange and the command line.

import type { AnswerShape } from '../shapes/answer.ts';
import type { ArgsOf, Endpoint } from './endpoint.ts';
import { FUTURES_ENDPOINTS } from './futuresEndpoints.ts';
import { SPOT_ENDPOINTS } from './spotEndpoints.ts';

export const ENDPOINTS = { ...SPOT_ENDPOINTS, ...FUTURES_ENDPOINTS } as const;

/** `<market>.<operation>`: the specification's name of the operation in camelCase. */
export type Op = keyof typeof ENDPOINTS;
/** The arguments that a call of `O` takes. */
export type OpArgs<O extends Op> = ArgsOf<(typeof ENDPOINTS)[O]['params']>;
/** What its answer says. */
export type OpResult<O extends Op> = ReturnType<(typeof ENDPOINTS)[O]['answer']['read']>;

/** In the order of the specification. */
export const OPS: readonly Op[] = Object.keys(ENDPOINTS).filter(isOp);

export function isOp(name: string): name is Op {
  return Object.hasOwn(ENDPOINTS, name);
}

/** The row of `op`, without the types of its arguments. */
export const endpointOf = (op: Op): Endpoint => ENDPOINTS[op];

/** The answer of `op`. */
export function answerOf<O extends Op>(op: O): AnswerShape<OpResult<O>> {
  // The table's own type: what `read` of the row gives is what OpResult was taken from.
  return ENDPOINTS[op].answer as AnswerShape<unknown> as AnswerShape<OpResult<O>>;
}
