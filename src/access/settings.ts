// Collects the access settings of an exchange: addresses, credentials and dialect.
// Options of the command line override the environment, which overrides the access file.

import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { LimitOverride, LimitOverrides } from '../adapters/exchange/limits/limitTable.ts';
import { checkedSocketUrl } from '../adapters/exchange/socket/persistentSocket.ts';
import { checkedOrigin } from '../adapters/exchange/wire/origin.ts';
import { ConfigError } from '../base/errors.ts';
import type { Secret } from '../base/text/secret.ts';
import type { Market } from '../model/instrument.ts';
import { DEFAULT_DIALECT, type Dialect } from '../protocol/dialect.ts';
import { readAccessFile, type AccessFile } from './config.ts';
import { secretFrom, VARIABLES, type Environment, type SecretName } from './environment.ts';
import { KEY_REMEDY, withoutKeys } from './keyLike.ts';
import { readKeyFile } from './keyFile.ts';
import { Signer } from './signer.ts';

/** Access options of a command line. */
export interface AccessOptions {
  /** Path of an access file. */
  readonly config?: string | undefined;
  readonly spotUrl?: string | undefined;
  readonly futuresUrl?: string | undefined;
}

type DialectFile = NonNullable<AccessFile['dialect']>;

/** The user's rate limits. */
export interface LimitSettings {
  /** Overrides of the endpoint table. */
  readonly overrides: LimitOverrides;
  /** Minimum pause after HTTP 418, ms. Null for the default of the limiter. */
  readonly banMinMs: number | null;
}

/** The place from which a credential was read. */
export type SecretSource = { readonly kind: 'environment'; readonly variable: string } | { readonly kind: 'file'; readonly path: string };

/** Everything that a client of the exchange needs. */
export interface AccessSettings {
  /** The origin of each market. Null if none was given. */
  readonly baseUrls: Readonly<Record<Market, string | null>>;
  /** Null if neither key nor secret was given. */
  readonly credentials: Signer | null;
  /** Sources of the credentials. Null without credentials. */
  readonly sources: Readonly<Record<SecretName, SecretSource>> | null;
  readonly dialect: Dialect;
  readonly limits: LimitSettings;
  /** Address of the WebSocket whose heartbeat is answered. Null without a WebSocket. */
  readonly socketUrl: string | null;
  /** Folder for state that later commands need, such as a ban. */
  readonly stateFolder: string;
}

/** Returns the settings. Removes key and secret from `environment`. Throws ConfigError for invalid settings. */
export function accessSettings(options: AccessOptions, environment: Environment = process.env): AccessSettings {
  const file = options.config === undefined ? {} : readAccessFile(options.config);
  return settingsFromFile(file, dirname(options.config ?? '.'), options, environment);
}

/** Returns the settings from the content of an access file. Its paths are relative to `folder`. Throws like `accessSettings`. */
export function settingsFromFile(
  file: AccessFile,
  folder: string,
  options: Omit<AccessOptions, 'config'>,
  environment: Environment = process.env,
): AccessSettings {
  const { baseUrl, futuresBaseUrl, limits = {}, ...dialect } = file.dialect ?? {};
  return {
    baseUrls: {
      spot: originFrom([
        { place: '--spot-url', url: options.spotUrl },
        { place: 'ISOBAR_SPOT_URL', url: environment['ISOBAR_SPOT_URL'] },
        { place: 'dialect.baseUrl', url: baseUrl },
      ]),
      futures: originFrom([
        { place: '--futures-url', url: options.futuresUrl },
        { place: 'ISOBAR_FUTURES_URL', url: environment['ISOBAR_FUTURES_URL'] },
        { place: 'dialect.futuresBaseUrl', url: futuresBaseUrl },
      ]),
    },
    ...credentialsFrom(environment, file, folder),
    dialect: dialectOf(dialect),
    limits: limitsOf(limits),
    socketUrl: socketUrlOf(file),
    stateFolder: stateFolderOf(environment),
  };
}

/** Returns the address of the WebSocket, or null. Throws ConfigError for an invalid address. */
function socketUrlOf({ socketUrl }: AccessFile): string | null {
  if (socketUrl !== undefined) checkedSocketUrl(socketUrl);
  return socketUrl ?? null;
}

/** An address with the option, variable or key that sets it. */
interface PlacedUrl {
  readonly place: string;
  readonly url: string | undefined;
}

