// Pauses all calls after the venue reported a rate-limit violation. Each pause is longer than the last; one successful call ends it.

/** How long a rate class pauses after the venue has refused a call for its rate limit. */
export interface StopRules {
  /** Length of the first pause. Each further one is twice as long. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** This long after the end of a pause, the next one has the first length again. */
  readonly forgivenMs: number;
}

/** Identifies a call that was allowed to leave. */
export interface Pass {
  readonly epoch: number;
}

/** A pause as another process stored it. */
export interface StoredStop {
  /** Unix time in ms at which it began. */
  readonly sinceMs: number;
  /** Unix time in ms until which nothing is sent. */
  readonly untilMs: number;
  /** Number of pauses in a row, including this one; 1 to 64. */
  readonly strikes: number;
}

/** Keeps the length of a pause, a power of 2, within the numbers that a double holds. */
export const MAX_STRIKES = 64;

/** The pauses of one rate limit. */
export class RateStop implements StoredStop {
  sinceMs = -Infinity;
  untilMs = -Infinity;
  strikes = 0;
  readonly #rules: StopRules;
  /** Counts the pauses, to recognise replies to calls that were sent before a pause. */
  #epoch = 0;
  /** False from the start of a pause until a call succeeds after it. */
  #isProven = true;
  /** The only call sent since a pause; null without one. */
  #probe: Pass | null = null;

  constructor(rules: StopRules) {
    this.#rules = rules;
  }

  /** Resumes a pause that began before this process started. */
  resume({ sinceMs, untilMs, strikes }: StoredStop): void {
    this.sinceMs = sinceMs;
    this.untilMs = untilMs;
    this.strikes = strikes;
    this.#isProven = false;
  }

  /** True during a pause. */
  isOn(nowMs: number): boolean {
    return nowMs < this.untilMs;
  }

  /** After a pause only one call at a time passes until one succeeds. Many calls at once would be refused again. */
  mayPass(nowMs: number): boolean {
    return !this.isOn(nowMs) && (this.#isProven || this.#probe === null);
  }

  /** Returns the pass of a call that is sent now. The first call after a pause becomes the probe that the others wait for. */
  beginCall(): Pass {
    const pass: Pass = { epoch: this.#epoch };
    if (!this.#isProven) this.#probe ??= pass;
    return pass;
  }

  /**
   * Notes the end of a call without a violation. `hasReply`: a reply came. Returns true if other calls may pass now.
   */
  noteCallEnd(pass: Pass, hasReply: boolean): boolean {
    if (pass !== this.#probe) return false;
    this.#probe = null;
    if (hasReply) this.#isProven = true;
    return true;
  }

  /**
   * Notes that the venue refused a call for a rate-limit violation. Returns `new` if a pause begins. Otherwise the call is from before the
   * pause: `longer` if its reply extends the pause, `same` if not.
   */
  noteViolation(pass: Pass, nowMs: number, retryAfterMs: number | null): 'new' | 'longer' | 'same' {
    if (pass === this.#probe) this.#probe = null;
    const { firstMs, maxMs, forgivenMs } = this.#rules;
    const requestedMs = nowMs + (retryAfterMs ?? 0);
    if (pass.epoch !== this.#epoch) {
      if (requestedMs <= this.untilMs) return 'same';
      this.untilMs = requestedMs;
      return 'longer';
    }
    if (nowMs >= this.untilMs + forgivenMs) this.strikes = 0;
    this.#epoch++;
    this.strikes = Math.min(MAX_STRIKES, this.strikes + 1);
    this.sinceMs = nowMs;
    this.#isProven = false;
    this.untilMs = Math.max(this.untilMs, requestedMs, nowMs + Math.min(maxMs, firstMs * 2 ** (this.strikes - 1)));
    return 'new';
  }
}
