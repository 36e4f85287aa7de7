/** Drawn searches over all connectors, with tokens of all kinds: their answers are those of searches of each entity, merged. */
import { afterAll, expect, test } from 'vitest'
import { findHandle, readRows } from '../agent/support.ts'
import { Random } from '../context/random.ts'
import { connectClient, type TestClient } from '../mcp/clients.ts'
import { choose } from '../support/draws.ts'
import { allHits, connectEmpty, searchAll, startEverythingWorld, write } from './everything-support.ts'
import { allFound, overStatements } from './search-support.ts'
import { base, type Json, type World } from './support.ts'

/** Far from each other, so that `fuzzy` of a search of one entity takes no typing error for a match. */
const vocabulary = ['acme', 'globex', 'initech', 'umbrella', 'vandelay', 'cyberdyne', 'wonka', 'tyrell', 'hooli', 'q42', 'inv1001', 'ag']
const states = ['open', 'closed', 'paid']

/** An entity of the test's kinds, as this test reads it. */
interface Copy {
  readonly connector: string
  /** Name of the connector. */
  readonly name: string
  readonly workspace: string
  readonly kind: 'desk' | 'shop'
  readonly entity: string
  /** Fields in which words are found. */
  readonly fields: readonly string[]
  readonly time: string | undefined
  /** References of the entity, each to people. */
  readonly references: readonly string[]
}

/** Fields of related records, by reference. */
type Include = Readonly<Record<string, readonly unknown[]>>

const copiesOf = (of: Pick<Copy, 'connector' | 'name' | 'workspace' | 'kind'>): readonly Copy[] =>
  of.kind === 'shop'
    ? [{ ...of, entity: 'orders', fields: ['title'], time: 'created_at', references: [] }]
    : [
        { ...of, entity: 'tickets', fields: ['subject', 'body', 'custom'], time: 'opened', references: ['requester', 'watchers[]'] },
        { ...of, entity: 'people', fields: ['name', 'email'], time: undefined, references: ['manager'] },
      ]

const drawWords = (random: Random): string => random.many(4, () => random.pick(vocabulary)).join(random.pick([' ', ', ', ' / ']))
/** A person, or one that is missing. */
const drawPerson = (random: Random): string | null => (random.chance(0.1) ? null : `p${random.below(12)}`)
const drawTime = (random: Random): string | null => (random.chance(0.2) ? null : `2026-0${1 + random.below(3)}-01T00:00:00Z`)

function drawRecord(random: Random, { kind, entity }: Copy, id: number): Json {
  if (kind === 'shop')
    return { id: `o${id}`, title: drawWords(random), state: random.pick(states), url: `/o/${id}`, created_at: drawTime(random) }
  if (entity === 'people')
    return { id: `p${id}`, name: drawWords(random), email: `${random.pick(vocabulary)}@mail.example`, manager: drawPerson(random) }
  const custom = { note: drawWords(random), of: [drawWords(random)] }
  return {
    ...{ id, subject: drawWords(random), body: drawWords(random), state: random.pick(states), custom, opened: drawTime(random) },
    ...{ requester: drawPerson(random), watchers: random.many(3, () => drawPerson(random)) },
  }
}

/** Fields of people, and of their managers. */
const drawFields = (random: Random): readonly unknown[] =>
  random.pick([['name'], ['email', 'name'], [], [{ manager: ['name'] }], ['name', { manager: [] }]])

const drawInclude = (random: Random): Include | undefined =>
  random.chance(0.5)
    ? undefined
    : Object.fromEntries(
        ['requester', 'watchers[]', 'manager'].filter(() => random.chance(0.5)).map((name) => [name, drawFields(random)] as const),
      )

const pickOwn = (include: Include, { references }: Copy): Include =>
  Object.fromEntries(Object.entries(include).filter(([name]) => references.includes(name)))

/** A word of the vocabulary, or its beginning. */
const drawText = (random: Random): string =>
  Array.from({ length: 1 + random.below(2) }, () => {
    const word = random.pick(vocabulary)
    return random.chance(0.3) && word.length > 4 ? word.slice(0, word.length - 1) : word
  }).join(' ')

const wordsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : String(value ?? '').split(/[^a-z0-9]+/)

/** Points of a record, as docs/decisions/search.md says them. */
function scoreOf(record: Json, fields: readonly string[], text: string): number {
  const points = text.split(' ').flatMap((sought) =>
    fields.map((field) => {
      const words = wordsOf(record[field])
      return words.includes(sought) ? 3 : words.some((word) => word.startsWith(sought)) ? 2 : 0
    }),
  )
  return points.reduce((sum: number, each) => sum + each, 0)
}

/** What is searched for, and where; left out: everywhere. */
interface Search {
  readonly text?: string
  readonly filter?: object
  readonly include?: Include
  readonly kinds?: readonly string[]
  readonly connectors?: readonly string[]
  readonly entities?: readonly string[]
}

/** A record that was found, with what it refers to. */
interface FoundRecord {
  readonly name: string
  readonly related: unknown
}

