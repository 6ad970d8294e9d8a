// Maintenance of the exchange: for minutes it answers every request in one and the same way, and carries out none. Sometimes it cancels all open
// orders first.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { VENUE_CODES } from '../../../../src/model/venueCodes.ts';
import type { Answer } from '../../../../src/worlds/computer/connection.ts';
import { subRandom, valueInRange } from '../draws.ts';
import type { SimulatedVenue } from '../venue.ts';

/** How long a maintenance lasts, ms. */
const MAINTENANCE_MS = { min: 180_000, max: 2_400_000 };
/** Share of the maintenances before which the exchange cancels all open orders. */
const CANCELLED_SHARE = 0.5;
/** Factors by which `subRandom` derives further random numbers from a drawn one. */
const FORM_FACTOR = 89;
const CANCEL_FACTOR = 97;

/** The forms of the reply: an error of the exchange, its error with HTTP 200, the page of a proxy, and an empty body. */
const FORMS: readonly ((venue: SimulatedVenue) => Answer)[] = [
  ({ service, market }) => service.error(VENUE_CODES.shuttingDown.code, market),
  ({ service, market }) => ({ ...service.error(VENUE_CODES.shuttingDown.code, market), status: 200 }),
  () => ({ status: 503, headers: { 'content-type': 'text/html' }, body: '<html>Scheduled maintenance</html>' }),
  () => ({ status: 503, headers: {}, body: '' }),
];

/** The maintenances of a day. */
export class Maintenance {
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;
  readonly #calmFromMs: number;
  #form = FORMS[0]!;

  /** `calmFromMs`: from then on there is no maintenance, ms UTC. */
  constructor(queue: DueQueue, venue: SimulatedVenue, calmFromMs: number) {
    this.#queue = queue;
    this.#venue = venue;
    this.#calmFromMs = calmFromMs;
  }

  /** Begins a maintenance. `draw`, in [0, 1), decides about its length, the form of its replies, and the open orders. */
  begin(draw: number): void {
    this.#venue.allowances.maintenanceUntilMs = Math.min(this.#calmFromMs, this.#queue.nowMs + valueInRange(MAINTENANCE_MS, draw));
    this.#form = FORMS[Math.floor(subRandom(draw, FORM_FACTOR) * FORMS.length)]!;
    if (subRandom(draw, CANCEL_FACTOR) >= CANCELLED_SHARE) return;
    // `as never`: the orders are of the market of this side, spot or futures, which the compiler cannot see.
    for (const order of this.#venue.openOrders())
      if (order.isAdmitted && this.#venue.side.cancel(order as never, false)) this.#venue.allowances.cancelledByExchangeIds.add(order.id);
  }

  /** Returns the reply to any request; null while there is no maintenance. */
  answer(): Answer | null {
    return this.#queue.nowMs < this.#venue.allowances.maintenanceUntilMs ? this.#form(this.#venue) : null;
  }
}
