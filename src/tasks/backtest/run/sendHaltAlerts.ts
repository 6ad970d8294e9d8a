// Sends the halts of a backtest to the notifiers that modules add, after its bars.

import { runAfter } from '../../../adapters/clock/wallClock.ts';
import type { SealedBot } from '../../../app/replayedBot.ts';
import type { Alert, Notifier, NotifyFailure } from '../../../ports/notifier.ts';
import { scopeName } from '../../control/scopes.ts';
import type { RunLog } from './runLog.ts';

/** Time limit for one alert, so that a missing receiver does not delay a backtest. */
const ALERT_MS = 3000;

/** Sends one alert for each raised halt, in the order of the run. A failure is logged. */
export async function sendHaltAlerts(
  { notifiers, engine, plan }: Pick<SealedBot, 'notifiers' | 'engine' | 'plan'>,
  log: RunLog,
): Promise<void> {
  if (notifiers.length === 0) return;
  const named = { instruments: engine.instruments, strategies: plan.strategies.map(({ record }) => record.name) };
  for (const { scope, code, why, timeMs, isRaised } of engine.risk.halts.changes()) {
    if (!isRaised) continue;
    const alert: Alert = { level: 'warn', code, bot: plan.name, mode: 'backtest', scope: scopeName(scope, named), message: why, timeMs };
    for (const notifier of notifiers) {
      const failure = await sendAlert(notifier, alert);
      if (failure !== null) log.addEvent(`an alert was not delivered: ${notifier.name}, ${code}`, { why: failure });
    }
  }
}

/** Resolves with the reason why the alert was not delivered; null: delivered. */
function sendAlert(notifier: Notifier, alert: Alert): Promise<string | null> {
  return new Promise((resolve) => {
    const stop = runAfter(ALERT_MS, () => {
      giveUp();
      resolve(`no answer within ${ALERT_MS} ms`);
    });
    const giveUp = notifier.send(alert, (failure: NotifyFailure | null) => {
      stop();
      resolve(failure?.why ?? null);
    });
  });
}
