// A stop after the exchange has said "enough": each longer than the one before, and at its end one call goes ahead of the others.

export interface StopRules {
  /** The first; each further one is twice as long. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** So long after the end of a stop the next one starts from the first again. */
  readonly forgivenMs: number;
}

/** Of a call that was let through. */
export interface Pass {
  readonly epoch: number;
}

/** What another process of the same program knew of a stop. */
export interface Stopped {
  /** Unix time in ms at which it began. */
  readonly sinceMs: number;
  /** Unix time in ms until which nothing is sent. */
  readonly untilMs: number;
  /** How many there were in a row, this one included; 1 to 64. */
  readonly strikes: number;
}

export class RateStop implements Stopped {
  sinceMs = -Infinity;
  untilMs = -Infinity;
  strikes = 0;
  readonly #rules: StopRules;
  /** Counts the stops, so that answers to what had left before a stop are known as such. */
  #epoch = 0;
  /** False from a stop until a call went well after it. */
  #isProven = true;
  #probe: Pass | null = null;

  constructor(rules: StopRules) {
    this.#rules = rules;
  }

  /** Goes on with a stop that began before this process did. */
  resume({ sinceMs, untilMs, strikes }: Stopped): void {
    this.sinceMs = sinceMs;
    this.untilMs = untilMs;
    this.strikes = strikes;
    this.#isProven = false;
  }

  isOn(nowMs: number): boolean {
    return nowMs < this.untilMs;
  }

  /** After a stop calls go one at a time until one was answered otherwise: a crowd would be refused as a crowd. */
  mayPass(nowMs: number): boolean {
    return !this.isOn(nowMs) && (this.#isProven || this.#probe === null);
  }

  passed(): Pass {
    const pass: Pass = { epoch: this.#epoch };
    if (!this.#isProven) this.#probe ??= pass;
    return pass;
  }

  /** A call ended without a new stop; `isFine`: an answer came, and it was no refusal of this kind. Answers whether others may go now. */
  ended(pass: Pass, isFine: boolean): boolean {
    if (pass !== this.#probe) return false;
    this.#probe = null;
    if (isFine) this.#isProven = true;
    return true;
  }

  /**
   * A call was answered with "enough". `new`: a stop begins. Else the call had left before the stop did, which became `longer` if the
   * answer asks for that, and is the `same` if not.
   */
  struck(pass: Pass, nowMs: number, retryAfterMs: number | null): 'new' | 'longer' | 'same' {
    if (pass === this.#probe) this.#probe = null;
    const { firstMs, maxMs, forgivenMs } = this.#rules;
    const askedMs = nowMs + (retryAfterMs ?? 0);
    if (pass.epoch !== this.#epoch) {
      if (askedMs <= this.untilMs) return 'same';
      this.untilMs = askedMs;
      return 'longer';
    }
    if (nowMs >= this.untilMs + forgivenMs) this.strikes = 0;
    this.#epoch++;
    this.strikes = Math.min(64, this.strikes + 1);
    this.sinceMs = nowMs;
    this.#isProven = false;
    this.untilMs = Math.max(this.untilMs, askedMs, nowMs + Math.min(maxMs, firstMs * 2 ** (this.strikes - 1)));
    return 'new';
  }
}
