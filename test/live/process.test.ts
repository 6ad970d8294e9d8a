// Tests the built process of a live bot: signals, exit codes, kill -9 and the start after it.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { demoKey } from '../../src/paperExchange/process/demo.ts';
import { askLogs } from '../../src/tasks/control/controlClient.ts';
import { checkJournal } from '../../src/adapters/journal/checkJournal.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { LiveFixture, until } from './liveFixture.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = join(ROOT, 'dist/tasks/bot/process/main.js');

let fixture: LiveFixture;
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await fixture.close();
});

/** A strategy that buys at one bar and sells at the next. */
const FLIP = `import { Strategy } from 'isobar';
export default class Flip extends Strategy {
  onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}
`;

/** The bot takes signals within 3 s for one and the same. A signal after this time, ms, is a new one. */
const NEXT_SIGNAL_MS = 3200;

/** A process of the bot. `text` returns all output until now, and `ended` resolves with its exit code. */
interface StartedBot {
  readonly child: ChildProcess;
  readonly text: () => string;
  readonly ended: Promise<number | null>;
}

/** Starts the process of the bot. */
function startBot(...options: string[]): StartedBot {
  const child = spawn(process.execPath, [ENTRY, join(fixture.folder, 'bot.yaml'), '--plain', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
  });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  child.stderr.on('data', (chunk) => (text += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  return { child, text: () => text, ended };
}

/** Opens the exchange, and writes the strategy and the config. */
async function prepareBot(): Promise<void> {
  fixture = await LiveFixture.open(60);
  writeFileSync(join(fixture.folder, 'flip.ts'), FLIP);
  writeConfig();
}
/** Writes the config. `moreKeys` is YAML of further keys. */
function writeConfig(moreKeys = ''): void {
  fixture.config(`strategy: ${join(fixture.folder, 'flip.ts')}
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
${moreKeys}`);
}
const fillCount = (text: string): number => text.match(/(bought|sold) 0\.0/g)?.length ?? 0;
/** Returns a handler that throws the error with the output of the bot. */
const failWithOutput = (bot: StartedBot) => (error: unknown) => {
  throw new Error(`${String(error)}\n${bot.text()}`);
};

test('a bot that was killed with -9 continues at the next start, and SIGTERM ends it in order', async () => {
  await prepareBot();
  const firstBot = startBot();
  await until(() => fillCount(firstBot.text()) >= 1, 60_000, 'a fill').catch(failWithOutput(firstBot));
  // No other process may trade on the account while the bot runs.
  const secondBot = startBot();
  expect(await secondBot.ended, secondBot.text()).toBe(2);
  expect(secondBot.text()).toContain('trades on this account');
  writeConfig('data: elsewhere\n');
  const inOtherFolder = startBot();
  expect(await inOtherFolder.ended, inOtherFolder.text()).toBe(2);
  expect(inOtherFolder.text()).toContain(`process ${firstBot.child.pid} trades on this account`);
  writeConfig();
  firstBot.child.kill('SIGKILL');
  await firstBot.ended;
  const nextBot = startBot();
  await until(() => fillCount(nextBot.text()) >= 2, 60_000, 'two fills').catch(failWithOutput(nextBot));
  expect(nextBot.text()).toContain('two audits were clean');
  nextBot.child.kill('SIGTERM');
  expect(await nextBot.ended, nextBot.text()).toBe(0);
  expect(nextBot.text()).toMatch(
    /stopping: SIGTERM was received\n.*stopped: \d+ orders? sent, \d+ fills?, equity 9\d+\.\d+ USDT; .*the journal is written\n$/,
  );
  const report = checkJournal(join(fixture.folder, 'bot/journal'));
  expect(report.verdict).toBe('whole');
  expect(report.halts).toEqual([]);
  expect(report.kinds['CONFIG']).toBe(2);
});

test('a start prints the verdict about its code, and --require-proof rejects code without a proved verdict', async () => {
  await prepareBot();
  const unproved = startBot('--seconds', '1');
  expect(await unproved.ended, unproved.text()).toBe(0);
  expect(unproved.text()).toContain(
    'it is not proved that Flip reads no future and keeps no hidden state; isobar prove DEFINITION, for a run definition with',
  );
  rmSync(join(fixture.folder, 'bot'), { recursive: true });
  const rejected = startBot('--require-proof', '--seconds', '5');
  expect(await rejected.ended, rejected.text()).toBe(2);
  const file = join(fixture.folder, 'bot.yaml');
  expect(rejected.text()).toContain(
    `${file}: --require-proof: expected a proved verdict about the code of Flip, got none in ${join(fixture.folder, 'ledger')}\n  isobar prove DEFINITION`,
  );
  expect(checkJournal(join(fixture.folder, 'bot/journal')).kinds).toEqual({ SEGMENT: 1 });
  const bars = Array.from(
    { length: 50 },
    (_, row) => `${1_704_067_200_000 + row * 3_600_000},100.00,${101 + (row % 3)}.00,99.00,100.00,5.000`,
  );
  writeFileSync(join(fixture.folder, 'BTCUSDT-1h.csv'), `timestamp,open,high,low,close,volume\n${bars.join('\n')}\n`);
  const args = ['backtest', 'flip.ts', '--data', 'BTCUSDT-1h.csv', '--cash', '10000', '--quiet', '--no-report'];
  const { code, stderr } = await commandIn(fixture.folder, args);
  expect(code, stderr).toBe(0);
  const accepted = startBot('--require-proof', '--seconds', '1');
  expect(await accepted.ended, accepted.text()).toBe(0);
  expect(accepted.text()).toMatch(
    /the code of Flip is proved \(the sample of a backtest, [-\d]+, over spot:BTCUSDT 1h\); no verdict is about spot:BTCUSDT 1m/,
  );
});

test('a signal to the whole process group, as from timeout or a terminal, ends a bot in order', async () => {
  await prepareBot();
  // The stop takes 500 ms, so that the command forwards the signal a second time.
  const slow = 'onStop() { const end = Date.now() + 500; while (Date.now() < end); }';
  writeFileSync(join(fixture.folder, 'flip.ts'), FLIP.replace('onBar', `${slow}\n  onBar`));
  const child = spawn(process.execPath, [join(ROOT, 'dist/cli/isobar.js'), 'live', join(fixture.folder, 'bot.yaml'), '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
    detached: true,
  });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await until(() => text.includes('two audits were clean'), 60_000, 'a bot that trades');
  process.kill(-child.pid!, 'SIGTERM');
  expect(await ended, text).toBe(0);
  expect(text).toContain('the journal is written');
  expect(checkJournal(join(fixture.folder, 'bot/journal')).verdict).toBe('whole');
});

test('a second signal after the bot has stopped does not change its exit code', async () => {
  await prepareBot();
  // The bot itself: the command that starts it has nothing to forward.
  const entry = join(ROOT, 'dist/tasks/bot/process/main.js');
  const exitDelayModule = join(fixture.folder, 'held.mjs');
  const sentFile = join(fixture.folder, 'sent');
  // Node.js removes signal handlers while it exits. This module delays the exit until the second signal was sent.
  writeFileSync(
    exitDelayModule,
    `import { existsSync } from 'node:fs';
process.once('beforeExit', () => {
  const poll = setInterval(() => existsSync(${JSON.stringify(sentFile)}) && clearInterval(poll), 20);
});`,
  );
  const child = spawn(process.execPath, ['--import', exitDelayModule, entry, join(fixture.folder, 'bot.yaml'), '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
  });
  children.push(child);
  let text = '';
  let isSentAgain = false;
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
    if (isSentAgain || !text.includes('stopped: ')) return;
    isSentAgain = true;
    setTimeout(() => {
      child.kill('SIGTERM');
      writeFileSync(sentFile, '');
    }, NEXT_SIGNAL_MS);
  });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));
  await until(() => text.includes('two audits were clean'), 60_000, 'a bot that trades');
  child.kill('SIGTERM');
  expect(await ended, text).toBe(0);
});

