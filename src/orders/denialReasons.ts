// Deny codes of the order manager and their texts: why an order cannot be distinguished from others, or is one too many.

const DENIAL_REASONS: Readonly<Record<string, string>> = {
  SLOT_BUSY: 'the order of this decision is not over yet',
  SIDE_UNKNOWN: 'what became of an order of this side is not known yet',
  FP_NOT_UNIQUE: 'too many open orders have the same side, price and quantity: a lost reply could not be attributed',
  MISSED: 'the bot went down as it decided, and came back too late to send it',
  REPLACED_FILLED: 'the order that it replaces has filled: nothing is left to be ordered',
  DELISTED: 'the symbol leaves the run: it takes only orders that close',
  ENTRY_SIDE: 'a stop entry waits for a worse price: of a buy above the last one, of a sell below it',
  CONDITION_UNSUPPORTED: 'the exchange takes no orders that wait for a price',
};

/** Returns the text of a deny code; null for a code of risk. */
export const denialText = (code: string): string | null => DENIAL_REASONS[code] ?? null;
