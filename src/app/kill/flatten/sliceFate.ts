// What the answer to a slice says of its fate: journalled, then settled where it stands, and looked for where no answer came.

import { assertNever } from '../../../base/assert.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { SliceFate } from './flatten.ts';
import type { SliceJournal } from './sliceJournal.ts';
import type { KillVenue } from '../venue.ts';

export interface NextSteps {
  readonly settle: (orderId: string) => Promise<SliceFate>;
  /** The id of its order; null when it had no effect. */
  readonly find: (cause: string) => Promise<string | null>;
}

export async function fateOf(
  outcome: Outcome<{ readonly orderId: string }>,
  cid: string,
  journal: SliceJournal,
  { settle, find }: NextSteps,
): Promise<SliceFate> {
  const stands = (orderId: string): Promise<SliceFate> => {
    journal.acked(cid, orderId);
    return settle(orderId);
  };
  switch (outcome.kind) {
    case 'acked':
      return stands(outcome.value.orderId);
    case 'refused':
      journal.refused(cid, String(outcome.code));
      return { kind: 'refused', why: `code ${outcome.code}: ${outcome.msg}` };
    case 'notSent':
      journal.notSent(cid);
      return { kind: 'refused', why: outcome.cause };
    case 'unknown': {
      const orderId = await find(outcome.cause);
      return orderId === null ? { kind: 'refused', why: 'a slice had no effect' } : stands(orderId);
    }
    default:
      return assertNever(outcome);
  }
}

/** What one look for a slice brought: the id of its order, or whether all lists in which it could stand were whole and had nothing of it. */
export type Look = { readonly orderId: string } | { readonly isNowhere: boolean };

/** Where no answer came: the order, once a look finds it; null when two looks found nothing after it cannot appear any more. */
export async function foundAfterAll(
  venue: KillVenue,
  instrument: Instrument,
  cause: string,
  look: () => Promise<Look>,
): Promise<string | null> {
  const { busDelayMs, recvWindowMs, readLagMs, lookEveryMs } = venue.parts.settings;
  const untilMs = venue.nowMs + recvWindowMs + busDelayMs + readLagMs;
  venue.parts.tell('waiting', `${instrument.id}: what became of a slice is not known (${cause}); looking for it`);
  for (let after = 0; after < 2;) {
    const isAfter = venue.nowMs >= untilMs;
    const seen = await look();
    if ('orderId' in seen) return seen.orderId;
    if (isAfter && seen.isNowhere) after++;
    await venue.wait(isAfter ? readLagMs : lookEveryMs);
  }
  return null;
}
