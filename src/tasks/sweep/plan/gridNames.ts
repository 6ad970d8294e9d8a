// Lists the parameters that a grid may use, without loading bars, for shell completion.

import { loadEntry } from '../../../definition/load/strategies.ts';
import { parseDefinition } from '../../../definition/text/parse.ts';
import { strategyEntries } from '../../../definition/load/withDefaults.ts';
import { readDefinition } from '../../../definition/text/source.ts';
import { paramSpecs } from '../../trials/paramKeys.ts';

/** Returns names such as `fast`, or `SmaCross.fast` with several strategies. Throws ConfigError and StrategyError if loading fails. */
export async function gridNames(definition: string): Promise<readonly string[]> {
  const source = readDefinition(definition);
  const entries = strategyEntries(parseDefinition(source), source);
  const loadedEntries = await Promise.all(entries.map((entry) => loadEntry(entry, source)));
  return Object.keys(paramSpecs(loadedEntries.map(({ plan }) => plan)));
}
