// The access tokens of the dashboard: 256 bits for each level, in a file that only the user of the bot can read.

import { createHash, generateKeySync, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOKEN_NAME } from '../../control/folder/dataFolder.ts';
import type { AccessLevel } from '../../control/botRequest.ts';
import { ConfigError } from '../../../base/errors.ts';

/** Each level of access includes those before it. */
export const LEVELS_WEAKEST_FIRST: readonly AccessLevel[] = ['read', 'operate', 'kill'];
/** 256 bits as base64url. */
const TOKEN_PATTERN = /^[\w-]{43}$/;
const { O_CREAT, O_EXCL, O_WRONLY, O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** The tokens as text, by level. */
export type TokenTexts = Readonly<Record<AccessLevel, string>>;

/** Keeps only digests of the tokens in memory. */
export class Tokens {
  readonly #digests: ReadonlyMap<AccessLevel, Buffer>;

  constructor(texts: TokenTexts) {
    this.#digests = new Map(LEVELS_WEAKEST_FIRST.map((level) => [level, digest(texts[level])]));
  }

  /** Returns the level of an `Authorization` header; null: none. Takes the same time for every text of the same length. */
  levelOfHeader(header: string | undefined): AccessLevel | null {
    const sentDigest = digest(/^Bearer ([\w-]{1,200})$/.exec(header ?? '')?.[1] ?? '');
    let levelOfToken: AccessLevel | null = null;
    // Compare all tokens, so that the time reveals nothing.
    for (const [level, storedDigest] of this.#digests) if (timingSafeEqual(sentDigest, storedDigest)) levelOfToken = level;
    return levelOfToken;
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** True when a token of level `granted` allows requests that need level `needs`. */
export const includesLevel = (granted: AccessLevel, needs: AccessLevel): boolean =>
  LEVELS_WEAKEST_FIRST.indexOf(granted) >= LEVELS_WEAKEST_FIRST.indexOf(needs);

/**
 * Returns the tokens of a data folder, and creates them if the file does not exist. Throws ConfigError for a file that other users can
 * access.
 */
export function readOrCreateTokens(folder: string): TokenTexts {
  const path = join(folder, TOKEN_NAME);
  // Create the file exclusively, so that two starts cannot both write it.
  try {
    const tokens: TokenTexts = { read: newToken(), operate: newToken(), kill: newToken() };
    const file = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
    writeTokens(file, path, `${JSON.stringify(tokens, null, 1)}\n`);
    return tokens;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readTokens(path);
}

/** Writes and closes the file. Throws ConfigError if the disk cannot be written, after removing the file, which would block the next start. */
function writeTokens(file: number, path: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    rmSync(path, { force: true });
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new ConfigError(`${path}: cannot be written (${String(error.code)})`, 'free disk space');
  } finally {
    closeSync(file);
  }
}

const newToken = (): string => generateKeySync('hmac', { length: 256 }).export().toString('base64url');

/** Reads an existing file. Throws ConfigError unless it is a private file with valid tokens. */
function readTokens(path: string): TokenTexts {
  const remedy = `remove ${path}: the next start makes a new one`;
  const file = openTokens(path, remedy);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new ConfigError(`${path}: expected a file, got something else`, remedy);
    const { mode, uid } = stats;
    if ((mode & 0o077) !== 0 || uid !== process.getuid?.()) {
      throw new ConfigError(`${path}: expected mode 0600 and the user of the bot`, remedy);
    }
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isTokens(parsed)) return parsed;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  } finally {
    closeSync(file);
  }
  throw new ConfigError(`${path}: expected three tokens of 43 characters`, remedy);
}

/** Opens the file for reading. Throws ConfigError if that fails. */
function openTokens(path: string, remedy: string): number {
  try {
    // Without O_NONBLOCK, opening a FIFO that has no writer would block permanently.
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ELOOP') throw new ConfigError(`${path}: expected a file, got a symbolic link`, remedy);
    throw new ConfigError(`${path}: cannot be read (${String(error.code)})`, remedy);
  }
}

function isTokens(value: unknown): value is TokenTexts {
  if (typeof value !== 'object' || value === null) return false;
  const texts = value as Readonly<Record<string, unknown>>;
  return LEVELS_WEAKEST_FIRST.every((level) => typeof texts[level] === 'string' && TOKEN_PATTERN.test(texts[level]));
}