/** What a search found: its records in their order, and how many there are. */
interface Answered {
  readonly records: readonly FoundRecord[]
  readonly counted: number
}

/** A token with what it reaches. */
interface Way {
  readonly name: string
  /** true: it is the tool of agents. */
  readonly isAgents?: boolean
  reaches(copy: Copy): boolean
  /** Draws what a search is narrowed to, and what it includes, as far as this way can. */
  narrow(random: Random): Search
  /** Reads all pages; undefined where only words with typing errors were found. */
  find(search: Search, random: Random): Promise<Answered | undefined>
}

const sum = (counts: readonly number[]): number => counts.reduce((all, each) => all + each, 0)

/** A bearer token at the route. */
function byHttp(sign: () => readonly [world: World, token: string]): Way['find'] {
  return async (search, random) => {
    const [world, token] = sign()
    const first = await searchAll(world, { ...search, limit: 100 }, token)
    if (first.json.meta?.near === true) return undefined
    const paged = await allHits(world, { ...search, limit: 1 + random.below(7) }, token)
    expect(first.json.data).toEqual(paged)
    return {
      records: paged.map(({ connector, entity, key, related }) => ({ name: `${connector.name} ${entity} ${key}`, related })),
      counted: sum(first.json.facets.connectors.map(({ count }: Json) => count)),
    }
  }
}

/** An MCP token at the tool of agents. */
function byMcp(connected: () => TestClient | undefined): Way['find'] {
  return async ({ text, filter, include = {}, entities: [entity] = [] }, random) => {
    const client = connected()
    if (client === undefined) throw new Error('the client is not connected')
    const paths = Object.entries(include).flatMap(([reference, fields]) => fields.map((field) => `${reference}.${field}`))
    const args = { limit: 1 + random.below(30), text, filter, entity, include: paths }
    const records: FoundRecord[] = []
    let answer = await client.call('search', JSON.parse(JSON.stringify(args)))
    const beside = JSON.parse(/^Beside the rows: (.*)$/m.exec(answer.text)?.[1] ?? '{}')
    if (beside.near !== undefined) return undefined
    for (;;) {
      if (answer.isError) throw new Error(answer.text)
      for (const row of readRows(answer).map((each): Json => each))
        records.push({ name: `${row.connector} ${row.entity} ${row.key}`, related: row.related ?? undefined })
      const handle = findHandle(answer)
      if (handle === undefined) return { records, counted: sum(Object.values(beside.found ?? {})) }
      answer = await client.call('read_more', { handle })
    }
  }
}

