// Halt causes raised by this exchange: each is reported once when it begins and once when it clears.

import type { Instrument } from '../../../model/instrument.ts';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { AuditDifference, HaltCode } from '../calls/types.ts';

/** Only the operator can clear these. */
const STICKY: ReadonlySet<HaltCode> = new Set(['ECHO', 'ADMISSION', 'DUPLICATE', 'LOCKED', 'KEY', 'FEE_COIN', 'FINE_FILL']);

export class RaisedCauses {
  readonly #sink: () => ExchangeSink;
  readonly #instruments: readonly Instrument[];
  readonly #elsewhere: (code: HaltCode, instrument: number | null) => boolean;
  readonly #standing = new Map<string, AuditDifference>();

  /** `elsewhere`: true if another service of the account has raised the same cause. */
  constructor(
    sink: () => ExchangeSink,
    instruments: readonly Instrument[],
    elsewhere: (code: HaltCode, instrument: number | null) => boolean = () => false,
  ) {
    this.#sink = sink;
    this.#instruments = instruments;
    this.#elsewhere = elsewhere;
  }

  get standing(): readonly AuditDifference[] {
    return Array.from(this.#standing.values());
  }
  nameOf(instrument: number | null): string {
    return instrument === null ? 'the account' : (this.#instruments[instrument]?.wireName ?? String(instrument));
  }
  has(code: HaltCode, instrument: number | null): boolean {
    return this.#standing.has(keyOf(code, instrument));
  }

  raise(code: HaltCode, instrument: number | null, what: string): void {
    const key = keyOf(code, instrument);
    const before = this.#standing.get(key);
    if (before?.what === what || (before !== undefined && !STICKY.has(code) && code !== 'ALIEN')) return;
    this.#standing.set(key, { code, instrument, venueId: null, what });
    this.#sink().raiseHalt(code, instrument, what);
  }
  /** Forgets a cause: the operator has cleared it, or the venue's data is consistent again. The halt itself stays until the operator clears it. */
  clear(code: HaltCode, instrument: number | null): void {
    this.#standing.delete(keyOf(code, instrument));
  }
  /** Clears a cause. No effect if it is not raised, or if only the operator may clear it. */
  resolve(code: HaltCode, instrument: number | null): void {
    if (STICKY.has(code)) return;
    if (!this.#standing.delete(keyOf(code, instrument))) return;
    if (!this.#elsewhere(code, instrument)) this.#sink().clearHalt(code, instrument);
  }
}

const keyOf = (code: HaltCode, instrument: number | null): string => `${code} ${instrument ?? 'account'}`;
