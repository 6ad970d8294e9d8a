// The demo of a live bot: a paper exchange in a second process, with accelerated time, and a config for a shipped strategy.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError } from '../../base/errors.ts';
import { packageFolder } from '../../adapters/runtime/version.ts';

/** A running demo exchange, and the config of the bot for it. */
export interface Demo {
  /** Path of the bot's config. */
  readonly config: string;
  readonly folder: string;
  /** The bot's data folder. */
  readonly data: string;
  readonly url: string;
  readonly speed: number;
  readonly strategy: string;
  readonly interval: string;
  close(): void;
}

/** Time scale: one minute takes two seconds. Fast enough to watch, slow enough for a busy computer. */
const TIME_SCALE = 30;
const INTERVAL = '1m';
const STRATEGY = 'smaCross';

/** Starts the exchange and writes the config. `bin`: path of this package's command line. Throws ConfigError if the exchange does not start. */
export async function openDemo(bin: string): Promise<Demo> {
  const child = spawn(process.execPath, [bin, 'exchange', '--demo', '--port', '0', '--control', '0', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const close = (): void => void child.kill('SIGTERM');
  try {
    const { url, key, secret, control } = await readAddresses(child);
    await setSpeed(control);
    const folder = mkdtempSync(join(tmpdir(), 'isobar-demo-'));
    const writeSecret = (name: string, text: string): void => writeFileSync(join(folder, name), `${text}\n`, { mode: 0o600 });
    writeSecret('key', key);
    writeSecret('secret', secret);
    const config = join(folder, 'demo.yaml');
    writeFileSync(config, configText(url));
    return { config, folder, data: join(folder, 'bot'), url, speed: TIME_SCALE, strategy: STRATEGY, interval: INTERVAL, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Addresses and key that the exchange prints when it starts. */
interface OpenedExchange {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  /** URL under which a test or a demo controls the exchange. */
  readonly control: string;
}

/** Reads the first line that the exchange prints. Throws ConfigError if the exchange ends without one. */
async function readAddresses(child: ChildProcess): Promise<OpenedExchange> {
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [''])])) as [string];
  lines.close();
  const printed: unknown = line === '' ? null : JSON.parse(line);
  const memberText = (name: string): string =>
    typeof printed === 'object' && printed !== null ? String(Reflect.get(printed, name) ?? '') : '';
  if (memberText('spot') === '') throw new ConfigError('the paper exchange did not start', 'run isobar exchange --demo to see the reason');
  return { url: memberText('spot'), key: memberText('key'), secret: memberText('secret'), control: memberText('control') };
}

/** Sets the speed of the exchange's clock. `control`: the URL of its control server. */
async function setSpeed(control: string): Promise<void> {
  const { ok, status } = await fetch(`${control}/clock`, { method: 'POST', body: JSON.stringify({ speed: TIME_SCALE }) });
  if (!ok) throw new ConfigError(`the paper exchange cannot change its speed (HTTP ${status})`, 'report this as a bug');
}

/** Returns the config of the bot. Its short averages cross every few bars, so that a watcher soon sees orders. */
const configText = (url: string): string => `name: demo
mode: paper
exchange: { spotUrl: '${url}', keyFile: key, secretFile: secret }
data: bot
timeScale: ${TIME_SCALE}
strategy: ${join(packageFolder(), 'strategies', `${STRATEGY}.ts`)}
params: { fast: 1, slow: 3 }
feeds: { bars: { symbol: BTCUSDT, interval: ${INTERVAL} } }
cash: { USDT: '10000' }
size: { equity: '0.5' }
risk: { maxDailyLoss: '0.05', maxOpenOrdersTotal: 4 }
bars: { graceMs: 30000, delayMs: 400, spreadMs: 400 }
`;
