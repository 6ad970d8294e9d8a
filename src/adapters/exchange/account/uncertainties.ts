// Finds orders whose state the exchange has not shown completely, so that an audit must not pass.

import type { AuditDifference } from '../calls/types.ts';
import type { OrderAttribution } from '../observe/attribution.ts';
import type { ExchangeContext } from '../order/exchangeContext.ts';

/** Returns orders whose venue order id is in doubt, and duplicate orders that are still open. */
export function uncertaintiesOf(
  { duplicates }: OrderAttribution,
  { ownInstruments, trackedOrders }: ExchangeContext,
): readonly AuditDifference[] {
  const contested = ownInstruments.flatMap((index) =>
    Array.from(trackedOrders.openOf(index)).filter(({ isContested, isBelievedAbsent }) => isContested && !isBelievedAbsent),
  );
  const listedUnderOtherId = ownInstruments.flatMap((index) =>
    Array.from(trackedOrders.openOf(index)).filter(({ otherId, isOpen }) => otherId !== null && isOpen),
  );
  return [
    ...listedUnderOtherId.map(({ request, clientOrderId, venueId, otherId }): AuditDifference => {
      const detail = `${clientOrderId}: the exchange has acknowledged it as ${venueId} and lists it as ${otherId}`;
      return { code: 'ECHO', instrument: request.instrumentIndex, venueId: otherId, what: detail };
    }),
    ...contested.map(({ request, clientOrderId, contestedId }): AuditDifference => {
      const detail = `${clientOrderId}: the exchange has its id for another order too, and has not shown which is which`;
      return { code: 'ECHO', instrument: request.instrumentIndex, venueId: contestedId === '' ? null : contestedId, what: detail };
    }),
    ...duplicates.open.map(({ venueId, instrument, clientOrderId }): AuditDifference => {
      return {
        code: 'DUPLICATE',
        instrument,
        venueId,
        what: `order ${venueId}, a second copy of ${clientOrderId}, is open and is being cancelled`,
      };
    }),
  ];
}
