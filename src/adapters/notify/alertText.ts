// The text of an alert for a phone: what, where, since when.

import { sanitizeText } from '../../base/text/untrustedText.ts';
import { formatMinute } from '../../model/time.ts';
import type { Alert, AlertLevel } from '../../ports/notifier.ts';

const LEVEL_PREFIX: Readonly<Record<AlertLevel, string>> = { info: '', warn: 'WARNING ', alarm: 'ALARM ' };
/** Maximum length of the message. */
const MAX_CHARACTERS = 1500;

/** Returns two lines without control characters: `ALARM my bot (live): KILLED, account`, then the message. */
export function alertText({ level, code, bot, mode, scope, message, timeMs }: Alert): string {
  const scopeText = scope === '' ? '' : `, ${scope}`;
  const heading = `${LEVEL_PREFIX[level]}${sanitizeText(bot, 60)} (${mode}): ${code}${sanitizeText(scopeText, 120)}`;
  return `${heading}\n${sanitizeText(message, MAX_CHARACTERS)} (${formatMinute(timeMs)})`;
}
