// Runs the test of each guard against sources without that guard. Reads guards as JSON from stdin, and prints one result for each.
// No file on the disk changes: the source is changed when it is loaded, for the run of its guard only.
import { readFileSync } from 'node:fs';
import { createVitest } from 'vitest/node';

const root = process.cwd();
const guards = JSON.parse(readFileSync(0, 'utf8'));

/** Returns a Vite plugin that applies the changes of a guard to its files, and calls `onChanged` when one of them is loaded. */
function mutationPlugin(guard, onChanged) {
  const changes = [guard, ...(guard.otherChanges ?? [])];
  return {
    name: 'mutation',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0];
      const applied = changes.filter(({ file }) => path === `${root}/${file}`);
      if (applied.length === 0) return null;
      onChanged();
      return { code: applied.reduce((text, { from, to }) => text.replace(from, () => to), code), map: null };
    },
  };
}

/** Names of the guards whose source was loaded. */
const loadedGuards = new Set();
/** Returns a text as a pattern that matches only this text. */
const escapeForRegExp = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const projects = guards.map((guard) => ({
  root,
  plugins: [mutationPlugin(guard, () => loadedGuards.add(guard.name))],
  test: { name: guard.name, include: [guard.test], testNamePattern: new RegExp(escapeForRegExp(guard.testTitle)), testTimeout: 60_000 },
}));

const vitest = await createVitest('test', { config: false, root, watch: false, reporters: [{}], maxWorkers: 3 }, { test: { projects } });
await vitest.start();
const reports = guards.map(({ name }) => {
  const modules = vitest.state.getTestModules().filter(({ project }) => project.name === name);
  const tests = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result());
  const errors = modules.flatMap((module) => module.errors()).map(({ message }) => message);
  return {
    name,
    isLoaded: loadedGuards.has(name),
    passed: tests.filter(({ state }) => state === 'passed').length,
    failed: tests.filter(({ state }) => state === 'failed').length,
    messages: tests.flatMap((result) => result.errors ?? []).map(({ message }) => message.slice(0, 200)),
    errors,
  };
});
await vitest.close();
console.log(JSON.stringify(reports));
process.exit(0);
