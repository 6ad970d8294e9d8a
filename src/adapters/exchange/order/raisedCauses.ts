// Holds the halt causes that this exchange has raised, and reports each one when it begins and when it clears.

import type { Instrument } from '../../../model/instrument.ts';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { AuditDifference, HaltCode } from '../calls/types.ts';

/** Halt causes that only the operator can clear. */
const CLEARED_BY_OPERATOR: ReadonlySet<HaltCode> = new Set([
  'ECHO',
  'ADMISSION',
  'DUPLICATE',
  'LOCKED',
  'KEY',
  'FEE_COIN',
  'FINE_FILL',
  'POST_TRADE',
]);

/** Halt causes that are reported again when their text changes. An operator who clears one accepts all that its text lists. */
const REPORTED_AGAIN: ReadonlySet<HaltCode> = new Set([...CLEARED_BY_OPERATOR, 'ALIEN', 'MISMATCH', 'SETTINGS']);

/** The causes in force that this exchange has raised, each with the text that was reported. A cause concerns a whole scope: it has no venue order id. */
export class RaisedCauses {
  readonly #sink: () => ExchangeSink;
  readonly #instruments: readonly Instrument[];
  readonly #isRaisedElsewhere: (code: HaltCode, instrumentIndex: number | null) => boolean;
  readonly #raisedNow = new Map<string, AuditDifference>();

  /** `isRaisedElsewhere`: true if another service of the account has raised the same cause. */
  constructor(
    sink: () => ExchangeSink,
    instruments: readonly Instrument[],
    isRaisedElsewhere: (code: HaltCode, instrumentIndex: number | null) => boolean = () => false,
  ) {
    this.#sink = sink;
    this.#instruments = instruments;
    this.#isRaisedElsewhere = isRaisedElsewhere;
  }

  /** The causes that are raised now. */
  get raisedNow(): readonly AuditDifference[] {
    return Array.from(this.#raisedNow.values());
  }
  /** Returns the name of the scope for messages. */
  scopeNameOf(instrumentIndex: number | null): string {
    return instrumentIndex === null ? 'the account' : (this.#instruments[instrumentIndex]?.wireName ?? String(instrumentIndex));
  }
  /** True when this exchange has raised the cause. */
  has(code: HaltCode, instrumentIndex: number | null): boolean {
    return this.#raisedNow.has(keyOf(code, instrumentIndex));
  }

  /** Raises a cause. A repeated cause is reported again only if its text differs and the operator must see it. */
  raise(code: HaltCode, instrumentIndex: number | null, detail: string): void {
    const key = keyOf(code, instrumentIndex);
    const raisedBefore = this.#raisedNow.get(key);
    if (raisedBefore?.what === detail || (raisedBefore !== undefined && !REPORTED_AGAIN.has(code))) return;
    this.#raisedNow.set(key, { code, instrument: instrumentIndex, venueId: null, what: detail });
    this.#sink().raiseHalt(code, instrumentIndex, detail);
  }
  /** Forgets a cause without reporting it, because the operator has cleared it or the venue's data is consistent again. */
  forget(code: HaltCode, instrumentIndex: number | null): void {
    this.#raisedNow.delete(keyOf(code, instrumentIndex));
  }
  /** Restores a cause of the previous process. The risk module has it from the journal, so nothing is reported. */
  restore(code: HaltCode, instrumentIndex: number | null, detail: string): void {
    this.#raisedNow.set(keyOf(code, instrumentIndex), { code, instrument: instrumentIndex, venueId: null, what: detail });
  }
  /** Withdraws a cause that was a mistake, even if only the operator may clear it. `mistake`: the explanation for the journal. */
  withdraw(code: HaltCode, instrumentIndex: number | null, mistake: string): void {
    if (!this.#raisedNow.delete(keyOf(code, instrumentIndex))) return;
    if (!this.#isRaisedElsewhere(code, instrumentIndex)) this.#sink().clearHalt(code, instrumentIndex, mistake);
  }
  /** Clears a cause whose reason no longer exists, and reports that. Does nothing if it is not raised, or if only the operator may clear it. */
  clearIfAllowed(code: HaltCode, instrumentIndex: number | null): void {
    if (CLEARED_BY_OPERATOR.has(code)) return;
    if (!this.#raisedNow.delete(keyOf(code, instrumentIndex))) return;
    if (!this.#isRaisedElsewhere(code, instrumentIndex)) this.#sink().clearHalt(code, instrumentIndex);
  }
}

const keyOf = (code: HaltCode, instrumentIndex: number | null): string => `${code} ${instrumentIndex ?? 'account'}`;