/** Returns the origin of the first address that is set. Null when none is. Throws ConfigError for an invalid address. */
function originFrom(addresses: readonly PlacedUrl[]): string | null {
  const setAddress = addresses.find(({ url }) => url !== undefined && url !== '');
  if (setAddress?.url === undefined) return null;
  try {
    return checkedOrigin(setAddress.url, setAddress.place);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(withoutKeys(error.message), error.remedy) : error;
  }
}

/** Returns the signer and the sources of its credentials. Throws ConfigError for a key without its secret, or a secret without its key. */
function credentialsFrom(environment: Environment, file: AccessFile, folder: string): Pick<AccessSettings, 'credentials' | 'sources'> {
  const key = findSecret(environment, 'key', file.keyFile, folder);
  const secret = findSecret(environment, 'secret', file.secretFile, folder);
  if (key && secret) return { credentials: new Signer(key.secret, secret.secret), sources: { key: key.source, secret: secret.source } };
  if (!key && !secret) return { credentials: null, sources: null };
  const missingVariables = VARIABLES[key ? 'secret' : 'key'];
  throw new ConfigError(
    `expected an API key and its secret, got the ${key ? 'key' : 'secret'} alone`,
    `set ${missingVariables.text} or ${missingVariables.file}`,
  );
}

/** A credential, and where it was found. */
interface FoundSecret {
  readonly secret: Secret;
  readonly source: SecretSource;
}

/** Returns a credential of the environment, else of the file that the access file names (`configured`). Null without both. */
function findSecret(environment: Environment, name: SecretName, configured: string | undefined, folder: string): FoundSecret | null {
  const secret = secretFrom(environment, name);
  if (secret && 'file' in secret) return readFoundSecret(secret.file, secret.text);
  if (secret) return { secret: secret, source: { kind: 'environment', variable: VARIABLES[name].text } };
  if (configured === undefined) return null;
  return readFoundSecret(isAbsolute(configured) ? configured : join(folder, configured), name === 'key' ? 'keyFile' : 'secretFile');
}

/** Reads a credential from its file. `namedBy`: the variable or key that names the file, for messages. */
const readFoundSecret = (path: string, namedBy: string): FoundSecret => ({
  secret: readKeyFile(path, namedBy),
  source: { kind: 'file', path },
});

type DialectOptions = Omit<DialectFile, 'baseUrl' | 'futuresBaseUrl' | 'limits'>;

/** Returns the default dialect with the options of the access file. */
function dialectOf({ pathPrefix, intervals, ...options }: DialectOptions): Dialect {
  const setOptions = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return {
    ...DEFAULT_DIALECT,
    ...setOptions,
    pathPrefix: { spot: pathPrefix?.spot ?? '', futures: pathPrefix?.futures ?? '' },
    intervals: { spot: intervals?.spot ?? {}, futures: intervals?.futures ?? {} },
  };
}

/** Returns the rate limits of the access file. */
function limitsOf({ banMinMs, ...limits }: NonNullable<DialectFile['limits']>): LimitSettings {
  const overrides = Object.entries(limits).filter((entry): entry is [string, LimitOverride] => typeof entry[1] === 'object');
  return { overrides: Object.fromEntries(overrides), banMinMs: typeof banMinMs === 'number' ? banMinMs : null };
}

/** Returns the folder for state, by the rules of the XDG base directories on every platform. */
export function stateFolderOf(environment: Environment): string {
  const stateHome = environment['XDG_STATE_HOME'] ?? '';
  return join(stateHome === '' ? join(homedir(), '.local', 'state') : stateHome, 'isobar');
}

/** Returns the origin of a market. Throws ConfigError if none was given. */
export function originOf({ baseUrls }: AccessSettings, market: Market): string {
  const origin = baseUrls[market];
  if (origin !== null) return origin;
  const [option, variable, key] =
    market === 'spot' ? ['--spot-url', 'ISOBAR_SPOT_URL', 'baseUrl'] : ['--futures-url', 'ISOBAR_FUTURES_URL', 'futuresBaseUrl'];
  throw new ConfigError(
    `${option}: expected the address of the ${market} service, got none`,
    `give ${option}, set ${variable}, or dialect.${key} in --config`,
  );
}

/** Returns the signer. Throws ConfigError if there are no credentials. */
export function signerOf({ credentials }: AccessSettings): Signer {
  if (credentials) return credentials;
  throw new ConfigError('expected an API key and its secret, got none', KEY_REMEDY);
}
