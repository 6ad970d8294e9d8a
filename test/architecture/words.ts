// Compares names, comments, messages and test titles of a tree of sources with the word list (wordlist.json). Finds those with a word or a
// phrase that has a better one.

import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import ts from 'typescript59';

/** A word that names must not have. */
interface BannedWord {
  readonly word: string;
  /** The word to use in its place. */
  readonly use: string;
  /** With `#`: a path and a name in it; with `/` or `*`: a path; with `.`: an owner and a member; otherwise a whole name. */
  readonly except: readonly string[];
}

/** A phrase that comments, messages and titles must not have. */
interface Phrase {
  /** A regular expression. */
  readonly pattern: string;
  readonly use: string;
}

/** A comment, a message or a title, with its line from 1. */
interface Text {
  readonly text: string;
  readonly line: number;
}

/** The content of wordlist.json. */
export interface WordList {
  readonly banned: readonly BannedWord[];
  readonly phrases: readonly Phrase[];
  /** Files whose messages and titles are not checked. */
  readonly unchecked: readonly string[];
}

/** A declared name. */
interface Name {
  readonly text: string;
  /** The class or the type that the name is a member of; empty for others. */
  readonly owner: string;
  readonly line: number;
}

/** Returns each name with a banned word as `file:line: name: word (use ...)`. `files`: by path from the root, texts of sources. */
export function bannedNames(files: ReadonlyMap<string, string>, { banned }: WordList): string[] {
  const byWord = new Map(banned.map((entry) => [entry.word, entry]));
  return [...files].flatMap(([path, text]) =>
    [...pathNames(path), ...syntaxOf(path, text).names].flatMap((name) =>
      partsOf(name.text).flatMap((part) => {
        const bannedWord = byWord.get(part);
        if (bannedWord === undefined || bannedWord.except.some((rule) => isExcepted(rule, path, name))) return [];
        return [`${path}:${name.line}: ${name.text}: ${part} (use ${bannedWord.use})`];
      }),
    ),
  );
}

type TextsOf = (text: string, path: string) => readonly Text[];

/** Returns each phrase in a text of `textsOf` that has a plainer one, as `file:line: "phrase" (use ...)`. */
export function bannedPhrases(
  files: ReadonlyMap<string, string>,
  { phrases }: Pick<WordList, 'phrases'>,
  textsOf: TextsOf = commentsIn,
): string[] {
  const compiled = phrases.map(({ pattern, use }) => ({ expression: new RegExp(pattern, 'gi'), use }));
  return [...files].flatMap(([path, source]) =>
    textsOf(source, path).flatMap(({ text, line }) =>
      compiled.flatMap(({ expression, use }) =>
        [...text.matchAll(expression)].flatMap((match) => {
          // In capitals it is a code, which stays.
          if (match[0] === match[0].toUpperCase()) return [];
          const matchLine = line + text.slice(0, match.index).split('\n').length - 1;
          return [`${path}:${matchLine}: "${match[0]}" (use ${use})`];
        }),
      ),
    ),
  );
}

/** Returns the comments of a source. */
export const commentsIn: TextsOf = (source) =>
  [...source.matchAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g)].map((match) => ({
    text: match[0],
    line: source.slice(0, match.index).split('\n').length,
  }));

/** Returns the texts of a source that a person may read: string literals with a space. A text without one is a name or a code. */
export const messagesIn: TextsOf = (source, path) => syntaxOf(path, source).messages;

/** Returns the titles that a test file gives to `it`, `test` and `describe`, those of `it.each(...)` included. */
export const titlesIn: TextsOf = (source, path) => syntaxOf(path, source).titles;

/** What the checks need of the syntax of one source. */
interface Syntax {
  readonly messages: readonly Text[];
  readonly titles: readonly Text[];
  readonly names: readonly Name[];
}

/** By path and text: several checks read the same source, and to parse it costs most of a check. */
const parsed = new Map<string, Syntax>();

/** Returns the parsed source, which is kept for other tests. */
function syntaxOf(path: string, source: string): Syntax {
  const key = `${path}\n${source}`;
  const syntax = parsed.get(key) ?? parse(path, source);
  parsed.set(key, syntax);
  return syntax;
}

