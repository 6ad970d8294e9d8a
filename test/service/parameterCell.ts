// Sends one parameter of one endpoint wrong in every way, and checks the code of each reply.

import { expect } from 'vitest';
import { endpointOf, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import { codeOf, type ServiceFixture } from './serviceFixture.ts';

/** The arguments of a call by the names of the wire. */
export type NamedArgs = Readonly<Record<string, unknown>>;

/** The code of the reply to each fault of a parameter. */
export interface FaultCodes {
  readonly missing: number;
  readonly empty: number;
  /** The value has another type than the parameter. */
  readonly wrongType?: number;
  /** The value has characters that are not allowed. */
  readonly illegalChars?: number;
  /** A value out of range, and its code. */
  readonly outOfRange?: readonly [value: unknown, code: number];
}

/** One parameter of an endpoint, and the codes of its faults. */
export interface ParameterCell {
  readonly op: Op;
  readonly parameter: string;
  readonly faults: FaultCodes;
  /** Arguments of a valid call. */
  readonly validArgs: NamedArgs;
  /** Returns the code of a call to an exchange that is prepared for it. */
  readonly codeOfCall: (op: Op, args: NamedArgs, switches?: SwitchValues) => number;
  readonly createFixture: () => ServiceFixture;
}

/** Sends one call to the exchange of the fixture, and returns the code of its reply; 0 for a success. */
export function call(fixture: ServiceFixture, op: Op, args: NamedArgs): number {
  const { method, path, security } = endpointOf(op);
  if (method === 'POST') return codeOf(fixture.post(path, args));
  const pairs = Object.entries(args).map(
    ([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const target = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
  return codeOf(security === 'NONE' ? fixture.getPublic(target) : fixture.get(target));
}

/** Returns the arguments without the one of this name. */
const without = (args: NamedArgs, name: string): NamedArgs =>
  Object.fromEntries(Object.entries(args).filter(([otherName]) => otherName !== name));

/** Checks that the valid call succeeds, and that each fault of the parameter has its code. */
export function checkCell({ op, parameter: name, faults, validArgs, codeOfCall, createFixture }: ParameterCell): void {
  const isInBody = endpointOf(op).method === 'POST';
  const isName = name === 'symbol' || name === 'contractName';
  /** Returns the code of the call with this value of the parameter. */
  const codeWith = (value: unknown): number => codeOfCall(op, { ...validArgs, [name]: value });
  expect(codeOfCall(op, validArgs), 'valid').toBe(0);
  expect(codeOfCall(op, without(validArgs, name)), 'missing').toBe(faults.missing);
  expect(codeWith(''), 'empty').toBe(faults.empty);
  if (isInBody) {
    expect(codeWith(null), 'null').toBe(faults.missing);
    const isList = name === 'orders' || name === 'orderIds';
    if (!isList) for (const nested of [{}, [], [1]]) expect(codeWith(nested), 'nested').toBe(-1102);
    // A POST parameter in the query counts as not sent.
    const target = `${endpointOf(op).path}?${name}=${encodeURIComponent(JSON.stringify(validArgs[name]))}`;
    expect(codeOf(createFixture().post(target, without(validArgs, name))), 'in the query').toBe(faults.missing);
  }
  if (faults.wrongType !== undefined) {
    // A query has only text, and any text has the type of a name.
    const wrongTypeText = isName ? '' : 'many';
    const wrongTypeValue = isInBody ? true : wrongTypeText;
    const expectedCode = isInBody || !isName ? faults.wrongType : -1121;
    expect(codeWith(wrongTypeValue), 'a value of another type').toBe(expectedCode);
  }
  if (faults.illegalChars !== undefined) expect(codeWith('a b;'), 'characters').toBe(faults.illegalChars);
  if (faults.outOfRange) {
    const [value, code] = faults.outOfRange;
    expect(codeWith(value), 'a value out of range').toBe(code);
  }
  expect(codeOfCall(op, { ...validArgs, surplus: 1 }), 'surplus').toBe(0);
  expect(codeOfCall(op, { ...validArgs, surplus: 1 }, { unknownParams: 'reject' }), 'surplus, strictly').toBe(-1103);
}
