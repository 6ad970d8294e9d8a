// A start reads hundreds of small modules, each a third of a millisecond and more: those that are always needed together become one file in
// dist/merged. Each module stays at its address and passes on what the merged file has, so there is one instance whoever asks for it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { addressOf, ONE_FILE } from './oneFile.mjs';

/**
 * What is started, by a word for it: modules that the same of these need are merged, so none of them reads more than it needs. Commands
 * that load little stand together; a line more makes smaller files and more of them.
 */
const STARTS = {
  strategy: ['index'],
  run: ['tasks/backtest/thread/backtestWorker'],
  set: ['tasks/sweep/threads/sweepWorker'],
  alone: ['tasks/sweep/threads/aloneWorker'],
  bot: ['tasks/bot/process/main'],
  bundle: ['adapters/plugins/bundleEntry'],
  command: ['cli/isobar', 'cli/main'],
  watch: ['cli/runs/backtestAction', 'cli/runs/verifyAction'],
  sweep: ['cli/sweep/action'],
  exchange: ['cli/exchange/action'],
  access: ['cli/live/killAction', 'cli/doctor/action', 'cli/api/action', 'cli/data/downloadActions'],
  look: [
    ...['cli/live/botActions', 'cli/live/startAction', 'cli/data/actions', 'cli/project/strategyActions'],
    ...['cli/project/initAction', 'cli/runs/reportAction', 'cli/journal/checkAction'],
  ],
};
/** Imported under a query, once for each strategy class. */
const ALONE = ['engine/loop/blockLoop'];

