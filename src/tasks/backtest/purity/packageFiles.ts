// Finds what a package reads while it is loaded: files of the author, and what programs print. Both may hold later bars, and neither is part of the hash.

import { statSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { loadingPackage } from './callSite.ts';
import type { ReportCall } from './purityWarning.ts';

/** Functions that read the content of the file that they are called with. */
const READERS = /^(?:require|fs(?:\/promises)?\.(?:promises\.)?(?:readFile|readFileSync|open|openSync|createReadStream|ReadStream))\(\)$/;
/** Functions that return what a program prints. */
const PROGRAM_READERS = /^child_process\.(?:execSync|execFileSync|spawnSync)\(\)$/;
/** Programs by which packages find out where they run. `node` may print its version, but run no code. */
const SYSTEM_PROGRAM =
  /^(?:\S*[\\/])?(?:(?:true|getconf|ldd|uname|which|where|sw_vers|tput|stty|reg)(?:\.exe)?(?!\S)|node(?:\.exe)? (?:-v|--version)$)/;
/** Matches where a command line joins or drops the output of a program. */
const OUTPUT_ELSEWHERE = /\s*\d?>\s*(?:&\d|\/dev\/null)/g;
/** Matches the text between two programs of a command line. */
const NEXT_PROGRAM = /\s*[;&|\n]+\s*/;
/** Matches a program or a file inside of a command. */
const NESTED_INPUT = /[`<]|\$\(/;
/** Folders of the system, in which packages find out where they run, and folders of packages. */
const SYSTEM_FOLDER = /^\/(?:proc|sys|dev|etc|usr|lib\d*|bin|sbin|opt|run|var)\/|^[a-z]:[\\/]windows[\\/]|[\\/]node_modules[\\/]/i;
/** Files with settings of a project or a container. */
const SETTINGS = /^(?:package\.json|tsconfig\.json|\.(?!.*\.(?:csv|json|txt|gz)$).*)$/i;

/**
 * Reports a function that a package calls while it is loaded, if it reads a file of the author or runs a program. `path`: of the file, absolute; empty
 * without one. `program`: the first argument of a function that runs one.
 */
export function reportReadAtLoad(
  report: ReportCall,
  description: string,
  { path, program }: { readonly path: string; readonly program: unknown },
  below: (...args: never[]) => unknown,
): void {
  const runsProgram = PROGRAM_READERS.test(description) && !runsSystemAlone(String(program));
  const mayRead = READERS.test(description) && path !== '' && !SYSTEM_FOLDER.test(path) && !SETTINGS.test(basename(path));
  if (!runsProgram && !mayRead) return;
  const loading = loadingPackage(below);
  if (loading === null) return;
  const byPackage = `by the package ${loading.name}`;
  if (runsProgram) return report('IMPURE_PROCESS', `${description} ${byPackage}`, below, loading.place);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return;
  report('LOOKAHEAD_FILE', `${description} of ${relative(process.cwd(), path)} ${byPackage}`, below, loading.place);
}

/** True for a command line with programs of the system alone. */
const runsSystemAlone = (command: string): boolean =>
  !NESTED_INPUT.test(command) &&
  command
    .replaceAll(OUTPUT_ELSEWHERE, '')
    .trim()
    .split(NEXT_PROGRAM)
    .every((program) => SYSTEM_PROGRAM.test(program));
