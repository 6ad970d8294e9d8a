// The id of a foreign order in HUMAN records of the journal: the instrument, then the venue order id.

/** Returns the venue order id from the id text of a HUMAN record. */
export const venueIdIn = (id: string): string => id.slice(id.indexOf(' ') + 1);
