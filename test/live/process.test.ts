// The process of a live bot, built and started as people start it: signals, exit codes, kill -9, and what the next start makes of it.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { demoKey } from '../../src/paperExchange/process/demo.ts';
import { askLogs } from '../../src/tasks/control/client.ts';
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

/** In at one bar, out at the next. */
const FLIP = `import { Strategy } from 'isobar';
export default class Flip extends Strategy {
  onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}
`;

interface Started {
  readonly child: ChildProcess;
  readonly text: () => string;
  readonly ended: Promise<number | null>;
}

function start(...options: string[]): Started {
  const child = spawn(process.execPath, [ENTRY, join(fixture.folder, 'bot.yaml'), '--plain', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
  });
  children.push(child);
  let text = '';
  child.stdout.on('data', (more) => (text += String(more)));
  child.stderr.on('data', (more) => (text += String(more)));
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  return { child, text: () => text, ended };
}

async function prepared(): Promise<void> {
  fixture = await LiveFixture.open(60);
  writeFileSync(join(fixture.folder, 'flip.ts'), FLIP);
  configured();
}
function configured(more = ''): void {
  fixture.config(`strategy: ${join(fixture.folder, 'flip.ts')}
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
${more}`);
}
const fills = (text: string): number => text.match(/(bought|sold) 0\.0/g)?.length ?? 0;
const orThrow = (bot: Started) => (error: unknown) => {
  throw new Error(`${String(error)}\n${bot.text()}`);
};

test('kill -9 under load, then a start that continues; SIGTERM ends in order', async () => {
  await prepared();
  const first = start();
  await until(() => fills(first.text()) >= 1, 60_000, 'a fill').catch(orThrow(first));
  // While it runs no other process may have the account.
  const second = start();
  expect(await second.ended, second.text()).toBe(2);
  expect(second.text()).toContain('trades on this account');
  configured('data: elsewhere\n');
  const elsewhere = start();
  expect(await elsewhere.ended, elsewhere.text()).toBe(2);
  expect(elsewhere.text()).toContain(`process ${first.child.pid} trades on this account`);
  configured();
  first.child.kill('SIGKILL');
  await first.ended;
  const next = start();
  await until(() => fills(next.text()) >= 2, 60_000, 'two fills').catch(orThrow(next));
  expect(next.text()).toContain('two audits were clean');
  next.child.kill('SIGTERM');
  expect(await next.ended, next.text()).toBe(0);
  expect(next.text()).toMatch(
    /stopping: SIGTERM was received\n.*stopped: \d+ orders? sent, \d+ fills?, equity 9\d+\.\d+ USDT; .*the journal is written\n$/,
  );
  const report = checkJournal(join(fixture.folder, 'bot/journal'));
  expect(report.verdict).toBe('whole');
  expect(report.halts).toEqual([]);
  expect(report.kinds['CONFIG']).toBe(2);
});

test('a start prints the verdict about its code, and --require-proof rejects code without a proved verdict', async () => {
  await prepared();
  const noted = start('--seconds', '1');
  expect(await noted.ended, noted.text()).toBe(0);
  expect(noted.text()).toContain(
    'it is not proved that Flip reads no future and keeps no hidden state; isobar prove DEFINITION, for a run definition with',
  );
  rmSync(join(fixture.folder, 'bot'), { recursive: true });
  const refused = start('--require-proof', '--seconds', '5');
  expect(await refused.ended, refused.text()).toBe(2);
  const file = join(fixture.folder, 'bot.yaml');
  expect(refused.text()).toContain(
    `${file}: --require-proof: expected a proved verdict about the code of Flip, got none in ${join(fixture.folder, 'ledger')}\n  isobar prove DEFINITION`,
  );
  expect(checkJournal(join(fixture.folder, 'bot/journal')).kinds).toEqual({ SEGMENT: 1 });
  const bars = Array.from(
    { length: 50 },
    (_, at) => `${1_704_067_200_000 + at * 3_600_000},100.00,${101 + (at % 3)}.00,99.00,100.00,5.000`,
  );
  writeFileSync(join(fixture.folder, 'BTCUSDT-1h.csv'), `timestamp,open,high,low,close,volume\n${bars.join('\n')}\n`);
  const words = ['backtest', 'flip.ts', '--data', 'BTCUSDT-1h.csv', '--cash', '10000', '--quiet', '--no-report'];
  const { code, stderr } = await commandIn(fixture.folder, words);
  expect(code, stderr).toBe(0);
  const accepted = start('--require-proof', '--seconds', '1');
  expect(await accepted.ended, accepted.text()).toBe(0);
  expect(accepted.text()).toMatch(
    /the code of Flip is proved \(the sample of a backtest, [-\d]+, over spot:BTCUSDT 1h\); no verdict is about spot:BTCUSDT 1m/,
  );
});

