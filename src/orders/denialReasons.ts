// The deny codes of the order manager, each with the text that explains it.

const DENIAL_REASONS: Readonly<Record<string, string>> = {
  SLOT_BUSY: 'the earlier order of this decision slot has not ended yet',
  SIDE_UNKNOWN: 'the outcome of an earlier order on this side is still unknown',
  FP_NOT_UNIQUE: 'too many open orders have the same side, price and quantity: a lost reply could not be attributed',
  MISSED: 'the bot stopped right after the decision and restarted too late to send the order',
  REPLACED_FILLED: 'the replaced order has filled: nothing is left to order',
  DELISTED: 'the symbol is leaving the run: only orders that close a position are sent',
  ENTRY_SIDE: 'a stop entry needs a trigger above the last price for a buy, and below it for a sell',
  CONDITION_UNSUPPORTED: 'the exchange does not support trigger orders',
};

/** Returns the text of a deny code; null for a code of risk. */
export const denialText = (code: string): string | null => DENIAL_REASONS[code] ?? null;
