// An alert as a person reads it on a phone: what, where, since when.

import { foreignText } from '../../base/text/foreignText.ts';
import { formatMinute } from '../../model/time.ts';
import type { Alert, AlertLevel } from '../../ports/notifier.ts';

const WORDS: Readonly<Record<AlertLevel, string>> = { info: '', warn: 'WARNING ', alarm: 'ALARM ' };
const MOST_CHARACTERS = 1500;

/** `ALARM my bot (live): KILLED, account` and what it says, in two lines without control characters. */
export function alertText({ level, code, bot, mode, scope, says, timeMs }: Alert): string {
  const where = scope === '' ? '' : `, ${scope}`;
  return `${WORDS[level]}${foreignText(bot, 60)} (${mode}): ${code}${foreignText(where, 120)}\n${foreignText(says, MOST_CHARACTERS)} (${formatMinute(timeMs)})`;
}
