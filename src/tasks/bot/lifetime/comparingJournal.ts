// The journal of a replay: it writes nothing and passes each decision to a callback that compares it with the records.

import type { Journal } from '../../../ports/journal.ts';

/** The journal of one replay. */
export class ComparingJournal implements Journal {
  readonly durableSeq = 0;
  /** Called for each decision. */
  denied: Journal['denied'] = () => 0;
  drafted: Journal['drafted'] = () => 0;
  submitted: Journal['submitted'] = () => 0;
  cancelSent: Journal['cancelSent'] = () => 0;
  /** Returns the time with which the request of an order was signed. */
  signMs: Journal['signMs'] = ({ createdMs }) => createdMs;

  stopMoved(): number {
    return 0;
  }
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
