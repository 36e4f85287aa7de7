/** Drawn searches over all connectors: their answers are those of searches of each entity, merged. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Random } from '../context/random.ts'
import { choose } from '../support/draws.ts'
import { allHits, connectEmpty, searchAll, startEverythingWorld, write } from './everything-support.ts'
import { allFound, overStatements } from './search-support.ts'
import { base, type Json, type World } from './support.ts'

/** Far from each other, so that `fuzzy` of a search of one entity takes no typing error for a match. */
const vocabulary = ['acme', 'globex', 'initech', 'umbrella', 'vandelay', 'cyberdyne', 'wonka', 'tyrell', 'hooli', 'q42', 'inv1001', 'ag']
const states = ['open', 'closed', 'paid']

/** An entity of the test's kinds, as this test reads it. */
interface Place {
  readonly connector: string
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

const placesOf = (connector: string, kind: 'desk' | 'shop', workspace: string): readonly Place[] =>
  kind === 'shop'
    ? [{ connector, workspace, kind, entity: 'orders', fields: ['title'], time: 'created_at', references: [] }]
    : [
        {
          ...{ connector, workspace, kind, entity: 'tickets', fields: ['subject', 'body', 'custom'], time: 'opened' },
          references: ['requester', 'watchers[]'],
        },
        { connector, workspace, kind, entity: 'people', fields: ['name', 'email'], time: undefined, references: ['manager'] },
      ]

const drawWords = (random: Random): string => random.many(4, () => random.pick(vocabulary)).join(random.pick([' ', ', ', ' / ']))
/** A person, or one that is missing. */
const drawPerson = (random: Random): string | null => (random.chance(0.1) ? null : `p${random.below(12)}`)
const drawTime = (random: Random): string | null => (random.chance(0.2) ? null : `2026-0${1 + random.below(3)}-01T00:00:00Z`)

function drawRecord(random: Random, { kind, entity }: Place, id: number): Json {
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

const pickOwn = (include: Include, { references }: Place): Include =>
  Object.fromEntries(Object.entries(include).filter(([name]) => references.includes(name)))

/** A word of the vocabulary, or its beginning. */
const drawText = (random: Random): string =>
  Array.from({ length: 1 + random.below(2) }, () => {
    const word = random.pick(vocabulary)
    return random.chance(0.3) && word.length > 4 ? word.slice(0, word.length - 1) : word
  }).join(' ')

const wordsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : String(value ?? '').split(/[^a-z0-9]+/)

/** Points of a record, as docs/decisions/search-words.md says them. */
function scoreOf(record: Json, fields: readonly string[], text: string): number {
  const points = text.split(' ').flatMap((sought) =>
    fields.map((field) => {
      const words = wordsOf(record[field])
      return words.includes(sought) ? 3 : words.some((word) => word.startsWith(sought)) ? 2 : 0
    }),
  )
  return points.reduce((sum: number, each) => sum + each, 0)
}

overStatements('drawn searches over all connectors', (engine) => {
  let world: World
  let places: readonly Place[]
  let workspaceToken: string
  beforeAll(async () => {
    world = await startEverythingWorld(engine)
    const random = new Random(27)
    const made: Place[] = []
    for (let index = 0; index < 5; index += 1) {
      const [kind, workspace] = [index % 2 === 0 ? 'desk' : 'shop', index < 3 ? 'default' : 'Second'] as const
      const connector = await connectEmpty(world, kind, `${kind} ${index}`, { workspace_name: workspace, create_workspace: true })
      made.push(...placesOf(connector, kind, workspace))
    }
    places = made
    for (const place of places) {
      const records = Array.from({ length: random.below(12) }, (_, id) => drawRecord(random, place, id))
      await write(world, { ...place, records })
    }
    const sent = { token: world.token, body: { workspace_name: 'Second' } }
    workspaceToken = (await world.ask(`${base}/account/applications/scoped-token`, sent)).json.token
  })
  afterAll(() => world.close())

  /** Searches each entity, and merges the answers in plain code. */
  async function merge(wanted: { readonly text?: string; readonly filter?: object; readonly include?: Include }, fit: readonly Place[]) {
    const { text, filter, include = {} } = wanted
    const found: { readonly place: Place; readonly record: Json; readonly score: number }[] = []
    for (const place of fit) {
      const words = (text ?? '').split(' ').filter((word) => word !== '')
      const some = words.map((word) => ({ or: place.fields.map((field) => ({ fuzzy: { [field]: word } })) }))
      const query = { filter: { and: [...some, filter ?? {}] }, ...(place.time === undefined ? {} : { sort: [{ [place.time]: 'desc' }] }) }
      const params = { query, include: pickOwn(include, place) }
      const records = await allFound(world, place.connector, { entity: place.entity, params })
      for (const record of records) found.push({ place, record, score: text === undefined ? 0 : scoreOf(record, place.fields, text) })
    }
    const timeOf = ({ place, record }: (typeof found)[number]): string => (place.time === undefined ? '' : (record[place.time] ?? ''))
    return found
      .toSorted(
        (a, b) =>
          b.score - a.score ||
          timeOf(b).localeCompare(timeOf(a)) ||
          (a.place.connector < b.place.connector ? -1 : a.place.connector > b.place.connector ? 1 : 0) ||
          (a.place.entity < b.place.entity ? -1 : a.place.entity > b.place.entity ? 1 : 0),
      )
      .map(({ place, record }) => ({ name: `${place.connector} ${place.entity} ${record.id}`, related: record._related }))
  }

  const describe = ({ connector, entity, key, related }: Json) => ({ name: `${connector.id} ${entity} ${key}`, related })

  test('answer as the merged searches of each entity, in pages of any size', async () => {
    const random = new Random(2027)
    let [hits, included] = [0, 0]
    for (let draw = 0; draw < choose(20, 1_000); draw += 1) {
      const [text, filter] = [drawText(random), { in: { state: [random.pick(states), random.pick(states)] } }]
      const include = drawInclude(random)
      const wanted = {
        ...(random.chance(0.6) ? { text } : random.chance(0.5) ? { filter } : { text, filter }),
        ...(include === undefined ? {} : { include }),
      }
      const isScoped = random.chance(0.4)
      const kinds = random.chance(0.2) ? { kinds: ['desk'] } : {}
      const connectors = random.chance(0.2)
        ? { connectors: [random.pick(places.filter(({ workspace }) => workspace === 'Second')).connector] }
        : {}
      const narrowing = random.chance(0.5) ? kinds : connectors
      const reached = places.filter(
        ({ connector, workspace, kind }) =>
          (!isScoped || workspace === 'Second') &&
          (!('kinds' in narrowing) || kind === 'desk') &&
          (!('connectors' in narrowing) || narrowing.connectors?.includes(connector) === true),
      )
      const token = isScoped ? workspaceToken : world.token
      const fit = reached.filter(({ entity }) => !('filter' in wanted) || entity !== 'people')
      const first = await searchAll(world, { ...wanted, ...narrowing, limit: 100 }, token)
      const untaken = Object.keys(include ?? {}).find((name) => !fit.some(({ references }) => references.includes(name)))
      if (untaken !== undefined) {
        expect([first.status, first.json.errors?.[0]?.field]).toEqual([422, `/include/${untaken}`])
        continue
      }
      if (first.json.meta?.near === true) continue // with typing errors: nothing has the words as they are
      const expected = await merge(wanted, fit)
      const paged = await allHits(world, { ...wanted, ...narrowing, limit: 1 + random.below(7) }, token)
      expect([JSON.stringify(wanted), paged.map(describe)]).toEqual([JSON.stringify(wanted), expected])
      const counted = first.json.facets.connectors.reduce((sum: number, { count }: Json) => sum + count, 0)
      expect([counted, first.json.data]).toEqual([expected.length, paged])
      hits += expected.length
      included += expected.filter(({ related }) => related !== undefined).length
    }
    expect(hits).toBeGreaterThan(50)
    expect(included).toBeGreaterThan(10)
  })
})
