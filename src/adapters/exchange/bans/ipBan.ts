// Stops all traffic while the venue bans this IP address (HTTP 418), also after a restart.

import type { Ban, BanStore, UnreadableBan } from './banStore.ts';
import { RateStop, type Pass } from './rateStop.ts';

/** Services ban for two minutes up to three days. The shortest pause here is five minutes. */
export const BAN_MIN_MS = 300_000;
const MAX_BAN_MS = 259_200_000;
/** This long after the end of a ban, the next one is as short as the first. */
const FORGIVEN_MS = 86_400_000;

/** A change of the ban. */
export type BanEvent =
  | { readonly kind: 'banned'; readonly ban: Ban }
  /** The ban holds, but would not survive a restart. */
  | { readonly kind: 'banNotSaved'; readonly ban: Ban; readonly cause: string };

/** The ban of this address at one service. */
export class IpBan {
  /** Set if the stored record cannot be read. Then there may be a ban, and nothing is sent. */
  readonly unreadable: UnreadableBan | null = null;
  readonly #store: BanStore | null;
  readonly #notify: (event: BanEvent) => void;
  readonly #stop: RateStop;

  constructor(store: BanStore | null, minMs: number, nowMs: number, notify: (event: BanEvent) => void) {
    this.#store = store;
    this.#notify = notify;
    this.#stop = new RateStop({ firstMs: minMs, maxMs: Math.max(minMs, MAX_BAN_MS), forgivenMs: FORGIVEN_MS });
    const storedBan = store?.read() ?? null;
    if (storedBan === null) return;
    if ('unreadable' in storedBan) this.unreadable = storedBan;
    else this.#resume(storedBan, nowMs);
  }

  /** Returns when the ban ends: Infinity if the operator has to act, null if there is no ban. */
  untilMs(nowMs: number): number | null {
    if (this.unreadable) return Infinity;
    return this.#stop.isOn(nowMs) ? this.#stop.untilMs : null;
  }

  /** True if a call may be sent now. */
  mayPass(nowMs: number): boolean {
    return this.unreadable === null && this.#stop.mayPass(nowMs);
  }
  /** Returns the pass of a call that is being sent. */
  beginCall(): Pass {
    return this.#stop.beginCall();
  }
  /** Notes the end of a call without a 418. `hasReply`: a reply came. Returns true if other calls may pass now. */
  endCall(pass: Pass, hasReply: boolean): boolean {
    return this.#stop.noteCallEnd(pass, hasReply);
  }

  /** Notes a 418: begins a ban or makes it longer, and stores it. */
  onBan(pass: Pass, nowMs: number, retryAfterMs: number | null): void {
    if (this.#stop.noteViolation(pass, nowMs, retryAfterMs) === 'same') return;
    this.#reportIfNotSaved(() => this.#persist());
    this.#notify({ kind: 'banned', ban: this.#ban });
  }

  /**
   * Resumes a stored ban. If it starts in the future, the clock has been set back since, so the whole ban is served again. It is stored with
   * its new times, because otherwise each further start would serve it again.
   */
  #resume(ban: Ban, nowMs: number): void {
    const isMoved = ban.sinceMs > nowMs;
    const adjusted = isMoved ? { ...ban, sinceMs: nowMs, untilMs: nowMs + ban.untilMs - ban.sinceMs } : ban;
    if (nowMs < adjusted.untilMs + FORGIVEN_MS) this.#stop.resume(adjusted);
    if (isMoved) this.#reportIfNotSaved(() => this.#store?.write(adjusted));
  }

  /** Stores the ban, and reports it if that fails. */
  #reportIfNotSaved(save: () => void): void {
    try {
      save();
    } catch (error) {
      this.#notify({ kind: 'banNotSaved', ban: this.#ban, cause: error instanceof Error ? error.message : String(error) });
    }
  }

  get #ban(): Ban {
    const { sinceMs, untilMs, strikes } = this.#stop;
    return { sinceMs, untilMs, strikes };
  }

  /** Stores the ban. Other programs on this address write the same record, so a longer stored ban is kept and obeyed. */
  #persist(): void {
    const storedBan = this.#store?.read() ?? null;
    // Keep the unreadable record: the next process finds it and sends nothing.
    if (storedBan && 'unreadable' in storedBan) return;
    const { sinceMs, untilMs, strikes } = this.#ban;
    if (storedBan && storedBan.sinceMs <= sinceMs && storedBan.untilMs > untilMs) {
      this.#stop.resume({ sinceMs, untilMs: storedBan.untilMs, strikes: Math.max(strikes, storedBan.strikes) });
    }
    this.#store?.write(this.#ban);
  }
}
