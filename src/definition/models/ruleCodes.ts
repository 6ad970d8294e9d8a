// Checks the codes of users' risk rules, which must differ from isobar's codes and from each other.

import { ConfigError } from '../../base/errors.ts';
import { denialText } from '../../orders/denialReasons.ts';
import { HALT_CAUSES } from '../../risk/live/haltCauses.ts';
import { BAD_INPUT } from '../../risk/riskModule.ts';
import { rulesFor } from '../../risk/rules.ts';
import { GUARD_CODES } from '../../risk/rules/guardSide.ts';

const CODE_PATTERN = /^[A-Z][A-Z0-9_]{2,31}$/;

/** The codes of all markets, because a rule may be used in a run of another market later. */
const RULE_CODES = (['spot', 'futures', 'both'] as const).flatMap((market) => rulesFor(market).map(({ code }) => code));
const TAKEN_CODES = new Set([BAD_INPUT, ...GUARD_CODES, ...RULE_CODES, ...Object.keys(HALT_CAUSES)]);

/** Adds `code` to `codes`, the codes of the user's rules. Throws ConfigError if the code is invalid or taken. */
export function checkRuleCode(code: string, codes: Set<string>, where: string): void {
  const isTaken = TAKEN_CODES.has(code) || denialText(code) !== null || codes.has(code);
  if (!CODE_PATTERN.test(code) || isTaken) {
    const actual = isTaken ? `${code}, which another rule has` : `'${code}'`;
    throw new ConfigError(
      `${where}: expected a code of 3 to 32 capitals, digits and underscores, got ${actual}`,
      'correct the code in the rule',
    );
  }
  codes.add(code);
}
