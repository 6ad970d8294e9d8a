// Tracks the operator's presence: the last request, and the oldest unacknowledged alarm. R-25 (DEAD_MAN) uses both.

export class OperatorPresence {
  /** Venue time, ms. A start counts as presence. */
  seenMs: number;
  /** Infinity: no unacknowledged alarm. */
  alarmMs = Infinity;

  constructor(nowMs: number) {
    this.seenMs = nowMs;
  }

  /** A request arrived, from the operator or from a program that acts for one. */
  noteActivity(nowMs: number): void {
    this.seenMs = nowMs;
  }
  /** An alarm was sent. */
  noteAlarm(nowMs: number): void {
    this.alarmMs = Math.min(this.alarmMs, nowMs);
  }
  /** Returns false if there was no alarm. */
  acknowledge(): boolean {
    const isOpen = this.alarmMs !== Infinity;
    this.alarmMs = Infinity;
    return isOpen;
  }
}
