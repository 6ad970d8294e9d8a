// Halts the account until its start is complete, and names the halts that stand then.

import type { Engine } from '../../../engine/engine.ts';
import { HALT_CAUSES } from '../../../risk/live/haltCauses.ts';
import type { HaltBoard } from '../../../risk/live/halts.ts';
import { scopeName } from '../../control/scopes.ts';

/** Raised when the bot starts, cleared by two clean audits. */
export const STARTING = 'STARTING';

type HaltedEngine = Pick<Engine, 'risk' | 'instruments' | 'runs'>;

/**
 * Halts the account until its start is complete. Call it in a step, so that drafts wait for the end of the start and are sent then. After a
 * clean stop the journal holds such drafts.
 */
export function raiseStarting(halts: HaltBoard, venueMs: number): void {
  halts.raise({ kind: 'account' }, 'HALT_NEW', STARTING, 'the start is not complete: two clean audits are needed', venueMs);
}

/** Calls `warn` for each halt that stands until the operator clears it, with its reason and its code. */
export function warnOfStandingHalts(engine: HaltedEngine, warn: (message: string, code: string) => void): void {
  for (const { name, state, code, why } of standingHalts(engine))
    if (HALT_CAUSES[code]?.needsPerson ?? true) warn(`${state} of ${name} stands: ${why}`, code);
}

/** Returns the log line of a start that is complete: the bot trades only as far as its halts allow. */
export function startCompleteText(engine: HaltedEngine): string {
  const halts = standingHalts(engine).map(({ name, state, code, why }) => `${state} of ${name} stands (${code}, ${why})`);
  return `two audits were clean: ${halts.length === 0 ? 'the bot trades' : halts.join(', ')}`;
}

/** Returns the halts that stand, with the names of their scopes. */
function standingHalts({ risk, instruments, runs }: HaltedEngine) {
  const names = { instruments, strategies: runs.map(({ name }) => name) };
  return risk.halts.causes().map(({ scope, state, code, why }) => ({ name: scopeName(scope, names), state, code, why }));
}
