// The guards of the journal (order-safety, section 16), by name. They are always on. A mutation test replaces this file with one guard
// turned off, and expects a property test to fail.

/** True for each guard that is on. The number is that of docs/order-safety.md. */
export const journalGuards = {
  /** 13: an order with a SEND record and no reply may exist at the venue. */
  sentIsUnknown: true,
  /** 47: a failed sync is not retried. */
  syncIsFinal: true,
  /** 48: a line must match its checksum. */
  checksums: true,
  /** 49: a journal that differs from what was written is rejected. */
  rejectsDamage: true,
  /** 53: halts outlive the process. */
  haltsPersist: true,
};
