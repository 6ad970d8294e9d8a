// The net part of PORTFOLIO (risk-and-security, R-9): longs minus shorts of all symbols, at the worst for one side.

import type { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import type { SpotLedger } from '../../portfolio/spotLedger.ts';
import type { Draft, RiskState } from '../rules/rule.ts';

/**
 * Returns longs minus shorts of all contracts when every buy fills and no sell does; for a sell shorts minus longs, the other way round.
 * The order itself is included. Positions count at the mark, an open order at the dearer of its worst price and the mark.
 */
export function netOfContracts(order: Draft, { ledger, reservations, instruments, marks, mark }: RiskState<FuturesLedger>): number {
  const isBuy = order.side === 'buy';
  let units = 0;
  for (let index = 0; index < instruments.length; index++) {
    const isOwn = index === order.instrumentIndex;
    const ticks = isOwn ? mark : marks.lastTicks(index);
    const scale = ledger.scale(index);
    const [same, other] = [ledger.side(index, isBuy).lots, ledger.side(index, !isBuy).lots];
    if (same > 0) units += scale.notionalUp(ticks, same);
    if (other > 0) units -= scale.notionalDown(ticks, other);
    if ((isBuy ? reservations.buyLotsTotal(index) : reservations.sellLotsTotal(index)) > 0) {
      units += isBuy ? reservations.buyUnitsAt(index, ticks) : reservations.sellUnitsAt(index, ticks);
    }
    // An order that only closes the other side still moves the net.
    const owner = ledger.ownerOf(index);
    const closing = owner < 0 ? 0 : reservations.closingLots(owner, index, isBuy);
    if (closing > 0) units += scale.notionalUp(ticks, closing);
    if (isOwn) units += reservations.unitsAt(order, ticks);
  }
  return units;
}

/**
 * Returns the value of the coins that are certain to stay: holdings minus all that open sells may still take. `first`: index of the first
 * spot instrument.
 */
export function keptCoins({ ledger, reservations, instruments, marks }: RiskState<SpotLedger>, first: number): number {
  let units = 0;
  for (let index = first; index < instruments.length; index++) {
    if (ledger.baseTotal(index) === 0) continue;
    const ticks = marks.lastTicks(index);
    let lots = 0;
    for (let strategy = 0; strategy < ledger.strategies; strategy++) lots += reservations.sellLots(strategy, index);
    units += Math.max(0, ledger.valueDown(index, ticks) - (lots > 0 ? reservations.scale(index).notionalUp(ticks, lots) : 0));
  }
  return units;
}
