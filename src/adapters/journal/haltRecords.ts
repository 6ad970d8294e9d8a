// Journals the changes of risk states, and returns the halt causes in force at a journal's end.

import { assertNever } from '../../base/assert.ts';
import type { Instrument } from '../../model/instrument.ts';
import { CLEARED_BY, type HaltCause, type HaltBoard, type HaltChange, type Scope } from '../../risk/live/halts.ts';
import type { FileJournal } from './fileJournal.ts';
import { journalGuards } from './records/guards.ts';
import type { JournalState } from './records/journalState.ts';
import type { RecordBody } from './records/records.ts';

/** Returns a scope as text, such as `symbol spot:BTCUSDT`. */
export function scopeText(scope: Scope, instruments: readonly Instrument[]): string {
  switch (scope.kind) {
    case 'account':
      return 'account';
    case 'market':
      return `market ${scope.market}`;
    case 'symbol':
      return `symbol ${instruments[scope.instrument]!.id}`;
    case 'strategy':
      return `strategy ${scope.strategy}`;
    default:
      return assertNever(scope);
  }
}

/** Returns the scope that `scopeText` has written; null if this run has no such scope. */
export function scopeFromText(text: string, instruments: readonly Instrument[]): Scope | null {
  const [kind, name = ''] = text.split(/ (.*)/s);
  if (kind === 'account') return { kind };
  if (kind === 'market' && (name === 'spot' || name === 'futures')) return { kind, market: name };
  if (kind === 'strategy' && /^\d+$/.test(name)) return { kind, strategy: Number(name) };
  const instrumentIndex = instruments.findIndex(({ id }) => id === name);
  return kind === 'symbol' && instrumentIndex >= 0 ? { kind, instrument: instrumentIndex } : null;
}

/**
 * Journals every change of the risk states from now on. Call it after the causes of the last process were restored. Causes in `previousState`
 * that were not restored are journalled as cleared.
 */
export function journalHaltChanges(
  journal: Pick<FileJournal, 'halt' | 'resume'>,
  board: HaltBoard,
  instruments: readonly Instrument[],
  previousState: JournalState | null = null,
): void {
  for (const { scope, state, code } of previousState?.halts.values() ?? []) {
    const scopeOfRun = scopeFromText(scope, instruments);
    if (scopeOfRun === null || !board.holds(scopeOfRun, code))
      journal.resume({ scope, state, code, who: 'bot', why: 'it ended with the process' });
  }
  board.onChange = ({ isRaised, scope, state, code, why }: HaltChange) => {
    // The reason of a change that an operator made begins with CLEARED_BY and the operator's name.
    const who = !isRaised && why.startsWith(CLEARED_BY) ? why.slice(CLEARED_BY.length) : 'bot';
    const record: RecordBody<'HALT'> = { scope: scopeText(scope, instruments), state, code, who, why };
    if (isRaised) journal.halt(record);
    else journal.resume(record);
  };
}

/** Returns the halt causes in force at the end of a journal. */
export function causesOf(state: JournalState, instruments: readonly Instrument[]): readonly HaltCause[] {
  if (!journalGuards.haltsPersist) return [];
  return [...state.halts.values()].flatMap((halt) => {
    const scope = scopeFromText(halt.scope, instruments);
    return scope === null ? [] : [{ scope, state: halt.state, code: halt.code, why: halt.why, sinceMs: halt.t }];
  });
}
