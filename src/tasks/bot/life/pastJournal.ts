// The journal of a replay: orders and cancels that strategies ask for again are held against the records, and nothing is written.

import type { Journal } from '../../../ports/journal.ts';

export class PastJournal implements Journal {
  readonly durableSeq = 0;
  /** Told of what is decided. */
  denied: Journal['denied'] = () => 0;
  drafted: Journal['drafted'] = () => 0;
  submitted: Journal['submitted'] = () => 0;
  cancelSent: Journal['cancelSent'] = () => 0;
  /** The time with which the request of an order was signed. */
  signMs: Journal['signMs'] = ({ createdMs }) => createdMs;

  ack(): number {
    return 0;
  }
  refused(): number {
    return 0;
  }
  evidence(): number {
    return 0;
  }
  fill(): number {
    return 0;
  }
  state(): number {
    return 0;
  }
  provenAbsent(): number {
    return 0;
  }
}
