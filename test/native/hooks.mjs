// Hooks of Node.js for the imports of a process that runs tests: a source is the module that its TypeScript makes.
import { fileURLToPath } from 'node:url';
import { compiled, isSource } from './compiled.mjs';

export async function load(url, context, next) {
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  if (!isSource(path)) return next(url, context);
  return { format: 'module', shortCircuit: true, source: await compiled(path) };
}
