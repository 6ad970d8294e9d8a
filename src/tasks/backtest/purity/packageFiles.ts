// Finds files that a package reads while it is loaded. They may hold later bars, and they are no part of the hash of the strategy.

import { statSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { loadingPackage } from './callSite.ts';
import type { ReportCall } from './purityWarning.ts';

/** Functions of `fs` that read the content of the file that they are called with. */
const READERS = /^fs(?:\/promises)?\.(?:promises\.)?(?:readFile|readFileSync|open|openSync|createReadStream|ReadStream)\(\)$/;
/** Folders of the system, in which packages find out where they run, and folders of packages. */
const SYSTEM_FOLDER = /^\/(?:proc|sys|dev|etc|usr|lib\d*|bin|sbin|opt|run|var)\/|^[a-z]:[\\/]windows[\\/]|[\\/]node_modules[\\/]/i;
/** Files with settings of a project or a container. */
const SETTINGS = /^(?:package\.json|tsconfig\.json|\.(?!.*\.(?:csv|json|txt|gz)$).*)$/i;

/** Reports a function of `fs` that a package calls while it is loaded, if it reads a file of the author. `path`: absolute; empty if it is none. */
export function reportReadAtLoad(report: ReportCall, description: string, path: string, below: (...args: never[]) => unknown): void {
  if (path === '' || !READERS.test(description) || SYSTEM_FOLDER.test(path) || SETTINGS.test(basename(path))) return;
  const loading = loadingPackage(below);
  if (loading === null || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  const file = relative(process.cwd(), path);
  report('LOOKAHEAD_FILE', `${description} of ${file} by the package ${loading.name}`, below, loading.place);
}
