// Sends one parameter of one endpoint wrong in every way, and checks the code of each reply.

import { expect } from 'vitest';
import { endpointOf, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import { codeOf, type Fixture } from './serviceFixture.ts';

/** The arguments of a call by the names of the wire. */
export type NamedArgs = Readonly<Record<string, unknown>>;

/** The code that answers each fault of a parameter: missing, empty, of a foreign type, with foreign characters, out of range. */
export interface FaultCodes {
  readonly missing: number;
  readonly empty: number;
  readonly foreign?: number;
  readonly chars?: number;
  readonly beyond?: readonly [unknown, number];
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
  readonly createFixture: () => Fixture;
}

/** Sends one call to the exchange of the fixture, and returns the code of its reply; 0 for a success. */
export function call(createFixture: Fixture, op: Op, args: NamedArgs): number {
  const { method, path, security } = endpointOf(op);
  if (method === 'POST') return codeOf(createFixture.post(path, args));
  const pairs = Object.entries(args).map(
    ([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const target = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
  return codeOf(security === 'NONE' ? createFixture.open(target) : createFixture.get(target));
}

const without = (args: NamedArgs, name: string): NamedArgs =>
  Object.fromEntries(Object.entries(args).filter(([otherName]) => otherName !== name));

/** Checks that the valid call succeeds, and that each fault of the parameter has its code. */
export function checkCell({ op, parameter: name, faults, validArgs, codeOfCall, createFixture }: ParameterCell): void {
  const isBody = endpointOf(op).method === 'POST';
  const isName = name === 'symbol' || name === 'contractName';
  expect(codeOfCall(op, validArgs), 'right').toBe(0);
  expect(codeOfCall(op, without(validArgs, name)), 'missing').toBe(faults.missing);
  expect(codeOfCall(op, { ...validArgs, [name]: '' }), 'empty').toBe(faults.empty);
  if (isBody) {
    expect(codeOfCall(op, { ...validArgs, [name]: null }), 'null').toBe(faults.missing);
    const isList = name === 'orders' || name === 'orderIds';
    if (!isList) for (const nested of [{}, [], [1]]) expect(codeOfCall(op, { ...validArgs, [name]: nested }), 'nested').toBe(-1102);
    // A POST parameter in the query counts as not sent.
    const target = `${endpointOf(op).path}?${name}=${encodeURIComponent(JSON.stringify(validArgs[name]))}`;
    expect(codeOf(createFixture().post(target, without(validArgs, name))), 'in the query').toBe(faults.missing);
  }
  if (faults.foreign !== undefined) {
    // A query has only text, and no text is of a foreign type for a name.
    const foreignText = isName ? '' : 'many';
    const foreign = isBody ? true : foreignText;
    expect(codeOfCall(op, { ...validArgs, [name]: foreign }), 'foreign').toBe(isBody || !isName ? faults.foreign : -1121);
  }
  if (faults.chars !== undefined) expect(codeOfCall(op, { ...validArgs, [name]: 'a b;' }), 'characters').toBe(faults.chars);
  if (faults.beyond) expect(codeOfCall(op, { ...validArgs, [name]: faults.beyond[0] }), 'beyond').toBe(faults.beyond[1]);
  expect(codeOfCall(op, { ...validArgs, surplus: 1 }), 'surplus').toBe(0);
  expect(codeOfCall(op, { ...validArgs, surplus: 1 }, { unknownParams: 'reject' }), 'surplus, strictly').toBe(-1103);
}
