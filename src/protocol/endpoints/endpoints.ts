// All endpoints in one table: the single source for the client, the paper exchange and the command line.

import type { AnswerShape } from '../shapes/answer.ts';
import type { ArgsOf, Endpoint } from './endpoint.ts';
import { FUTURES_ENDPOINTS } from './futuresEndpoints.ts';
import { SPOT_ENDPOINTS } from './spotEndpoints.ts';

/** All calls of the API, by operation. */
export const ENDPOINTS = { ...SPOT_ENDPOINTS, ...FUTURES_ENDPOINTS } as const;

/** `<market>.<operation>`: the specification's name of the operation in camelCase. */
export type Op = keyof typeof ENDPOINTS;
/** The argument type of operation `O`. */
export type OpArgs<O extends Op> = ArgsOf<(typeof ENDPOINTS)[O]['params']>;
/** The result type of operation `O`. */
export type OpResult<O extends Op> = ReturnType<(typeof ENDPOINTS)[O]['answer']['read']>;

/** All operations, in the order of the specification. */
export const OPS: readonly Op[] = Object.keys(ENDPOINTS).filter(isOp);

/** True when `name` is an operation of the API. */
export function isOp(name: string): name is Op {
  return Object.hasOwn(ENDPOINTS, name);
}

/** Returns the row of `op`, without the types of its arguments. */
export const endpointOf = (op: Op): Endpoint => ENDPOINTS[op];

/** Returns the reply shape of `op`. */
export function answerOf<O extends Op>(op: O): AnswerShape<OpResult<O>> {
  // Safe: OpResult is derived from the `read` of this very row.
  return ENDPOINTS[op].answer as AnswerShape<unknown> as AnswerShape<OpResult<O>>;
}
