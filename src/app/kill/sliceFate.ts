// What the answer to a slice says of its fate: journalled, then settled where it stands, and looked for where no answer came.

import { assertNever } from '../../base/assert.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { SliceFate } from './flatten.ts';
import type { SliceJournal } from './sliceJournal.ts';

export interface NextSteps {
  readonly settle: (orderId: string) => Promise<SliceFate>;
  readonly find: (cause: string) => Promise<SliceFate>;
}

export async function fateOf(
  outcome: Outcome<{ readonly orderId: string }>,
  cid: string,
  journal: SliceJournal,
  { settle, find }: NextSteps,
): Promise<SliceFate> {
  switch (outcome.kind) {
    case 'acked':
      journal.acked(cid, outcome.value.orderId);
      return settle(outcome.value.orderId);
    case 'refused':
      journal.refused(cid, String(outcome.code));
      return { kind: 'refused', why: `code ${outcome.code}: ${outcome.msg}` };
    case 'notSent':
      journal.notSent(cid);
      return { kind: 'refused', why: outcome.cause };
    case 'unknown':
      return find(outcome.cause);
    default:
      return assertNever(outcome);
  }
}
