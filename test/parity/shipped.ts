// The shipped definitions, for a program whose own file lies elsewhere: where they are is told to it when it is bundled.

import { execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The folder of the package, with a separator at its end. */
declare const ROOT: string;

export interface Shipped {
  readonly name: string;
  readonly file: string;
  /** What follows `isobar` in the commands that its comment names, one a line: `# Bars: isobar data ...`. */
  readonly bars: readonly string[];
}

export function definitionsIn(folder: string): readonly Shipped[] {
  const files = readdirSync(`${ROOT}${folder}`).filter((file) => file.endsWith('.yaml'));
  return files.toSorted().map((each) => {
    const file = `${ROOT}${folder}/${each}`;
    const commands = [...readFileSync(file, 'utf8').matchAll(/^# Bars: isobar (data .*)$/gm)].map((match) => match[1]!);
    return { name: basename(each, '.yaml'), file, bars: commands };
  });
}

/** Makes the bars by the commands that a definition names, and returns the folder; what other definitions have had made is taken. */
export function madeBars(catalogs: string, commands: readonly string[]): string {
  const folder = join(catalogs, createHash('sha256').update(commands.join('\n')).digest('hex').slice(0, 12));
  if (existsSync(folder)) return folder;
  mkdirSync(folder, { recursive: true });
  for (const words of commands) {
    execSync(`"${process.execPath}" "${ROOT}dist/cli/isobar.js" ${words}`, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return folder;
}

/** Changes to a definition for a run outside of the package's folder: its strategies by absolute path, its catalog in `folder`. */
export function placed(file: string, folder: string): string[] {
  const text = readFileSync(file, 'utf8');
  const [, alone] = /^strategy: (strategies\/\S+)$/m.exec(text) ?? [];
  const [, catalog = ''] = /^catalog: (\S+)$/m.exec(text) ?? [];
  return [`catalog=${join(folder, catalog)}`, ...(alone === undefined ? [] : [`strategy=${ROOT}${alone}`])];
}
