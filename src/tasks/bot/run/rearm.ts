// Handles a start after a kill: journals that the operator has re-armed the bot, and then removes the file REARMED.

import { forgetRearm, readRearm } from '../../kill/killSwitch/killSwitch.ts';
import type { LiveBot } from './liveBot.ts';

/** Clears the kill cause if the operator has re-armed the bot. All other earlier causes stay. */
export function applyRearm(bot: LiveBot): void {
  const { engine, config, journal, log, venueMs } = bot.deps;
  const rearm = readRearm(config.data);
  if (rearm === null) return;
  const { who, why } = rearm;
  engine.drafts.dropAll('KILLED');
  engine.risk.resume({ kind: 'account' }, 'KILLED', `${who}: ${why}`, venueMs());
  log.logDecision(null, `re-armed by ${who} after the kill of ${rearm.latch.who}: ${why}`, 'KILLED', 'warn');
  // Remove the file only once the record is durable. After a crash, the journal alone would otherwise keep the bot killed.
  bot.waitUntilDurable(journal.lastSeq).then(
    () => forgetRearm(config.data),
    (error: unknown) => log.error(`the re-arming could not be journalled: ${String(error)}`),
  );
}
