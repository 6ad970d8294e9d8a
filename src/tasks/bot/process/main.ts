// The process of a live bot: `node main.js CONFIG [--live] [--confirm ACCOUNT] [--accept-changes] [--json | --plain] [--seconds N]`, without a framework.

import { parseArgs } from 'node:util';
import { ignoreInspectorSignal } from '../../../adapters/runtime/inspector.ts';
import { clearEnvironment } from '../../../access/environment.ts';
import { ConfigError, EXIT } from '../../../base/errors.ts';
import { terminalText } from '../../../base/text/untrustedText.ts';
import { secondsOf } from '../config/seconds.ts';
import { tuneV8 } from '../../../adapters/runtime/v8.ts';
import { handedOver } from './output.ts';
import { runBot } from './process.ts';

/** At the end whoever reads what was printed has so long for the rest of it. */
const OUTPUT_FLUSH_MS = 2000;

/** The first sign of trouble with a signal handler is a bot that cannot be stopped: nothing here waits for anything. */
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
  const text = error instanceof Error ? (remedy === null && !isArgument ? (error.stack ?? error.message) : error.message) : String(error);
  process.stderr.write(`${terminalText(`${text}${remedy === null || remedy === '' ? '' : `\n  ${remedy}`}`)}\n`);
  return error instanceof ConfigError || isArgument ? EXIT.badInput : EXIT.failed;
}

ignoreInspectorSignal();
// Before anything that a strategy could reach gets a copy of it.
clearEnvironment(process.env);
tuneV8();
process.exitCode = await main(process.argv.slice(2));
// What nobody reads would keep the process for ever.
if (!(await handedOver([process.stdout, process.stderr], OUTPUT_FLUSH_MS))) process.exit();
