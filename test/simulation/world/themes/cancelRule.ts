// Checks that cancels have calls of the limit for themselves, on days on which the exchange admits few calls (docs/order-safety.md, rate limits).

import type { BotProcess } from '../botProcess.ts';
import type { ReportViolation } from '../observer.ts';
import { FEW_CALLS } from './themedDay.ts';

/** How long a cancel may wait although the limit of cancels is not used up, ms. */
const MAX_WAIT_MS = 4000;
/** Cancels that left at most this long before another one was asked for may still count, ms: a window after a reply that came late or never. */
const COUNTED_MS = 30_000;
/** For how long the cancels of a new process wait, because the one before may have used up the limit, ms: a window and its guard. */
const START_MS = FEW_CALLS['spot.cancelOrder'].windowMs * 1.01;

/** Checks the cancels of one day. Its violation `WAITS`: a cancel waits although the exchange would admit it. */
export class CancelRule {
  /** When cancels have left, ms UTC. */
  readonly #leftMs: number[] = [];
  /** Venue order ids whose cancel has left. */
  readonly #leftIds = new Set<string>();
  /** Since when a cancel waits, ms UTC, by venue order id. */
  readonly #waitingSinceMs = new Map<string, number>();
  #process: BotProcess | null = null;
  /** Until when cancels of the process may wait, ms UTC. */
  #startedMs = 0;

  /** Notes a request that leaves. `target` is its path, `body` its text. */
  noteRequest(target: string, body: string, nowMs: number, report: ReportViolation): void {
    if (!target.toLowerCase().includes('cancel')) return;
    for (const [id] of body.matchAll(/\d{15,}/g)) {
      this.#judge(id, nowMs, report);
      this.#waitingSinceMs.delete(id);
      this.#leftIds.add(id);
    }
    this.#leftMs.push(nowMs);
  }

  /** Notes the cancels that the bot has asked for, and checks those that wait. */
  noteAsked(process: BotProcess | null, nowMs: number, report: ReportViolation): void {
    if (process !== this.#process) {
      this.#process = process;
      this.#startedMs = nowMs + START_MS;
    }
    for (const { lifecycle, venueId } of process?.opened?.bot.deps.engine.orders.active() ?? []) {
      const id = String(venueId);
      if (lifecycle !== 'cancelSent' || venueId === null || this.#leftIds.has(id)) continue;
      if (!this.#waitingSinceMs.has(id)) this.#waitingSinceMs.set(id, Math.max(nowMs, this.#startedMs));
      this.#judge(id, nowMs, report);
    }
  }

  /** Reports a cancel that waits too long. */
  #judge(id: string, nowMs: number, report: ReportViolation): void {
    const sinceMs = this.#waitingSinceMs.get(id) ?? nowMs;
    const countedCancels = this.#leftMs.filter((leftMs) => leftMs > sinceMs - COUNTED_MS).length;
    if (nowMs - sinceMs > MAX_WAIT_MS && countedCancels < FEW_CALLS['spot.cancelOrder'].count)
      report('WAITS', `the cancel of ${id} waits for ${nowMs - sinceMs} ms, and ${countedCancels} cancels may count`);
  }

  /** Forgets what waits: the process has ended. */
  forget(): void {
    this.#waitingSinceMs.clear();
  }
}
