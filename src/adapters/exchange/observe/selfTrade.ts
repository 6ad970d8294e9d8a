// The other leg of a trade with ourselves. Pure.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { amountOf } from '../../../model/value.ts';
import type { TradeRow } from '../calls/rows.ts';

const MILLION = 1_000_000;

/**
 * The leg that a list leaves out: the same trade seen from the order on its other side. Its fee is not told, so it is what the
 * instrument's rates make of it, in the asset that its side receives where the leg that is told pays in what it receives. `closes`: its
 * order closes a position of contracts, which have rates for that.
 */
export function mirrored(row: TradeRow, instrument: Instrument, closes = false): TradeRow {
  const isMaker = !row.isMaker;
  const isBuy = row.side === 'sell';
  const ppm = rateOf(instrument, isMaker, closes);
  const isReceived = row.feeCoin === (row.side === 'buy' ? instrument.base : instrument.quote);
  const feeInBase = instrument.contract === undefined && isReceived && isBuy;
  const value = feeInBase ? new Decimal(row.qty) : amountOf(instrument, new Decimal(row.qty), new Decimal(row.price));
  const fee = value.times(ppm).div(MILLION);
  return {
    ...row,
    venueId: row.otherId ?? '',
    otherId: row.venueId,
    side: isBuy ? 'buy' : 'sell',
    isMaker,
    fee: fee.toDecimalPlaces(feeInBase ? instrument.baseDigits : instrument.quoteDigits, Decimal.ROUND_HALF_UP).toFixed(),
    feeCoin: row.feeCoin === null ? null : feeInBase ? instrument.base : instrument.quote,
  };
}

function rateOf({ contract, makerFeePpm, takerFeePpm }: Instrument, isMaker: boolean, closes: boolean): number {
  if (contract === undefined) return isMaker ? makerFeePpm : takerFeePpm;
  if (closes) return isMaker ? contract.closeMakerFeePpm : contract.closeTakerFeePpm;
  return isMaker ? contract.openMakerFeePpm : contract.openTakerFeePpm;
}
