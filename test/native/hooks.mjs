// Hooks of Node.js for the imports of a process that runs tests: a source, and a strategy that a test has written, is the module that its TypeScript makes.
import { fileURLToPath } from 'node:url';
import { compiled } from './compiled.mjs';

/** Returns the compiled source of a TypeScript file outside of node_modules. */
export async function load(url, context, next) {
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  if (!path.endsWith('.ts') || path.includes('/node_modules/')) return next(url, context);
  return { format: 'module', shortCircuit: true, source: await compiled(path) };
}
