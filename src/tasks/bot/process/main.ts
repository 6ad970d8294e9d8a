// Entry point of a live bot's process: `node main.js CONFIG [--live] [--confirm ACCOUNT] [--accept-changes] [--require-proof |
// --unproved] [--json | --plain] [--seconds N]`. No framework.

import { parseArgs } from 'node:util';
import { ignoreInspectorSignal } from '../../../adapters/runtime/inspector.ts';
import { clearEnvironment } from '../../../access/environment.ts';
import { ConfigError, EXIT } from '../../../base/errors.ts';
import { terminalText } from '../../../base/text/untrustedText.ts';
import { secondsOf } from '../config/seconds.ts';
import { sourcePlaces } from '../../../adapters/runtime/sourcePlaces.ts';
import { tuneV8 } from '../../../adapters/runtime/v8.ts';
import { waitForWrites } from './output.ts';
import { runBot } from './process.ts';

/** Time limit for the readers of stdout and stderr to take the last output. */
const OUTPUT_FLUSH_MS = 2000;

/** Signal handlers must never wait: otherwise the bot could not be stopped. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        live: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'accept-changes': { type: 'boolean', default: false },
        plain: { type: 'boolean', default: false },
        'require-proof': { type: 'boolean', default: false },
        unproved: { type: 'boolean', default: false },
        confirm: { type: 'string' },
        seconds: { type: 'string' },
      },
    });
    const [file] = positionals;
    if (file === undefined || positionals.length > 1)
      throw new ConfigError('expected one config file', 'config/bot.paper-spot.example.yaml is one to begin with');
    return await runBot({
      file,
      isLive: values.live,
      isJson: values.json,
      isPlain: values.plain,
      acceptChanges: values['accept-changes'],
      proof: values['require-proof'] ? 'required' : values.unproved ? null : 'noted',
      confirm: values.confirm ?? null,
      seconds: secondsOf(values.seconds),
    });
  } catch (error) {
    return reportError(error);
  }
}

function reportError(error: unknown): number {
  const remedy = typeof error === 'object' && error !== null && 'remedy' in error ? String(error.remedy) : null;
  const isArgument = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  const text =
    error instanceof Error ? (remedy === null && !isArgument ? sourcePlaces(error.stack ?? error.message) : error.message) : String(error);
  process.stderr.write(`${terminalText(`${text}${remedy === null || remedy === '' ? '' : `\n  ${remedy}`}`)}\n`);
  return error instanceof ConfigError || isArgument ? EXIT.badInput : EXIT.failed;
}

ignoreInspectorSignal();
// Before strategy code can copy the environment, which may hold secrets.
clearEnvironment(process.env);
tuneV8();
process.exitCode = await main(process.argv.slice(2));
// Output that is never read would keep the process alive permanently.
if (!(await waitForWrites([process.stdout, process.stderr], OUTPUT_FLUSH_MS))) process.exit();
