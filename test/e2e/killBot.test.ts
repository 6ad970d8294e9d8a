// Tests a stalled bot with a position on a paper exchange: killed and flattened without its help, re-armed, and started again.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BotView } from '../../src/tasks/control/botView.ts';
import { askView } from '../../src/tasks/control/controlClient.ts';
import { openDemo, type Demo } from '../../src/tasks/bot/demo.ts';
import { readOrCreateTokens } from '../../src/tasks/bot/dashboard/tokens.ts';
import { ApiFixture } from '../fixtures/apiFixture.ts';
import { COMMAND } from '../fixtures/cliFixture.ts';

const ENTRY = fileURLToPath(new URL('../../dist/tasks/bot/process/main.js', import.meta.url));
const fixture = new ApiFixture();
let demo: Demo;
let bot: ChildProcess | null = null;
/** What the bot has printed since its last start. */
let botOutput = '';

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

/** Starts the bot, and collects its output in `botOutput`. */
function startBot(): ChildProcess {
  botOutput = '';
  const child = spawn(process.execPath, [ENTRY, demo.config, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (botOutput += chunk.toString()));
  return child;
}
/** The data folder of the bot. */
const botFolder = (): string => join(demo.folder, 'bot');
/** Returns the bot's view, or null if it does not answer. */
const viewOfBot = (): Promise<BotView | null> => askView(botFolder()).catch(() => null);
/** Resolves with the bot's view once the condition holds for it. */
const until = async (holds: (currentView: BotView | null) => boolean, awaited: string): Promise<BotView> => {
  let newest: BotView | null = null;
  await expect
    .poll(
      async () => {
        newest = await viewOfBot();
        return newest !== null && holds(newest);
      },
      { timeout: 60_000, interval: 100, message: `${awaited}\n${botOutput.slice(-2000)}` },
    )
    .toBe(true);
  return newest!;
};
const untilRunning = (awaited: string): Promise<BotView> => until((currentView) => currentView?.scopes[0]?.state === 'RUN', awaited);

/** Returns the coins of the account as the exchange reports them. */
const coinsInAccount = async (): Promise<number> => {
  const { code, stdout, stderr } = await fixture.run(['api', 'spot.account', '--json', '--config', demo.config]);
  expect(code, stderr).toBe(0);
  const { answer } = JSON.parse(stdout) as { answer: { rows: { asset: string; free: string; locked: string }[] } };
  return answer.rows.filter(({ asset }) => asset === 'BTC').reduce((sum, { free, locked }) => sum + Number(free) + Number(locked), 0);
};
/** One lot, in coins. The bot cannot sell less. */
const LOT = 0.000_01;

/** Checks that the dashboard shows the position to a read-only token, and serves the metrics. */
async function expectPositionOnDashboard(): Promise<void> {
  const headers = { Authorization: `Bearer ${readOrCreateTokens(botFolder()).read}` };
  const reply = await fetch(`${dashboardUrl()}/api/view`, { headers });
  expect(await reply.json()).toMatchObject({ allowed: 'read', view: { name: 'demo', positions: [{ side: 'long' }] } });
  expect((await fetch(`${dashboardUrl()}/metrics`, { headers })).status).toBe(200);
}
const dashboardUrl = (): string => /http:\/\/127\.0\.0\.1:\d+(?=; its tokens)/.exec(botOutput)?.[0] ?? '';

/** Stops the bot's process, and kills it from another process, which flattens the position without the bot's help. */
async function killStalledBot(stalled: ChildProcess): Promise<void> {
  const exited = once(stalled, 'exit');
  stalled.kill('SIGSTOP');
  const killed = await fixture.run(['kill', '--flatten', '--json', '--data', botFolder()]);
  expect(killed, killed.stdout + killed.stderr).toMatchObject({ code: 0 });
  const outcome = JSON.parse(killed.stdout);
  expect([outcome.by, outcome.residuals]).toEqual(['separate', []]);
  expect(outcome.report.slices.length).toBeGreaterThan(0);
  await exited;
}

/** Kills the bot through its dashboard. The bot itself closes its positions, reports, and ends. */
async function killByDashboard(running: ChildProcess): Promise<void> {
  const exited = once(running, 'exit');
  const headers = { Authorization: `Bearer ${readOrCreateTokens(botFolder()).kill}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ request: { op: 'kill', flatten: true, why: 'a rehearsal' } });
  const reply = await fetch(`${dashboardUrl()}/api/act`, { method: 'POST', headers, body });
  expect(await reply.json()).toMatchObject({ done: true });
  const closed = await until((currentView) => currentView?.kill?.phase === 'done', 'the bot has closed its positions');
  expect(closed).toMatchObject({ open: [], unknown: [], kill: { flatten: true, residuals: [] } });
  for (const { qty } of closed.positions) expect(Number(qty)).toBeLessThan(LOT);
  expect(await exited).toEqual([0, null]);
}

/** Releases the kill switch, as the operator does. */
async function rearm(): Promise<void> {
  const { code } = await fixture.run(['resume', 'account', '--code', 'KILLED', '--why', 'a rehearsal', '--data', botFolder()]);
  expect(code).toBe(0);
}

it('a kill flattens a stalled bot, which starts again only after the operator has re-armed it', async () => {
  const coinsBefore = await coinsInAccount();
  bot = startBot();
  const viewWithPosition = await until((now) => (now?.positions.length ?? 0) > 0, 'the bot has a position');
  expect(viewWithPosition.positions[0]).toMatchObject({ instrument: 'spot:BTCUSDT', side: 'long' });
  await expectPositionOnDashboard();
  await killStalledBot(bot);
  expect(Math.abs((await coinsInAccount()) - coinsBefore)).toBeLessThan(LOT);

  const refused = startBot();
  expect(await once(refused, 'exit')).toEqual([2, null]);
  expect(botOutput).toContain('this bot was killed by');
  await rearm();
  expect(existsSync(join(botFolder(), 'KILLED'))).toBe(false);
  bot = startBot();
  const restarted = await untilRunning('the bot runs again');
  expect(restarted.scopes.flatMap(({ causes }) => causes)).toEqual([]);

  await until((now) => now?.positions.some(({ qty }) => Number(qty) > 0.001) ?? false, 'the bot has a position again');
  await killByDashboard(bot);
  // Each kill may leave a part of a lot.
  expect(Math.abs((await coinsInAccount()) - coinsBefore)).toBeLessThan(2 * LOT);
  await rearm();
  bot = startBot();
  const startedAgain = await untilRunning('the bot runs a third time');
  expect(startedAgain.scopes.flatMap(({ causes }) => causes)).toEqual([]);
});
