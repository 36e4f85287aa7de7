/** References between entities: what searches include, what filters find through them, and that the oracle agrees over random ones. */
import { expect, test } from 'vitest'
import { choose } from '../support/draws.ts'
import { createSearcher } from '../support/searcher.ts'
import type { Json } from './oracle-paths.ts'
import { Random } from './random.ts'
import {
  createRelatedRef,
  findRelated,
  groupRelated,
  Oracle,
  ownRelatedKind,
  type Records,
  relatedKind,
  storeRecords,
} from './related-world.ts'
import { createStoreWorld, overStatements, refusal } from './store-world.ts'

const users = [
  { id: 'u1', name: 'Ada', title: 'Account executive', teamId: 7n, managerId: 'u2', settings: { zone: 'UTC' } },
  { id: 'u2', name: 'Grace', title: 'Head of sales', teamId: null, managerId: null, settings: null },
  { id: 'u\u00013\u0002', name: 'Odd', title: 'Accountant', teamId: -5n, managerId: 'u1', settings: null },
]
const blank = { title: null, ownerId: null, ticketNumber: null, ticketText: null, labelIds: null, parties: null, details: null }
const call = (id: string, more: object) => ({ ...blank, id, started: '2026-01-01T00:00:00Z', ...more })
const large = 2n ** 63n + 12n
const records: Records = {
  users,
  teams: [
    { id: 7n, name: 'West' },
    { id: -5n, name: 'East' },
  ],
  tickets: [
    { number: 12n, title: 'Broken', ownerId: 'u2' },
    { number: large, title: 'Large', ownerId: null },
  ],
  labels: [
    { id: 3n, name: 'Three' },
    { id: 'three', name: 'Text' },
    { id: '3x', name: 'Mixed' },
  ],
  calls: [
    call('c1', { ownerId: 'u1', ticketNumber: 12n, labelIds: [3n, 'three', 9n, 3n], details: { spareId: 'u2' } }),
    call('c2', {
      ownerId: 'u2',
      ticketText: '12',
      parties: [{ userId: 'u1', role: 'host' }, { role: 'guest' }, { userId: 'gone', role: 'x' }],
    }),
    call('c3', { ownerId: 'gone', ticketNumber: large, ticketText: 'twelve', details: { spareId: { id: 'u1' } } }),
    call('c4', { ownerId: 'u\u00013\u0002', ticketText: '012', labelIds: ['3x'] }),
    call('c5', {}),
  ],
}

