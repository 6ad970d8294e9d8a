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
import { readLiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import { comparePlanted, HOUR_MS, type PlantedWorld } from '../divergence/planted.ts';
import { START_MS } from '../simulation/plans.ts';

/** Hour and value of the series at each bar. */
let readings: (readonly [number, number])[] = [];
/** Records each reading of a series, and trades by it. */
class PolledSeriesTrader extends Strategy {
  x = this.series('x');
  override onBar() {
    readings.push([(this.nowMs - START_MS) / HOUR_MS, this.x.value]);
    if (this.position().isFlat && this.x.value > 2) this.buy({ base: '5' });
    else if (!this.position().isFlat && this.x.value <= 2) this.exit();
  }
}

/** The server of the series. It answers every poll with `reply` and counts the polls. */
class SeriesServer {
  reply: readonly [status: number, body: string] = [200, ''];
  requestCount = 0;
  readonly #server = createServer((_, response) => {
    this.requestCount++;
    const [status, body] = this.reply;
    response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' }).end(body);
  });

  start(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/oi`;
  }
  /** Answers with the value of an hour from now on. */
  setValue(hour: number, value: number): void {
    this.reply = [200, JSON.stringify({ data: [{ t: START_MS }, { t: START_MS + hour * HOUR_MS, v: String(value) }] })];
  }
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Sets the reply that the bot gets before a row of the day. */
function answerBeforeRow(row: number, server: SeriesServer): void {
  if (row === 9) server.reply = [503, 'busy'];
  else if (row === 11) server.reply = [200, '<html>'];
  // Hour 15 gets the values 0 to 3 one after the other, and then 1 again.
  else if (row >= 16 && row < 20) server.setValue(15, row === 19 ? 1 : row % 5);
  else server.setValue(row, (row * 3) % 5);
}

/** Returns the values in the journal of a bot, such as `15 1` for the value 1 of hour 15, in the order of the records. */
function journalledValues(bot: string): readonly string[] {
  const folder = join(bot, 'journal');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  const seriesLines = text.split('\n').filter((line) => line.includes('"k":"SERIES"'));
  const rows = seriesLines.flatMap((line) => (JSON.parse(line) as { rows: number[][] }).rows);
  return rows.map(([timeMs = NaN, , value]) => `${(timeMs - START_MS) / HOUR_MS} ${value}`);
}

/** Loads the class of this test in place of a strategy file. */
const load: NonNullable<ResolveOptions['load']> = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: PolledSeriesTrader, name: 'counter', hash: 'counter' }, source),
  inputs: [],
  folder: '.',
});

/** Checks the values in the journal of a bot, and that a replay reads what the bot has read. */
async function checkJournalAndReplay(bot: string): Promise<void> {
  const values = journalledValues(bot);
  expect(values.filter((row, index) => row === values[index - 1])).toEqual([]);
  expect(values).toEqual(expect.arrayContaining(['15 1', '15 2', '15 3', '25 0']));
  expect(values.filter((row) => row.startsWith('15 '))).toEqual(['15 0', '15 1', '15 2', '15 3', '15 1']);
  const readingsOfBot = new Map(readings);
  readings = [];
  expect(await replayFolder(bot, { config: null, load })).toMatchObject({ processes: 2, difference: null });
  expect(new Map(readings)).toEqual(readingsOfBot);
  expect(new Set(readingsOfBot.values()).size).toBeGreaterThan(3);
}

test('a polled revision is stored once, and a replay and parity read the values of the bot', async () => {
  const server = new SeriesServer();
  await server.start();
  server.setValue(0, 1);
  const act = async (row: number, { restart }: PlantedWorld): Promise<void> => {
    if (row === 14) await restart(0);
    answerBeforeRow(row, server);
  };
  const report = await comparePlanted(
    {
      strategy: PolledSeriesTrader,
      definition: { series: { x: { poll: { url: server.url, time: 'data.-1.t', value: 'data.1.v', everySeconds: 600 } } } },
      actsByRow: Object.fromEntries(Array.from({ length: 26 }, (_, row) => [row, (world: PlantedWorld) => act(row, world)])),
    },
    checkJournalAndReplay,
  );
  expect(report).toMatchObject({ equal: true, first: null });
  expect(report.orders).toBeGreaterThan(6);
  expect(server.requestCount).toBeGreaterThan(26);
  await server.close();
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
  const values: number[][] = [];
  const problems: string[] = [];
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
