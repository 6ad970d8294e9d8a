// Rewrites yargs errors about the command line so that they name the nearest valid option or command.

import { ConfigError } from '../base/errors.ts';
import { nearestName } from '../base/number/nearestName.ts';

/** Returns the help text of the command that `words` name. */
type HelpOf = (words: readonly string[]) => Promise<string>;

/** Returns the error for `complaint`, which is the message of yargs about `argv`. */
export async function usageError(complaint: string, argv: readonly string[], helpOf: HelpOf): Promise<ConfigError> {
  const words = argv.slice(0, argv.findIndex((word) => word.startsWith('-')) + 1 || undefined).filter((word) => !word.startsWith('-'));
  const help = await helpOf(words);
  const [, valueless] = /^Not enough arguments following: (.+)$/.exec(complaint) ?? [];
  if (valueless !== undefined) return new ConfigError(`--${valueless}: expected a value, got nothing`, helpHint(help));
  const [, given, got, choices] = /^Invalid values:\s+Argument: (\S+), Given: (.*), Choices: (.*)/.exec(complaint) ?? [];
  if (given !== undefined) {
    const name = isOption(given, argv) ? `--${given}` : given;
    return new ConfigError(`${name}: expected one of ${choices?.replaceAll('"', '')}, got ${got}`, helpHint(help));
  }
  const [, names] = /^Unknown (?:arguments?|commands?): (.+)$/.exec(complaint) ?? [];
  if (names === undefined) return new ConfigError(usageErrorText(complaint, help), helpHint(help));
  const [name = ''] = names.split(', ');
  return isOption(name, argv) ? unknownOption(name, help) : unknownWord(name, help);
}

/** Returns true when `name` is in `argv` with leading dashes. */
export function isOption(name: string, argv: readonly string[]): boolean {
  return argv.some((word) => word.startsWith('-') && word.replace(/^-+/, '').split('=')[0] === name);
}

function unknownOption(name: string, help: string): ConfigError {
  const valid = [...new Set(help.match(/(?<=\s)--[a-z][a-z-]*/g) ?? [])].map((option) => option.slice(2));
  const nearest = nearestName(name, valid);
  const hint = nearest === null ? '' : `, the nearest valid one is --${nearest}`;
  return new ConfigError(`--${name}: unknown option${hint}`, `the options are ${valid.map((option) => `--${option}`).join(', ')}`);
}

function unknownWord(name: string, help: string): ConfigError {
  const [, listed = ''] = /^Commands:\n((?: .*\n)+)/m.exec(help) ?? [];
  const valid = [...listed.matchAll(/^ {2}isobar ((?:[a-z-]+ ?)+)/gm)].map(([, command = '']) => command.trim());
  const last = valid.map((command) => command.split(' ').at(-1) ?? '');
  if (last.length === 0) return new ConfigError(`${name}: unexpected argument`, `put quotes around a path with spaces; ${helpHint(help)}`);
  const nearest = nearestName(name, last);
  const hint = nearest === null ? '' : `, the nearest valid one is ${valid[last.indexOf(nearest)]}`;
  return new ConfigError(`${name}: unknown command${hint}`, `the commands are ${valid.join(', ')}`);
}

/** Returns what is missing, with the names that the help uses. Other messages are returned unchanged. */
function usageErrorText(complaint: string, help: string): string {
  const command = commandOf(help);
  const [, got] = /^Not enough non-option arguments: got (\d+)/.exec(complaint) ?? [];
  const expected = [...(help.split('\n')[0] ?? '').matchAll(/<[^>]+>/g)].slice(Number(got ?? 0)).join(' ');
  if (got !== undefined && expected !== '') return `${command}: expected ${expected}, got nothing`;
  const [, missing] = /^Missing required arguments?: (.+)$/.exec(complaint) ?? [];
  return missing === undefined ? complaint : `${command}: expected --${missing.replaceAll(', ', ', --')}, got nothing`;
}

/** Returns the command at the start of a help text, such as `isobar data generate`. */
function commandOf(help: string): string {
  return /^isobar(?: [a-z][a-z-]*)*/.exec(help)?.[0] ?? 'isobar';
}

function helpHint(help: string): string {
  return `see ${commandOf(help)} --help`;
}
