// Terms and reads that several tests of the REST adapter share.

import type { RestWorld } from '../fixtures/restFixture.ts';

/** A buy of 0.1 coins at 90, below the market of about 100. */
export const LIMIT_TERMS = { lots: 1000, limit: 9000 } as const;

/** Returns scope and reason of each halt with this code. */
export const haltsWith = (world: RestWorld, code: string) =>
  world.engine.risk.halts
    .causes()
    .filter((cause) => cause.code === code)
    .map(({ scope, why }) => ({ scope, why }));
