// Sets the clocks of a hard day: the wall clock of the bot's computer, the clock of the exchange, and the time that a sleeping computer loses.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { BotProcess } from '../botProcess.ts';
import type { Operator } from '../operator.ts';
import type { SimulatedVenue } from '../venue.ts';
import { dayTermsOf, type ClockFault } from './hardDay.ts';
import { subRandom } from '../draws.ts';

/** The wall clock of the bot's computer is at most this far ahead or behind, until the operator corrects it. */
const STEP_MS = { max: 3_600_000, until: { min: 600_000, max: 2_400_000 } };
/** The clock of the exchange is at most this far ahead or behind its own time. */
const EXCHANGE_STEP_MS = { max: 12_000, until: { min: 60_000, max: 900_000 } };
/** How long the computer of the bot sleeps. */
const SLEEP_MS = { min: 500, max: 400_000 };

/** The parts of the world on which the faults act. */
export interface ClockFaultsDeps {
  readonly queue: DueQueue;
  readonly venue: SimulatedVenue;
  readonly currentProcess: () => BotProcess | null;
  readonly operator: Operator;
}

/** The clock faults of one day. */
export class ClockFaults {
  /** How far the wall clock of the bot's computer is ahead, ms. A process takes it over when it starts. */
  stepMs = 0;
  /** How far the clock of the exchange is ahead, ms. */
  #exchangeOffsetMs = 0;
  readonly #deps: ClockFaultsDeps;

  /**
   * Times of orders and trades do not follow the clock by which the exchange checks requests. Without client order ids, an order that seems
   * older than its request is that of another owner, so the clock of the exchange is set only where lists have these ids.
   */
  readonly #setsExchangeClock: boolean;

  constructor(deps: ClockFaultsDeps, seed: number) {
    this.#deps = deps;
    this.#setsExchangeClock = deps.venue.market === 'spot' && !dayTermsOf(seed).hidesClientIds;
  }

  /** Applies a fault. `draw`, in [0, 1), selects direction, size and duration. */
  apply(faultKind: ClockFault, draw: number): void {
    const { queue, currentProcess } = this.#deps;
    const share = subRandom(draw, 16) ** 2 * (draw < 0.5 ? -1 : 1);
    const durationShare = subRandom(draw, 256);
    if (faultKind === 'sleep') {
      const running = currentProcess();
      // A kill is carried out by a person who watches the computer.
      if (running?.opened != null && !running.isKilled && running.pending === 0)
        running.sleep(Math.floor(SLEEP_MS.min + draw ** 3 * (SLEEP_MS.max - SLEEP_MS.min)));
    } else if (faultKind === 'clockStep') {
      this.stepMs = Math.floor(share * STEP_MS.max);
      queue.at(queue.nowMs + lengthOf(STEP_MS.until, durationShare), () => (this.stepMs = 0));
    } else if (this.#setsExchangeClock) {
      this.#setExchangeClock(Math.floor(share * EXCHANGE_STEP_MS.max));
      queue.at(queue.nowMs + lengthOf(EXCHANGE_STEP_MS.until, durationShare), () => this.#setExchangeClock(0));
    }
  }

  /** Sets the clock of an exchange that has started: its disk may have an offset from before the crash, and its clock may have been set since. */
  onExchangeStart(): void {
    this.#deps.venue.service.clockOffsetMs = this.#exchangeOffsetMs;
  }

  #setExchangeClock(offsetMs: number): void {
    const { venue, operator } = this.#deps;
    this.#exchangeOffsetMs = offsetMs;
    venue.service.clockOffsetMs = offsetMs;
    // The bot measures that orders were taken long before or after they were signed.
    operator.clearAdmissionHalts();
  }
}

/** Returns a duration between the bounds, ms. `share`: 0 for the shortest. */
const lengthOf = ({ min, max }: { readonly min: number; readonly max: number }, share: number): number =>
  Math.floor(min + share * (max - min));
