// The command `isobar orders`: its subcommands and options. The code behind them is loaded when the command runs.

import type { Argv, CommandModule } from 'yargs';
import { withBotOptions, reasonOption } from './botOptions.ts';
import { TEXT_OPTION } from '../options/textOption.ts';

/** Adds the id of an order, the reason and the options that find the bot. */
const withId = (args: Argv, describe: string) =>
  withBotOptions(args).positional('id', { type: 'string', demandOption: true, describe }).options(reasonOption);

const adoptOptions = (args: Argv) =>
  withId(args, 'Id that isobar orders shows').options({
    strategy: { ...TEXT_OPTION, describe: 'Strategy that gets the order (default: the only one)' },
  });
const ignoreOptions = (args: Argv) => withId(args, 'Id that isobar orders shows');
const resolveOptions = (args: Argv) =>
  withId(args, 'Client order id of an order of unknown outcome').options({
    outcome: { choices: ['placed', 'noEffect'] as const, demandOption: true, describe: 'Outcome of the order at the exchange' },
    'venue-id': { ...TEXT_OPTION, describe: 'Venue order id, if the order was placed' },
  });

/** The command `isobar orders` with its subcommands. */
export const ordersCommand: CommandModule = {
  command: 'orders',
  describe: 'List the orders of a running bot; decide about foreign and unknown ones',
  builder: (yargs) =>
    yargs
      .command('$0', 'List open orders, orders of unknown outcome, and foreign orders', withBotOptions, async (args) =>
        (await import('./botActions.ts')).printOrders(args),
      )
      .command('adopt <id>', 'Assign a manually placed limit order to a strategy', adoptOptions, async (args) =>
        (await import('./botActions.ts')).decide({ op: 'adopt', id: args.id, strategy: args.strategy ?? null, why: args.why }, args),
      )
      .command('ignore <id>', 'Mark an order as not ours; the bot never touches it', ignoreOptions, async (args) =>
        (await import('./botActions.ts')).decide({ op: 'ignore', id: args.id, why: args.why }, args),
      )
      .command('resolve <id>', 'Record the outcome of an order after checking it at the exchange', resolveOptions, async (args) =>
        (await import('./botActions.ts')).decide(
          { op: 'resolve', id: args.id, outcome: args.outcome, venueId: args.venueId ?? null, why: args.why },
          args,
        ),
      ),
  handler: () => {},
};
