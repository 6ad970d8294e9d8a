// Finds out whether an error is about a built-in that cannot change, or about an object of the strategy itself.

import {
  COMPARED_OBJECTS,
  ITERATOR_PROTOTYPE,
  OPEN_PROTOTYPES,
  SEALED_GLOBALS,
  TYPED_ARRAY_PROTOTYPE,
  type NamedObject,
} from './members.ts';

/** Members that no code can assign to a function or to a frozen list, whether or not built-ins are fixed. */
const NEVER_ASSIGNABLE = new Set<string | symbol>(['length', 'name', 'prototype']);
/** Matches a line of code that may define a sealed member. */
const SEALED_MEMBER_NAME = /iterator|next|species|constructor|proto/i;
/** Matches the error of an attempt to change or delete a member. Group 2 is the object, in the words of the message; a redefinition does not show it. */
const CHANGE_FAILS = /^Cannot (?:assign to read only|redefine|delete) property:? '?([^\s']+)'?(?: of (?:object |function )?'?(.*?)'?)?$/s;
/** The objects whose members are fixed. */
const FIXED_OBJECTS: readonly NamedObject[] = [...COMPARED_OBJECTS, ...OPEN_PROTOTYPES];
/** Objects that messages show without a name. */
const UNNAMED_OBJECTS: ReadonlySet<object> = new Set([Math, Reflect, JSON]);

/**
 * Returns true for the message of the error that an attempt to change a fixed built-in throws. `line`: the source line that threw it; empty if
 * unknown. It is needed because code that changes a frozen object of its own throws the same messages: `limits.max = 3` shows what
 * `Math.max = own` shows.
 */
export function isReadOnlyError(message: string, line: string): boolean {
  // A sealed member is a getter, so the text of its earlier descriptor with another value is invalid.
  if (message.startsWith('Invalid property descriptor')) return SEALED_MEMBER_NAME.test(line);
  const [, addedName] = /^Cannot (?:add|define) property (.*), object is not extensible/s.exec(message) ?? [];
  if (addedName !== undefined) return /proto/i.test(line) || isHidingMember(addedName);
  const [, name, shown] = CHANGE_FAILS.exec(message) ?? [];
  if (name === undefined || NEVER_ASSIGNABLE.has(name)) return false;
  if (SEALED_GLOBALS.includes(name) && (shown === undefined || /\bglobal(?:This)?\b/.test(line))) return true;
  return FIXED_OBJECTS.some((fixed) => memberKey(fixed[1], name) !== undefined && isShownAs(fixed, name, shown, line));
}

/** Returns the key of the member that a message names; undefined: the object has none of that name. */
const memberKey = (holder: object, name: string): string | symbol | undefined =>
  Reflect.ownKeys(holder).find((key) => String(key) === name);

/**
 * True for a member of columns and iterators alone. One of the same name on the class of a column would be called in its place. Lists and maps have
 * the other names too, and so may the objects of a strategy.
 */
function isHidingMember(name: string): boolean {
  const isMethod = (holder: object): boolean => {
    const key = memberKey(holder, name);
    // Some getters throw on a prototype.
    return key !== undefined && typeof Reflect.getOwnPropertyDescriptor(holder, key)?.value === 'function';
  };
  return [TYPED_ARRAY_PROTOTYPE, ITERATOR_PROTOTYPE].some(isMethod) && ![Array.prototype, Map.prototype].some(isMethod);
}

/** True when a message means the built-in. `shown`: the object in the words of the message; undefined: the message does not show it. */
function isShownAs([holderName, holder]: NamedObject, name: string, shown: string | undefined, line: string): boolean {
  // The text of a function is its code.
  if (shown?.includes('[native code]') === true) return typeof holder === 'function';
  if (typeof holder === 'function' && shown !== undefined) return false;
  const className = holderName.replace('.prototype', '');
  const shownNames =
    UNNAMED_OBJECTS.has(holder) || holder === Object.prototype ? ['#<Object>'] : [`#<${className}>`, `[object ${className}]`];
  if (shown !== undefined && !shownNames.includes(shown)) return false;
  // A symbol is no member of plain data.
  return line === '' || (shown === undefined && name.startsWith('Symbol(')) || writesMember(line, className, name);
}

/** True when a line of code writes, defines or deletes this member of the built-in, by its name or as a prototype. */
function writesMember(line: string, className: string, name: string): boolean {
  const escapedName = name.replaceAll(/[^\w]/g, String.raw`\$&`);
  const holder = String.raw`\b(?:${className}|(?:get)?prototype(?:Of)?|__proto__|proto)\b`;
  const member = String.raw`(?:\.\s*${escapedName}\b|\[[^\]]*\]+)`;
  const writes = String.raw`${holder}[)\s]*${member}\s*(?:[-+*/%&|^<>?]{0,3}=(?!=)|\+\+|--)`;
  return new RegExp(String.raw`${writes}|\bdelete\b.*${holder}|${holder}\s*,`, 'i').test(line);
}
