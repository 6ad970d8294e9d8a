// Tests a hung bot with a position on a paper exchange: killed and flattened without its help, re-armed, and started again.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BotView } from '../../src/tasks/control/botView.ts';
import { askView } from '../../src/tasks/control/client.ts';
import { openDemo, type Demo } from '../../src/tasks/bot/demo.ts';
import { tokensIn } from '../../src/tasks/bot/dashboard/tokens.ts';
import { ApiFixture } from '../fixtures/apiFixture.ts';
import { COMMAND } from '../fixtures/cliFixture.ts';

const ENTRY = fileURLToPath(new URL('../../dist/tasks/bot/process/main.js', import.meta.url));
const fixture = new ApiFixture();
let demo: Demo;
let bot: ChildProcess | null = null;
let text = '';

beforeAll(async () => {
  demo = await openDemo(COMMAND);
  // Averages that cross at almost every bar.
  writeFileSync(
    demo.config,
    readFileSync(demo.config, 'utf8').replace('fast: 2, slow: 4', 'fast: 1, slow: 2') + 'dashboard: { port: 0 }\n',
  );
});
afterAll(() => {
  bot?.kill('SIGKILL');
  demo.close();
  fixture.remove();
  rmSync(demo.folder, { recursive: true, force: true });
});

function start(): ChildProcess {
  text = '';
  const child = spawn(process.execPath, [ENTRY, demo.config, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return child;
}
const folder = (): string => join(demo.folder, 'bot');
const view = (): Promise<BotView | null> => askView(folder()).catch(() => null);
const until = async (is: (seen: BotView | null) => boolean, what: string): Promise<BotView> => {
  let last: BotView | null = null;
  await expect
    .poll(
      async () => {
        last = await view();
        return last !== null && is(last);
      },
      { timeout: 60_000, interval: 100, message: `${what}\n${text.slice(-2000)}` },
    )
    .toBe(true);
  return last!;
};

/** What the account holds of the coin, by the exchange's own answer. */
const coins = async (): Promise<number> => {
  const { code, stdout, stderr } = await fixture.run(['api', 'spot.account', '--json', '--config', demo.config]);
  expect(code, stderr).toBe(0);
  const { answer } = JSON.parse(stdout) as { answer: { rows: { asset: string; free: string; locked: string }[] } };
  return answer.rows.filter(({ asset }) => asset === 'BTC').reduce((sum, { free, locked }) => sum + Number(free) + Number(locked), 0);
};
// Less than a lot of 0.00001 BTC cannot be sold.
const LOT = 0.000_01;

it('a kill flattens a hung bot, which starts again after a person has re-armed it', async () => {
  const before = await coins();
  bot = start();
  const seen = await until((now) => (now?.positions.length ?? 0) > 0, 'the bot holds something');
  expect(seen.positions[0]).toMatchObject({ instrument: 'spot:BTCUSDT', side: 'long' });

  const url = /http:\/\/127\.0\.0\.1:\d+(?=; its tokens)/.exec(text)?.[0] ?? '';
  const { read } = tokensIn(folder());
  const looked = await fetch(`${url}/api/view`, { headers: { Authorization: `Bearer ${read}` } });
  expect(await looked.json()).toMatchObject({ allowed: 'read', view: { name: 'demo', positions: [{ side: 'long' }] } });
  expect((await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${read}` } })).status).toBe(200);

  const left = once(bot, 'exit');
  bot.kill('SIGSTOP');
  const killed = await fixture.run(['kill', '--flatten', '--json', '--data', folder()]);
  expect(killed, killed.stdout + killed.stderr).toMatchObject({ code: 0 });
  const { by, report, residuals } = JSON.parse(killed.stdout);
  expect([by, residuals]).toEqual(['separate', []]);
  expect(report.slices.length).toBeGreaterThan(0);
  await left;
  expect(Math.abs((await coins()) - before)).toBeLessThan(LOT);

  const refused = start();
  expect(await once(refused, 'exit')).toEqual([2, null]);
  expect(text).toContain('this bot was killed by');
  expect((await fixture.run(['resume', 'account', '--code', 'KILLED', '--why', 'a rehearsal', '--data', folder()])).code).toBe(0);
  expect(existsSync(join(folder(), 'KILLED'))).toBe(false);

  bot = start();
  const again = await until((now) => now?.scopes[0]?.state === 'RUN', 'the bot runs again');
  expect(again.scopes.flatMap(({ causes }) => causes)).toEqual([]);

  // The same by the bot itself, as the dashboard requests it: it closes its positions, reports, and ends.
  await until((now) => now?.positions.some(({ qty }) => Number(qty) > 0.001) ?? false, 'the bot holds something again');
  const ended = once(bot, 'exit');
  const there = /http:\/\/127\.0\.0\.1:\d+(?=; its tokens)/.exec(text)?.[0] ?? '';
  const headers = { Authorization: `Bearer ${tokensIn(folder()).kill}`, 'Content-Type': 'application/json' };
  const request = { op: 'kill', flatten: true, why: 'a rehearsal' };
  expect(await (await fetch(`${there}/api/act`, { method: 'POST', headers, body: JSON.stringify({ request }) })).json()).toMatchObject({
    done: true,
  });
  const done = await until((now) => now?.kill?.phase === 'done', 'the bot has closed what it held');
  expect(done).toMatchObject({ open: [], unknown: [], kill: { flatten: true, residuals: [] } });
  for (const { qty } of done.positions) expect(Number(qty)).toBeLessThan(LOT);
  expect(await ended).toEqual([0, null]);
  expect(Math.abs((await coins()) - before)).toBeLessThan(2 * LOT);
  expect((await fixture.run(['resume', 'account', '--code', 'KILLED', '--why', 'a rehearsal', '--data', folder()])).code).toBe(0);
  bot = start();
  const last = await until((now) => now?.scopes[0]?.state === 'RUN', 'the bot runs a third time');
  expect(last.scopes.flatMap(({ causes }) => causes)).toEqual([]);
});
