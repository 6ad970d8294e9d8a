// Tests a live bot whose series is polled from a URL: revisions, invalid replies, a restart, a replay and parity.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UrlPoll } from '../../src/adapters/external/urlPoll.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';
import type { Wire, WireOutcome } from '../../src/ports/wire.ts';
import { Strategy } from '../../src/index.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import type { ResolveOptions } from '../../src/definition/resolve.ts';
import { readLiveConfig } from '../../src/tasks/bot/config/read.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import { comparePlanted, HOUR_MS } from '../divergence/planted.ts';
import { START_MS } from '../simulation/plans.ts';

/** Hour and value of the series at each bar. */
let readings: (readonly [number, number])[] = [];
class PolledSeriesTrader extends Strategy {
  x = this.series('x');
  override onBar() {
    readings.push([(this.nowMs - START_MS) / HOUR_MS, this.x.value]);
    if (this.position().isFlat && this.x.value > 2) this.buy({ base: '5' });
    else if (!this.position().isFlat && this.x.value <= 2) this.exit();
  }
}

test('a polled revision is stored once, and a replay and parity read the values of the bot', async () => {
  let reply: [status: number, body: string] = [200, ''];
  let requestCount = 0;
  const server = createServer((_, response) => {
    requestCount++;
    response.writeHead(reply[0], { 'Content-Type': 'application/json', Connection: 'close' }).end(reply[1]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oi`;
  const setValue = (hour: number, value: number): void => {
    reply = [200, JSON.stringify({ data: [{ t: START_MS }, { t: START_MS + hour * HOUR_MS, v: String(value) }] })];
  };
  setValue(0, 1);
  const report = await comparePlanted(
    {
      strategy: PolledSeriesTrader,
      definition: { series: { x: { poll: { url, time: 'data.-1.t', value: 'data.1.v', everySeconds: 600 } } } },
      acts: Object.fromEntries(
        Array.from({ length: 26 }, (_, row) => [
          row,
          async ({ restart }) => {
            if (row === 14) await restart(0);
            if (row === 9) reply = [503, 'busy'];
            else if (row === 11) reply = [200, '<html>'];
            // Hour 15 gets the values 0 to 3 one after the other, and then 1 again.
            else if (row >= 16 && row < 20) setValue(15, row === 19 ? 1 : row % 5);
            else setValue(row, (row * 3) % 5);
          },
        ]),
      ),
    },
    async (bot) => {
      const folder = join(bot, 'journal');
      const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
      const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
      const seriesLines = text.split('\n').filter((line) => line.includes('"k":"SERIES"'));
      const rows = seriesLines.flatMap((line) => (JSON.parse(line) as { rows: number[][] }).rows);
      const values = rows.map(([timeMs = NaN, , value]) => `${(timeMs - START_MS) / HOUR_MS} ${value}`);
      expect(values.filter((row, index) => row === values[index - 1])).toEqual([]);
      expect(values).toEqual(expect.arrayContaining(['15 1', '15 2', '15 3', '25 0']));
      expect(values.filter((row) => row.startsWith('15 '))).toEqual(['15 0', '15 1', '15 2', '15 3', '15 1']);
      const readingsOfBot = new Map(readings);
      readings = [];
      const strategy = { strategy: PolledSeriesTrader, name: 'counter', hash: 'counter' };
      const load: NonNullable<ResolveOptions['load']> = async (entry, source) => ({
        plan: strategyPlanOf(entry, strategy, source),
        inputs: [],
        folder: '.',
      });
      expect(await replayFolder(bot, { config: null, load })).toMatchObject({ processes: 2, difference: null });
      expect(new Map(readings)).toEqual(readingsOfBot);
      expect(new Set(readingsOfBot.values()).size).toBeGreaterThan(3);
    },
  );
  expect(report).toMatchObject({ equal: true, first: null });
  expect(report.orders).toBeGreaterThan(6);
  expect(requestCount).toBeGreaterThan(26);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('each kind of invalid reply is reported once and polled again, and a reply that never comes is given up', () => {
  const queue = new DueQueue();
  queue.runDue(0);
  const httpReply = (status: number, text: string): WireOutcome => ({ kind: 'reply', status, headers: {}, body: Buffer.from(text) });
  const failedOutcome: WireOutcome = { kind: 'failed', cause: 'ECONNREFUSED', bytesWritten: 0 };
  const replies: (WireOutcome | null)[] = [
    failedOutcome, failedOutcome, httpReply(302, ''), httpReply(200, '{'), httpReply(200, '{"t":1704067200,"v":"1e3"}'), httpReply(200, '{"t":5,"v":1}'), null,
    httpReply(200, '{"t":"2024-01-02","v":true}'), httpReply(200, '{"t":"2024-01-02","v":null}'), httpReply(200, '{"__proto__":{"t":1704067200}}'),
  ]; // prettier-ignore
  const [values, problems]: [number[][], string[]] = [[], []];
  const wire: Wire = (_, onReply) => {
    const reply = replies.shift();
    if (reply === undefined) return () => {};
    if (reply !== null) queue.at(queue.nowMs + 5, () => onReply(reply));
    return () => onReply(failedOutcome);
  };
  const poll = new UrlPoll({
    wire,
    scheduler: queue,
    url: 'https://example.org/oi',
    time: 't',
    value: 'v',
    everyMs: 60_000,
    onValue: (timeMs, value) => values.push([timeMs, value]),
    onProblem: (problem) => problems.push(problem),
  });
  for (let ms = 0; ms < 12 * 60_000; ms += 1000) queue.runDue(ms);
  poll.stop();
  expect(replies).toEqual([]);
  expect(values).toEqual([[Date.UTC(2024, 0, 1), 1000], [Date.UTC(2024, 0, 2), 1]]); // prettier-ignore
  expect(problems).toEqual([
    'it could not be reached',
    'it answered HTTP 302',
    'its answer is not JSON',
    'expected a time at t of its answer, found number',
    'no answer in time',
    'expected a number, true or false at v of its answer, found object',
    'expected a time at t of its answer, found undefined',
  ]);
});

test('a URL over plain HTTP to another computer is rejected', async () => {
  const poll = { url: 'http://example.org/oi', time: 't', value: 'v' };
  await expect(
    comparePlanted({ strategy: PolledSeriesTrader, definition: { series: { x: { poll } } } }, () => void readLiveConfig('x', {})),
  ).rejects.toThrow('series.x.poll.url: expected https:// for example.org, got http://');
});
