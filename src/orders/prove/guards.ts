// The guards of this room by name (order-safety, section 16). A mutation test switches one off and expects a test to fail. Nothing else
// changes them.

/** True for each guard that is on. The number is that of docs/order-safety.md. */
export const proofGuards = {
  /** 14: a list proves nothing before the absence horizon. By then the exchange must show every order that it has admitted. */
  absenceHorizon: true,
  /** 18: reads wait for the read lag, within a round and between rounds. */
  readLag: true,
  /** 19: one round is not enough, because a single list may have been older than the read lag allows. */
  twoRounds: true,
  /** 20: the holdings at the exchange must agree with the ledger. */
  holdingsAgree: true,
  /** 21: an unattributed fill may belong to this order. */
  unattributedBlocks: true,
  /** 28: elapsed time alone decides nothing. */
  onlyEvidence: true,
  /** 29: codes that admit a delay widen the visibility delay. */
  incidentsWiden: true,
  /** 30: an order that is proven absent stays reserved while it may still arrive. */
  absentReserve: true,
  /** 31: an order that is proven absent is recognised permanently. */
  absentMemory: true,
  /** 42: a fill that comes before its acknowledgement counts. */
  earlyFills: true,
};
