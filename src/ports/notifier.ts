// Port for alerts to the operator. A webhook and Telegram implement it.

/** Levels, from information to an alert that the operator must handle now. */
export const ALERT_LEVELS = ['info', 'warn', 'alarm'] as const;
/** How urgent an alert is. The operator must acknowledge an `alarm`. */
export type AlertLevel = (typeof ALERT_LEVELS)[number];

/** A message to the operator. */
export interface Alert {
  readonly level: AlertLevel;
  /** A stable code: that of a halt cause, or KILLED, STARTED and so on. */
  readonly code: string;
  /** The bot that sends the alert. */
  readonly bot: string;
  readonly mode: 'backtest' | 'paper' | 'live';
  /** The scope, such as account or symbol:spot:BTCUSDT. */
  readonly scope: string;
  /** One or two sentences: what happened, and what to do. Parts of it may be text of the exchange. */
  readonly message: string;
  /** ms UTC. */
  readonly timeMs: number;
}

/** Why an alert was not delivered, and whether to try again. */
export type NotifyFailure = {
  /** The reason, without secrets. */
  readonly why: string;
  /** True if another attempt may succeed. */
  readonly mayPass: boolean;
  /** How long the receiver asks to wait; null if it did not say. */
  readonly retryAfterMs: number | null;
};

/** Sends one alert, once. `done` is called once, never within the call, with null if the alert has arrived. The caller sets time limits. */
export interface Notifier {
  /** Its name in the log: webhook, telegram. */
  readonly name: string;
  /** Sends the alert. Returns a function that ends the attempt. */
  send(alert: Alert, done: (failure: NotifyFailure | null) => void): () => void;
}
