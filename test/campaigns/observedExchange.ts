// A futures exchange that reports each event of its venue to a listener.

import type { Fill } from '../../src/model/fill.ts';
import { FuturesExchange } from '../../src/paperExchange/futures/futuresExchange.ts';
import type { VenuePosition } from '../../src/venue/futures/position.ts';
import type { VenueOrder } from '../../src/venue/venueOrder.ts';

/** The events of the venue, as they pass to its exchange. */
export interface VenueListener {
  filled(live: VenueOrder, fill: Fill): void;
  funded(position: Readonly<VenuePosition>): void;
  liquidated(position: Readonly<VenuePosition>, wasLong: boolean, fill: Fill): void;
  ended(): void;
}

/** An exchange that passes each event of its venue to the listener first. */
export class ObservedExchange extends FuturesExchange {
  listener: VenueListener | null = null;

  override filled(live: VenueOrder, fill: Fill): void {
    this.listener?.filled(live, fill);
    super.filled(live, fill);
  }
  override onFunding(position: Readonly<VenuePosition>): void {
    this.listener?.funded(position);
    super.onFunding(position);
  }
  override onLiquidation(position: Readonly<VenuePosition>, wasLong: boolean, fill: Fill): void {
    this.listener?.liquidated(position, wasLong, fill);
    super.onLiquidation(position, wasLong, fill);
  }
  override ended(live: VenueOrder): void {
    this.listener?.ended();
    super.ended(live);
  }
}