/** Comments are read from the text: to parse those of declarations would take half as long again. */
const PARSING: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

/** The functions whose first argument is a title. */
const TITLED_CALLS = new Set(['it', 'test', 'describe']);

/** Returns the names, messages and titles of a source. */
function parse(path: string, source: string): Syntax {
  const file = ts.createSourceFile(path, source, PARSING);
  const messages: Text[] = [];
  const titles: Text[] = [];
  const names: Name[] = [];
  const visit = (node: ts.Node, owner: string): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (node.text.includes(' ')) messages.push({ text: node.text, line: lineOf(file, node) });
    }
    const title = ts.isCallExpression(node) && TITLED_CALLS.has(calleeOf(node)) ? node.arguments[0] : undefined;
    if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
      titles.push({ text: title.getText(file), line: lineOf(file, title) });
    }
    const isType = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
    const name = nameOf(node);
    if (name !== null) names.push({ text: name.text.replace('#', ''), owner: isType ? '' : owner, line: lineAt(file, name.end) });
    ts.forEachChild(node, (child) => visit(child, isType && name !== null ? name.text : owner));
  };
  visit(file, '');
  return { messages, titles, names };
}

/** Returns the name at the head of a chain of calls and members: `it` of `it.each([...])`; empty if the head is not a name. */
function calleeOf(call: ts.CallExpression): string {
  let head: ts.Expression = call.expression;
  while (ts.isCallExpression(head) || ts.isPropertyAccessExpression(head)) head = head.expression;
  return ts.isIdentifier(head) ? head.text : '';
}

const lineOf = (file: ts.SourceFile, node: ts.Node): number => lineAt(file, node.getStart(file));
const lineAt = (file: ts.SourceFile, position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;

/** Returns the files that no rule of `unchecked` excludes from the check of messages and titles. */
export function checkedFiles(files: ReadonlyMap<string, string>, { unchecked }: WordList): ReadonlyMap<string, string> {
  return new Map([...files].filter(([path]) => !unchecked.some((rule) => matchesGlob(rule, path))));
}

/** Returns the sources below the folders of a project, by their path from its root. */
export function sourcesOf(root: string, folders: readonly string[]): ReadonlyMap<string, string> {
  const paths = folders.flatMap((folder) =>
    readdirSync(posix.join(root, folder), { recursive: true }).map((file) => `${folder}/${String(file).split(sep).join('/')}`),
  );
  const sources = paths.filter((path) => path.endsWith('.ts') && !path.includes('node_modules'));
  return new Map(sources.map((path) => [path, readFileSync(posix.join(root, path), 'utf8')]));
}

/** Returns the words of a name in lower case: split at capitals of camel case and at _ - . without digits. */
function partsOf(name: string): string[] {
  const humps = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return humps
    .toLowerCase()
    .split(/[\s\d_\-.#$]+/)
    .filter((part) => part !== '');
}

/** True if a rule excepts this name. */
function isExcepted(rule: string, path: string, name: Name): boolean {
  const { text, owner } = name;
  const nameStart = rule.indexOf('#');
  if (nameStart >= 0) return isExcepted(rule.slice(0, nameStart), path, name) && rule.slice(nameStart + 1) === text;
  if (rule.includes('/') || rule.includes('*')) return matchesGlob(rule, path);
  return rule.includes('.') ? rule === `${owner}.${text}` : rule === text;
}

const matchesGlob = (rule: string, path: string): boolean => globOf(rule).test(path);

const globOf = (rule: string): RegExp =>
  new RegExp(`^${rule.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*\*|\*/g, (stars) => (stars === '**' ? '.*' : '[^/]*'))}$`);

/** Returns the folders and the file of a path as names. */
function pathNames(path: string): Name[] {
  return path
    .replace(/(\.test)?\.ts$/, '')
    .split('/')
    .map((text) => ({ text, owner: '', line: 0 }));
}

/** Returns the name that a node declares; null if it declares none. */
function nameOf(node: ts.Node): ts.Identifier | ts.PrivateIdentifier | null {
  const isNamed =
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isPropertyAssignment(node);
  if (!isNamed || node.name === undefined) return null;
  return ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name) ? node.name : null;
}
