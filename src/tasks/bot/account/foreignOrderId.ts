// The id of a foreign order in HUMAN records of the journal: the instrument, then the venue order id, which is unique only within a market.

/** Returns the id of a HUMAN record about the foreign order `venueId` of an instrument. */
export const foreignOrderId = (instrument: string, venueId: string): string => `${instrument} ${venueId}`;

/** Returns the venue order id from the id of a HUMAN record. */
export const venueIdOfForeignOrder = (humanRecordId: string): string => humanRecordId.slice(humanRecordId.indexOf(' ') + 1);
