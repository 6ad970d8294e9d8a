// Rows and changes of positions that the FILL records of a journal stand for.

import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import type { TradeRow } from '../../../adapters/exchange/calls/venueRows.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';

/** Returns a FILL record as a row of the exchange's trade list. */
export function unattributedRow({
  tradeId,
  orderId,
  side,
  price,
  qty,
  fee,
  feeCoin,
  maker,
  executedMs,
}: Extract<JournalRecord, { k: 'FILL' }>): TradeRow {
  return { tradeId, venueId: orderId, otherId: null, side, price, qty, fee, feeCoin, isMaker: maker, timeMs: executedMs };
}

/** Returns the change of a position by a fill: above zero for a buy, less a fee in the base asset. */
export function changeOf(
  instrument: Instrument | undefined,
  fill: { readonly side: Side; readonly qty: string; readonly fee: string; readonly feeCoin: string | null },
): Decimal {
  const traded = fill.side === 'buy' ? new Decimal(fill.qty) : new Decimal(fill.qty).negated();
  const isOfBase = instrument?.market === 'spot' && fill.feeCoin === instrument.base;
  return isOfBase ? traded.minus(fill.fee) : traded;
}
