// What lets people see a bot from outside its process: the dashboard where the config asks for one, and alerts to whom it names.

import { LiveScheduler } from '../../../adapters/clock/liveScheduler.ts';
import { nowMs, repeat } from '../../../adapters/clock/wallClock.ts';
import { AlertOutbox } from '../../../adapters/notify/outbox.ts';
import { alertsBetween } from './alerts.ts';
import type { BotControl } from '../../control/botControl.ts';
import type { BotView } from '../../control/botView.ts';
import type { Notifier } from '../../../ports/notifier.ts';
import { openNotifiers, type AlertEntry } from '../config/notifiers.ts';
import { openDashboard, type Dashboard } from '../dashboard/dashboardServer.ts';

export interface MonitoringSettings {
  /** Data folder of the bot. */
  readonly data: string;
  /** To which the paths of `alerts` are relative. */
  readonly folder: string;
  /** Null: no dashboard. */
  readonly dashboard: { readonly port: number } | null;
  readonly alerts: readonly AlertEntry[];
  /** Those that modules add; default none. */
  readonly notifiers?: readonly Notifier[];
  /** An alarm has been sent, which somebody has to answer. */
  readonly alarmed: () => void;
}

export interface MonitoringLog {
  info(message: string): void;
  warn(text: string): void;
}

export interface Monitoring {
  /** Null: none was asked for. */
  readonly dashboard: Dashboard | null;
  /** The bot ends, and nobody asked it to: that is told before the last of `close`. */
  ended(why: string): void;
  close(): Promise<void>;
}

/** How often it is looked for what somebody has to be told. */
const POLL_MS = 1000;
/** Whoever has to be told of what ended the bot is given so long to hear it. */
const LAST_ALERTS_MS = 3000;

/** Throws ConfigError for a port that cannot be had, and for files of secrets that others can read. */
export async function openMonitoring(control: BotControl, settings: MonitoringSettings, log: MonitoringLog): Promise<Monitoring> {
  const { data, dashboard: wanted, alerts, notifiers = [] } = settings;
  // Alerts second: a port that cannot be had ends the bot, and they would go on.
  const dashboard =
    wanted && (await openDashboard(control, { folder: data, port: wanted.port, nowMs, log: (level, message) => log[level](message) }));
  const notifying = alerts.length + notifiers.length === 0 ? null : await startAlertsOr(() => dashboard?.close(), control, settings, log);
  return {
    dashboard,
    ended: (why) => notifying?.ended(why),
    async close() {
      await dashboard?.close();
      await notifying?.close();
    },
  };
}

type AlertTask = Omit<Monitoring, 'dashboard'>;

async function startAlertsOr(undo: () => Promise<void> | undefined, ...of: Parameters<typeof startAlerts>): Promise<AlertTask> {
  try {
    return startAlerts(...of);
  } catch (error) {
    await undo();
    throw error;
  }
}

function startAlerts(
  control: BotControl,
  { alerts, notifiers: added = [], folder, alarmed }: MonitoringSettings,
  log: MonitoringLog,
): AlertTask {
  // Of its own: people do not live faster when paper trading does.
  const scheduler = new LiveScheduler();
  const notifiers = openNotifiers(alerts, folder);
  const outbox = new AlertOutbox(scheduler, [...notifiers.all, ...added], {
    lost: ({ code, scope }, notifier, why) => log.warn(`an alert was not told: ${notifier}, ${code} of ${scope}: ${why}`),
  });
  let before: BotView | null = null;
  const look = (): void => {
    const now = control.view();
    for (const alert of alertsBetween(before, now)) {
      outbox.send(alert);
      if (alert.level === 'alarm') alarmed();
    }
    before = now;
  };
  look();
  const stop = repeat(POLL_MS, look);
  return {
    ended(why) {
      const { name, mode, timeMs } = control.view();
      outbox.send({ level: 'alarm', code: 'ENDED', bot: name, mode, scope: 'account', message: `the bot has ended: ${why}`, timeMs });
    },
    async close() {
      stop();
      // What has just happened is still told: it is why it stops, or why somebody stopped it.
      look();
      await new Promise<void>((resolve) => outbox.finish(LAST_ALERTS_MS, resolve));
      scheduler.close();
      await notifiers.close();
    },
  };
}
