// Shell completion: prints the scripts that shells load, and answers their requests.

import { existsSync } from 'node:fs';
import type { Argv } from 'yargs';
import { INTERVALS } from '../../model/interval.ts';
import { filesLike, runFolders } from './files.ts';
import { SHELLS, shellScript, type Shell } from './scripts.ts';

/** The option that a shell script passes before the typed words. yargs defines its name and answers it. */
export const COMPLETION_REQUEST = '--get-yargs-completions';

const DEFINITION_FILE = /\.ya?ml$/;
const STRATEGY_FILE = /(?<!\.(?:test|spec|d))\.[cm]?[jt]s$/;
const DEFINITION_OR_STRATEGY = new RegExp(`${DEFINITION_FILE.source}|${STRATEGY_FILE.source}`);

/** Options of the commands below that take no value. */
const SWITCH_OPTION = /^--(no-\w+|json|quiet|demo|resume|fresh|work|open|break-even|allow-live|loud)$/;

/** Asks yargs for the commands, options and choices that it knows. */
type AskYargs = (done: (error: Error | null, completions: string[] | undefined) => void) => void;
/** Returns the suggestions that start with `begun`. */
type Finder = (begun: string) => readonly string[];

/** The commands whose argument isobar completes. For other commands the shell suggests its own files. */
const COMPLETED_ARGUMENTS: readonly (readonly [command: string, find: Finder])[] = [
  ['backtest', (begun) => filesLike(begun, DEFINITION_OR_STRATEGY)],
  ['breakeven', (begun) => filesLike(begun, DEFINITION_OR_STRATEGY)],
  ['sweep', (begun) => filesLike(begun, DEFINITION_FILE)],
  ['sim', (begun) => filesLike(begun, DEFINITION_FILE)],
  ['strategy show', (begun) => filesLike(begun, STRATEGY_FILE)],
  ['verify', runFolders],
  ['why', runFolders],
  ['report', runFolders],
];

/** Returns all values of an option. `words` are the words of the command line. */
type Lister = (words: readonly string[]) => Promise<readonly string[]>;

/**
 * Values of the options that have no fixed choices in yargs. They are loaded on demand, because the list of figures imports all formulas.
 */
const OPTION_VALUES: Readonly<Record<string, Lister>> = {
  '--by': async () => (await import('../../report/sweep/figures/setFigures.ts')).SET_FIGURES,
  '--interval': async () => INTERVALS,
  '--grid': gridAxes,
};

/** Returns the parser with the command `completion` and with the answers to requests of shells. */
export function addCompletionCommand(yargs: Argv, argv: readonly string[]): Argv {
  const words = argv.slice(argv.indexOf(COMPLETION_REQUEST) + 2);
  return (
    yargs
      .command(
        'completion [shell]',
        'Print a script that completes commands, options and files in your shell',
        (args) =>
          args
            .positional('shell', { choices: SHELLS, default: usualShell(), describe: 'Shell of the script; default: that of $SHELL' })
            .example('$0 completion bash >> ~/.bashrc', 'from the next shell on'),
        ({ shell }) => void process.stdout.write(shellScript(shell)),
      )
      // Hides the completion command of yargs, which always prints the script of the login shell.
      .completion(
        'yargs-completion',
        false,
        (begun: string, _args: unknown, byDefault: AskYargs, done: (completions: string[]) => void) => {
          byDefault((_error, known = []) => void suggestions(words, begun, known).then(done, () => done([])));
        },
      )
  );
}

/** Returns the shell of $SHELL, and bash if isobar has no script for it. */
function usualShell(): Shell {
  return SHELLS.find((shell) => process.env['SHELL']?.endsWith(`/${shell}`)) ?? 'bash';
}

/**
 * Returns the suggestions that start with `begun`, the last of `words`. `known` are the commands, options and choices that yargs knows. Empty
 * when the shell should suggest its own files.
 */
async function suggestions(words: readonly string[], begun: string, known: readonly string[]): Promise<string[]> {
  const fitting = known.filter((completion) => completion.startsWith(begun));
  if (begun.startsWith('-')) return fitting;
  const fittingWords = fitting.filter((completion) => !completion.startsWith('-'));
  const previousWord = words.at(-2) ?? '';
  const listValues = Object.hasOwn(OPTION_VALUES, previousWord) ? OPTION_VALUES[previousWord] : undefined;
  if (listValues !== undefined) return (await listValues(words)).filter((value) => value.startsWith(begun));
  const isOptionValue = previousWord.startsWith('-') && !SWITCH_OPTION.test(previousWord);
  if (fittingWords.length > 0 || isOptionValue) return fittingWords;
  const line = words.join(' ');
  const find = COMPLETED_ARGUMENTS.find(([command]) => line.startsWith(`${command} `))?.[1];
  return [...(find?.(begun) ?? [])];
}

/** Returns `fast=` for each parameter of the definition on the command line. Empty when there is no definition yet. */
async function gridAxes(words: readonly string[]): Promise<readonly string[]> {
  const definition = words.find((word) => DEFINITION_FILE.test(word) && existsSync(word));
  if (definition === undefined) return [];
  const names = await (await import('../../tasks/sweep/plan/gridNames.ts')).gridNames(definition);
  return names.map((name) => `${name}=`);
}
