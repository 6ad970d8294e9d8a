// Handles the reply to a slice: journals it, settles an acknowledged slice, and looks for a slice whose reply was lost.

import { assertNever } from '../../../base/assert.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { SliceOutcome } from './flatten.ts';
import type { SliceJournal } from './sliceJournal.ts';
import type { KillVenue } from '../plan/killVenue.ts';
import { uncertainOrderText } from '../plan/attribution.ts';
import type { KillEvidenceReader } from '../evidence/evidenceReader.ts';

/** Maximum length of a foreign client order id in a message. */
const MAX_ID_LENGTH = 40;

/** How an acknowledged slice is settled, and a lost one is found. */
export interface NextSteps {
  readonly settle: (orderId: string) => Promise<SliceOutcome>;
  /** True if another order of the bot has this venue order id. An acknowledgement of contracts has nothing else to be compared with. */
  readonly isTaken: (orderId: string) => boolean;
  /** Resolves with the venue order id; null: the slice had no effect. */
  readonly find: (cause: string) => Promise<string | null>;
}

/** Journals the reply to a slice and resolves with its outcome. */
export async function sliceOutcomeOf(
  outcome: Outcome<{ readonly orderId: string; readonly clientOrderId?: string | null }>,
  cid: string,
  journal: SliceJournal,
  { settle, isTaken, find }: NextSteps,
): Promise<SliceOutcome> {
  const settleAcked = (orderId: string): Promise<SliceOutcome> => {
    journal.writeAck(cid, orderId);
    return settle(orderId);
  };
  const lookForSlice = async (cause: string): Promise<SliceOutcome> => {
    try {
      const orderId = await find(cause);
      if (orderId !== null) return await settleAcked(orderId);
      journal.writeNotSent(cid);
      return { kind: 'refused', why: 'a slice had no effect' };
    } catch (error) {
      if (!(error instanceof UncertainSlice)) throw error;
      return { kind: 'unknown', why: error.message };
    }
  };
  switch (outcome.kind) {
    case 'acked': {
      const { orderId, clientOrderId } = outcome.value;
      const echoed = clientOrderId ?? cid;
      const isEchoed = echoed.toUpperCase() === cid.toUpperCase();
      if (isEchoed && !isTaken(orderId)) return settleAcked(orderId);
      journal.writeUnknown(cid);
      const problem = isEchoed
        ? `its id ${orderId} is taken`
        : `clientOrderId: expected ${cid}, got ${sanitizeText(echoed, MAX_ID_LENGTH)}`;
      return lookForSlice(`the acknowledgement belongs to another order: ${problem}`);
    }
    case 'refused':
      journal.writeRefusal(cid, String(outcome.code));
      return { kind: 'refused', why: `code ${outcome.code}: ${outcome.msg}` };
    case 'notSent':
      journal.writeNotSent(cid);
      return { kind: 'refused', why: outcome.cause };
    case 'unknown':
      journal.writeUnknown(cid);
      return lookForSlice(outcome.cause);
    default:
      return assertNever(outcome);
  }
}

/** Number of complete lists, a read lag apart, that must lack a slice. */
const MIN_ABSENCES = 2;

/**
 * Looks for a slice whose reply was lost. Resolves with the venue order id once evidence identifies it, with null if it had no effect. Throws
 * UncertainSlice if no evidence can decide.
 */
export async function findSlice(
  venue: KillVenue,
  instrument: Instrument,
  cause: string,
  { cid, evidenceReader }: SoughtSlice,
): Promise<string | null> {
  const { serverTime, settings } = venue.deps;
  const { readLagMs, pollEveryMs } = settings;
  const { market } = instrument;
  venue.deps.onPhase('waiting', `${instrument.id}: the outcome of a slice is unknown (${cause}); looking for it`);
  const timeLimit = venue.timeLimit(`${instrument.id}: no evidence shows the outcome of a slice`);
  // Complete lists in a row that lack the slice.
  let absences = 0;
  for (;;) {
    const { uncertain } = await evidenceReader.read(instrument);
    const venueId = evidenceReader.books.venueIdOf(cid);
    if (venueId !== null) return venueId;
    const uncertainSlice = uncertain.find(({ order }) => order.cid === cid);
    // Before the absence horizon every lost order is unseen. After it, an order that still fits leaves the slice uncertain.
    if (uncertainSlice !== undefined && !uncertainSlice.isUnseen) throw new UncertainSlice(uncertainOrderText(uncertainSlice));
    // Before the horizon absence cannot be proved, so extend the limit. After it, only incomplete lists can still delay the proof.
    const admittedMs = uncertainSlice?.order.latestMs ?? -Infinity;
    const horizonMs = admittedMs + venue.visibilityDelayMs(market) + readLagMs;
    if (serverTime(market).ms < horizonMs) timeLimit.restart();
    absences = uncertainSlice === undefined ? absences + 1 : 0;
    if (absences === MIN_ABSENCES) return null;
    await timeLimit.wait(absences > 0 ? readLagMs : pollEveryMs);
  }
}

/** Thrown when no evidence can decide the outcome of a slice. */
export class UncertainSlice extends Error {
  override readonly name = 'UncertainSlice';
}

/** A slice to look for. */
export interface SoughtSlice {
  readonly cid: string;
  readonly evidenceReader: KillEvidenceReader;
}
