// Tests the heartbeat socket: the check of `isobar doctor`, and the socket of a bot whose config names one.

import { afterEach, describe, expect, test } from 'vitest';
import { LiveScheduler } from '../../src/adapters/clock/liveScheduler.ts';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { heartbeatOf } from '../../src/tasks/doctor/context/heartbeat.ts';
import { checkSocket } from '../../src/tasks/doctor/checks/socket.ts';
import { openHeartbeat } from '../../src/tasks/bot/safety/heartbeat.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { DoctorFixture } from '../fixtures/doctorFixture.ts';
import { until } from '../live/liveFixture.ts';

/** Close what a test has opened. */
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Starts an exchange, which ends with the test. */
async function startExchange(): Promise<RunningExchange> {
  const running = await runExchange(demoSettings(1), { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} });
  // Its heartbeat comes every ten seconds of its own time.
  running.clock.setSpeed(60);
  closers.push(() => running.close());
  return running;
}
/** Returns a scheduler, which ends with the test. */
function openScheduler(): LiveScheduler {
  const newScheduler = new LiveScheduler();
  closers.push(() => newScheduler.close());
  return newScheduler;
}
/** Returns the address of the heartbeat socket of a service. */
const socketUrlOf = (url: string): string => `${url.replace('http', 'ws')}/ws`;

describe('isobar doctor', () => {
  test('isobar doctor reports a socket as open if its heartbeat was answered', async () => {
    const url = socketUrlOf((await startExchange()).url);
    const reading = await heartbeatOf(url, { scheduler: openScheduler(), timeoutMs: 2000, random: () => 0.5 });
    // On a busy machine a second ping may come before the socket is closed.
    expect(reading).toEqual({ kind: 'open', pings: expect.toSatisfy((pings: number) => pings >= 1) });
    const result = await checkSocket({ socket: () => Promise.resolve(reading) } as never, url);
    expect(result).toMatchObject({ status: 'ok', detail: `${url} is open, and its heartbeat was answered` });
  });

  test('isobar doctor fails for an address that is not a WebSocket, with a remedy', async () => {
    const fixture = new DoctorFixture();
    closers.push(() => fixture.remove());
    const stub = await fixture.stub();
    const config = fixture.write('access.yaml', `socketUrl: ${socketUrlOf(stub.url)}\n`);
    const { report } = await fixture.examine(stub.url, { config });
    const socket = report.checks.find(({ name }) => name === 'socket')!;
    expect(socket).toMatchObject({ status: 'failed', detail: expect.stringContaining('could not be opened') });
    expect(socket.fix[0]).toContain('correct socketUrl');
    const wrongConfig = fixture.write('wrong.yaml', 'socketUrl: https://api.example.com/ws\n');
    await expect(fixture.examine(stub.url, { config: wrongConfig })).rejects.toThrow(ConfigError);
  });
});

test('a bot opens the socket of its config, reports its loss and its return, and closes it at the end', async () => {
  const running = await startExchange();
  const lines: string[] = [];
  const log = { info: (message: string) => void lines.push(message), warn: (text: string) => void lines.push(text) };
  const stop = openHeartbeat(socketUrlOf(running.url), openScheduler(), () => 0.5, log);
  await until(() => lines.length === 1, 10_000, 'an open socket');
  expect(lines[0]).toContain('the heartbeat socket is open');
  await running.close();
  await until(() => lines.length === 2, 10_000, 'the loss of it');
  expect(lines[1]).toContain('the heartbeat socket was lost');
  stop();
  expect(openHeartbeat(null, openScheduler(), () => 0.5, log)()).toBeUndefined();
});
