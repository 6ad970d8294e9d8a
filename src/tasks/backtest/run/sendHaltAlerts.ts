// Sends the halts of a backtest to the notifiers that the user's modules add, once all bars have been processed.

import { runAfter } from '../../../adapters/clock/wallClock.ts';
import type { SealedBot } from '../../../app/replayedBot.ts';
import type { Alert, Notifier, NotifyFailure } from '../../../ports/notifier.ts';
import { scopeName } from '../../control/scopes.ts';
import type { RunLog } from './runLog.ts';

/** Time limit for one alert. A receiver that does not answer delays the end of the backtest by this long for each alert. */
const MAX_ALERT_MS = 3000;

/** Sends one alert for each halt that was raised, in the order of the run. Waits for each reply before the next alert, and logs failures. */
export async function sendHaltAlerts(
  { notifiers, engine, plan }: Pick<SealedBot, 'notifiers' | 'engine' | 'plan'>,
  log: RunLog,
): Promise<void> {
  if (notifiers.length === 0) return;
  const namesById = { instruments: engine.instruments, strategies: plan.strategies.map(({ record }) => record.name) };
  for (const { scope, code, why, timeMs, isRaised } of engine.risk.halts.changes()) {
    if (!isRaised) continue;
    const alert: Alert = {
      level: 'warn',
      code,
      bot: plan.name,
      mode: 'backtest',
      scope: scopeName(scope, namesById),
      message: why,
      timeMs,
    };
    for (const notifier of notifiers) {
      const failure = await sendAlert(notifier, alert);
      if (failure !== null) log.addEvent(`an alert was not delivered: ${notifier.name}, ${code}`, { why: failure });
    }
  }
}

/** Resolves with null once the alert is delivered, else with the reason why it was not. */
function sendAlert(notifier: Notifier, alert: Alert): Promise<string | null> {
  return new Promise((resolve) => {
    const stopTimer = runAfter(MAX_ALERT_MS, () => {
      cancelSend();
      resolve(`no answer within ${MAX_ALERT_MS} ms`);
    });
    const cancelSend = notifier.send(alert, (failure: NotifyFailure | null) => {
      stopTimer();
      resolve(failure?.why ?? null);
    });
  });
}
