// Tests halt causes that several services of one account raise: a service that recovers clears only its own.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { HaltCode } from '../calls/types.ts';
import { RaisedCauses } from './raisedCauses.ts';

const HALT_CODES: readonly HaltCode[] = ['CLOCK', 'INCIDENT', 'BANNED', 'MISMATCH'];

it('the account has exactly the causes that at least one of its two services still has', () => {
  const step = fc.record({ serviceIndex: fc.constantFrom(0, 1), code: fc.constantFrom(...HALT_CODES), raises: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const accountCodes = new Set<string>();
      const sink: Pick<ExchangeSink, 'raiseHalt' | 'clearHalt'> = {
        raiseHalt: (code) => void accountCodes.add(code),
        clearHalt: (code) => void accountCodes.delete(code),
      };
      const services: RaisedCauses[] = [];
      const isRaisedBy = (index: number) => (code: HaltCode) => services[index]!.raisedNow.some((raised) => raised.code === code);
      // Each service is given a function that asks the other one.
      for (const otherIndex of [1, 0]) services.push(new RaisedCauses(() => sink as ExchangeSink, [], isRaisedBy(otherIndex)));
      for (const { serviceIndex, code, raises } of steps) {
        if (raises) services[serviceIndex]!.raise(code, null, `raised by ${serviceIndex}`);
        else services[serviceIndex]!.clearIfAllowed(code, null);
        expect([...accountCodes].toSorted()).toEqual(
          HALT_CODES.filter((otherCode) => services.some((service) => service.has(otherCode, null))).toSorted(),
        );
      }
    }),
  );
});
