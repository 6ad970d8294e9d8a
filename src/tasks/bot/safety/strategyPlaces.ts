// Checks that the strategies of a journal are where they were. Its orders and halts name a strategy by its place in the config. At another
// place, or with a strategy missing, its positions and open orders would become those of another one.

import { scopeFromText } from '../../../adapters/journal/haltRecords.ts';
import type { RecordFacts } from '../../../adapters/journal/records/fields.ts';
import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';
import { ConfigError } from '../../../base/errors.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { marketOf } from '../../../app/kinds/market.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { RunPlan, StrategyPlan } from '../../../definition/plan/plan.ts';

/** What identifies a strategy: its name (in older journals the hash of its code) and its parameters. */
interface StrategyPlace {
  readonly name: string;
  readonly params: string;
}

/** Returns the names and shares of the strategies as facts of a CONFIG record. */
export const placeFacts = ({ strategies }: Pick<RunPlan, 'strategies'>): RecordFacts =>
  Object.fromEntries(
    strategies.flatMap(({ record, share }, index): [string, string][] => [
      [`name.${index}`, record.name],
      [`share.${index}`, share],
    ]),
  );

/** Throws ConfigError if a strategy with orders or halts in the journal is at another place of the config now, or is missing. */
export function checkStrategyPlaces(
  { limits }: Pick<RecordOf<'CONFIG'>, 'limits'>,
  records: readonly JournalRecord[],
  { strategies }: Pick<RunPlan, 'strategies'>,
  data: string,
): void {
  const recorded = recordedPlaces(limits);
  const hasNames = limits['name.0'] !== undefined;
  const configured = strategies.map((strategy) => placeOf(strategy, hasNames));
  for (const index of placesInUse(records)) {
    // An earlier version let a start remove a strategy with orders. Only that strategy may take its place.
    const removed = recorded[index] === undefined ? newestPlace(index, records) : undefined;
    const recordedPlace = recorded[index] ?? removed;
    const isSameAsRemoved = configured[index] === undefined || configured[index].name === removed?.name;
    const isTaken = recorded[index] === undefined ? !isSameAsRemoved : isDisplaced(index, recorded, configured);
    if (!isTaken) continue;
    const name = hasNames && recordedPlace !== undefined ? recordedPlace.name : 'a strategy';
    const found = strategies[index]?.record.name ?? 'none';
    throw new ConfigError(
      `strategy: the journal has orders or halts of ${name} as number ${index + 1} of the strategies, got ${found} there: they would be those of another strategy`,
      `restore the order of the strategies, and add others after them; if only parameters have changed, change those of one strategy at each start; or close what ${name} holds and use another data folder (${data} has the journal)`,
    );
  }
}

/** Returns the changes of the shares since the newest start, as sentences. Journals of earlier versions have no shares. */
export const shareChanges = (
  { limits }: Pick<RecordOf<'CONFIG'>, 'limits'>,
  { strategies }: Pick<RunPlan, 'strategies'>,
): readonly string[] =>
  strategies.flatMap(({ record, share }, index) => {
    const earlierShare = limits[`share.${index}`];
    if (earlierShare === undefined || Number(earlierShare) === Number(share)) return [];
    return [`the share of ${record.name} is ${share}, and was ${String(earlierShare)}`];
  });

/**
 * Throws ConfigError if other shares of the capital leave a strategy with negative cash. It has then spent what is now another's, which the
 * account does not have.
 */
export function checkSharesSuffice({ limits }: Pick<RecordOf<'CONFIG'>, 'limits'>, plan: RunPlan, engine: Engine): void {
  const recordedCount = recordedPlaces(limits).length;
  if (recordedCount === plan.strategies.length && shareChanges({ limits }, plan).length === 0) return;
  for (const { market, ledger } of marketOf(engine.instruments).accounts(plan, engine))
    for (const [index, { record, share }] of plan.strategies.entries()) {
      const cash = ledger.cash(index);
      if (cash >= 0) continue;
      const amount = fromScaled(cash, ledger.cashDigits);
      throw new ConfigError(
        `strategy.${index}.share: with ${share} of the capital ${record.name} has ${amount} ${ledger.cashAsset} on ${market}: it has already used more than this share`,
        'restore the shares of the starts before, or use another data folder once its positions are closed',
      );
    }
}

/** Returns the strategies of a CONFIG record. */
function recordedPlaces(limits: RecordFacts): readonly StrategyPlace[] {
  const places: StrategyPlace[] = [];
  for (let index = 0; limits[`strategy.${index}`] !== undefined; index++)
    places.push({ name: String(limits[`name.${index}`] ?? limits[`strategy.${index}`]), params: String(limits[`params.${index}`]) });
  return places;
}

/** Returns the strategy that had this place in the newest CONFIG record that has the place; undefined without one. */
function newestPlace(index: number, records: readonly JournalRecord[]): StrategyPlace | undefined {
  const record = records.findLast(
    (each): each is RecordOf<'CONFIG'> => each.k === 'CONFIG' && each.limits[`strategy.${index}`] !== undefined,
  );
  return record === undefined ? undefined : recordedPlaces(record.limits)[index];
}

/** Returns what identifies a strategy of a plan. A CONFIG record has the parameters as the config gives them. */
const placeOf = ({ record, hash, params }: Pick<StrategyPlan, 'record' | 'hash' | 'params'>, hasNames: boolean): StrategyPlace => ({
  name: hasNames ? record.name : hash,
  params: JSON.stringify(params),
});

/** Returns the places of strategies with orders or halts in the journal. */
function placesInUse(records: readonly JournalRecord[]): ReadonlySet<number> {
  const places = new Set<number>();
  for (const record of records) {
    if (record.k === 'INTENT' || record.k === 'DRAFT') places.add(record.strategy);
    else if (record.k === 'HALT') {
      const scope = scopeFromText(record.scope, []);
      if (scope?.kind === 'strategy') places.add(scope.strategy);
    }
  }
  return places;
}

/** True if the strategy of a place is missing, or if the place has one that was, or is now, at another place. A new name or parameter alone is no move. */
function isDisplaced(index: number, recorded: readonly StrategyPlace[], configured: readonly StrategyPlace[]): boolean {
  const recordedPlace = recorded[index]!;
  const is = configured[index];
  if (is === undefined) return true;
  const isSame = (a: StrategyPlace | undefined, b: StrategyPlace): boolean => a?.name === b.name && a.params === b.params;
  if (isSame(is, recordedPlace)) return false;
  const isMovedBy = (equal: typeof isSame): boolean => {
    const hasMovedAway = configured.some(
      (other, place) => place !== index && equal(other, recordedPlace) && !equal(recorded[place], other),
    );
    const hasMovedHere = recorded.some((other, place) => place !== index && equal(other, is) && !equal(configured[place], other));
    return hasMovedAway || hasMovedHere;
  };
  if (isMovedBy(isSame)) return true;
  return recordedPlace.name !== is.name && isMovedBy((a, b) => a?.name === b.name);
}
