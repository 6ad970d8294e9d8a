// Tracks the operator's presence: the last request, and the oldest unacknowledged alarm. R-25 (DEAD_MAN) uses both.

/** The presence of one bot's operator. */
export class OperatorPresence {
  /** Time of the last sign of presence, venue ms. A start counts as one. */
  seenMs: number;
  /** Time of the oldest unacknowledged alarm, venue ms; Infinity: none. */
  alarmMs = Infinity;

  constructor(nowMs: number) {
    this.seenMs = nowMs;
  }

  /** Notes a request of the operator, or of a program that acts for the operator. */
  noteActivity(nowMs: number): void {
    this.seenMs = nowMs;
  }
  /** Notes that an alarm was sent. */
  noteAlarm(nowMs: number): void {
    this.alarmMs = Math.min(this.alarmMs, nowMs);
  }
  /** Clears all alarms. Returns false if there was none. */
  acknowledge(): boolean {
    const hasAlarm = this.alarmMs !== Infinity;
    this.alarmMs = Infinity;
    return hasAlarm;
  }
}
