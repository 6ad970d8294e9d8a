// Tests the monitoring of a bot: its alerts (an alarm is an alert that the operator must answer) and the files of its secrets.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { OwnTime } from '../../../../test/fixtures/ownTime.ts';
import { ScriptedBot } from '../../../../test/fixtures/scriptedBot.ts';
import { alertsSchema, type AlertEntry } from '../config/notifiers.ts';
import type { Notifier } from '../../../ports/notifier.ts';
import { openMonitoring, type Monitoring } from './monitoring.ts';

/** Monitoring checks for new alerts once a second. */
const LONGER_THAN_A_CHECK_MS = 1500;

let folder: string;
let server: Server;
let monitoring: Monitoring | null;
let alarmCount = 0;
const received: Readonly<Record<string, unknown>>[] = [];
const logged: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-monitoring-'));
  received.length = 0;
  logged.length = 0;
  alarmCount = 0;
  monitoring = null;
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      received.push(JSON.parse(text));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await monitoring?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const startMonitoring = async (bot: ScriptedBot, alerts: readonly AlertEntry[], port: number | null = null): Promise<void> => {
  const log = { info: (message: string) => void logged.push(message), warn: (text: string) => void logged.push(text) };
  const dashboard = port === null ? null : { port };
  monitoring = await openMonitoring(bot, { data: folder, folder, dashboard, alerts, onAlarm: () => void alarmCount++ }, log);
};
const secretFile = (name: string, text: string, mode = 0o600): string => {
  writeFileSync(join(folder, name), `${text}\n`, { mode });
  return name;
};

it('monitoring sends an alarm within two seconds and calls `onAlarm` once', async () => {
  const { port } = server.address() as AddressInfo;
  const bot = new ScriptedBot();
  await startMonitoring(bot, [{ kind: 'webhook', urlFile: secretFile('hook', `http://127.0.0.1:${port}/s3cret`) }]);
  await expect.poll(() => received.map(({ code }) => code)).toEqual(['STARTED']);
  const ownTime = new OwnTime();
  onTestFinished(() => ownTime.stop());
  const beganMs = performance.now();
  bot.board.raise({ kind: 'account' }, 'HALT_NEW', 'MISMATCH', '0.5 BTC', bot.timeMs);
  await expect.poll(() => received.length).toBe(2);
  // The time in which other processes had the processor does not count.
  expect(ownTime.between(beganMs, performance.now())).toBeLessThan(2000);
  expect(received[1]).toMatchObject({ level: 'alarm', code: 'MISMATCH', bot: 'trend and reversal' });
  expect(alarmCount).toBe(1);
  expect(bot.activityCount).toBe(0);
});

it('monitoring sends alerts to the notifiers of modules when the config names no receiver', async () => {
  const bot = new ScriptedBot();
  const reported: string[] = [];
  const notifier: Notifier = {
    name: 'own',
    send({ code }, done) {
      reported.push(code);
      queueMicrotask(() => done(null));
      return () => {};
    },
  };
  const log = { info: () => {}, warn: () => {} };
  monitoring = await openMonitoring(
    bot,
    { data: folder, folder, dashboard: null, alerts: [], notifiers: [notifier], onAlarm: () => {} },
    log,
  );
  await expect.poll(() => reported).toEqual(['STARTED']);
});

it('monitoring delivers the alert about the end of the bot before it closes', async () => {
  const { port } = server.address() as AddressInfo;
  const bot = new ScriptedBot();
  await startMonitoring(bot, [{ kind: 'webhook', url: `http://127.0.0.1:${port}/` }]);
  bot.board.raise({ kind: 'account' }, 'CANCEL_ONLY', 'JOURNAL', 'ENOSPC', bot.timeMs);
  monitoring!.announceEnd('the journal cannot be written: ENOSPC');
  await monitoring!.close();
  monitoring = null;
  expect(new Set(received.map(({ code }) => code))).toEqual(new Set(['STARTED', 'JOURNAL', 'ENDED']));
});

it('a receiver whose secret file others can read is rejected', async () => {
  const bot = new ScriptedBot();
  await expect(startMonitoring(bot, [{ kind: 'telegram', chatId: '1', tokenFile: secretFile('token', 'abc', 0o644) }])).rejects.toThrow(
    'expected mode 0600',
  );
});

it('a receiver with an address without https is rejected', async () => {
  const bot = new ScriptedBot();
  await expect(startMonitoring(bot, [{ kind: 'webhook', url: 'http://example.com/s3cret' }])).rejects.toThrow(
    'alerts[0]: expected an https address',
  );
});

it('a webhook without an address is rejected', async () => {
  const bot = new ScriptedBot();
  await expect(startMonitoring(bot, [{ kind: 'webhook' }])).rejects.toThrow('expected one of url and urlFile');
});

it('a receiver of an unknown kind is rejected', () => {
  expect(alertsSchema.safeParse([{ kind: 'pager' }]).success).toBe(false);
});

it('monitoring whose dashboard cannot start sends no alert', async () => {
  const { port } = server.address() as AddressInfo;
  const bot = new ScriptedBot();
  const alerts = [{ kind: 'webhook', url: `http://127.0.0.1:${port}/` }] as const;
  await expect(startMonitoring(bot, alerts, port)).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
  // No alert is sent about a bot that did not start, because the notifier would keep its process alive.
  await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_A_CHECK_MS));
  expect(received).toEqual([]);
});

it('monitoring with an invalid receiver leaves no port open', async () => {
  const bot = new ScriptedBot();
  const portFinder = createServer();
  await new Promise<void>((resolve) => portFinder.listen(0, '127.0.0.1', resolve));
  const freePort = (portFinder.address() as AddressInfo).port;
  await new Promise((resolve) => portFinder.close(resolve));
  await expect(startMonitoring(bot, [{ kind: 'webhook' }], freePort)).rejects.toThrow('expected one of url and urlFile');
  await expect(fetch(`http://127.0.0.1:${freePort}/`)).rejects.toThrow();
});
