// Options of `isobar mcp`. Its code is loaded when it runs.

import type { Argv, CommandModule } from 'yargs';

/** Adds the options of the command. */
const options = (args: Argv) =>
  args
    .options({
      'allow-live': {
        type: 'boolean',
        default: false,
        describe: 'Also offer tools that act on a running bot: halt, resume, kill and others',
      },
    })
    .epilog('Speaks JSON-RPC 2.0, one message a line, on stdin and stdout, until stdin ends. docs/mcp.md');

type McpArgs = ReturnType<typeof options> extends Argv<infer T> ? T : never;

/** The command `isobar mcp`. */
export const mcpCommand: CommandModule<object, McpArgs> = {
  command: 'mcp',
  describe: 'Serve the research commands to an assistant by the Model Context Protocol',
  builder: options,
  handler: async (args) => (await import('./action.ts')).serve(args),
};
