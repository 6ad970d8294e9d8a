// Makes docs/api.md: what the three doors of the package export, with their signatures and docstrings. `npm run docs:api` writes it.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DOORS = [
  { name: 'isobar', file: 'src/index.ts', what: 'what the author of a strategy or a model imports' },
  { name: 'isobar/run', file: 'src/run.ts', what: 'backtests from code' },
  { name: 'isobar/compose', file: 'src/compose.ts', what: 'the parts of a bot that a module may replace' },
];

/** The page as text. */
export function apiPage() {
  const config = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(DOORS.map(({ file }) => root + file), { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const sections = DOORS.map(({ name, file, what }) => {
    const door = checker.getSymbolAtLocation(program.getSourceFile(root + file));
    const entries = checker
      .getExportsOfModule(door)
      .map((symbol) => entryOf(checker, symbol))
      .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
    return `## \`${name}\`: ${what}\n\n${entries.map(({ text }) => text).join('\n')}`;
  });
  return `# API\n\nMade from the docstrings of the three doors by \`npm run docs:api\`; everything else in the package is private.\n\n${sections.join('\n')}`;
}

function entryOf(checker, exported) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const [node] = symbol.declarations;
  if (node.getSourceFile().fileName.includes('/node_modules/')) return { name: exported.name, text: `### ${exported.name}\n\n${foreign(node)}\n` };
  const doc = docOf(checker, symbol);
  const code = codeOf(node);
  return { name: exported.name, text: `### ${exported.name}\n\n${doc === '' ? '' : `${doc}\n\n`}\`\`\`text\n${code}\n\`\`\`\n` };
}

/** Of what another package declares, where to read about it. */
function foreign(node) {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(node.getSourceFile().fileName);
  return `The type \`${node.name.text}\` of the package ${name}.`;
}

/** The docstring as a paragraph; the tags as they stand. */
function docOf(checker, symbol) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
}

/** The declaration without bodies and without what is private; a comment line before each member that has a docstring. */
function codeOf(node) {
  if (ts.isFunctionDeclaration(node)) return head(node, node.body);
  if (ts.isVariableDeclaration(node)) return `const ${node.getText()}`;
  if (ts.isClassDeclaration(node)) return block(node, `${isAbstract(node) ? 'abstract ' : ''}class ${heritage(node)}`);
  if (ts.isInterfaceDeclaration(node)) return block(node, `interface ${heritage(node)}`);
  return strip(node.getText());
}

function isAbstract(node) {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) ?? false;
}

function heritage(node) {
  const types = node.typeParameters ? `<${node.typeParameters.map((each) => each.getText()).join(', ')}>` : '';
  const clauses = (node.heritageClauses ?? []).map((each) => ` ${each.getText()}`).join('');
  return `${node.name?.text ?? ''}${types}${clauses}`;
}

function block(node, title) {
  const lines = node.members.filter(isPublic).flatMap((member) => [...comment(member), `  ${head(member, member.body ?? member.initializer)}`]);
  return [`${title} {`, ...lines, '}'].join('\n');
}

function isPublic(member) {
  if (member.name && ts.isPrivateIdentifier(member.name)) return false;
  if (ts.isConstructorDeclaration(member) || ts.isIndexSignatureDeclaration(member)) return false;
  return !(member.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
}

function comment(member) {
  const docs = ts.getJSDocCommentsAndTags(member).map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '');
  return docs.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '').map((line) => `  // ${line.trim()}`);
}

/** The text of a declaration up to its body. */
function head(node, body) {
  const text = node.getText();
  const until = body === undefined ? text : text.slice(0, body.getStart() - node.getStart());
  return strip(until).replace(/\s*=?\s*$/, '').replace(/\s+/g, ' ');
}

function strip(text) {
  return text.replace(/^export (default )?/, '').replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, '').replace(/;$/, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(`${root}docs/api.md`, apiPage());
  process.stdout.write('docs/api.md is written\n');
}
