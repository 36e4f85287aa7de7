/** Writes the documents of GraphQL calls: the selection comes from the fields of the record, and all values travel as variables. Pure. */
import type { Origin } from './entity.ts'
import type { Field, Fields } from './fields.ts'

/** Where every answer has what the field returned: the document gives the field this name. */
export const graphqlResult = 'data.result'

/** A call in the vendor's notation: `query issues(first: Int, after: String)`. */
export interface GraphqlCall {
  readonly kind: 'query' | 'mutation'
  readonly field: string
  /** Argument → type. */
  readonly args: Readonly<Record<string, string>>
}

/** Reads a call; undefined for any other text. */
export function parseGraphqlCall(text: string): GraphqlCall | undefined {
  const [, kind, field = '', args = ''] = /^(query|mutation) (\w+)(?:\((.*)\))?$/.exec(text) ?? []
  if (kind !== 'query' && kind !== 'mutation') return undefined
  return {
    kind,
    field,
    args: Object.fromEntries([...args.matchAll(/(\w+): ([\w[\]!]+)/g)].map(([, name = '', type = '']) => [name, type])),
  }
}

/** Fields of an object, with the fields of each; empty for a value. */
type Selection = Map<string, Selection>

/** Adds a path, and returns the selection of its last step. Indices are no part of a document. */
function addPath(selection: Selection, path: string): Selection {
  let inner = selection
  for (const step of path.split('.').map((each) => each.replace(/\[.*/, ''))) {
    if (step === '') continue
    const next = inner.get(step) ?? new Map<string, Selection>()
    inner.set(step, next)
    inner = next
  }
  return inner
}

const propertiesOf = ({ properties, items }: Field): Fields => properties ?? (items === undefined ? {} : propertiesOf(items))

function addFields(selection: Selection, fields: Fields, from: Readonly<Record<string, Origin>>): void {
  for (const [name, field] of Object.entries(fields)) {
    const { rename, copy, param } = from[name] ?? {}
    if (param === undefined) addFields(addPath(selection, rename ?? copy ?? name), propertiesOf(field), {})
  }
}

const printSelection = (selection: Selection): string =>
  selection.size === 0 ? '' : ` { ${[...selection].map(([name, inner]) => name + printSelection(inner)).join(' ')} }`

/** What a document asks for. */
export interface GraphqlWanted {
  /** Path of the record or the records in the answer; undefined if nothing of them is wanted. */
  readonly at: string | undefined
  readonly record: Fields
  readonly from?: Readonly<Record<string, Origin>>
  /** Paths of further values in the answer, such as the position of the next page. */
  readonly beside: readonly string[]
}

/** Writes the document of a call. */
export function writeGraphql({ kind, field, args }: GraphqlCall, { at, record, from = {}, beside }: GraphqlWanted): string {
  const all: Selection = new Map()
  const inResult = (path: string): string => path.slice(graphqlResult.length)
  if (at !== undefined) addFields(addPath(all, inResult(at)), record, from)
  for (const path of beside) addPath(all, inResult(path))
  if (all.size === 0) all.set('__typename', new Map()) // an object needs a selection, and this is in every one
  const names = Object.keys(args)
  const declared = names.length === 0 ? '' : `(${names.map((name) => `$${name}: ${args[name]}`).join(', ')})`
  const given = names.length === 0 ? '' : `(${names.map((name) => `${name}: $${name}`).join(', ')})`
  return `${kind}${declared} { result: ${field}${given}${printSelection(all)} }`
}