test('a signal to the whole group of processes, as of timeout or of a terminal, ends a bot in order', async () => {
  await prepared();
  // Long enough for the signal to come once more, from the command before the bot.
  const slow = 'onStop() { const end = Date.now() + 500; while (Date.now() < end); }';
  writeFileSync(join(fixture.folder, 'flip.ts'), FLIP.replace('onBar', `${slow}\n  onBar`));
  const child = spawn(process.execPath, [join(ROOT, 'dist/cli/isobar.js'), 'live', join(fixture.folder, 'bot.yaml'), '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
    detached: true,
  });
  children.push(child);
  let text = '';
  child.stdout.on('data', (more) => (text += String(more)));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await until(() => text.includes('two audits were clean'), 60_000, 'a bot that trades');
  process.kill(-child.pid!, 'SIGTERM');
  expect(await ended, text).toBe(0);
  expect(text).toContain('the journal is written');
  expect(checkJournal(join(fixture.folder, 'bot/journal')).verdict).toBe('whole');
});

test('a signal that comes once more after the bot has stopped does not change its exit code', async () => {
  await prepared();
  // The bot itself: the command that starts it has nothing to forward.
  const entry = join(ROOT, 'dist/tasks/bot/process/main.js');
  const [held, sent] = [join(fixture.folder, 'held.mjs'), join(fixture.folder, 'sent')];
  // While Node.js itself ends, no process has handlers: this one waits at its end for the second signal.
  writeFileSync(
    held,
    `import { existsSync } from 'node:fs';
process.once('beforeExit', () => {
  const looking = setInterval(() => existsSync(${JSON.stringify(sent)}) && clearInterval(looking), 20);
});`,
  );
  const child = spawn(process.execPath, ['--import', held, entry, join(fixture.folder, 'bot.yaml'), '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
  });
  children.push(child);
  let text = '';
  let isSentAgain = false;
  child.stdout.on('data', (more) => {
    text += String(more);
    if (isSentAgain || !text.includes('stopped: ')) return;
    isSentAgain = true;
    // Late enough not to be taken for the first one.
    setTimeout(() => {
      child.kill('SIGTERM');
      writeFileSync(sent, '');
    }, 1200);
  });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));
  await until(() => text.includes('two audits were clean'), 60_000, 'a bot that trades');
  child.kill('SIGTERM');
  expect(await ended, text).toBe(0);
});