test('isobar live trades with the keys of the environment, and SIGUSR1 opens no inspector in either process', async () => {
  await prepareBot();
  const { url } = fixture.exchange;
  const file = join(fixture.folder, 'bot.yaml');
  const { apiKey, secret } = demoKey(1);
  // No key file: the environment alone has them.
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(
      /^exchange: .*$/m,
      `exchange: { spotUrl: '${url}', futuresUrl: '${url}', socketUrl: '${url.replace('http', 'ws')}/ws' }`,
    ),
  );
  const child = spawn(process.execPath, [join(ROOT, 'dist/cli/isobar.js'), 'live', file, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state'), ISOBAR_API_KEY: apiKey, ISOBAR_API_SECRET: secret },
    detached: true,
  });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  child.stderr.on('data', (chunk) => (text += String(chunk)));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const isTrading = () => text.includes('two audits were clean');
  await until(isTrading, 20_000, 'a bot that trades').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${text}`);
  });
  await until(() => text.includes('the heartbeat socket is open'), 10_000, 'the heartbeat socket');
  process.kill(-child.pid!, 'SIGUSR1');
  process.kill(-child.pid!, 'SIGTERM');
  expect(await ended, text).toBe(0);
  expect(text).not.toContain('Debugger');
  expect(text).not.toContain(secret);
});

test('an unhandled rejection in a strategy ends the bot in order, and the log names its place', async () => {
  await prepareBot();
  const rejectingCode = "n = 0;\n  onStart() { setTimeout(() => void Promise.reject(new Error('no such book')), 1); }";
  writeFileSync(join(fixture.folder, 'flip.ts'), FLIP.replace('onBar', `${rejectingCode}\n  onBar`));
  const bot = startBot();
  expect(await bot.ended, bot.text()).toBe(1);
  expect(bot.text()).toMatch(/ERROR the bot stops: an uncaught error: no such book \(at .*flip\.ts:\d+/);
  expect(bot.text()).toMatch(/stopped: .*the journal is written\n/);
  expect(checkJournal(join(fixture.folder, 'bot/journal')).verdict).toBe('whole');
});

test('a bot that cannot start prints the reason and exits with 2', async () => {
  await prepareBot();
  const liveInPaperMode = startBot('--live');
  expect(await liveInPaperMode.ended).toBe(2);
  expect(liveInPaperMode.text()).toBe('--live: the config says mode: paper\n  write mode: live into the config, or leave --live out\n');
  mkdirSync(join(fixture.folder, 'bot'), { recursive: true, mode: 0o700 });
  writeFileSync(join(fixture.folder, 'bot/KILLED'), JSON.stringify({ sinceMs: 1, who: 'ann', why: 'strange prices', flatten: false }), {
    mode: 0o600,
  });
  const killed = startBot();
  expect(await killed.ended).toBe(2);
  expect(killed.text()).toContain('this bot was killed by ann: strange prices');
  rmSync(join(fixture.folder, 'bot/KILLED'));
  // The socket path is checked last, when exchange, journal and strategy are open. All of them must be closed again.
  writeConfig(`data: ${'deep'.repeat(25)}\n`);
  const withLongPath = startBot();
  expect(await withLongPath.ended, withLongPath.text()).toBe(2);
  expect(withLongPath.text()).toContain('control.sock: expected a path of at most 103 bytes');
  // In /proc Node.js would try without end to make the folder.
  writeConfig('data: /proc/of-isobar/x\n');
  const withSystemFolder = startBot();
  expect(await withSystemFolder.ended, withSystemFolder.text()).toBe(2);
  expect(withSystemFolder.text()).toContain('data /proc/of-isobar/x: /proc may not be written to');
  const withUnknownOption = startBot('--nonsense');
  expect(await withUnknownOption.ended).toBe(2);
  expect(withUnknownOption.text()).toContain("Unknown option '--nonsense'");
});

test('the bot continues when its output pipe is closed, and a hang-up of its terminal ends it in order', async () => {
  await prepareBot();
  const bot = startBot();
  await until(() => bot.text().includes('paper on account'), 60_000, 'a first line').catch(failWithOutput(bot));
  bot.child.stdout!.destroy();
  const folder = join(fixture.folder, 'bot');
  // Each line of an audit or a fill meets a closed pipe; the file still has every printed line.
  let lines: readonly string[] = [];
  const hasSold = async (): Promise<boolean> => {
    lines = (await askLogs(folder, 0, 1000)).map(({ message }) => message);
    return lines.some((text) => text.includes('sold 0.0'));
  };
  const endMs = performance.now() + 300_000;
  while (!(await hasSold()) && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(lines).toContainEqual(expect.stringContaining('sold 0.0'));
  expect(lines).toContain('stdout is closed (EPIPE); run isobar logs to read the log');
  bot.child.kill('SIGHUP');
  bot.child.kill('SIGHUP');
  expect(await bot.ended).toBe(0);
  expect(checkJournal(join(folder, 'journal')).verdict).toBe('whole');
});

/** Strategy that logs more at each bar than a pipe or a terminal and the bot's buffer can hold. */
const CHATTY = `import { Strategy } from 'isobar';
export default class Chatty extends Strategy {
  onBar() {
    for (let i = 0; i < 2500; i++) this.log('a long word '.repeat(40));
  }
}
`;
/** Prepares a bot whose strategy logs very much. */
async function prepareChattyBot(): Promise<void> {
  await prepareBot();
  writeFileSync(join(fixture.folder, 'flip.ts'), CHATTY);
}
/** Resolves once the bot has printed `lines` lines. */
async function untilPrinted(lines: number): Promise<void> {
  const endMs = performance.now() + 300_000;
  for (;;) {
    const newest = await askLogs(join(fixture.folder, 'bot'), 0, 1).catch(() => []);
    if ((newest[0]?.seq ?? 0) > lines) return;
    if (performance.now() > endMs) throw new Error(`${lines} lines were not printed in 300 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('a reader of the log that blocks does not delay the bot, and gets the number of lines that it missed', async () => {
  await prepareChattyBot();
  const bot = startBot();
  bot.child.stdout!.pause();
  await untilPrinted(5000);
  bot.child.stdout!.resume();
  await until(() => /WARN \d+ lines before this one were not printed, because stdout was not read/.test(bot.text()), 60_000, 'the gap');
  // All lines before the gap are complete.
  expect(bot.text().match(/^\d\d:\d\d:\d\d Chatty: (a long word )+/gm)!.length).toBeGreaterThan(2000);
  bot.child.stdout!.pause();
  await untilPrinted(10_000);
  bot.child.kill('SIGTERM');
  expect(await bot.ended).toBe(0);
  expect(checkJournal(join(fixture.folder, 'bot/journal')).verdict).toBe('whole');
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.log('skipped: there is no python3 to make a terminal with');
/** Python program that runs a command on a terminal that is never read, and exits with its exit code. */
const TERMINAL = `import os, pty, subprocess, sys
unread, terminal = pty.openpty()
bot = subprocess.Popen(sys.argv[1:], stdin=terminal, stdout=terminal, stderr=terminal)
print(bot.pid, flush=True)
sys.exit(bot.wait())
`;

test.skipIf(!hasPython)('a terminal that is never read does not delay the end of the bot', async () => {
  await prepareChattyBot();
  const python = spawn('python3', ['-c', TERMINAL, process.execPath, ENTRY, join(fixture.folder, 'bot.yaml')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
  });
  let pid = '';
  python.stdout.on('data', (chunk) => (pid += String(chunk)));
  const ended = new Promise<number | null>((resolve) => python.on('exit', resolve));
  try {
    await untilPrinted(2500);
    process.kill(Number(pid), 'SIGTERM');
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(() => resolve('it hangs'), 300_000))])).toBe(0);
  } finally {
    if (python.exitCode === null) process.kill(Number(pid), 'SIGKILL');
  }
});
