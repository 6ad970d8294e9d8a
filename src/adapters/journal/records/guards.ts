// The guards of the journal (order-safety, section 16), by name. A run of mutations serves this file with one of them turned off, and some
// world must then break; nothing else changes them.

export const guards = {
  /** 13: an order whose SEND is there and whose answer is not may stand at the exchange. */
  sentIsUnknown: true,
  /** 47: a sync that failed is not tried again. */
  syncIsFinal: true,
  /** 48: a line is what its checksum says. */
  checksums: true,
  /** 49: a journal that is not what was written is refused. */
  rejectsDamage: true,
  /** 53: halts outlive the process. */
  haltsPersist: true,
};