const STATIC = /^(import|export) (?:(\{[^}]*\}|\* as \w+|\*) from )?(['"])(\.[^'"]+)\3;$/gm;

/** Merges the modules in `dist`, as the compiler and `vendor` have left them. */
export async function mergeModules(dist) {
  const modules = new Modules(dist);
  const merged = groupsOf(modules);
  const exported = await exportsOf([...merged.values()].flat());
  const plan = new Map();
  for (const [name, files] of merged) {
    const chunk = join(modules.dist, 'merged', `${name}.js`);
    for (const [file, names] of namesIn(files, exported)) plan.set(file, { chunk, names });
  }
  const built = await Promise.all([...merged.values()].map((files) => bundled(files, plan, modules)));
  // Only now: each was made of what the compiler left.
  mkdirSync(join(modules.dist, 'merged'));
  for (const { chunk, code, map } of built) {
    writeFileSync(chunk, code);
    writeFileSync(`${chunk}.map`, map);
  }
  for (const [file, { chunk, names }] of plan) {
    const list = [...names].map(([own, name]) => (own === name ? own : `${name} as ${own}`));
    writeFileSync(file, `export { ${list.join(', ')} } from '${addressOf(file, chunk)}';\n`);
    rmSync(`${file}.map`, { force: true });
  }
  for (const file of modules.own().filter((each) => !plan.has(each))) {
    const text = redirected(modules.textOf(file), file, file, plan);
    if (text !== modules.textOf(file)) writeFileSync(file, text);
  }
}

/** The text of `file`, to stand at `place`: what it imports of merged files comes from there at once. Lines stay where they are. */
function redirected(text, file, place, plan) {
  return text.replace(STATIC, (all, verb, names, _quote, path) => {
    const target = plan.get(resolve(dirname(file), path));
    if (target === undefined || target.chunk === place || !names?.startsWith('{')) return all;
    const list = names.slice(1, -1).replace(/(\w+)( as \w+)?/g, (_all, name, as) => {
      const there = target.names.get(name);
      return there === name ? `${name}${as ?? ''}` : `${there}${as ?? ` as ${name}`}`;
    });
    return `${verb} {${list}} from '${addressOf(file, target.chunk)}';`;
  });
}

/** The texts of modules as they were before anything was merged. */
class Modules {
  #texts = new Map();

  constructor(dist) {
    this.dist = resolve(dist);
  }

  textOf(file) {
    if (!this.#texts.has(file)) this.#texts.set(file, readFileSync(file, 'utf8'));
    return this.#texts.get(file);
  }

  /** All that `name` needs before it runs, itself too. */
  reachedFrom(name) {
    const reached = new Set([join(this.dist, `${name}.js`)]);
    for (const file of reached) for (const [, , , , path] of this.textOf(file).matchAll(STATIC)) reached.add(resolve(dirname(file), path));
    return reached;
  }

  /** All modules but packages. */
  own() {
    const names = readdirSync(this.dist, { recursive: true }).filter((name) => /^(?!vendor|merged).*\.js$/.test(name));
    return names.map((name) => join(this.dist, name));
  }
}

/** Modules that the same starts need, by a name for each group of two and more. */
function groupsOf(modules) {
  const needed = new Map();
  for (const [word, names] of Object.entries(STARTS)) {
    for (const file of names.flatMap((name) => [...modules.reachedFrom(name)])) needed.set(file, (needed.get(file) ?? new Set()).add(word));
  }
  const alone = new Set([...Object.values(STARTS).flat(), ...ALONE].map((name) => join(modules.dist, `${name}.js`)));
  const groups = new Map();
  for (const [file, starts] of needed) {
    if (alone.has(file) || relative(modules.dist, file).startsWith('vendor')) continue;
    const name = [...starts].join('-');
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return new Map([...groups].filter(([, files]) => files.length > 1));
}

/** What each file exports. */
async function exportsOf(files) {
  const of = { entryPoints: files, outdir: 'unwritten', outbase: '/', write: false, metafile: true };
  const { metafile } = await build({ ...of, format: 'esm', logLevel: 'error' });
  return new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [resolve(entryPoint), exports]));
}

/** The names under which a group exports what its files do: their own, with a number behind what another file has too. */
function namesIn(files, exported) {
  const taken = new Set();
  return files.map((file) => {
    const names = exported.get(file).map((own) => {
      let name = own;
      for (let count = 2; taken.has(name); count++) name = `${own}_${count}`;
      taken.add(name);
      return [own, name];
    });
    return [file, new Map(names)];
  });
}

async function bundled(files, plan, modules) {
  const { chunk } = plan.get(files[0]);
  const inside = new Set(files);
  const listOf = (file) => [...plan.get(file).names].map(([own, name]) => `${own} as ${name}`).join(', ');
  const lines = files.map((file) => `export { ${listOf(file)} } from '${file}';`);
  const { outputFiles } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: modules.dist, sourcefile: 'merged.js' },
    outfile: chunk,
    write: false,
    ...ONE_FILE,
    plugins: [
      {
        name: 'group',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
            if (!/^[./]/.test(path)) return { path, external: true };
            const file = resolve(resolveDir, path);
            return inside.has(file) && kind !== 'dynamic-import' ? { path: file } : { path: addressOf(chunk, file), external: true };
          });
          onLoad({ filter: /\.js$/ }, ({ path }) => {
            // Whatever it finds beside itself is found from where it was.
            const own = `new URL('${addressOf(chunk, path)}', import.meta.url).href`;
            return { contents: redirected(modules.textOf(path), path, chunk, plan).replaceAll('import.meta.url', own) };
          });
        },
      },
    ],
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text;
  const texts = files.map((file) => modules.textOf(file));
  return { chunk, code: withConstants(textOf('.js'), texts), map: textOf('.map') };
}

/** The bundler writes `var` for all that stands in no function: V8 folds a constant, and reads a variable from its place at each use. */
function withConstants(code, texts) {
  const changed = new Set(texts.flatMap((text) => [...text.matchAll(/^(?:export )?let (\w+)/gm)].map(([, name]) => name)));
  const constants = code.replace(/^var (?=([\w$]+) = |[{[])/gm, (all, name) => (changed.has(name?.replace(/\d+$/, '')) ? all : 'const '));
  return withConstantFunctions(constants);
}

/**
 * A declared function is a variable too, and one that is exported stands in a cell: either is read and compared at each call. What the
 * file itself calls is therefore a constant, made in its first line, where declared functions are there already.
 */
function withConstantFunctions(code) {
  const names = new Set([...code.matchAll(/^function ([\w$]+)\(/gm)].map(([, name]) => name));
  if (names.size === 0) return code;
  const constants = [...names].map((name) => `${name} = ${name}$`);
  return `const ${constants.join(', ')}; ${code}`
    .replace(/^function ([\w$]+)(?=\()/gm, 'function $1$$')
    .replace(/^export \{[^}]*\}/gm, (list) =>
      list.replace(/^  ([\w$]+)( as [\w$]+)?/gm, (all, name, as) => (names.has(name) ? `  ${name}$${as ?? ` as ${name}`}` : all)),
    );
}
