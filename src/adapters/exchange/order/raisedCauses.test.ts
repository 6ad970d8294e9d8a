// Tests halt causes that several services of one account raise: a service that recovers clears only its own.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { HaltCode } from '../calls/types.ts';
import { RaisedCauses } from './raisedCauses.ts';

const CODES: readonly HaltCode[] = ['CLOCK', 'INCIDENT', 'BANNED', 'MISMATCH'];

it('the account has exactly the causes that at least one of its two services still has', () => {
  const step = fc.record({ serviceIndex: fc.constantFrom(0, 1), code: fc.constantFrom(...CODES), raises: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const account = new Set<string>();
      const sink: Pick<ExchangeSink, 'raiseHalt' | 'clearHalt'> = {
        raiseHalt: (code) => void account.add(code),
        clearHalt: (code) => void account.delete(code),
      };
      const services: RaisedCauses[] = [];
      const standsAt = (index: number) => (code: HaltCode) => services[index]!.standing.some((otherCode) => otherCode.code === code);
      for (const otherIndex of [1, 0]) services.push(new RaisedCauses(() => sink as ExchangeSink, [], standsAt(otherIndex)));
      for (const { serviceIndex, code, raises } of steps) {
        if (raises) services[serviceIndex]!.raise(code, null, `raised by ${serviceIndex}`);
        else services[serviceIndex]!.resolve(code, null);
        expect([...account].toSorted()).toEqual(
          CODES.filter((otherCode) => services.some((service) => service.has(otherCode, null))).toSorted(),
        );
      }
    }),
  );
});
