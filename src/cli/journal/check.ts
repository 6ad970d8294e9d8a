// Options of `isobar journal`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';

/** Adds the options of `isobar journal check`. */
const check = (args: Argv) =>
  args
    .positional('path', { type: 'string', demandOption: true, describe: 'Folder of a journal or of its bot, or one of its files' })
    .options({ json: { type: 'boolean', default: false, describe: 'Print JSON alone on stdout' } })
    .example('$0 journal check journal', 'shows whether the bot can start from it, and after which record')
    .epilogue(
      'Changes nothing, and may run beside the bot. Exit code 0: the bot can start from it, 1: damaged. docs/journal.md explains journals.',
    );

/** The command `isobar journal` with its subcommands. */
export const journalCommand: CommandModule = {
  command: 'journal',
  describe: 'Check the journal of a live bot',
  builder: (yargs) =>
    yargs
      .command('check <path>', 'Read a journal as the bot does when it starts, and summarize it', check, async (args) =>
        (await import('./checkAction.ts')).check(args),
      )
      .demandCommand(1, 'Name a command: check'),
  handler: () => {},
};
