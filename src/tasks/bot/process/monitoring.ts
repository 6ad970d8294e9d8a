// Monitoring of a bot: the dashboard, if the config asks for one, and alerts to the configured receivers.

import { LiveScheduler } from '../../../adapters/clock/liveScheduler.ts';
import { nowMs, repeatEvery } from '../../../adapters/clock/wallClock.ts';
import { AlertOutbox } from '../../../adapters/notify/outbox.ts';
import { alertsBetween } from './alertsBetween.ts';
import type { BotControl } from '../../control/botControl.ts';
import type { BotView } from '../../control/botView.ts';
import type { Notifier } from '../../../ports/notifier.ts';
import { openNotifiers, type AlertEntry } from '../config/notifiers.ts';
import { openDashboard, type Dashboard } from '../dashboard/dashboardServer.ts';

/** The dashboard and the receivers of alerts. */
export interface MonitoringSettings {
  /** The bot's data folder. */
  readonly data: string;
  /** Folder to which the paths of `alerts` are relative. */
  readonly folder: string;
  /** Null: no dashboard. */
  readonly dashboard: { readonly port: number } | null;
  readonly alerts: readonly AlertEntry[];
  /** Notifiers that modules add; default none. */
  readonly notifiers?: readonly Notifier[];
  /** Called when an alarm has been sent that the operator has to acknowledge. */
  readonly onAlarm: () => void;
}

/** Where monitoring logs. */
export interface MonitoringLog {
  info(message: string): void;
  warn(text: string): void;
}

/** Running monitoring. */
export interface Monitoring {
  /** Null: not configured. */
  readonly dashboard: Dashboard | null;
  /** Sends an alert that the bot ends unexpectedly. It is sent before `close` completes. */
  announceEnd(reason: string): void;
  close(): Promise<void>;
}

/** Time between two checks for new alerts, ms. */
const POLL_MS = 1000;
/** Time limit for delivering the last alerts when the bot exits, ms. */
const LAST_ALERTS_MS = 3000;

/** Running alerts. */
type AlertService = Omit<Monitoring, 'dashboard'>;

/** Starts monitoring. Throws ConfigError for a port that cannot be opened, and for secret files that other users can read. */
export async function openMonitoring(control: BotControl, settings: MonitoringSettings, log: MonitoringLog): Promise<Monitoring> {
  const { data, dashboard: dashboardSettings, alerts, notifiers = [] } = settings;
  // Start alerts second: if the port cannot be opened the bot ends, and alerts would keep running.
  let dashboard: Dashboard | null = null;
  if (dashboardSettings !== null) {
    const { port } = dashboardSettings;
    dashboard = await openDashboard(control, { folder: data, port, nowMs, log: (level, message) => log[level](message) });
  }
  let alertService: AlertService | null = null;
  if (alerts.length + notifiers.length > 0)
    try {
      alertService = startAlerts(control, settings, log);
    } catch (error) {
      await dashboard?.close();
      throw error;
    }
  return {
    dashboard,
    announceEnd: (why) => alertService?.announceEnd(why),
    async close() {
      await dashboard?.close();
      await alertService?.close();
    },
  };
}

/** Starts to send an alert for each change of the bot's view. */
function startAlerts(
  control: BotControl,
  { alerts, notifiers: fromModules = [], folder, onAlarm }: MonitoringSettings,
  log: MonitoringLog,
): AlertService {
  // A scheduler without time scale: operators do not react faster in paper trading.
  const scheduler = new LiveScheduler();
  const notifiers = openNotifiers(alerts, folder);
  const outbox = new AlertOutbox(scheduler, [...notifiers.all, ...fromModules], {
    lost: ({ code, scope }, notifier, why) => log.warn(`an alert was not delivered: ${notifier}, ${code} of ${scope}: ${why}`),
  });
  let lastView: BotView | null = null;
  const sendNewAlerts = (): void => {
    const view = control.view();
    for (const alert of alertsBetween(lastView, view)) {
      outbox.send(alert);
      if (alert.level === 'alarm') onAlarm();
    }
    lastView = view;
  };
  sendNewAlerts();
  const stopPolling = repeatEvery(POLL_MS, sendNewAlerts);
  return {
    announceEnd(reason) {
      const { name, mode, timeMs } = control.view();
      outbox.send({ level: 'alarm', code: 'ENDED', bot: name, mode, scope: 'account', message: `the bot has ended: ${reason}`, timeMs });
    },
    async close() {
      stopPolling();
      // Send alerts for the latest changes, which explain why the bot stops.
      sendNewAlerts();
      await new Promise<void>((resolve) => outbox.finish(LAST_ALERTS_MS, resolve));
      scheduler.close();
      await notifiers.close();
    },
  };
}
