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
import type { ConnectorDefinition, CredentialScheme } from '../definition/connector.ts'
import type { EntityDefinition, LiveAction, Operation } from '../definition/entity.ts'
import type { Field, Fields, Flat, Optional, Static } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import { type ConnectableKind, makeConnectable } from '../kinds/connectable.ts'
import type { KindFile } from './file.ts'
import { failMistakes } from './mistakes.ts'
import { readKind, readLiteral } from './read-kind.ts'
import type { FieldUse } from './shape.ts'
import type { Tree } from './tree.ts'
import type { FieldType } from './vocabulary.ts'

export type { KindFile } from './file.ts'
export { formatMistake, type Mistake, type Place } from './mistakes.ts'
export { type ReadKind, readKind } from './read-kind.ts'
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

interface Plain extends Record<FieldType, unknown> {
  string: string
  integer: number | bigint
  number: number
  boolean: boolean
  decimal: string
  'date-time': string
  date: string
  'unix-time': number | bigint
  'unix-time-ms': number | bigint
  object: Record<string, unknown>
  label: string
  labels: string
  uuid: string
  digits: string
  host: string
  path: string
  secret: string
}
/** Types of what callers give where they differ. */
interface CallerTypes {
  'date-time': string | Date
  date: string | Date
}

type FirstWord<S> = S extends `${infer W} ${string}` ? W : S
type Choices<S> = S extends `${infer One}|${infer Rest}` ? One | Choices<Rest> : S
/** Values of a type of words: lists, choices, and types. Vendors may send other values than the known ones. */
type OfWord<W, P> = W extends `${infer Item}[]`
  ? OfWord<Item, P>[]
  : W extends `${string}|${string}`
    ? P extends 'record'
      ? string
      : Choices<W>
    : W extends keyof CallerTypes
      ? P extends 'record'
        ? Plain[W]
        : CallerTypes[W]
      : W extends keyof Plain
        ? Plain[W]
        : unknown

/** Marks values of a use as optional or nullable. @typeParam M the mark `?` or `!`, or '' */
type Mark<T, P, M> = P extends 'record'
  ? Field<M extends '?' ? T | null : T>
  : P extends 'parameter'
    ? M extends '!'
      ? Field<T>
      : Field<T> & Optional
    : M extends '?'
      ? Field<T> & Optional
      : Field<T>
type OfText<W, P> = W extends `${infer Bare}?`
  ? Mark<OfWord<Bare, P>, P, '?'>
  : W extends `${infer Bare}!`
    ? Mark<OfWord<Bare, P>, P, '!'>
    : Mark<OfWord<W, P>, P, ''>

type MarkOf<V> = V extends { readonly $type: infer T }
  ? FirstWord<T> extends `${string}?`
    ? '?'
    : FirstWord<T> extends `${string}!`
      ? '!'
      : ''
  : ''
type IsMany<V> = V extends { readonly $type: infer T } ? (FirstWord<T> extends `${string}[]${'' | '?' | '!'}` ? true : false) : false
type InnerOf<V> = V extends { readonly $fields: infer I } ? I : V
type OfObject<V, P, G> = Flat<MapOf<InnerOf<V>, P, G>> extends infer T ? Mark<IsMany<V> extends true ? T[] : T, P, MarkOf<V>> : never

type OwnNames<M> = Exclude<keyof M, '+' | `$${string}`>
/** A field: a text, a list of one element, an object, or a field in full. */
type FieldOf<V, P, G> = V extends string
  ? OfText<FirstWord<V>, P>
  : V extends readonly [infer Item]
    ? Mark<Static<FieldOf<Item, P, G>>[], P, ''>
    : [OwnNames<InnerOf<V>>] extends [never]
      ? V extends { readonly $type: infer T }
        ? OfText<FirstWord<T>, P>
        : Mark<string, P, ''>
      : OfObject<V, P, G>

