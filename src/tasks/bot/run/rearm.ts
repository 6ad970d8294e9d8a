// A start after a kill: journals that the operator has re-armed the bot, and removes the note of it once the record is durable.

import { forgetRearm, readRearm } from '../../kill/killSwitch/killSwitch.ts';
import type { LiveBot } from './liveBot.ts';

/** The kill switch has been released, or the bot could not have started. All other earlier causes stay. */
export function takeRearm(bot: LiveBot): void {
  const { engine, config, journal, log, venueMs } = bot.deps;
  const rearm = readRearm(config.data);
  if (rearm === null) return;
  const { who, why } = rearm;
  engine.drafts.dropAll('KILLED');
  engine.risk.resume({ kind: 'account' }, 'KILLED', `${who}: ${why}`, venueMs());
  log.logDecision(null, `re-armed by ${who} after the kill of ${rearm.latch.who}: ${why}`, 'KILLED', 'warn');
  // Only now: if the note were removed earlier, a crash could leave a bot that its journal alone keeps killed.
  bot.waitUntilDurable(journal.lastSeq).then(
    () => forgetRearm(config.data),
    (error: unknown) => log.error(`what was re-armed could not be written down: ${String(error)}`),
  );
}
