// The guards of this room (order-safety, section 16), by name. A run of mutations serves this file with one of them turned off, and some
// world must then break; nothing else changes them.

export const guards = {
  /** 14: no list proves anything before the exchange must have shown whatever it may have admitted. */
  absenceHorizon: true,
  /** 18: what may be old is waited for, within a round and between rounds. */
  readLag: true,
  /** 19: one round is not enough: a single list may have been older than lists may be. */
  twoRounds: true,
  /** 20: what is held has to agree with the ledger. */
  holdingsAgree: true,
  /** 21: a fill that is nobody's may be this order's. */
  unattributedBlocks: true,
  /** 28: no time that goes by decides anything. */
  onlyEvidence: true,
  /** 29: codes that admit a delay widen the way into the lists. */
  incidentsWiden: true,
  /** 30: what was proved without effect stays reserved while it may land. */
  absentReserve: true,
  /** 31: and is recognised for ever. */
  absentMemory: true,
  /** 42: a fill that comes before its acknowledgement counts. */
  earlyFills: true,
};
