// Port for alerts to the operator: a webhook or Telegram implements it.

/** From an information to an alert that the operator must look at now. */
export const ALERT_LEVELS = ['info', 'warn', 'alarm'] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

export interface Alert {
  readonly level: AlertLevel;
  /** Stable: the code of a cause, KILLED, STARTED ... */
  readonly code: string;
  /** The bot that sends the alert. */
  readonly bot: string;
  readonly mode: 'backtest' | 'paper' | 'live';
  /** What it is about: account, symbol:spot:BTCUSDT ... */
  readonly scope: string;
  /** One or two sentences: what happened, and what to do. isobar writes the text, but parts of it may be an exchange's words. */
  readonly message: string;
  /** ms UTC. */
  readonly timeMs: number;
}

export type NotifyFailure = {
  /** In words, without any secret. */
  readonly why: string;
  /** False: no further try can help. */
  readonly mayPass: boolean;
  /** How long the receiver asks to wait; null: it did not say. */
  readonly retryAfterMs: number | null;
};

/** Sends one alert, once. `done` is called once, never within the call; null: it has arrived. The caller sets time limits. */
export interface Notifier {
  /** For the log: webhook, telegram. */
  readonly name: string;
  send(alert: Alert, done: (failure: NotifyFailure | null) => void): () => void;
}
