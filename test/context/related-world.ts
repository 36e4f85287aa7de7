/** A kind whose records refer to each other, its records in a store, and what searches through references must find, in plain code. */
import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import { type Fields, id, list, obj, objectOrAny, open, orNull, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { readJson } from '../../packages/ferrule/src/values/json/json.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { SearchableKind } from '../../packages/server/src/copies/store/types.ts'
import type { OwnKind } from '../../packages/server/src/values/access.ts'
import { createSearcher } from '../support/searcher.ts'
import { answered, isFound } from './oracle.ts'
import type { Json } from './oracle-paths.ts'

const callFields = {
  id: str('Id'),
  title: orNull(str('Title')),
  ownerId: orNull(str('User')),
  ticketNumber: orNull(id('Ticket')),
  ticketText: orNull(str('Number of a ticket, as a text')),
  labelIds: orNull(list(id('Label'), 'Labels')),
  parties: orNull(list(obj({ userId: orNull(str('User')), role: str('Role') }, 'Party'), 'Parties')),
  details: orNull(open('Details; spareId refers to a user')),
  started: time('When'),
}
const userFields = {
  id: str('Id'),
  name: str('Name'),
  title: orNull(str('Title')),
  teamId: orNull(id('Team')),
  managerId: orNull(str('User')),
  settings: orNull(open('Settings')),
}
const ticketFields = { number: id('Number'), title: str('Title'), ownerId: orNull(str('User')) }
const teamFields = { id: id('Id'), name: str('Name') }
const labelFields = { id: objectOrAny('Id, a number or a text'), name: str('Name') }

const entity = (fields: Fields, refers: Readonly<Record<string, string>>, key = 'id'): EntityDefinition => ({
  about: 'For tests.',
  key: [key],
  context_store_search: fields,
  refers,
})

/** The entities: texts, integers and undeclared ids as keys, references by one value, by a path, by lists, and to themselves. */
export const entities: Readonly<Record<string, EntityDefinition>> = {
  calls: entity(callFields, {
    ownerId: 'users',
    ticketNumber: 'tickets',
    ticketText: 'tickets',
    'labelIds[]': 'labels',
    'parties[].userId': 'users',
    'details.spareId': 'users',
  }),
  users: entity(userFields, { teamId: 'teams', managerId: 'users' }),
  tickets: entity(ticketFields, { ownerId: 'users' }, 'number'),
  teams: entity(teamFields, {}),
  labels: entity(labelFields, {}),
}

/** The kind. */
export const relatedKind: SearchableKind = { kind: 'related-kind', entities }
/** The same as a kind of an organization. */
export const ownRelatedKind: OwnKind = {
  organizationId: '0f6a2c1e-2a49-4f4b-8f6e-d0a3b35cf2aa',
  id: '6a6f0cf0-51a1-4c12-9a44-0c3f0f2f7c12',
  entities,
}

let connectors = 0
/** Names an entity of a connector that no other test uses. */
export function createRelatedRef(own?: OwnKind): EntityRef {
  connectors += 1
  const connector = `0190a000-0000-7000-9000-${String(connectors).padStart(12, '0')}`
  return { connector, kind: own?.id ?? relatedKind.kind, entity: 'calls', own }
}

/** Records by entity. */
export type Records = Readonly<Record<string, readonly Json[]>>

/** Stores records. */
export async function storeRecords(store: ContextStore, ref: EntityRef, records: Records): Promise<void> {
  for (const [name, all] of Object.entries(records)) {
    const { key } = store.getTable(ref.kind, name, ref.own)
    const stored = all.map((fields) => ({ key: buildPrimaryKey(key, fields) ?? '', fields }))
    await store.writeBatch({ ...ref, entity: name }, { records: stored, asked: Date.now() })
  }
}

/** Searches, and returns the records of all pages. @param size records of a page */
export async function findRelated(store: ContextStore, ref: EntityRef, params: Json, size = 1_000): Promise<readonly unknown[]> {
  const searcher = createSearcher(store)
  const found: unknown[] = []
  let cursor: string | null | undefined
  do {
    const page = await searcher.search({
      ref,
      params: { limit: size, ...params, ...(cursor === undefined ? {} : { cursor }) },
      key: Buffer.from('key'),
      now: 0,
      timeoutMs: 400_000,
    })
    const data = readJson(page?.json ?? '[]')
    found.push(...(Array.isArray(data) ? data : []))
    cursor = page?.cursor ?? null
  } while (cursor !== null)
  return found
}

/** Computes the groups of a copy. */
export async function groupRelated(store: ContextStore, ref: EntityRef, params: Json): Promise<readonly Json[]> {
  const page = await createSearcher(store).aggregate({ ref, params, key: Buffer.from('key'), now: 0, timeoutMs: 400_000 })
  const rows = readJson(page?.json ?? '[]')
  return Array.isArray(rows) ? rows.map((row) => Object(row)) : []
}

const fieldsOf = (name: string): Fields => entities[name]?.context_store_search ?? {}

/** Reads a path of the definition in a record: its values, lists spread. */
function valuesAt(value: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [value]
  for (const step of path.split('.')) {
    const name = step.replace('[]', '')
    found = found.flatMap((each) => (typeof each === 'object' && each !== null && !Array.isArray(each) ? [Reflect.get(each, name)] : []))
    if (step.endsWith('[]')) found = found.flatMap((each) => (Array.isArray(each) ? each : []))
  }
  return found.filter((each) => typeof each === 'string' || typeof each === 'number' || typeof each === 'bigint')
}

/** Returns whether a value refers to a key: a text to a number only where it is written as one. */
const refersTo = (value: unknown, key: unknown): boolean => String(value) === String(key)

/** Plain code over records. */
export class Oracle {
  readonly #records: Records

  constructor(records: Records) {
    this.#records = records
  }

  #target(name: string, value: unknown): Json | undefined {
    const key = entities[name]?.key[0] ?? 'id'
    return this.#records[name]?.find((each) => refersTo(value, each[key]))
  }

  /** Returns whether a filter finds a call. A field begins with a reference where one leads to it. */
  finds(call: Json, filter: Json): boolean {
    return Object.entries(filter).every(([operator, operand]) => {
      if (operator === 'not') return !this.finds(call, operand as Json)
      if (operator === 'and') return (operand as Json[]).every((each) => this.finds(call, each))
      if (operator === 'or') return (operand as Json[]).some((each) => this.finds(call, each))
      return Object.entries(operand as Json).every(([field, value]) => this.#holds(call, { operator, field, value }))
    })
  }

  #holds(call: Json, { operator, field, value }: { operator: string; field: string; value: unknown }): boolean {
    const reference = Object.entries(entities['calls']?.refers ?? {}).find(([path]) => field.startsWith(`${path}.`))
    if (reference === undefined) return isFound(fieldsOf('calls'), call, { [operator]: { [field]: value } })
    const [path, name] = reference
    return valuesAt(call, path).some((each) => {
      const target = this.#target(name, each)
      return target !== undefined && isFound(fieldsOf(name), target, { [operator]: { [field.slice(path.length + 1)]: value } })
    })
  }

  /** Returns a record as a search with `include` answers it. */
  answers(name: string, record: Json, include: Json, chosen: readonly string[] = []): Json {
    const related = Object.entries(include).map(([path, wanted]) => [path, this.#related(name, record, path, wanted as unknown[])] as const)
    return { ...answered(fieldsOf(name), record, chosen), ...(related.length === 0 ? {} : { _related: Object.fromEntries(related) }) }
  }

  #related(name: string, record: Json, path: string, wanted: readonly unknown[]): unknown {
    const target = entities[name]?.refers?.[path] ?? ''
    const chosen = wanted.filter((each) => typeof each === 'string')
    const deeper = Object.assign({}, ...wanted.filter((each) => typeof each === 'object'))
    const write = (value: unknown): Json | null => {
      const found = this.#target(target, value)
      if (found === undefined) return null
      const whole = this.answers(target, found, deeper, chosen)
      return chosen.length === 0 && wanted.length > 0 ? { _related: whole['_related'] } : whole
    }
    const values = valuesAt(record, path)
    if (!path.includes('[]')) return values.length === 0 ? null : write(values[0])
    return Object.fromEntries(values.map((value) => [String(value), write(value)]))
  }
}
