// What a build before has left in dist of sources that are gone or lie elsewhere now: it would be packed, and read as if it were of today.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Files that the compiler makes of a source, by their endings. */
const COMPILED = /(?:\.js|\.js\.map|\.d\.ts)$/;

/** Removes from `dist` what the compiler would not make of `src`. */
export function removeLeftovers(dist, src) {
  rmSync(join(dist, 'merged'), { recursive: true, force: true });
  const compiled = readdirSync(dist, { recursive: true }).filter((name) => COMPILED.test(name) && !name.startsWith('vendor'));
  for (const name of compiled) if (!existsSync(join(src, name.replace(COMPILED, '.ts')))) rmSync(join(dist, name));
}
