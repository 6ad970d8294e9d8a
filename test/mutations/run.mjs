// Runs named tests over sources with one guard each taken out: reads guards as JSON from its input, prints what became of each test.
//
// Nothing on the disk is changed: the source is changed as it is loaded, for the one run that it belongs to.
import { readFileSync } from 'node:fs';
import { createVitest } from 'vitest/node';

const root = process.cwd();
const guards = JSON.parse(readFileSync(0, 'utf8'));

/** Serves the files of the guard with its changes; `changed` says that one was loaded. */
function changing(guard, changed) {
  const changes = [guard, ...(guard.and ?? [])];
  return {
    name: 'mutation',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0];
      const own = changes.filter(({ file }) => path === `${root}/${file}`);
      if (own.length === 0) return null;
      changed();
      return { code: own.reduce((text, { from, to }) => text.replace(from, () => to), code), map: null };
    },
  };
}

const loaded = new Set();
const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const projects = guards.map((guard) => ({
  root,
  plugins: [changing(guard, () => loaded.add(guard.name))],
  test: { name: guard.name, include: [guard.test], testNamePattern: new RegExp(escaped(guard.named)), testTimeout: 60_000 },
}));

const vitest = await createVitest('test', { config: false, root, watch: false, reporters: [{}], maxWorkers: 3 }, { test: { projects } });
await vitest.start();
const told = guards.map(({ name }) => {
  const modules = vitest.state.getTestModules().filter(({ project }) => project.name === name);
  const tests = modules.flatMap((each) => [...each.children.allTests()]).map((test) => test.result());
  const errors = modules.flatMap((each) => each.errors()).map(({ message }) => message);
  return {
    name,
    isLoaded: loaded.has(name),
    passed: tests.filter(({ state }) => state === 'passed').length,
    failed: tests.filter(({ state }) => state === 'failed').length,
    says: tests.flatMap(({ errors: its }) => its ?? []).map(({ message }) => message.slice(0, 200)),
    errors,
  };
});
await vitest.close();
console.log(JSON.stringify(told));
process.exit(0);
