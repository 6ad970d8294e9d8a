// The id of an order that is not the bot's, as the journal's HUMAN records name it: the instrument, then the exchange's id.

/** Returns the exchange's id in the text of a HUMAN record. */
export const venueIdIn = (id: string): string => id.slice(id.indexOf(' ') + 1);
