// Implements `isobar mcp`: reads messages from stdin, replies on stdout, and exits when the client closes one of them.

import { join } from 'node:path';
import { packageFolder, packageVersion } from '../../adapters/runtime/version.ts';
import { runCommand } from './runCommand.ts';
import { LineSplitter } from './lineSplitter.ts';
import { McpServer } from './server.ts';

/** Maximum length of a message from the client. */
const MAX_LINE_BYTES = 2 ** 20;

/** Runs the server until stdin ends, a signal arrives or stdout fails. */
export async function serve({ allowLive }: { readonly allowLive: boolean }): Promise<void> {
  const program = join(packageFolder(), 'dist/cli/isobar.js');
  const server = new McpServer({
    version: packageVersion(),
    allowLive,
    send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    run: (words, done) => runCommand(program, words, done),
  });
  const splitter = new LineSplitter(MAX_LINE_BYTES, (line) => server.handleLine(line));
  await new Promise<void>((resolve) => {
    const stop = (): void => {
      process.stdin.destroy();
      server.stop(resolve);
    };
    process.stdin.on('data', (chunk: Buffer) => splitter.addChunk(chunk));
    process.stdin.once('end', () => {
      splitter.end();
      server.finish(resolve);
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    // A wrapper may forward the SIGHUP that the process has got already.
    process.on('SIGHUP', stop);
    // An error on stdout means that the client has exited.
    process.stdout.once('error', stop);
  });
}