overStatements('drawn searches over all connectors', async (engine) => {
  const copies: Copy[] = []
  const clients = new Map<string, TestClient>()
  const connectorAt = (index: number): string => [...new Set(copies.map(({ connector }) => connector))][index] ?? ''

  const world = await startEverythingWorld(engine)
  const random = new Random(27)
  for (let index = 0; index < 5; index += 1) {
    const [kind, workspace] = [index % 2 === 0 ? 'desk' : 'shop', index < 3 ? 'default' : 'Second'] as const
    const name = `${kind} ${index}`
    const connector = await connectEmpty(world, kind, name, { workspace_name: workspace, create_workspace: true })
    copies.push(...copiesOf({ connector, name, workspace, kind }))
  }
  for (const copy of copies) {
    const records = Array.from({ length: random.below(12) }, (_, id) => drawRecord(random, copy, id))
    await write(world, { ...copy, records })
  }
  const sent = { token: world.token, body: { workspace_name: 'Second' } }
  const workspaceToken = (await world.ask(`${base}/account/applications/scoped-token`, sent)).json.token
  const both = { workspace_names: ['default', 'Second'] }
  const wanted = { both, second: { workspace_names: ['Second'] }, named: { ...both, connector_ids: [1, 4].map(connectorAt) } }
  for (const [name, body] of Object.entries(wanted)) {
    const { token } = (await world.ask(`${base}/account/mcp-tokens`, { token: world.token, body: { name, ...body } })).json
    clients.set(name, await connectClient(`${world.url}/mcp`, token, '2026-07-28'))
  }
  afterAll(async () => {
    for (const client of clients.values()) await client.close()
    await world.close()
  })

  /** Searches each entity, and merges the answers in plain code. */
  async function merge({ text, filter, include = {} }: Search, fit: readonly Copy[]): Promise<readonly FoundRecord[]> {
    const found: { readonly copy: Copy; readonly record: Json; readonly score: number }[] = []
    for (const copy of fit) {
      const words = (text ?? '').split(' ').filter((word) => word !== '')
      const some = words.map((word) => ({ or: copy.fields.map((field) => ({ fuzzy: { [field]: word } })) }))
      const query = { filter: { and: [...some, filter ?? {}] }, ...(copy.time === undefined ? {} : { sort: [{ [copy.time]: 'desc' }] }) }
      const params = { query, include: pickOwn(include, copy) }
      const records = await allFound(world, copy.connector, { entity: copy.entity, params })
      for (const record of records) found.push({ copy, record, score: text === undefined ? 0 : scoreOf(record, copy.fields, text) })
    }
    const timeOf = ({ copy, record }: (typeof found)[number]): string => (copy.time === undefined ? '' : (record[copy.time] ?? ''))
    return found
      .toSorted(
        (a, b) =>
          b.score - a.score ||
          timeOf(b).localeCompare(timeOf(a)) ||
          (a.copy.connector < b.copy.connector ? -1 : a.copy.connector > b.copy.connector ? 1 : 0) ||
          (a.copy.entity < b.copy.entity ? -1 : a.copy.entity > b.copy.entity ? 1 : 0),
      )
      .map(({ copy, record }) => ({ name: `${copy.name} ${copy.entity} ${record.id}`, related: record._related }))
  }

  const isSecond = ({ workspace }: Copy): boolean => workspace === 'Second'
  const isNamed = ({ connector }: Copy): boolean => named().includes(connector)
  const drawEntity = (random: Random): Search => (random.chance(0.3) ? { entities: [random.pick(['tickets', 'people', 'orders'])] } : {})
  /** The tool of agents takes fields of one reference each. */
  const drawForMcp = (random: Random): Search => {
    const names = ['requester', 'watchers[]', 'manager'].filter(() => random.chance(0.3))
    const include = Object.fromEntries(names.map((name) => [name, random.pick([['name'], ['email', 'name']])] as const))
    return { ...drawEntity(random), ...(names.length === 0 ? {} : { include }) }
  }
  /** Narrows a search of bearer tokens. @param named connectors that the token reaches */
  const narrowTo = (named: () => readonly string[]) => (random: Random) => {
    const narrowed = random.pick<() => Search>([
      () => ({}),
      () => drawEntity(random),
      () => ({ kinds: ['desk'] }),
      () => ({ connectors: [random.pick(named())] }),
      () => ({ connectors: named() }),
    ])()
    const include = drawInclude(random)
    return { ...narrowed, ...(include === undefined ? {} : { include }) }
  }
  const named = () => [1, 4].map(connectorAt)
  const seconds = () => [...new Set(copies.filter(isSecond).map(({ connector }) => connector))]
  const byClient = (name: string): Way['find'] => byMcp(() => clients.get(name))
  const ways: readonly Way[] = [
    { name: 'organization', reaches: () => true, narrow: narrowTo(named), find: byHttp(() => [world, world.token]) },
    { name: 'workspace', reaches: isSecond, narrow: narrowTo(seconds), find: byHttp(() => [world, workspaceToken]) },
    { name: 'MCP, all workspaces', isAgents: true, reaches: () => true, narrow: drawForMcp, find: byClient('both') },
    { name: 'MCP, one workspace', isAgents: true, reaches: isSecond, narrow: drawForMcp, find: byClient('second') },
    { name: 'MCP, named connectors', isAgents: true, reaches: isNamed, narrow: drawForMcp, find: byClient('named') },
  ]

  test('answer as the merged searches of each entity, in pages of any size', { timeout: choose(480_000, 3_600_000) }, async () => {
    const random = new Random(2027)
    const [draws, telling] = [choose(25, 1_000), new Map<string, number>()]
    let [compared, included] = [0, 0]
    for (let draw = 0; compared < draws; draw += 1) {
      const way = ways[draw % ways.length] ?? random.pick(ways)
      const [text, filter] = [drawText(random), { in: { state: [random.pick(states), random.pick(states)] } }]
      const wanted = random.chance(0.6) ? { text } : random.chance(0.5) ? { filter } : { text, filter }
      const search: Search = { ...wanted, ...way.narrow(random) }
      const { kinds, connectors, entities, include = {} } = search
      if ('filter' in wanted && entities?.includes('people')) continue // is refused: no entity that is left has the field
      const fit = copies.filter(
        (copy) =>
          way.reaches(copy) &&
          kinds?.includes(copy.kind) !== false &&
          connectors?.includes(copy.connector) !== false &&
          entities?.includes(copy.entity) !== false &&
          !('filter' in wanted && copy.entity === 'people'),
      )
      const untaken = Object.keys(include).find((name) => !fit.some(({ references }) => references.includes(name)))
      const found = await way.find(search, random).catch((thrown: unknown) => String(thrown))
      if (untaken !== undefined) {
        expect(found).toContain(`/include/${way.isAgents ? '' : untaken}`)
        continue
      }
      if (found === undefined) continue // with typing errors: nothing has the words as they are
      const records = await merge(search, fit)
      expect({ way: way.name, search, found }).toEqual({ way: way.name, search, found: { records, counted: records.length } })
      compared += 1
      telling.set(way.name, (telling.get(way.name) ?? 0) + Number(records.length > 0))
      included += records.filter(({ related }) => related !== undefined).length
    }
    for (const { name } of ways) expect(telling.get(name), name).toBeGreaterThan(draws / 20)
    expect(included).toBeGreaterThan(10)
  })
})
