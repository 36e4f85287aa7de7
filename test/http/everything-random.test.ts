/** Drawn searches over all connectors: their answers are those of searches of each entity, merged. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Random } from '../context/random.ts'
import { choose } from '../support/draws.ts'
import { allHits, connectEmpty, searchAll, startEverythingWorld, write } from './everything-support.ts'
import { allFound, overBothStores } from './search-support.ts'
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
}

const placesOf = (connector: string, kind: 'desk' | 'shop', workspace: string): readonly Place[] =>
  kind === 'shop'
    ? [{ connector, workspace, kind, entity: 'orders', fields: ['title'], time: 'created_at' }]
    : [
        { connector, workspace, kind, entity: 'tickets', fields: ['subject', 'body', 'custom'], time: 'opened' },
        { connector, workspace, kind, entity: 'people', fields: ['name', 'email'], time: undefined },
      ]

const drawWords = (random: Random): string => random.many(4, () => random.pick(vocabulary)).join(random.pick([' ', ', ', ' / ']))
const drawTime = (random: Random): string | null => (random.chance(0.2) ? null : `2026-0${1 + random.below(3)}-01T00:00:00Z`)

function drawRecord(random: Random, { kind, entity }: Place, id: number): Json {
  if (kind === 'shop')
    return { id: `o${id}`, title: drawWords(random), state: random.pick(states), url: `/o/${id}`, created_at: drawTime(random) }
  if (entity === 'people') return { id: `p${id}`, name: drawWords(random), email: `${random.pick(vocabulary)}@mail.example` }
  const custom = { note: drawWords(random), of: [drawWords(random)] }
  return { id, subject: drawWords(random), body: drawWords(random), state: random.pick(states), custom, opened: drawTime(random) }
}

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

overBothStores('drawn searches over all connectors', (engine) => {
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
  async function merge(wanted: { readonly text?: string; readonly filter?: object }, reached: readonly Place[]) {
    const { text, filter } = wanted
    const found: { readonly place: Place; readonly record: Json; readonly score: number }[] = []
    for (const place of reached) {
      if (JSON.stringify(filter ?? {}).includes('state') && place.entity === 'people') continue
      const words = (text ?? '').split(' ').filter((word) => word !== '')
      const some = words.map((word) => ({ or: place.fields.map((field) => ({ fuzzy: { [field]: word } })) }))
      const query = { filter: { and: [...some, filter ?? {}] }, ...(place.time === undefined ? {} : { sort: [{ [place.time]: 'desc' }] }) }
      const records = await allFound(world, place.connector, { entity: place.entity, params: { query } })
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
      .map(({ place, record }) => `${place.connector} ${place.entity} ${record.id}`)
  }

  const nameOf = ({ connector, entity, key }: Json): string => `${connector.id} ${entity} ${key}`

  test('answer as the merged searches of each entity, in pages of any size', async () => {
    const random = new Random(2027)
    let hits = 0
    for (let draw = 0; draw < choose(20, 1_000); draw += 1) {
      const [text, filter] = [drawText(random), { in: { state: [random.pick(states), random.pick(states)] } }]
      const wanted = random.chance(0.6) ? { text } : random.chance(0.5) ? { filter } : { text, filter }
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
      const first = await searchAll(world, { ...wanted, ...narrowing, limit: 100 }, token)
      if (first.json.meta?.near === true) continue // with typing errors: nothing has the words as they are
      const expected = await merge(wanted, reached)
      const paged = await allHits(world, { ...wanted, ...narrowing, limit: 1 + random.below(7) }, token)
      expect([JSON.stringify(wanted), paged.map(nameOf)]).toEqual([JSON.stringify(wanted), expected])
      const counted = first.json.facets.connectors.reduce((sum: number, { count }: Json) => sum + count, 0)
      expect([counted, first.json.data]).toEqual([expected.length, paged])
      hits += expected.length
    }
    expect(hits).toBeGreaterThan(50)
  })
})
