// Makes one parameter of one endpoint wrong in every way, and states the answer to each.

import { expect } from 'vitest';
import { endpointOf, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { SwitchValues } from '../../src/paperExchange/dialect/profile.ts';
import { codeOf, type Fixture } from './serviceFixture.ts';

export type Given = Readonly<Record<string, unknown>>;

/** What each fault of a parameter is answered: missing, empty, null, of a foreign type, with foreign characters, out of range. */
export interface Faults {
  readonly missing: number;
  readonly empty: number;
  readonly foreign?: number;
  readonly chars?: number;
  readonly beyond?: readonly [unknown, number];
}

export interface Cell {
  readonly op: Op;
  readonly name: string;
  readonly faults: Faults;
  /** A call that is right. */
  readonly good: Given;
  /** The code of a call to an exchange that is ready for it. */
  readonly code: (op: Op, given: Given, switches?: SwitchValues) => number;
  readonly fixture: () => Fixture;
}

export function call(fixture: Fixture, op: Op, given: Given): number {
  const { method, path, security } = endpointOf(op);
  if (method === 'POST') return codeOf(fixture.post(path, given));
  const pairs = Object.entries(given).map(
    ([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const target = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
  return codeOf(security === 'NONE' ? fixture.open(target) : fixture.get(target));
}

const without = (given: Given, name: string): Given => Object.fromEntries(Object.entries(given).filter(([each]) => each !== name));

export function checkCell({ op, name, faults, good, code, fixture }: Cell): void {
  const isBody = endpointOf(op).method === 'POST';
  const isName = name === 'symbol' || name === 'contractName';
  expect(code(op, good), 'right').toBe(0);
  expect(code(op, without(good, name)), 'missing').toBe(faults.missing);
  expect(code(op, { ...good, [name]: '' }), 'empty').toBe(faults.empty);
  if (isBody) {
    expect(code(op, { ...good, [name]: null }), 'null').toBe(faults.missing);
    const isList = name === 'orders' || name === 'orderIds';
    if (!isList) for (const nested of [{}, [], [1]]) expect(code(op, { ...good, [name]: nested }), 'nested').toBe(-1102);
    // A POST parameter in the query counts as not sent.
    const target = `${endpointOf(op).path}?${name}=${encodeURIComponent(JSON.stringify(good[name]))}`;
    expect(codeOf(fixture().post(target, without(good, name))), 'in the query').toBe(faults.missing);
  }
  if (faults.foreign !== undefined) {
    // A query has text alone, in which nothing is foreign to a name.
    const foreign = isBody ? true : isName ? '' : 'many';
    expect(code(op, { ...good, [name]: foreign }), 'foreign').toBe(isBody || !isName ? faults.foreign : -1121);
  }
  if (faults.chars !== undefined) expect(code(op, { ...good, [name]: 'a b;' }), 'characters').toBe(faults.chars);
  if (faults.beyond) expect(code(op, { ...good, [name]: faults.beyond[0] }), 'beyond').toBe(faults.beyond[1]);
  expect(code(op, { ...good, surplus: 1 }), 'surplus').toBe(0);
  expect(code(op, { ...good, surplus: 1 }, { unknownParams: 'reject' }), 'surplus, strictly').toBe(-1103);
}
