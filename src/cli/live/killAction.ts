// What `isobar kill` does: the latch first, then the bot itself if it answers, else all of it from this process.

import { userInfo } from 'node:os';
import { after, nowMs } from '../../adapters/clock/wallClock.ts';
import { readBotFile } from '../../app/control/botFile.ts';
import type { KillView } from '../../app/control/botView.ts';
import { act, askView, BotSilent } from '../../app/control/client.ts';
import { dataFolderOf } from '../../app/control/folderOf.ts';
import type { KillReport } from '../../app/kill/kill.ts';
import { setLatch } from '../../app/kill/latch/latch.ts';
import { separateKill } from '../../app/kill/separate/separate.ts';
import { EXIT } from '../../base/errors.ts';
import { foreignText } from '../../base/foreignText.ts';
import type { KillArgs } from './kill.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { printJson, printLines } from '../terminal/print.ts';
import { indented, wrapped } from '../terminal/wrapped.ts';

/** A bot whose event loop turns answers within milliseconds. */
const PATIENCE_MS = 1000;
const LOOK_EVERY_MS = 250;

/** What is known in the end, whoever has done it. */
interface Outcome {
  readonly by: 'bot' | 'separate';
  readonly report: KillReport | null;
  readonly residuals: readonly string[];
}

export async function kill(args: KillArgs): Promise<void> {
  const folder = dataFolderOf(args);
  const { flatten, why } = args;
  let latched: string | null = null;
  await setLatch(folder, { sinceMs: nowMs(), who: userInfo().username, why, flatten }).catch((error: unknown) => {
    // Never a reason to wait: cancelling goes on, and the report says it.
    latched = error instanceof Error ? error.message : String(error);
  });
  say(args, latched === null ? 'the latch is set: no order leaves any more' : `the latch could not be written: ${String(latched)}`);
  const byBot = args.separate || args.all ? null : await killedByBot(folder, args);
  const outcome = byBot ?? (await killedHere(folder, args));
  const residuals = latched === null ? outcome.residuals : [`the latch could not be written: ${String(latched)}`, ...outcome.residuals];
  tell(args, { ...outcome, residuals });
}

/** Null where the bot does not answer, or falls silent before it is through, and where its journal is wanted: it cancels, then has to go. */
async function killedByBot(folder: string, args: KillArgs): Promise<Outcome | null> {
  try {
    const answer = await act(folder, { op: 'kill', flatten: false, why: args.why }, PATIENCE_MS);
    say(args, `the bot: ${answer.says}`);
    if (!answer.done || args.flatten) return null;
    for (let before = ''; ;) {
      const { kill: seen } = await askView(folder);
      const says = seen === null ? '' : `${seen.phase}: ${seen.says}`;
      if (says !== before) say(args, says);
      before = says;
      if (seen?.phase === 'done') return { by: 'bot', report: null, residuals: seen.residuals };
      await new Promise<void>((resolve) => void after(LOOK_EVERY_MS, resolve));
    }
  } catch (error) {
    if (!(error instanceof BotSilent)) throw error;
    say(args, `the bot does not answer (${error.message}): killing from here`);
    return null;
  }
}

async function killedHere(folder: string, args: KillArgs): Promise<Outcome> {
  const stop = stopOnSignal();
  try {
    const report = await separateKill(readBotFile(folder), {
      flatten: args.flatten,
      all: args.all,
      tell: (phase: KillView['phase'], says) => say(args, `${phase}: ${says}`),
      signal: stop.signal,
    });
    return { by: 'separate', report, residuals: report.residuals };
  } finally {
    stop.release();
  }
}

/** What happens, while it does. */
function say({ json }: KillArgs, text: string): void {
  if (!json && text !== '') process.stderr.write(`${wrapped(foreignText(text, 400)).join('\n  ')}\n`);
}

function tell({ json, flatten }: KillArgs, outcome: Outcome): void {
  const { report, residuals } = outcome;
  if (residuals.length > 0) process.exitCode = EXIT.unknown;
  if (json) {
    printJson(outcome);
    return;
  }
  const done = flatten
    ? 'killed: all orders are cancelled, and every position is closed'
    : 'killed: all orders are cancelled; positions are as they were';
  const lines = [
    ...(residuals.length === 0 ? [done] : ['NOT SETTLED:', ...residuals.flatMap((each) => indented(foreignText(each, 400), 2))]),
    ...(report === null
      ? []
      : [`orders cancelled: ${report.cancelled}, triggers: ${report.triggersCancelled}, slices: ${report.slices.length}`]),
    ...(report?.dust ?? []).flatMap((each) => wrapped(foreignText(each, 400))),
    'The bot starts again once somebody has re-armed it: isobar resume account --code KILLED --why ...',
  ];
  printLines(lines);
}
