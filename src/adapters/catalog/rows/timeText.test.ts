// Unix times in ns, which a double holds to some 256 of them.

import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { msOfUnix } from './timeText.ts';

/** Times from 2000 to the last second of 2099, us. */
const microseconds = fc.bigInt(946_684_800_000_000n, 4_102_444_799_000_000n);

it('a whole number of microseconds, in nanoseconds, is the same time as in microseconds', () => {
  fc.assert(
    fc.property(microseconds, (us) => {
      expect(msOfUnix(Number(us * 1000n))).toBe(msOfUnix(Number(us)));
    }),
    { numRuns: 10_000 },
  );
});

it('a time between two microseconds stays as near as doubles can hold it', () => {
  // Half the distance of neighbouring doubles, of ns and of ms: 128 and 122 ns, and twice that for later times.
  const maxErrorNs = (ns: number) => (ns < 2 ** 41 * 1e6 ? 251 : 501);
  fc.assert(
    fc.property(microseconds, fc.integer({ min: 0, max: 999 }), (us, restNs) => {
      const ns = Number(us * 1000n + BigInt(restNs));
      expect(new Decimal(msOfUnix(ns)).times(1e6).minus(ns).abs().toNumber()).toBeLessThan(maxErrorNs(ns));
    }),
  );
});
