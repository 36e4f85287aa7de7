/** Makes a kind of a literal in a program: the form of files, with types. */
import { isObject } from '../definition/object.ts'
import { type ConnectableKind, makeConnectable } from '../kinds/connectable.ts'
import type { DefinitionOf } from './define-types.ts'
import type { KindFile } from './file.ts'
import { failMistakes } from './mistakes.ts'
import { readLiteral } from './read.ts'
import type { Tree } from './tree.ts'

const at = { line: 1, column: 1 }

/** Reads a value of a program as the tree of a file. Undefined members count as missing. */
function toTree(value: unknown): Tree {
  if (Array.isArray(value)) return { is: 'list', at, items: value.map(toTree) }
  if (!isObject(value)) {
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return { is: 'scalar', at, value: isScalar ? value : null, text: String(value) }
  }
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return { is: 'map', at, entries: entries.map(([key, inner]) => ({ key, at, value: toTree(inner) })) }
}

/**
 * Makes a kind of a literal that has the form of a file. The compiler knows its parameters and records.
 * @param file the kind, in the short form or with fields in full
 * @throws FerruleError `kind_invalid` with all mistakes
 */
export function defineKind<const F extends KindFile>(file: F): ConnectableKind<DefinitionOf<F>> {
  const { definition, mistakes } = readLiteral(toTree(file), { name: file.kind })
  if (definition === undefined) throw failMistakes(mistakes)
  return makeConnectable({ definition: definition as DefinitionOf<F>, rules: {} }) // the types say of the literal what the reader makes of it
}
