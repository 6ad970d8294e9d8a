// Entry point of a live bot's process: `node main.js CONFIG [--live] [--confirm ACCOUNT] [--accept-changes] [--require-proof |
// --unproved] [--json | --plain] [--seconds N]`. No framework.

import { parseArgs } from 'node:util';
import { ignoreInspectorSignal } from '../../../adapters/runtime/inspector.ts';
import { clearEnvironment } from '../../../access/environment.ts';
import { ConfigError, EXIT } from '../../../base/errors.ts';
import { terminalText } from '../../../base/text/untrustedText.ts';
import { secondsOf } from '../config/secondsOption.ts';
import { sourcePlaces } from '../../../adapters/runtime/sourcePlaces.ts';
import { tuneV8 } from '../../../adapters/runtime/tuneV8.ts';
import { reportExit } from '../exitReport.ts';
import { waitForWrites } from './logOutput.ts';
import { runBot } from './runBot.ts';

/** Time limit for the readers of stdout and stderr to take the last output, ms. */
const OUTPUT_FLUSH_MS = 2000;

/** Parses the arguments and runs the bot. Returns the exit code. */
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
      throw new ConfigError('expected one config file', 'begin with a copy of config/bot.paper-spot.example.yaml');
    return await runBot({
      file,
      isLive: values.live,
      isJson: values.json,
      isPlain: values.plain,
      acceptChanges: values['accept-changes'],
      proof: proofDemand(values['require-proof'], values.unproved),
      confirm: values.confirm ?? null,
      seconds: secondsOf(values.seconds),
    });
  } catch (error) {
    return reportError(error);
  }
}

/** Returns whether the start needs a proof of the strategy, only reports a missing one, or ignores proofs (null). */
function proofDemand(isRequired: boolean, isUnproved: boolean): 'required' | 'noted' | null {
  if (isRequired) return 'required';
  return isUnproved ? null : 'noted';
}

/** Writes an error to stderr: message and remedy of an expected error, the stack of any other. Returns the exit code. */
function reportError(error: unknown): number {
  const remedy = typeof error === 'object' && error !== null && 'remedy' in error ? String(error.remedy) : null;
  const isArgument = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  const isExpected = remedy !== null || isArgument;
  let text = String(error);
  if (error instanceof Error) text = isExpected ? error.message : sourcePlaces(error.stack ?? error.message);
  const remedyLine = remedy === null || remedy === '' ? '' : `\n  ${remedy}`;
  process.stderr.write(`${terminalText(`${text}${remedyLine}`)}\n`);
  return error instanceof ConfigError || isArgument ? EXIT.badInput : EXIT.failed;
}

ignoreInspectorSignal();
// Before strategy code can copy the environment, which may hold secrets.
clearEnvironment(process.env);
tuneV8();
const exitCode = await main(process.argv.slice(2));
process.exitCode = exitCode;
reportExit(exitCode);
// Output that is never read would keep the process alive permanently.
if (!(await waitForWrites([process.stdout, process.stderr], OUTPUT_FLUSH_MS))) process.exit();
