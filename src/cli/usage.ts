// Rewrites yargs errors about the command line so that they name the nearest valid option or command.

import { ConfigError } from '../base/errors.ts';
import { nearestName } from '../base/number/nearestName.ts';

/** Returns the help text of the command that `words` name. */
type HelpOf = (words: readonly string[]) => Promise<string>;

/** Returns the error for the user. `message` is the message of yargs about `argv`. */
export async function usageError(message: string, argv: readonly string[], helpOf: HelpOf): Promise<ConfigError> {
  const firstOption = argv.findIndex((word) => word.startsWith('-'));
  const commandWords = firstOption < 0 ? argv : argv.slice(0, firstOption);
  const help = await helpOf(commandWords);
  const [, optionWithoutValue] = /^Not enough arguments following: (.+)$/.exec(message) ?? [];
  if (optionWithoutValue !== undefined) return new ConfigError(`--${optionWithoutValue}: expected a value, got nothing`, helpHint(help));
  const [, argument, actual, choices] = /^Invalid values:\s+Argument: (\S+), Given: (.*), Choices: (.*)/.exec(message) ?? [];
  if (argument !== undefined) {
    const name = isOption(argument, argv) ? `--${argument}` : argument;
    return new ConfigError(`${name}: expected one of ${choices?.replaceAll('"', '')}, got ${actual}`, helpHint(help));
  }
  const [, unknownNames] = /^Unknown (?:arguments?|commands?): (.+)$/.exec(message) ?? [];
  if (unknownNames === undefined) return new ConfigError(usageErrorText(message, help), helpHint(help));
  const [name = ''] = unknownNames.split(', ');
  return isOption(name, argv) ? unknownOption(name, help) : unknownWord(name, help);
}

/** Returns true when `name` is in `argv` with leading dashes. */
export function isOption(name: string, argv: readonly string[]): boolean {
  return argv.some((word) => word.startsWith('-') && word.replace(/^-+/, '').split('=')[0] === name);
}

/** Returns the error for an option that the command with the text `help` does not have. */
function unknownOption(name: string, help: string): ConfigError {
  const valid = [...new Set(help.match(/(?<=\s)--[a-z][a-z-]*/g) ?? [])].map((option) => option.slice(2));
  const nearest = nearestName(name, valid);
  const hint = nearest === null ? '' : `, the nearest valid one is --${nearest}`;
  return new ConfigError(`--${name}: unknown option${hint}`, `the options are ${valid.map((option) => `--${option}`).join(', ')}`);
}

/** Returns the error for a word that is neither a command of `help` nor one of its arguments. */
function unknownWord(name: string, help: string): ConfigError {
  const [, listedCommands = ''] = /^Commands:\n((?: .*\n)+)/m.exec(help) ?? [];
  const valid = [...listedCommands.matchAll(/^ {2}isobar ((?:[a-z-]+ ?)+)/gm)].map(([, command = '']) => command.trim());
  const lastWords = valid.map((command) => command.split(' ').at(-1) ?? '');
  if (lastWords.length === 0)
    return new ConfigError(`${name}: unexpected argument`, `put quotes around a path with spaces; ${helpHint(help)}`);
  const nearest = nearestName(name, lastWords);
  const hint = nearest === null ? '' : `, the nearest valid one is ${valid[lastWords.indexOf(nearest)]}`;
  return new ConfigError(`${name}: unknown command${hint}`, `the commands are ${valid.join(', ')}`);
}

/** Returns a text that names the missing arguments as the help does. Returns any other message of yargs unchanged. */
function usageErrorText(message: string, help: string): string {
  const command = commandOf(help);
  const [, gotCount] = /^Not enough non-option arguments: got (\d+)/.exec(message) ?? [];
  const [usageLine = ''] = help.split('\n');
  const expectedNames = [...usageLine.matchAll(/<[^>]+>/g)];
  const missingNames = expectedNames.slice(Number(gotCount ?? 0)).join(' ');
  if (gotCount !== undefined && missingNames !== '') return `${command}: expected ${missingNames}, got nothing`;
  const [, missingOptions] = /^Missing required arguments?: (.+)$/.exec(message) ?? [];
  return missingOptions === undefined ? message : `${command}: expected --${missingOptions.replaceAll(', ', ', --')}, got nothing`;
}

/** Returns the command at the start of a help text, such as `isobar data generate`. */
function commandOf(help: string): string {
  return /^isobar(?: [a-z][a-z-]*)*/.exec(help)?.[0] ?? 'isobar';
}

/** Returns the remedy that points to the help of the command. */
function helpHint(help: string): string {
  return `see ${commandOf(help)} --help`;
}