overStatements('related records', (engine) => {
  const open = async (own = false) => {
    const world = await createStoreWorld(engine)
    const store = world.open({ kinds: [relatedKind] })
    const ref = createRelatedRef(own ? ownRelatedKind : undefined)
    const find = (params: object, size?: number) => findRelated(store, ref, { query: {}, ...params }, size)
    const ids = async (filter: object) => (await find({ query: { filter }, fields: ['id'] })).map((each) => Reflect.get(Object(each), 'id'))
    return { world, store, ref, find, ids }
  }

  test.each([false, true])('come with the records that refer to them (own kind: %s)', async (own) => {
    const { world, store, ref, find } = await open(own)
    await storeRecords(store, ref, records)
    const page = await find({
      fields: ['id'],
      include: {
        owner_id: ['name', { teamId: ['name'] }],
        ticketNumber: ['title', { ownerId: ['name'] }],
        ticketText: ['title'],
        'labelIds[]': ['name'],
        'parties.userId': ['name', 'settings.zone'],
        'details.spareId': ['name'],
      },
    })
    const nothing = {
      ownerId: null,
      ticketNumber: null,
      ticketText: null,
      'labelIds[]': {},
      'parties[].userId': {},
      'details.spareId': null,
    }
    const ada = { name: 'Ada', _related: { teamId: { name: 'West' } } }
    const grace = { name: 'Grace', _related: { teamId: null } }
    expect(page).toEqual([
      {
        id: 'c1',
        _related: {
          ...nothing,
          ownerId: ada,
          ticketNumber: { title: 'Broken', _related: { ownerId: { name: 'Grace' } } },
          'labelIds[]': { 3: { name: 'Three' }, 9: null, three: { name: 'Text' } },
          'details.spareId': { name: 'Grace' },
        },
      },
      {
        id: 'c2',
        _related: {
          ...nothing,
          ownerId: grace,
          ticketText: { title: 'Broken' },
          'parties[].userId': { gone: null, u1: { name: 'Ada', settings: { zone: 'UTC' } } },
        },
      },
      { id: 'c3', _related: { ...nothing, ticketNumber: { title: 'Large', _related: { ownerId: null } } } },
      {
        id: 'c4',
        _related: {
          ...nothing,
          ownerId: { name: 'Odd', _related: { teamId: { name: 'East' } } },
          'labelIds[]': { '3x': { name: 'Mixed' } },
        },
      },
      { id: 'c5', _related: nothing },
    ])
    await world.close()
  })

  test('come whole without names, and below an own reference alone', async () => {
    const { world, store, ref, find } = await open()
    await storeRecords(store, ref, records)
    const [first] = await find({
      query: { filter: { eq: { id: 'c1' } } },
      fields: ['id'],
      include: { ownerId: [], ticketNumber: [{ ownerId: ['id'] }] },
    })
    expect(first).toEqual({
      id: 'c1',
      _related: { ownerId: { ...users[0], teamId: 7 }, ticketNumber: { _related: { ownerId: { id: 'u2' } } } },
    })
    await world.close()
  })

  test('are looked for by filters', async () => {
    const { world, store, ref, ids } = await open()
    await storeRecords(store, ref, records)
    expect(await ids({ fuzzy: { 'ownerId.title': 'acount executive' } })).toEqual(['c1'])
    expect(await ids({ fuzzy: { 'owner_id.Title': 'acc' } })).toEqual(['c1', 'c4'])
    expect(await ids({ not: { fuzzy: { 'ownerId.title': 'acc' } } })).toEqual(['c2', 'c3', 'c5'])
    expect(await ids({ eq: { 'parties.userId.name': 'Ada' } })).toEqual(['c2'])
    expect(await ids({ eq: { 'parties[].userId.name': 'Ada' } })).toEqual(['c2'])
    expect(await ids({ any: { parties: { eq: { 'userId.name': 'Ada', role: 'host' } } } })).toEqual(['c2'])
    expect(await ids({ any: { parties: { eq: { 'userId.name': 'Ada', role: 'guest' } } } })).toEqual([])
    expect(await ids({ in: { 'labelIds[].name': ['Three', 'Mixed'] } })).toEqual(['c1', 'c4'])
    expect(await ids({ eq: { 'ticketNumber.title': 'Large' } })).toEqual(['c3'])
    expect(await ids({ like: { 'ticketText.title': 'Brok' } })).toEqual(['c2'])
    expect(await ids({ eq: { 'details.spareId.name': 'Grace' } })).toEqual(['c1'])
    expect(await ids({ eq: { 'ownerId.settings.zone': 'UTC' } })).toEqual(['c1'])
    expect(await ids({ eq: { 'ownerId.teamId': null } })).toEqual(['c2'])
    expect(await ids({ or: [{ eq: { 'ownerId.name': 'Ada' } }, { eq: { 'ticketText.title': 'Broken' } }] })).toEqual(['c1', 'c2'])
    await world.close()
  })

  test.each([false, true])('come with groups, and counts are filtered through them (own kind: %s)', async (own) => {
    const { world, store, ref } = await open(own)
    await storeRecords(store, ref, records)
    const groups = (params: object) => groupRelated(store, ref, { ...params })
    const wanted = { ownerId: ['name', { teamId: ['name'] }] }
    const ada = { name: 'Ada', _related: { teamId: { name: 'West' } } }
    const named = [
      { ownerId: 'gone', count: 1, _related: { ownerId: null } },
      { ownerId: 'u\u00013\u0002', count: 1, _related: { ownerId: { name: 'Odd', _related: { teamId: { name: 'East' } } } } },
      { ownerId: 'u1', count: 1, _related: { ownerId: ada } },
      { ownerId: 'u2', count: 1, _related: { ownerId: { name: 'Grace', _related: { teamId: null } } } },
      { ownerId: null, count: 1, _related: { ownerId: null } },
    ]
    expect(await groups({ group_by: ['ownerId'], include: wanted })).toEqual(named)
    expect(await groups({ group_by: ['owner_id'], include: wanted, limit: 2 })).toEqual(
      named.slice(0, 2).map(({ ownerId, ...rest }) => ({ owner_id: ownerId, ...rest })),
    )
    const several = await groups({
      group_by: [
        { field: 'labelIds', as: 'label' },
        { field: 'ticketNumber', as: 'ticket' },
      ],
      include: { 'labelIds[]': ['name'], ticketNumber: ['title'] },
      query: { filter: { eq: { 'ownerId.name': 'Ada' } } },
      sort: [{ label: 'desc' }],
    })
    const broken = { title: 'Broken' }
    expect(several).toEqual([
      { label: 9, ticket: 12, count: 1, _related: { 'labelIds[]': null, ticketNumber: broken } },
      { label: 3, ticket: 12, count: 1, _related: { 'labelIds[]': { name: 'Three' }, ticketNumber: broken } },
      { label: 'three', ticket: 12, count: 1, _related: { 'labelIds[]': { name: 'Text' }, ticketNumber: broken } },
    ])
    const spare = { group_by: ['details.spareId'], include: { 'details.spareId': ['name'] }, having: { gte: { count: 1 } } }
    expect((await groups(spare)).find((row) => row['details.spareId'] === 'u2')).toMatchObject({
      _related: { 'details.spareId': { name: 'Grace' } },
    })
    expect(await refusal(groups({ group_by: ['title'], include: wanted }))).toContain(
      'names ownerId, which is no group; add it to group_by',
    )
    expect(await refusal(groups({ group_by: [{ field: 'title', as: '_related' }, 'ownerId'], include: wanted }))).toMatch(
      /^invalid_parameter/,
    )
    await world.close()
  })

  test('are found by integers of every length, and by those beside the limits of 64 bits', async () => {
    const { world, store, ref, find } = await open()
    const tens = Array.from({ length: 20 }, (_, digits) => 10n ** BigInt(digits))
    const limits = [2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n]
    const numbers = [...new Set([0n, ...limits, ...tens.flatMap((ten) => [ten - 1n, ten, -ten, 1n - ten])])]
    await storeRecords(store, ref, {
      tickets: numbers.map((number) => ({ number, title: `Ticket ${number}`, ownerId: null })),
      calls: numbers.map((number, index) => call(`n${index}`, { ticketNumber: number })),
    })
    const titles = numbers.map((number) => ({ title: `Ticket ${number}` }))
    const found = await find({ query: { filter: { like: { 'ticketNumber.title': 'Ticket %' } } }, include: { ticketNumber: ['title'] } })
    const read = found.map((each) => [String(Reflect.get(Object(each), 'id')), Reflect.get(Object(each), '_related').ticketNumber] as const)
    expect(new Map(read)).toEqual(new Map(titles.map((title, index) => [`n${index}`, title])))
    await world.close()
  })

  test('stay away once they are deleted, and in other connectors', async () => {
    const { world, store, ref, find, ids } = await open()
    await storeRecords(store, ref, records)
    const other = createRelatedRef()
    await storeRecords(store, other, { users: [{ ...users[0], id: 'gone', name: 'Other' }] })
    const include = { ownerId: ['name'] }
    const names = async () =>
      (await find({ fields: ['id'], include })).map((each) => Reflect.get(Object(each), '_related').ownerId?.name ?? null)
    expect(await names()).toEqual(['Ada', 'Grace', null, 'Odd', null])
    await store.forgetRecords({ ...ref, entity: 'users', values: ['u1'], below: [], at: Date.now() + 1 })
    expect(await names()).toEqual([null, 'Grace', null, 'Odd', null])
    expect(await ids({ eq: { 'ownerId.name': 'Ada' } })).toEqual([])
    expect(await ids({ eq: { 'ownerId.name': 'Other' } })).toEqual([])
    await world.close()
  })

  test('are null, and no filter finds them, while nothing of their entity is stored', async () => {
    const { world, store, ref, find, ids } = await open()
    await storeRecords(store, ref, { calls: records['calls'] ?? [] })
    const include = { ownerId: ['name', { teamId: ['name'] }], 'labelIds[]': ['name'] }
    const [first] = await find({ fields: ['id'], include })
    expect(first).toEqual({ id: 'c1', _related: { ownerId: null, 'labelIds[]': { 3: null, 9: null, three: null } } })
    expect(await ids({ eq: { 'ownerId.name': 'Ada' } })).toEqual([])
    expect(await ids({ not: { eq: { 'ownerId.name': 'Ada' } } })).toHaveLength(5)
    const counted = { query: { filter: { eq: { title: null }, not: { eq: { 'ownerId.name': 'Ada' } } } }, group_by: ['ownerId'] }
    expect(await groupRelated(store, ref, { ...counted, include, limit: 1 }).catch(String)).toMatch(/labelIds/)
    expect(await groupRelated(store, ref, { ...counted, include: { ownerId: ['name'] }, limit: 1 })).toEqual([
      { ownerId: 'gone', count: 1, _related: { ownerId: null } },
    ])
    await world.close()
  })

  test('count among the bytes of a page, and pages continue with the same include only', async () => {
    const { world, store, ref } = await open()
    const long = 'x'.repeat(1_500_000)
    const calls = Array.from({ length: 13 }, (_, index) => call(`c${10 + index}`, { ownerId: 'u1' }))
    await storeRecords(store, ref, { users: [{ ...users[0], name: long }], calls })
    const searcher = createSearcher(store)
    const search = (params: object) =>
      searcher.search({ ref, params: { query: {}, ...params }, key: Buffer.from('key'), now: 0, timeoutMs: 400_000 })
    const include = { ownerId: ['name'] }
    for (const fields of [['id'], ['id', 'details']]) {
      const first = await search({ fields, include })
      const second = await search({ fields, include, cursor: first?.cursor })
      expect([first?.count, second?.count, second?.cursor]).toEqual([11, 2, null])
      expect(await refusal(search({ fields, include: { ownerId: ['id'] }, cursor: first?.cursor }))).toMatch(/^invalid_cursor/)
      expect(await refusal(search({ fields, cursor: first?.cursor }))).toMatch(/^invalid_cursor/)
    }
    await world.close()
  })

  test('are what the oracle says', { timeout: choose(240_000, 3_600_000) }, async () => {
    const [random, other] = [new Random(20_261_128), new Random(27)]
    for (let round = 0; round < choose(2, 40); round += 1) {
      const { world, store, ref } = await open(round % 2 === 1)
      const drawn = drawRecords(random)
      await storeRecords(store, ref, drawn)
      const oracle = new Oracle(drawn)
      const calls = (drawn['calls'] ?? []).toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))
      let telling = 0
      for (let index = 0; index < 40; index += 1) {
        const [filter, include] = [drawFilter(random, 2), drawInclude(random, 'calls', 1)]
        const matching = calls.filter((each) => oracle.finds(each, filter))
        const expected = matching.map((each) => oracle.answers('calls', each, include))
        const query = { filter, sort: [{ id: 'asc' }] } // not by relevance
        const found = await findRelated(store, ref, { query, include }, 1 + random.below(30))
        telling += Number(expected.length > 0 && expected.length < calls.length)
        expect({ filter, include, found: plain(found) }).toEqual({ filter, include, found: plain(expected) })
        const by = other.pick(['ownerId', 'ticketNumber', 'ticketText'])
        const asked = { query: { filter }, group_by: [by], include: { [by]: include[by] ?? [] } }
        const rows = await groupRelated(store, ref, asked)
        expect({ ...asked, rows: plain(rows) }).toEqual({ ...asked, rows: plain(groupsOf(matching, by, oracle, asked.include)) })
      }
      expect(telling).toBeGreaterThan(10)
      await world.close()
    }
  })
})

