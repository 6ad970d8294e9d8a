// Halt causes that several services of one account have raised: a service that recovers clears only its own.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { HaltCode } from '../calls/types.ts';
import { RaisedCauses } from './raisedCauses.ts';

const CODES: readonly HaltCode[] = ['CLOCK', 'INCIDENT', 'BANNED', 'MISMATCH'];

it('two services raise and clear causes in any order: the account has those that either still has', () => {
  const step = fc.record({ at: fc.constantFrom(0, 1), code: fc.constantFrom(...CODES), raises: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const account = new Set<string>();
      const sink: Pick<ExchangeSink, 'raiseHalt' | 'clearHalt'> = {
        raiseHalt: (code) => void account.add(code),
        clearHalt: (code) => void account.delete(code),
      };
      const made: RaisedCauses[] = [];
      const standsAt = (index: number) => (code: HaltCode) => made[index]!.standing.some((each) => each.code === code);
      for (const other of [1, 0]) made.push(new RaisedCauses(() => sink as ExchangeSink, [], standsAt(other)));
      for (const { at, code, raises } of steps) {
        if (raises) made[at]!.raise(code, null, `it is so at ${at}`);
        else made[at]!.resolve(code, null);
        expect([...account].toSorted()).toEqual(CODES.filter((each) => made.some((one) => one.has(each, null))).toSorted());
      }
    }),
  );
});
