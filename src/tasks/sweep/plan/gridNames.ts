// The names that a grid may give to the parameters of a definition, without its bars: for a command line that is being typed.

import { loadEntry } from '../../../definition/load/strategies.ts';
import { parseDefinition } from '../../../definition/text/parse.ts';
import { strategyEntries } from '../../../definition/load/withDefaults.ts';
import { readDefinition } from '../../../definition/text/source.ts';
import { paramSpecs } from '../../trials/paramKeys.ts';

/** `fast`, or `SmaCross.fast` where there are several strategies. Throws ConfigError, StrategyError. */
export async function gridNames(definition: string): Promise<readonly string[]> {
  const source = readDefinition(definition);
  const entries = strategyEntries(parseDefinition(source), source);
  const loaded = await Promise.all(entries.map((entry) => loadEntry(entry, source)));
  return Object.keys(paramSpecs(loaded.map(({ plan }) => plan)));
}
