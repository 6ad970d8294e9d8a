// Finds which modules of Node the code of a run loads, or only names in a text.

import { readFileSync } from 'node:fs';
import { builtinModules, isBuiltin } from 'node:module';
import { PURE_MODULES } from '../../../adapters/plugins/externalUses.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';

/** Names of Node's modules, without those that code can load only with a prefix, such as `node:test`. */
const BUILT_IN: ReadonlySet<string> = new Set(builtinModules);
/** A quoted name that can be one of a module. The imports of bundled packages have that form, too. */
const QUOTED_NAME = /["'`](?:node:)?([\w/]+)["'`]/g;
/** A quoted name after the word that loads a module. */
const LOADED_NAME = /(?:\bfrom|\bimport|\bimport\s*\(|require\s*\()\s*["'`](?:node:)?([\w/]+)["'`]/g;
/** Code that can load a module through a function with another name, so that every quoted name may be one that it loads. */
const OTHER_LOADER = /\bcreateRequire\b|\bgetBuiltinModule\b/;
/** The globals of Node that hold objects, and their modules. A member or a method may have the name `process`, too. */
const GLOBALS = { process: /(?<![.\w$])process\b(?!\s*\()|\bglobal(?:This)?\s*\.\s*process\b/, buffer: /\bBuffer\b/ } as const;

/**
 * How the code of a run may use the modules of Node. `named`: a text is the name of one, such as a tag, so that a hidden load is possible.
 * `loaded`: it loads one that does more than compute, or may load one.
 */
export type NodeUse = 'none' | 'named' | 'loaded';

/** Returns how the code of a run may use the modules of Node. */
export function nodeUseOf({ strategies, models }: Pick<RunPlan, 'strategies' | 'models'>): NodeUse {
  if ((models?.records.length ?? 0) > 0 || strategies.some(({ reach = [] }) => reach.length > 0)) return 'loaded';
  const codes = codesOf({ strategies });
  if (codes.some((code) => code === null || loadsNode(code))) return 'loaded';
  return codes.some((code) => namesIn(code!, QUOTED_NAME).some((name) => BUILT_IN.has(name))) ? 'named' : 'none';
}

/** Returns the names of Node's modules whose objects the strategies of a run can reach. */
export function nodeModulesOf(plan: Pick<RunPlan, 'strategies'>): readonly string[] {
  return [...new Set(codesOf(plan).flatMap((code) => (code === null ? [] : nodeModulesIn(code))))];
}

/** Returns the names of Node's modules whose objects a code can reach: those that it loads, and those of the globals that it names. */
export function nodeModulesIn(code: string): readonly string[] {
  const names = namesIn(code, OTHER_LOADER.test(code) ? QUOTED_NAME : LOADED_NAME);
  const globals = Object.entries(GLOBALS).flatMap(([name, pattern]) => (pattern.test(code) ? [name] : []));
  return [...new Set([...names.filter((name) => isBuiltin(`node:${name}`)), ...globals])];
}

/** Returns the codes of the strategies; null for one that was given as a class. */
const codesOf = ({ strategies }: Pick<RunPlan, 'strategies'>): readonly (string | null)[] =>
  strategies.map(({ url }) => (url == null ? null : codeOf(url)));

/** Returns the code of a bundle without its source map. */
function codeOf(url: string): string {
  const code = readFileSync(new URL(url), 'utf8');
  return code.split('//# sourceMappingURL=')[0]!;
}

const namesIn = (code: string, pattern: RegExp): readonly string[] => Array.from(code.matchAll(pattern), ([, name]) => name!);

/** True for code that loads a module of Node which does more than compute from its arguments. */
const loadsNode = (code: string): boolean =>
  code.includes('getBuiltinModule') || namesIn(code, LOADED_NAME).some((name) => BUILT_IN.has(name) && !PURE_MODULES.has(name));
