// Holds the halt causes that this exchange has raised, and reports each one when it begins and when it clears.

import type { Instrument } from '../../../model/instrument.ts';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { AuditDifference, HaltCode } from '../calls/types.ts';

/** Halt causes that only the operator can clear. */
const CLEARED_BY_OPERATOR: ReadonlySet<HaltCode> = new Set(['ECHO', 'ADMISSION', 'DUPLICATE', 'LOCKED', 'KEY', 'FEE_COIN', 'FINE_FILL']);

/** Halt causes that are reported again when their text changes. An operator who clears one accepts all that its text lists. */
const REPORTED_AGAIN: ReadonlySet<HaltCode> = new Set([...CLEARED_BY_OPERATOR, 'ALIEN', 'MISMATCH']);

/** The causes in force that this exchange has raised, each with the text that was reported. */
export class RaisedCauses {
  readonly #sink: () => ExchangeSink;
  readonly #instruments: readonly Instrument[];
  readonly #isRaisedElsewhere: (code: HaltCode, instrument: number | null) => boolean;
  readonly #standing = new Map<string, AuditDifference>();

  /** `isRaisedElsewhere`: true if another service of the account has raised the same cause. */
  constructor(
    sink: () => ExchangeSink,
    instruments: readonly Instrument[],
    isRaisedElsewhere: (code: HaltCode, instrument: number | null) => boolean = () => false,
  ) {
    this.#sink = sink;
    this.#instruments = instruments;
    this.#isRaisedElsewhere = isRaisedElsewhere;
  }

  /** The causes that are raised now. */
  get standing(): readonly AuditDifference[] {
    return Array.from(this.#standing.values());
  }
  /** Returns the name of the scope for messages. */
  scopeNameOf(instrument: number | null): string {
    return instrument === null ? 'the account' : (this.#instruments[instrument]?.wireName ?? String(instrument));
  }
  /** True when this exchange has raised the cause. */
  has(code: HaltCode, instrument: number | null): boolean {
    return this.#standing.has(keyOf(code, instrument));
  }

  /** Raises a cause. A repeated cause is reported again only if its text differs and the operator must see it. */
  raise(code: HaltCode, instrument: number | null, detail: string): void {
    const key = keyOf(code, instrument);
    const raisedBefore = this.#standing.get(key);
    if (raisedBefore?.what === detail || (raisedBefore !== undefined && !REPORTED_AGAIN.has(code))) return;
    this.#standing.set(key, { code, instrument, venueId: null, what: detail });
    this.#sink().raiseHalt(code, instrument, detail);
  }
  /** Forgets a cause without reporting it, because the operator has cleared it or the venue's data is consistent again. */
  clear(code: HaltCode, instrument: number | null): void {
    this.#standing.delete(keyOf(code, instrument));
  }
  /** Restores a cause of the previous process. The risk module has it from the journal, so nothing is reported. */
  restore(code: HaltCode, instrument: number | null, detail: string): void {
    this.#standing.set(keyOf(code, instrument), { code, instrument, venueId: null, what: detail });
  }
  /** Withdraws a cause that was a mistake, even if only the operator may clear it. `mistake`: the explanation for the journal. */
  withdraw(code: HaltCode, instrument: number | null, mistake: string): void {
    if (!this.#standing.delete(keyOf(code, instrument))) return;
    if (!this.#isRaisedElsewhere(code, instrument)) this.#sink().clearHalt(code, instrument, mistake);
  }
  /** Clears a cause and reports that. Does nothing if the cause is not raised, or if only the operator may clear it. */
  resolve(code: HaltCode, instrument: number | null): void {
    if (CLEARED_BY_OPERATOR.has(code)) return;
    if (!this.#standing.delete(keyOf(code, instrument))) return;
    if (!this.#isRaisedElsewhere(code, instrument)) this.#sink().clearHalt(code, instrument);
  }
}

const keyOf = (code: HaltCode, instrument: number | null): string => `${code} ${instrument ?? 'account'}`;
