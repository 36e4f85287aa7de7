/** What stand-ins of GraphQL share: https://spec.graphql.org/October2021. One operation, without fragments, directives and literals. */
import * as kit from './shared.ts'

/** A request that the schema does not allow. */
export class GraphqlError extends Error {}

/** A field that a document asks for. */
export interface Field {
  readonly alias: string
  readonly name: string
  /** Argument → name of its variable. */
  readonly args: ReadonlyMap<string, string>
  readonly fields: readonly Field[]
}
/** An operation. */
export interface Operation {
  readonly kind: string
  /** Variable → type. */
  readonly variables: ReadonlyMap<string, string>
  readonly fields: readonly Field[]
}
/** A type: names of its values, and its objects as `name:Type`. */
export type Types = ReadonlyMap<string, Readonly<Record<string, string>>>

class Reader {
  readonly #tokens: string[]
  constructor(text: string) {
    this.#tokens = text.match(/[A-Za-z_]\w*|[^\s,]/g) ?? []
  }
  #take(expected?: string): string {
    const token = this.#tokens.shift() ?? ''
    if (token === '' || (expected !== undefined && token !== expected))
      throw new GraphqlError(`Syntax Error: Expected ${expected ?? 'Name'}, found ${token}.`)
    return token
  }
  /** Reads what stands between two brackets, if the first one follows. */
  #within<T>([open = '', close = '']: string, read: () => T): T[] {
    const found: T[] = []
    if (this.#tokens[0] !== open) return found
    for (this.#take(open); this.#tokens[0] !== close; ) found.push(read())
    this.#take(close)
    return found
  }
  #type(): string {
    const inner = this.#tokens[0] === '[' ? `[${this.#within('[]', () => this.#type()).join()}]` : this.#take()
    return this.#tokens[0] === '!' ? inner + this.#take('!') : inner
  }
  #named(): string {
    const name = this.#take()
    this.#take(':')
    return name
  }
  #variable(): string {
    this.#take('$')
    return this.#take()
  }
  #field(): Field {
    const alias = this.#take()
    const hasAlias = this.#tokens[0] === ':' && this.#take(':') !== ''
    const name = hasAlias ? this.#take() : alias
    const args = this.#within('()', () => [this.#named(), this.#variable()] as const)
    return { alias, name, args: new Map(args), fields: this.#within('{}', () => this.#field()) }
  }
  read(): Operation {
    const kind = this.#take()
    if (/^[A-Za-z]/.test(this.#tokens[0] ?? '')) this.#take() // the name of the operation
    const variables = this.#within('()', () => {
      this.#take('$')
      return [this.#named(), this.#type()] as const
    })
    return { kind, variables: new Map(variables), fields: this.#within('{}', () => this.#field()) }
  }
}

/** Reads a document. */
export const readOperation = (text: string): Operation => new Reader(text).read()

/** Reads `name:Type` words. */
export const readPairs = (cell: string | undefined): Map<string, string> =>
  new Map(kit.words(cell).map((word) => [word.split(':')[0] ?? '', word.split(':')[1] ?? '']))

/** Reads the arguments of a field: their types must be those of the schema, and a required one must have a value. */
export function readArguments(
  known: ReadonlyMap<string, string>,
  field: Field,
  { declared, variables }: { declared: ReadonlyMap<string, string>; variables: kit.Row },
): kit.Row {
  for (const [name, variable] of field.args) {
    const [wanted, type] = [known.get(name), declared.get(variable)]
    if (wanted === undefined) throw new GraphqlError(`Unknown argument "${name}" on field "${field.name}".`)
    if (type !== wanted && type !== `${wanted}!`)
      throw new GraphqlError(`Variable "$${variable}" of type "${type}" used in position expecting type "${wanted}".`)
  }
  const read = [...field.args].map(([name, variable]) => [name, variables[variable]] as const)
  const args = Object.fromEntries(read.filter(([, value]) => value !== undefined && value !== null))
  const lacking = [...known].find(([name, type]) => type.endsWith('!') && args[name] === undefined)
  if (lacking !== undefined) throw new GraphqlError(`Field "${field.name}" argument "${lacking[0]}" is required, but it was not provided.`)
  return args
}

/** Returns the fields that were asked for; values have none of their own, and objects have some. */
export function select(types: Types, type: string, value: unknown, fields: readonly Field[]): kit.Row | null {
  if (fields.length === 0) throw new GraphqlError(`Field of type "${type}" must have a selection of subfields.`)
  const row = kit.isRow(value) ? value : null
  const [values, relations] = [kit.words(types.get(type)?.['values']), readPairs(types.get(type)?.['relations'])]
  const read = fields.map((each) => {
    const other = relations.get(each.name)
    if (other !== undefined) return [each.alias, select(types, other, row?.[each.name], each.fields)]
    if (each.name === '__typename') return [each.alias, type]
    if (!values.includes(each.name)) throw new GraphqlError(`Cannot query field "${each.name}" on type "${type}".`)
    if (each.fields.length > 0) throw new GraphqlError(`Field "${each.name}" must not have a selection since it has no subfields.`)
    return [each.alias, row?.[each.name] ?? null]
  })
  return row === null ? null : Object.fromEntries(read)
}

/** Returns a page of a connection (https://relay.dev/graphql/connections.htm), in its short form with nodes. */
export function selectConnection(types: Types, type: string, page: { nodes: kit.Row[]; pageInfo: kit.Row }, fields: readonly Field[]) {
  const read = fields.map((each) => {
    if (each.name === 'nodes') return [each.alias, page.nodes.map((row) => select(types, type, row, each.fields))] as const
    if (each.name === 'pageInfo') return [each.alias, select(types, 'PageInfo', page.pageInfo, each.fields)] as const
    throw new GraphqlError(`Cannot query field "${each.name}" on type "${type}Connection".`)
  })
  return Object.fromEntries(read)
}

/** Returns whether a record fits a filter of comparators; `types` names the fields that a filter takes. */
export function fits(types: Types, type: string, value: unknown, filter: unknown): boolean {
  if (!kit.isRow(filter)) throw new GraphqlError('Variable "$filter" got invalid value')
  return Object.entries(filter).every(([name, condition]) => {
    if (!kit.words(types.get(type)?.['filter']).includes(name))
      throw new GraphqlError(`Field "${name}" is not defined by type "${type}Filter".`)
    const [other, own] = [readPairs(types.get(type)?.['relations']).get(name), kit.isRow(value) ? value[name] : undefined]
    if (other !== undefined) return fits(types, other, own, condition) && kit.isRow(own)
    if (!kit.isRow(condition)) throw new GraphqlError(`Variable "$filter" got invalid value at "${name}"`)
    return Object.entries(condition).every(([word, wanted]) => compare(name, own, { word, wanted }))
  })
}

function compare(name: string, own: unknown, { word, wanted }: { word: string; wanted: unknown }): boolean {
  const read = (one: unknown) => (name.endsWith('At') ? Date.parse(String(one)) : Number(one))
  const [left, right] = [read(own), read(wanted)]
  if (name.endsWith('At') && Number.isNaN(right)) throw new GraphqlError(`Variable "$filter" got invalid value; ${name} must be a date`)
  const orders: Record<string, boolean> = { gt: left > right, gte: left >= right, lt: left < right, lte: left <= right }
  const found = { ...orders, eq: own === wanted, neq: own !== wanted, in: Array.isArray(wanted) && wanted.includes(own) }[word]
  if (found === undefined) throw new GraphqlError(`Field "${word}" is not defined by type "Comparator".`)
  return found
}
