/**
 * The entry `ferrule/kind`: kinds from files of your own.
 *
 * ```ts
 * import { connect } from 'ferrule/core'
 * import { loadKind } from 'ferrule/kind'
 * const acme = connect(await loadKind('./acme.kind.yaml'), { credentials: { token: '…' } })
 * for await (const thing of acme.entity('things').records()) console.log(thing)
 * ```
 */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectorDefinition } from '../definition/connector.ts'
import type { EntityDefinition, Operation } from '../definition/entity.ts'
import type { Fields } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import { type ConnectableKind, makeConnectable } from '../kinds/connectable.ts'
import type { DefinitionOf } from './define-types.ts'
import type { KindFile } from './file.ts'
import { failMistakes } from './mistakes.ts'
import { readKind, readLiteral } from './read.ts'
import type { Tree } from './tree.ts'

export type { DefinitionOf, KindTypes, TypedDefinition } from './define-types.ts'
export type { KindFile } from './file.ts'
export { formatMistake, type Mistake, type Place } from './mistakes.ts'
export { type ReadKind, readKind } from './read.ts'
export { checkUploadedKind, type UploadOptions } from './uploaded/check-uploaded.ts'
export { type KindHost, listHosts } from './uploaded/hosts.ts'

/** An entity of a kind that the compiler does not know: it may have each action. */
export interface AnyEntity extends EntityDefinition {
  readonly record: Fields
  readonly list: Operation & { readonly page: 'next' }
  readonly get: Operation
  readonly create: Operation
  readonly update: Operation
  readonly delete: Operation
}
/** A kind that the compiler does not know. */
export interface AnyDefinition extends ConnectorDefinition {
  readonly entities: Readonly<Record<string, AnyEntity>>
}
/** A kind of a file, as `connect` takes it. Its types are wide: records and parameters have any fields. */
export type LoadedKind = ConnectableKind<AnyDefinition>

/** The compiler sees no file: the types say what `ferrule kind types` printed of it, or nothing. A call that is missing fails at run time. */
const isOf = <D extends ConnectorDefinition>(_definition: ConnectorDefinition): _definition is D => true

/**
 * Makes a kind of a definition in the long form, such as those of `@ferrule/kinds`, which were checked when they were made.
 * @param definition plain data
 */
export const makeKind = <D extends ConnectorDefinition = AnyDefinition>(definition: D): ConnectableKind<D> =>
  makeConnectable({ definition, rules: {} })

/**
 * Reads a kind from the text of a file, YAML or JSON.
 * @typeParam D the kind as `ferrule kind types` prints it; without it records and parameters have any fields
 * @param name name of the file, for mistakes
 * @throws FerruleError `kind_invalid` with all mistakes, each with its place
 */
export async function parseKind<D extends ConnectorDefinition = AnyDefinition>(
  text: string,
  { name = 'kind' }: { readonly name?: string } = {},
): Promise<ConnectableKind<D>> {
  const { definition, mistakes } = await readKind(text, { name })
  if (definition === undefined || !isOf<D>(definition)) throw failMistakes(mistakes)
  return makeConnectable({ definition, rules: {} })
}

/**
 * Reads a kind from a file of this machine.
 * @typeParam D the kind as `ferrule kind types` prints it; without it records and parameters have any fields
 * @param file path, or a URL `file:`
 * @throws FerruleError `kind_invalid` with all mistakes, each with its place; the errors of Node for a file that cannot be read
 */
export async function loadKind<D extends ConnectorDefinition = AnyDefinition>(file: string | URL): Promise<ConnectableKind<D>> {
  const path = file instanceof URL || file.startsWith('file:') ? fileURLToPath(file) : file
  return parseKind<D>(await readFile(path, 'utf8'), { name: basename(path) })
}

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
