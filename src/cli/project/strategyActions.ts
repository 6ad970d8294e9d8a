// Implements `isobar strategy list` and `show`: prints the available strategies, and the parameters and feeds of one strategy.

import { inspectStrategy } from '../../tasks/project/inspectStrategy.ts';
import { aboutOf, listStrategies } from '../../tasks/project/listStrategies.ts';
import { loadStrategy } from '../../adapters/plugins/loadStrategy.ts';
import { print } from '../terminal/print.ts';
import { strategyListText, strategyText } from './strategyText.ts';

/** Runs `isobar strategy list`. */
export async function listAction({ json }: { readonly json: boolean }): Promise<void> {
  const strategies = await listStrategies();
  print(json ? JSON.stringify(strategies) : strategyListText(strategies));
}

/** Runs `isobar strategy show`. */
export async function showAction({ file, json }: { readonly file: string; readonly json: boolean }): Promise<void> {
  const { strategy, name, hash } = await loadStrategy(file, file);
  const notes = inspectStrategy(strategy, file);
  print(json ? JSON.stringify({ name, file, sha256: hash, ...notes }) : strategyText(name, file, aboutOf(file), notes));
}
