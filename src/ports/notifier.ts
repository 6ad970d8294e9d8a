// The hole through which a person is told: a webhook stands behind it, or Telegram.

/** From what is good to know to what somebody has to look at now. */
export const ALERT_LEVELS = ['info', 'warn', 'alarm'] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

export interface Alert {
  readonly level: AlertLevel;
  /** Stable: the code of a cause, KILLED, STARTED ... */
  readonly code: string;
  /** Which bot says it. */
  readonly bot: string;
  readonly mode: 'backtest' | 'paper' | 'live';
  /** What it is about: account, symbol:spot:BTCUSDT ... */
  readonly scope: string;
  /** In a sentence or two: what happened, and what to do. Written by us, but parts of it may be an exchange's words. */
  readonly message: string;
  /** ms UTC. */
  readonly timeMs: number;
}

export type NotifyFailure = {
  /** In words, without any secret. */
  readonly why: string;
  /** False: no further try can help. */
  readonly mayPass: boolean;
  /** The receiver asks for this much patience; null: it did not say. */
  readonly retryAfterMs: number | null;
};

/** Sends one alert, once. `done` is called once, never within the call; null: it has arrived. Time limits are the caller's. */
export interface Notifier {
  /** For the log: webhook, telegram. */
  readonly name: string;
  send(alert: Alert, done: (failure: NotifyFailure | null) => void): () => void;
}
