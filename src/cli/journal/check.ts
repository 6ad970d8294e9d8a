// Options of `isobar journal`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';

const check = (args: Argv) =>
  args
    .positional('path', { type: 'string', demandOption: true, describe: 'Folder of a journal or of its bot, or one of its files' })
    .options({ json: { type: 'boolean', default: false, describe: 'Print JSON alone on stdout' } })
    .example('$0 journal check journal', 'would a start continue with it, and from where')
    .epilogue(
      'Changes nothing, and may run beside the bot. Exit code 0: a start continues with it, 1: damaged. docs/journal.md says what a journal is.',
    );

export const journalCommand: CommandModule = {
  command: 'journal',
  describe: 'Check the journal of a live bot',
  builder: (yargs) =>
    yargs
      .command('check <path>', 'Read all of a journal as a start would, and say what is in it', check, async (args) =>
        (await import('./checkAction.ts')).check(args),
      )
      .demandCommand(1, 'Name what to do: check'),
  handler: () => {},
};
