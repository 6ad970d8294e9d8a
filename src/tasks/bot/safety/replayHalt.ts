// Replays the raise or the end of a halt cause.

import { scopeFromText } from '../../../adapters/journal/haltRecords.ts';
import type { RecordOf } from '../../../adapters/journal/records/records.ts';
import type { Engine } from '../../../engine/engine.ts';

/** Raises or clears the cause of a record, without journalling it again. Call it within a step at the time of the record. */
export function replayHalt({ risk, instruments, recorder }: Engine, record: RecordOf<'HALT'> | RecordOf<'RESUME'>): void {
  const scope = scopeFromText(record.scope, instruments);
  if (scope === null) return;
  const isByOperator = record.k === 'RESUME' && record.who !== 'bot';
  // A loss rule that the operator resumes measures from the newest equity. In the live bot it had seen the equity of every instant by then.
  if (isByOperator && risk.watchesEquity) recorder.show(risk);
  risk.halts.withoutJournal(() => {
    if (record.k === 'HALT') risk.halts.raise(scope, record.state, record.code, record.why, record.t, true);
    else if (record.who === 'bot') risk.halts.clear(scope, record.code, record.why, record.t);
    else risk.resume(scope, record.code, record.who, record.t);
  });
}