type NameList<N> = N extends readonly (infer One)[] ? One : N
type Taken<M, P, G> = M extends { readonly '+': infer N } ? MapOf<Merged<G, NameList<N>>, P, G> : Record<never, never>
type Merged<G, N> = { [K in KeysIn<G, N>]: ValueIn<G, N, K> }
type KeysIn<G, N> = N extends keyof G ? keyof G[N] : never
type ValueIn<G, N, K> = N extends keyof G ? (K extends keyof G[N] ? G[N][K] : never) : never
type Own<M, P, G> = { readonly [K in OwnNames<M>]: FieldOf<M[K], P, G> }
/** A map of fields, with those of the groups that it takes in. @typeParam G the groups of the file */
type MapOf<M, P, G> = M extends { readonly '+': unknown } ? Omit<Taken<M, P, G>, OwnNames<M>> & Own<M, P, G> : Own<M, P, G>

type Groups<F> = F extends { readonly types: infer G } ? G : Record<never, never>
type CallOf<O> = O extends { readonly call: infer C } ? C : O
type Slots<C> = C extends `${string}{${infer Name}}${infer Rest}` ? Name | Slots<Rest> : never
/** Arguments of GraphQL that must have a value. */
type Needed<A> = A extends `${infer One}, ${infer Rest}` ? Needed<One> | Needed<Rest> : A extends `${infer Name}: ${string}!` ? Name : never
type Filled<O> = (O extends { readonly wrap: infer W } ? W : never) | (O extends { readonly body: infer B } ? keyof B : never)
/** Slots of a path, or arguments of GraphQL that no parameter of the body fills. */
type AskedNames<O> = CallOf<O> extends `${'query' | 'mutation'} ${string}(${infer A})` ? Exclude<Needed<A>, Filled<O>> : Slots<CallOf<O>>
type MemberPart<O, N extends string, P extends FieldUse, G> = O extends { readonly [K in N]: infer M }
  ? MapOf<M, P, G>
  : Record<never, never>
type SlotField<R, N> = N extends keyof R
  ? Static<R[N]> extends number | bigint | null
    ? Field<number | bigint>
    : Field<string>
  : Field<string>
type FilledFrom<O> = O extends { readonly params: infer M }
  ? { [K in keyof M]: M[K] extends { readonly $from: string } ? K : never }[keyof M]
  : never
type Demanded<O> = Exclude<AskedNames<O> & string, FilledFrom<O>>
/** Slots are required, also where the file has a sentence for them. */
type SlotFields<O, R> = { readonly [N in Demanded<O>]: SlotField<R, N> }

type PageName<F, O> = O extends { readonly pages: infer N } ? N : F extends { readonly lists: { readonly pages: infer N } } ? N : 'none'
type WayOf<F, N> = F extends { readonly pages: infer W } ? (N extends keyof W ? W[N] : never) : never
interface CursorField {
  readonly cursor: Field<string> & Optional
}
type PageFields<F, N> = N extends 'none'
  ? Record<never, never>
  : WayOf<F, N> extends { readonly size: string }
    ? CursorField & { readonly limit: Field<number> & Optional }
    : CursorField
type PageMark<N> = N extends 'none' ? Record<never, never> : { readonly page: 'next' }
type ListPart<F, A, O> = A extends 'list' ? PageFields<F, PageName<F, O>> : Record<never, never>
type Params<F, R, A, O> = Omit<
  MemberPart<O, 'params', 'parameter', Groups<F>> & MemberPart<O, 'body', 'parameter', Groups<F>>,
  Demanded<O>
> &
  SlotFields<O, R> &
  ListPart<F, A, O>
type Merge<T> = { readonly [K in keyof T]: T[K] }
type OperationOf<F, R, A, O> = {
  readonly call: `GET /${string}`
  readonly at: string
  readonly params: Merge<Params<F, R, A, O>>
} & (A extends 'list' ? PageMark<PageName<F, O>> : unknown)