/** Groups calls by a field, in its order; null is last. */
function groupsOf(calls: readonly Json[], by: string, oracle: Oracle, include: Json): readonly Json[] {
  const found = Map.groupBy(calls, (call) => call[by] ?? null)
  const order = [...found.keys()].toSorted((a, b) =>
    a === null || b === null ? Number(a === null) - Number(b === null) : a === b ? 0 : Number(a > b) * 2 - 1,
  )
  return order.map((value) => {
    const [first = {}] = found.get(value) ?? []
    return { [by]: value, count: found.get(value)?.length, _related: oracle.answers('calls', first, include)['_related'] }
  })
}

/** Replaces integers by texts, however they are held. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' || typeof each === 'number' ? `#${each}` : each)))

const words = ['pricing', 'renewal', 'executive', 'account', 'Äpfel', 'x1', '']
const zones = ['UTC', 'CET', null]

function drawRecords(random: Random): Records {
  const some = <T>(of: readonly T[]): T | null => (random.chance(0.2) ? null : random.pick(of))
  const text = () => random.many(3, () => random.pick(words)).join(' ')
  const userIds = Array.from({ length: 12 }, (_, index) => `u${index}`)
  const [teamIds, numbers, labelIds] = [
    [-12n, 0n, 7n, 2n ** 64n],
    [1n, 22n, 333n],
    [1n, 'a', '01', -3n],
  ]
  const keep = <T>(of: readonly T[]): readonly T[] => of.filter(() => random.chance(0.8))
  return {
    teams: keep(teamIds).map((id) => ({ id, name: text() })),
    labels: keep(labelIds).map((id) => ({ id, name: text() })),
    tickets: keep(numbers).map((number) => ({ number, title: text(), ownerId: some(userIds) })),
    users: keep(userIds).map((id) => ({
      id,
      name: text(),
      title: some([text(), text()]),
      teamId: some(teamIds),
      managerId: some(userIds),
      settings: some([{ zone: random.pick(zones) }, {}]),
    })),
    calls: Array.from({ length: 40 }, (_, index) => ({
      id: `c${index}`,
      title: some([text(), text()]),
      ownerId: some(userIds),
      ticketNumber: some(numbers),
      ticketText: some([...numbers.map(String), 'no']),
      labelIds: some([random.many(4, () => random.pick(labelIds)), []]),
      parties: some([random.many(3, () => ({ userId: some(userIds), role: random.pick(['host', 'guest']) }))]),
      details: some([{ spareId: random.pick(userIds) }, {}, { spareId: 4 }]),
      started: `2026-01-${String(1 + random.below(28)).padStart(2, '0')}T00:00:00Z`,
    })),
  }
}

const targets: Readonly<Record<string, readonly string[]>> = {
  ownerId: ['name', 'title', 'settings.zone', 'teamId', 'managerId'],
  'parties[].userId': ['name', 'title', 'settings.zone'],
  'details.spareId': ['name', 'title'],
  ticketNumber: ['title', 'ownerId'],
  ticketText: ['title'],
  'labelIds[]': ['name'],
}

function drawFilter(random: Random, depth: number): Json {
  if (depth > 0 && random.chance(0.5)) {
    const inner = () => drawFilter(random, depth - 1)
    return random.pick([() => ({ not: inner() }), () => ({ and: [inner(), inner()] }), () => ({ or: [inner(), inner()] })])()
  }
  const reference = random.pick([...Object.keys(targets), ''])
  const field = reference === '' ? 'title' : random.pick(targets[reference] ?? [])
  const path = reference === '' ? field : `${reference}.${field}`
  if (field === 'teamId') return random.pick([{ eq: { [path]: random.pick([7, null, -12]) } }, { gt: { [path]: 0 } }])
  if (field === 'managerId' || field === 'ownerId') return { [random.pick(['eq', 'neq'])]: { [path]: random.pick(['u1', 'u2', null]) } }
  if (field === 'settings.zone') return { eq: { [path]: random.pick(zones) } }
  const word = random.pick(words.slice(0, -1))
  return random.pick([
    { fuzzy: { [path]: word.slice(0, 5) } },
    { keyword: { [path]: word } },
    { like: { [path]: word.slice(1, 4) } },
    { eq: { [path]: random.pick([word, '', null]) } },
    { neq: { [path]: word } },
    { gte: { [path]: 'p' } },
  ])
}

const below: Readonly<Record<string, Readonly<Record<string, readonly [entity: string, fields: readonly string[]]>>>> = {
  calls: {
    ownerId: ['users', ['name', 'settings']],
    'parties[].userId': ['users', ['title', 'id']],
    'details.spareId': ['users', ['name']],
    ticketNumber: ['tickets', ['number', 'title']],
    ticketText: ['tickets', ['title']],
    'labelIds[]': ['labels', ['name', 'id']],
  },
  users: { teamId: ['teams', ['name']], managerId: ['users', ['name']] },
  tickets: { ownerId: ['users', ['name', 'teamId']] },
}

function drawInclude(random: Random, entity: string, depth: number): Json {
  const references = Object.entries(below[entity] ?? {}).filter(() => random.chance(0.4))
  return Object.fromEntries(
    references.map(([path, [target, fields]]) => {
      const chosen = fields.filter(() => random.chance(0.6))
      const deeper = depth < 2 && random.chance(0.6) ? drawInclude(random, target, depth + 1) : {}
      return [path, [...chosen, ...(Object.keys(deeper).length === 0 ? [] : [deeper])]]
    }),
  )
}
