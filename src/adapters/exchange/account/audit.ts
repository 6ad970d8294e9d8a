// Audits: compare everything that the venue shows with our records. Instruments in use are audited often, all of them now and then.

import { all, type Work } from '../../../base/task.ts';
import type { AuditKind, AuditResult, AuditDifference, HaltCode } from '../calls/types.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { HoldingsCheck, Verified } from './holdingsCheck.ts';
import type { OrderSettings } from '../calls/settings.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';

export interface AuditsDeps {
  readonly scheduler: Scheduler;
  readonly settings: Pick<OrderSettings, 'balanceMs'>;
  readonly raisedCauses: RaisedCauses;
  readonly holdings: HoldingsCheck;
  /** Reconciles one instrument. `isWhole`: every list was complete. */
  readonly reconcile: (instrument: number, options: CallOptions) => Work<boolean>;
  /** Instruments of this market, and those that have unfinished orders. */
  readonly own: readonly number[];
  readonly active: () => readonly number[];
  /** Differences without a halt cause of their own: orders with a contested id, and open duplicate orders. */
  readonly uncertainties: () => readonly AuditDifference[];
  /** Reads a lower bound of the venue's current time, or null. */
  readonly venueNow: () => Work<number | null>;
}

/** Causes that make an audit a mismatch. Each stays until the operator or a later audit explains it. */
const MISMATCHES: ReadonlySet<HaltCode> = new Set(['ALIEN', 'STRAY', 'MISMATCH', 'DUPLICATE', 'ECHO', 'FEE_COIN', 'FINE_FILL']);
const OPTIONS: Readonly<Record<AuditKind, CallOptions>> = { fast: { priority: 'steady' }, full: { priority: 'reconcile' } };

export class Audits {
  readonly #parts: AuditsDeps;
  #balancedMs = -Infinity;

  constructor(parts: AuditsDeps) {
    this.#parts = parts;
  }

  *run(kind: AuditKind): Work<AuditResult> {
    const { venueNow, own, active, reconcile, holdings } = this.#parts;
    const venueMs = yield* venueNow();
    if (venueMs === null) return gap(0, 'the exchange does not report its time');
    const instruments = kind === 'full' ? own : active();
    const areWhole = yield* all(instruments.map((index) => reconcile(index, OPTIONS[kind])));
    const isWhole = areWhole.every((each) => each);
    if (!this.#isBalanceDue(kind)) return this.#result(isWhole, venueMs);
    // On spot, instruments share quote assets, so holdings are compared with the trades of all instruments.
    const verified = yield* holdings.verify(own, OPTIONS[kind]);
    this.#judge(verified);
    return this.#result(isWhole && verified.isWhole, venueMs);
  }

  #isBalanceDue(kind: AuditKind): boolean {
    const { scheduler, settings } = this.#parts;
    // While the books are in doubt, reductions depend on what the account really holds.
    return kind === 'full' || this.#mismatches().length > 0 || scheduler.nowMs - this.#balancedMs >= settings.balanceMs;
  }

  #judge({ isWhole, differences }: Verified): void {
    const { raisedCauses, scheduler } = this.#parts;
    if (!isWhole) return;
    this.#balancedMs = scheduler.nowMs;
    if (differences.length > 0) raisedCauses.raise('MISMATCH', null, differences.join('; '));
    else raisedCauses.resolve('MISMATCH', null);
  }

  #mismatches(): readonly AuditDifference[] {
    return [...this.#parts.raisedCauses.standing.filter(({ code }) => MISMATCHES.has(code)), ...this.#parts.uncertainties()];
  }
  #result(isWhole: boolean, venueMs: number): AuditResult {
    const differences = this.#mismatches();
    if (differences.length > 0) return { kind: 'mismatch', differences, isComplete: isWhole, venueMs };
    return isWhole
      ? { kind: 'ok', differences: [], isComplete: true, venueMs }
      : gap(venueMs, 'a list did not come, was cut off or could not be read');
  }
}

function gap(venueMs: number, what: string): AuditResult {
  const differences: AuditDifference[] = [{ code: 'GAP', instrument: null, venueId: null, what }];
  return { kind: 'gap', differences, isComplete: false, venueMs };
}