test('isobar live trades with the keys of the environment, and SIGUSR1 opens no inspector in either process', async () => {
  await prepared();
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
  child.stdout.on('data', (more) => (text += String(more)));
  child.stderr.on('data', (more) => (text += String(more)));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const trades = () => text.includes('two audits were clean');
  await until(trades, 20_000, 'a bot that trades').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${text}`);
  });
  await until(() => text.includes('the heartbeat socket is open'), 10_000, 'the heartbeat socket');
  process.kill(-child.pid!, 'SIGUSR1');
  process.kill(-child.pid!, 'SIGTERM');
  expect(await ended, text).toBe(0);
  expect(text).not.toContain('Debugger');
  expect(text).not.toContain(secret);
});

test('an error of a promise that a strategy has dropped ends the bot in order, with its place', async () => {
  await prepared();
  const dropped = "n = 0;\n  onStart() { setTimeout(() => void Promise.reject(new Error('no such book')), 1); }";
  writeFileSync(join(fixture.folder, 'flip.ts'), FLIP.replace('onBar', `${dropped}\n  onBar`));
  const bot = start();
  expect(await bot.ended, bot.text()).toBe(1);
  expect(bot.text()).toMatch(/ERROR the bot stops: an uncaught error: no such book \(at .*flip\.ts:\d+/);
  expect(bot.text()).toMatch(/stopped: .*the journal is written\n/);
  expect(checkJournal(join(fixture.folder, 'bot/journal')).verdict).toBe('whole');
});

test('a start that is not possible names the reason, and ends with code 2', async () => {
  await prepared();
  const live = start('--live');
  expect(await live.ended).toBe(2);
  expect(live.text()).toBe('--live: the config says mode: paper\n  write mode: live into the config, or leave --live out\n');
  mkdirSync(join(fixture.folder, 'bot'), { recursive: true, mode: 0o700 });
  writeFileSync(join(fixture.folder, 'bot/KILLED'), JSON.stringify({ sinceMs: 1, who: 'ann', why: 'strange prices', flatten: false }), {
    mode: 0o600,
  });
  const killed = start();
  expect(await killed.ended).toBe(2);
  expect(killed.text()).toContain('this bot was killed by ann: strange prices');
  rmSync(join(fixture.folder, 'bot/KILLED'));
  // Found out after the exchange, the journal and the strategy have been opened: all of it is closed again.
  configured(`data: ${'deep'.repeat(25)}\n`);
  const deep = start();
  expect(await deep.ended, deep.text()).toBe(2);
  expect(deep.text()).toContain('control.sock: expected a path of at most 103 bytes');
  // In a system folder Node would never stop trying to make one.
  configured('data: /proc/of-isobar/x\n');
  const system = start();
  expect(await system.ended, system.text()).toBe(2);
  expect(system.text()).toContain('data /proc/of-isobar/x: /proc may not be written to');
  const wrong = start('--nonsense');
  expect(await wrong.ended).toBe(2);
  expect(wrong.text()).toContain("Unknown option '--nonsense'");
});

test('the bot continues when its log has no reader any more, or its terminal is closed', async () => {
  await prepared();
  const bot = start();
  await until(() => bot.text().includes('paper on account'), 60_000, 'a first line').catch(orThrow(bot));
  bot.child.stdout!.destroy();
  const folder = join(fixture.folder, 'bot');
  // Each line of an audit or a fill meets a closed pipe; the file still has every printed line.
  let lines: readonly string[] = [];
  const asked = async (): Promise<boolean> => {
    lines = (await askLogs(folder, 0, 1000)).map(({ message }) => message);
    return lines.some((text) => text.includes('sold 0.0'));
  };
  const endMs = performance.now() + 300_000;
  while (!(await asked()) && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(lines).toContainEqual(expect.stringContaining('sold 0.0'));
  expect(lines).toContain('stdout is closed (EPIPE); run isobar logs to read the log');
  bot.child.kill('SIGHUP');
  bot.child.kill('SIGHUP');
  expect(await bot.ended).toBe(0);
  expect(checkJournal(join(folder, 'journal')).verdict).toBe('whole');
});

/** Says more at each bar than a pipe, or a terminal, and what may wait behind it hold. */
const CHATTER = `import { Strategy } from 'isobar';
export default class Chatter extends Strategy {
  onBar() {
    for (let i = 0; i < 2500; i++) this.log('a long word '.repeat(40));
  }
}
`;
async function chattering(): Promise<void> {
  await prepared();
  writeFileSync(join(fixture.folder, 'flip.ts'), CHATTER);
}
/** Resolves once the bot has printed `lines` lines. */
async function reply(lines: number): Promise<void> {
  const endMs = performance.now() + 300_000;
  for (;;) {
    const newest = await askLogs(join(fixture.folder, 'bot'), 0, 1).catch(() => []);
    if ((newest[0]?.seq ?? 0) > lines) return;
    if (performance.now() > endMs) throw new Error(`${lines} lines were not said in 300 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('a blocked reader of the log delays neither the bot nor its end, and gets the number of lines that it missed', async () => {
  await chattering();
  const bot = start();
  bot.child.stdout!.pause();
  await reply(5000);
  bot.child.stdout!.resume();
  await until(() => /WARN \d+ lines before this one were not printed, because stdout was not read/.test(bot.text()), 60_000, 'the gap');
  // All before the gap is there, whole.
  expect(bot.text().match(/^\d\d:\d\d:\d\d Chatter: (a long word )+/gm)!.length).toBeGreaterThan(2000);
  bot.child.stdout!.pause();
  await reply(10_000);
  bot.child.kill('SIGTERM');
  expect(await bot.ended).toBe(0);
  expect(checkJournal(join(fixture.folder, 'bot/journal')).verdict).toBe('whole');
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.log('skipped: there is no python3 to make a terminal with');
/** Gives a command a terminal that is never read, and ends with its exit code. */
const TERMINAL = `import os, pty, subprocess, sys
near, far = pty.openpty()
bot = subprocess.Popen(sys.argv[1:], stdin=far, stdout=far, stderr=far)
print(bot.pid, flush=True)
sys.exit(bot.wait())
`;

test.skipIf(!hasPython)('a terminal that is held, or whose connection is silent, does not hold up the bot', async () => {
  await chattering();
  const python = spawn('python3', ['-c', TERMINAL, process.execPath, ENTRY, join(fixture.folder, 'bot.yaml')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
  });
  let pid = '';
  python.stdout.on('data', (more) => (pid += String(more)));
  const ended = new Promise<number | null>((resolve) => python.on('exit', resolve));
  try {
    await reply(2500);
    process.kill(Number(pid), 'SIGTERM');
    expect(await Promise.race([ended, new Promise((resolve) => setTimeout(() => resolve('it hangs'), 300_000))])).toBe(0);
  } finally {
    if (python.exitCode === null) process.kill(Number(pid), 'SIGKILL');
  }
});
