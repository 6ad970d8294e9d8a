// Derives the leg of a self-trade that the venue's list omits.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { notionalOf } from '../../../model/value.ts';
import type { TradeRow } from '../calls/venueRows.ts';

const MILLION = 1_000_000;

/**
 * Returns the omitted leg: the same trade, seen from the order on the other side. Its fee follows from the instrument's rates. The fee is
 * in the asset that this side receives, if the reported leg also pays in the asset that it receives. `closes`: the order of the omitted leg
 * closes a contract position, which has its own rates.
 */
export function mirrorTrade(row: TradeRow, instrument: Instrument, closes = false): TradeRow {
  // Side and role of the omitted leg. They are the opposite of those in `row`.
  const isMaker = !row.isMaker;
  const isBuy = row.side === 'sell';
  const ppm = rateOf(instrument, isMaker, closes);
  const paysInReceived = row.feeCoin === (row.side === 'buy' ? instrument.base : instrument.quote);
  const feeInBase = instrument.contract === undefined && paysInReceived && isBuy;
  const value = feeInBase ? new Decimal(row.qty) : notionalOf(instrument, new Decimal(row.qty), new Decimal(row.price));
  const fee = value.times(ppm).div(MILLION);
  const feeCoin = feeInBase ? instrument.base : instrument.quote;
  return {
    ...row,
    venueId: row.otherId ?? '',
    otherId: row.venueId,
    side: isBuy ? 'buy' : 'sell',
    isMaker,
    fee: fee.toDecimalPlaces(feeInBase ? instrument.baseDigits : instrument.quoteDigits, Decimal.ROUND_HALF_UP).toFixed(),
    feeCoin: row.feeCoin === null ? null : feeCoin,
  };
}

/** Returns the fee rate of a leg, ppm. */
function rateOf({ contract, makerFeePpm, takerFeePpm }: Instrument, isMaker: boolean, closes: boolean): number {
  if (contract === undefined) return isMaker ? makerFeePpm : takerFeePpm;
  if (closes) return isMaker ? contract.closeMakerFeePpm : contract.closeTakerFeePpm;
  return isMaker ? contract.openMakerFeePpm : contract.openTakerFeePpm;
}
