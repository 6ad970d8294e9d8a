// Implements `isobar exchange`: starts the paper exchange, prints its address, and runs until it is stopped.

import { checkedOrigin } from '../../adapters/exchange/wire/origin.ts';
import { demoKey, demoSettings } from '../../paperExchange/process/demo.ts';
import type { RunningFollow } from '../../paperExchange/process/follow.ts';
import { runExchange, type RunningExchange } from '../../paperExchange/process/runExchange.ts';
import { logInternalError } from '../../paperExchange/process/logInternalError.ts';
import type { ExchangeSettings } from '../../paperExchange/process/file/settings.ts';
import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { ConfigError, EXIT, InvariantError } from '../../base/errors.ts';
import type { InternalError } from '../../paperExchange/internalError.ts';
import { profileOf } from '../../paperExchange/dialect/profile.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';

/** Options of `isobar exchange`. */
interface ExchangeArgs {
  readonly config?: string | undefined;
  readonly demo: boolean;
  readonly port: string;
  readonly host: string;
  readonly speed?: string | undefined;
  readonly profile?: string | undefined;
  readonly control?: string | undefined;
  readonly follow?: string | undefined;
  readonly data?: string | undefined;
  readonly seed?: string | undefined;
  readonly quiet: boolean;
}

/** Runs `isobar exchange` until a signal or a failure ends it. Throws the error that ended the exchange. */
export async function exchange(args: ExchangeArgs): Promise<void> {
  const port = portOf('--port', args.port);
  const controlPort = args.control === undefined ? null : portOf('--control', args.control);
  if (args.follow !== undefined) checkedOrigin(args.follow, '--follow');
  if (args.data !== undefined) checkOutFolder('--data', args.data);
  const configuredSettings = await settingsOf(args);
  // An exchange that follows the prices of a service generates no prices.
  const settings = args.follow === undefined ? configuredSettings : { ...configuredSettings, prices: new Map<never, never>() };
  // Kills the process like a real crash: nothing is written, no handler runs.
  const crash = (): void => void process.kill(process.pid, 'SIGKILL');
  const stop = stopOnSignal();
  let onDiskFailure: (reason: string) => void = () => {};
  let onDoubt: (error: InternalError) => void = () => {};
  const ended = new Promise<Error | null>((resolve) => {
    onDiskFailure = (reason) => resolve(diskError(reason));
    onDoubt = (error) => resolve(doubtError(error));
    stop.signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const internalError = (error: InternalError): void => {
    logInternalError(error);
    if (error.doubt !== null) onDoubt(error);
  };
  const dataOption = args.data === undefined ? {} : { data: args.data };
  const running = await runExchange(settings, {
    host: args.host,
    port,
    controlPort,
    crash,
    failed: onDiskFailure,
    internalError,
    ...dataOption,
  });
  const following = args.follow === undefined ? null : await followOrClose(args.follow, running);
  printStart(args, settings, running);
  if (following !== null && !args.quiet) process.stderr.write(`It follows ${args.follow}: ${following.names.join(' ')}\n`);
  const failure = await ended;
  stop.release();
  await following?.stop();
  await running.close();
  if (failure !== null) throw failure;
  process.exitCode = stop.code() || EXIT.ok;
}

/** Follows the service at `url`. If that fails, closes the exchange and throws the error. */
async function followOrClose(url: string, running: RunningExchange): Promise<RunningFollow> {
  const { follow } = await import('../../paperExchange/process/follow.ts');
  const { service, clock } = running;
  try {
    return await follow({ url, service, nowMs: () => clock.nowMs(), onNews: (text) => process.stderr.write(`${text}\n`) });
  } catch (error) {
    await running.close();
    throw error;
  }
}

/** Returns the error that ends an exchange whose books may be wrong. */
const doubtError = ({ where, doubt }: InternalError): InvariantError =>
  new InvariantError(
    `after an error at ${where} the books are in doubt (${doubt ?? ''}): the exchange has stopped; with --data it continues from the durable state`,
  );

/** Returns the error that ends an exchange whose data cannot be written. */
const diskError = (reason: string): ConfigError =>
  new ConfigError(
    `the data cannot be written to the disk: ${reason}`,
    'every reply was durable when it was sent: repair the disk, or restore the folder from a copy, and start again',
  );

/** Returns the settings of the config file or of the demo, with the options of the command line. Throws ConfigError. */
async function settingsOf({ config, demo, profile, seed, speed }: ExchangeArgs): Promise<ExchangeSettings> {
  if (demo === (config !== undefined)) {
    throw new ConfigError(
      `isobar exchange: expected a file or --demo, got ${demo ? `both: ${config}` : 'neither'}`,
      'start from config/exchange.example.yaml',
    );
  }
  const replaySpeed = speed === undefined ? null : Number(speed);
  if (replaySpeed !== null && !(replaySpeed > 0 && Number.isFinite(replaySpeed)))
    throw new ConfigError(`--speed: expected a number above 0, got '${speed}'`, '1 is real time');
  const seedValue = seed === undefined ? null : seedOf(seed);
  const { readExchange, readProfile } = await import('../../paperExchange/process/file/readExchange.ts');
  if (config !== undefined) {
    const settings = readExchange(config, { profileFile: profile ?? null, speed: replaySpeed });
    return seedValue === null ? settings : { ...settings, seed: seedValue };
  }
  const settings = demoSettings(seedValue ?? 1);
  if (profile === undefined) return settings;
  return { ...settings, service: { ...settings.service, profile: profileOf(readProfile(profile), profile) } };
}

/** Prints the addresses as one line of JSON on stdout, then text for people on stderr. The only secrets are those of the demo accounts. */
function printStart(
  { demo, quiet, seed }: ExchangeArgs,
  { service }: ExchangeSettings,
  { url, controlUrl, tornWrite }: RunningExchange,
): void {
  const key = demo ? demoKey(seed === undefined ? 1 : seedOf(seed)) : null;
  const addresses = {
    spot: url,
    futures: url,
    ...(key === null ? {} : { key: key.apiKey, secret: key.secret }),
    ...(controlUrl === null ? {} : { control: controlUrl }),
  };
  process.stdout.write(`${JSON.stringify(addresses)}\n`);
  if (quiet) return;
  if (tornWrite !== null) process.stderr.write(`${tornWrite}, and no client has received it: it is omitted\n`);
  const instruments = service.instruments.map(({ wireName }) => wireName).join(' ');
  process.stderr.write(`The paper exchange is open at ${url}: ${instruments}; ${service.accounts.length} accounts. Ctrl-C ends it.\n`);
  if (controlUrl !== null) process.stderr.write(`A page that shows it: ${controlUrl}/\n`);
}

/** Returns the port. Throws ConfigError for an invalid one. */
function portOf(option: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ConfigError(`${option}: expected a port from 0 to 65535, got '${text}'`, '0 takes a free port');
}

/** Returns the seed. Throws ConfigError for an invalid one. */
function seedOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ConfigError(`--seed: expected a whole number, got '${text}'`, 'for example --seed 7');
}
