// The guards of this room (order-safety, section 16) by name. Mutation tests switch one off and expect a test world to fail. Nothing else
// changes them.

export const guards = {
  /** 14: no list proves anything before the absence horizon, by which the exchange must show whatever it may have admitted. */
  absenceHorizon: true,
  /** 18: reads wait for the read lag, within a round and between rounds. */
  readLag: true,
  /** 19: one round is not enough, because a single list may have been older than the read lag allows. */
  twoRounds: true,
  /** 20: what is held has to agree with the ledger. */
  holdingsAgree: true,
  /** 21: an unattributed fill may belong to this order. */
  unattributedBlocks: true,
  /** 28: elapsed time alone decides nothing. */
  onlyEvidence: true,
  /** 29: codes that admit a delay widen the visibility delay. */
  incidentsWiden: true,
  /** 30: an order that is proven absent stays reserved while it may still arrive. */
  absentReserve: true,
  /** 31: it is also recognised permanently. */
  absentMemory: true,
  /** 42: a fill that comes before its acknowledgement counts. */
  earlyFills: true,
};
