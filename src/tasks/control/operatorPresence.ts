// Whether somebody watches: the last sign of life, and the oldest alarm that nobody has answered. R-25 (DEAD_MAN) looks at both.

export class OperatorPresence {
  /** Venue time, ms. A start is a sign of life. */
  seenMs: number;
  /** Infinity: no alarm is unanswered. */
  alarmMs = Infinity;

  constructor(nowMs: number) {
    this.seenMs = nowMs;
  }

  /** Somebody, or something that watches for somebody, has asked. */
  noteActivity(nowMs: number): void {
    this.seenMs = nowMs;
  }
  /** An alarm was sent. */
  alarm(nowMs: number): void {
    this.alarmMs = Math.min(this.alarmMs, nowMs);
  }
  /** Returns false where there was nothing to answer. */
  acknowledge(): boolean {
    const isOpen = this.alarmMs !== Infinity;
    this.alarmMs = Infinity;
    return isOpen;
  }
}
