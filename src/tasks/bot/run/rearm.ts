// A start after a kill: that a person has re-armed goes into the journal, and is forgotten once it lasts there.

import { forgetRearm, readRearm } from '../../kill/killSwitch/killSwitch.ts';
import type { LiveBot } from './liveBot.ts';

/** The latch is gone, else nothing had been started. Every other cause that held before stays. */
export function takeRearm(bot: LiveBot): void {
  const { engine, config, journal, log, venueMs } = bot.parts;
  const rearm = readRearm(config.data);
  if (rearm === null) return;
  const { who, why } = rearm;
  engine.drafts.dropAll('KILLED');
  engine.risk.resume({ kind: 'account' }, 'KILLED', `${who}: ${why}`, venueMs());
  log.decided(null, `re-armed by ${who} after the kill of ${rearm.latch.who}: ${why}`, 'KILLED', 'warn');
  // Were it forgotten earlier, a crash could leave a bot that is killed by its journal alone.
  bot.durable(journal.lastSeq).then(
    () => forgetRearm(config.data),
    (error: unknown) => log.error(`what was re-armed could not be written down: ${String(error)}`),
  );
}
