// Options of `isobar orders`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';
import { withBotOptions, whyOption } from './botOptions.ts';
import { text } from '../options/text.ts';

const withId = (args: Argv, what: string) =>
  withBotOptions(args).positional('id', { type: 'string', demandOption: true, describe: what }).options(whyOption);

const adopt = (args: Argv) =>
  withId(args, 'Id that isobar orders shows').options({
    strategy: { ...text, describe: 'Strategy that gets the order (default: the only one)' },
  });
const ignore = (args: Argv) => withId(args, 'Id that isobar orders shows');
const resolve = (args: Argv) =>
  withId(args, 'Client order id of an order of unknown outcome').options({
    outcome: { choices: ['placed', 'noEffect'] as const, demandOption: true, describe: 'Outcome of the order at the exchange' },
    'venue-id': { ...text, describe: 'Venue order id, if the order was placed' },
  });

export const ordersCommand: CommandModule = {
  command: 'orders',
  describe: 'List the orders of a running bot; decide about foreign and unknown ones',
  builder: (args) =>
    args
      .command('$0', 'Open orders, orders of unknown outcome, and foreign orders', withBotOptions, async (given) =>
        (await import('./botActions.ts')).orders(given),
      )
      .command('adopt <id>', 'Assign a manually placed limit order to a strategy', adopt, async (given) =>
        (await import('./botActions.ts')).decide({ op: 'adopt', id: given.id, strategy: given.strategy ?? null, why: given.why }, given),
      )
      .command('ignore <id>', 'Mark an order as not ours; the bot never touches it', ignore, async (given) =>
        (await import('./botActions.ts')).decide({ op: 'ignore', id: given.id, why: given.why }, given),
      )
      .command('resolve <id>', 'Record the outcome of an order after checking it at the exchange', resolve, async (given) =>
        (await import('./botActions.ts')).decide(
          { op: 'resolve', id: given.id, outcome: given.outcome, venueId: given.venueId ?? null, why: given.why },
          given,
        ),
      ),
  handler: () => {},
};