type RecordOf<F, E> = E extends { readonly fields: infer M } ? Merge<MapOf<M, 'record', Groups<F>>> : Record<never, never>
type SearchOf<R, E> = E extends { readonly sync: infer S }
  ? S extends 'none'
    ? Record<never, never>
    : E extends { readonly search: infer N }
      ? N extends 'none'
        ? Record<never, never>
        : N extends readonly (infer Name)[]
          ? { readonly context_store_search: { readonly [K in Name & keyof R]: R[K] } }
          : { readonly context_store_search: Fields }
      : { readonly context_store_search: R }
  : Record<never, never>
type EntityOf<F, E, R> = Omit<EntityDefinition, LiveAction | 'record' | 'context_store_search'> & { readonly record: R } & {
  readonly [A in keyof E & LiveAction]: OperationOf<F, R, A, E[A]>
} & SearchOf<R, E>
type SchemeOf<F, S> = Omit<ConnectorDefinition['credentials'][string], 'fields'> & {
  readonly fields: S extends { readonly oauth: infer O }
    ? GrantFields<O> & MemberPart<S, 'fields', 'credential', Groups<F>>
    : MemberPart<S, 'fields', 'credential', Groups<F>>
}
type Grant = { readonly client_id: Field<string> & Optional; readonly client_secret: Field<string> & Optional }
type TokenFields = { readonly access_token: Field<string> & Optional; readonly token_expiry_date: Field<string> & Optional }
type GrantFields<O> = O extends { readonly page: string }
  ? O extends { readonly refresh: false }
    ? Grant & { readonly access_token: Field<string> }
    : Grant & TokenFields & { readonly refresh_token: Field<string> }
  : TokenFields & { readonly client_id: Field<string>; readonly client_secret: Field<string> }

type Definition<F extends KindFile> = Omit<ConnectorDefinition, 'kind' | 'credentials' | 'configuration' | 'entities'> & {
  readonly kind: F['kind']
  readonly credentials: { readonly [S in keyof F['auth']]: SchemeOf<F, F['auth'][S]> }
  readonly configuration: Merge<MemberPart<F, 'configuration', 'configuration', Groups<F>>>
  readonly entities: { readonly [N in keyof F['entities']]: EntityOf<F, F['entities'][N], RecordOf<F, F['entities'][N]>> }
}
/** The definition that a literal makes. */
export type DefinitionOf<F extends KindFile> = Definition<F> extends infer D extends ConnectorDefinition ? D : never

/** Plain types of a kind, as `ferrule kind types` prints them. */
export interface KindTypes {
  readonly kind: string
  /** Fields by scheme. */
  readonly credentials: object
  readonly configuration: object
  /** By entity: `key`, `record`, `context_store_search`, and each action with `params`, `page` and `answers`. */
  readonly entities: object
}
type FieldsOf<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Field<Exclude<T[K], undefined>> & Optional : Field<T[K]>
}
type TypedOperation<O> = { readonly call: `GET /${string}`; readonly at: string } & {
  readonly [K in keyof O]: K extends 'params' ? FieldsOf<O[K]> : O[K]
}
type TypedMember<E, K extends keyof E> = K extends LiveAction ? TypedOperation<E[K]> : K extends 'key' ? E[K] : FieldsOf<E[K]>
type TypedEntity<E> = Omit<EntityDefinition, LiveAction | 'key' | 'record' | 'context_store_search'> & {
  readonly [K in keyof E]: TypedMember<E, K>
}
type Typed<T extends KindTypes> = Omit<ConnectorDefinition, 'kind' | 'credentials' | 'configuration' | 'entities'> & {
  readonly kind: T['kind']
  readonly credentials: {
    readonly [S in keyof T['credentials']]: Omit<CredentialScheme, 'fields'> & { readonly fields: FieldsOf<T['credentials'][S]> }
  }
  readonly configuration: FieldsOf<T['configuration']>
  readonly entities: { readonly [N in keyof T['entities']]: TypedEntity<T['entities'][N]> }
}
/** The definition that printed types say of a kind. */
export type TypedDefinition<T extends KindTypes> = Typed<T> extends infer D extends ConnectorDefinition ? D : never
