/**
 * What leads through references: filters by fields of related records, and searches and groups with related records beside them. Against joins
 * by hand over the same tables.
 */
import { randomUUID } from 'node:crypto'
import type { EntityDefinition } from '../packages/ferrule/src/definition/entity.ts'
import { id, int, known, open, str, time } from '../packages/ferrule/src/definition/fields.ts'
import { Searcher } from '../packages/server/src/copies/searcher.ts'
import { ContextStore } from '../packages/server/src/copies/store/store.ts'
import { analyze, compareByHand, fillCopy, type HandCase, type HandEffort } from './by-hand.ts'
import type { Result } from './result.ts'
import { type StoreDatabase, withEmbedded, withPostgres } from './store-databases.ts'
import { callOf } from './store-records.ts'

const person = { name: str('Name.'), title: str('Title.'), teamId: id('Team.') }
const calls: EntityDefinition = {
  about: 'Calls. One reference is a text, the other one a number.',
  key: ['id'],
  context_store_search: {
    id: id('Id.'),
    title: str('Title.'),
    started: time('Begin.'),
    duration: int('Seconds.'),
    direction: known('Direction.', 'Inbound', 'Outbound'),
    hostId: str('User.'),
    ownerId: id('Owner.'),
    details: open('Details.'),
  },
  refers: { hostId: 'users', ownerId: 'owners', 'details.userId': 'users' },
}
const entities: Readonly<Record<string, EntityDefinition>> = {
  calls,
  users: { about: 'Users.', key: ['id'], context_store_search: { id: str('Id.'), ...person }, refers: { teamId: 'teams' } },
  owners: { about: 'Owners.', key: ['id'], context_store_search: { id: id('Id.'), ...person } },
  teams: { about: 'Teams.', key: ['id'], context_store_search: { id: id('Id.'), name: str('Name.') } },
}
const kind = { kind: 'bench', entities }

/** Calls of a person. */
const callsOfPerson = 20
const [mostPeople, teams, firstPerson] = [50_000, 200, 1_000_000]
const titles = ['Account executive', 'Support engineer', 'Head of sales', 'Data analyst', 'Product manager']
/** One of forty people is an account executive. */
const titleOf = (index: number): string => (index % 40 === 0 ? 'Account executive' : `${titles[1 + (index % 4)]} ${index % 7}`)
const personOf = (index: number) => ({
  id: String(firstPerson + index),
  name: `Person ${index}`,
  title: titleOf(index),
  teamId: String(index % teams),
})
const makeCallOf = (people: number) => (index: number) => {
  const of = String(firstPerson + ((index * 7_919) % people))
  return { ...callOf(index), hostId: of, ownerId: of, details: { userId: of, role: 'Host' } }
}

const [callTable, userTable, ownerTable, teamTable] = ['"cs_bench_calls"', '"cs_bench_users"', '"cs_bench_owners"', '"cs_bench_teams"']
const mine = (alias: string): string => `${alias}.connector_id = $1`
const ofHost = `join ${userTable} u on ${mine('u')} and u.id = c."hostId"`
const ofOwner = `join ${ownerTable} u on ${mine('u')} and u.id = c."ownerId"`
const executive = { eq: { 'hostId.title': 'Account executive' } }
const isExecutive = `u.title = 'Account executive'`
const columns = 'c.id, c.title, c.started, c.duration, c.direction, c."hostId", c."ownerId", c.details'
/** The newest calls in the order of searches, as JSON. */
const newest = (limit: number, { join = '', where = 'true' } = {}): string =>
  `select row_to_json(r)::text from (select ${columns} from ${callTable} c ${join} where ${mine('c')} and ${where}
    order by c."started$at" desc, c.pk desc limit ${limit}) r`
const page = (limit: number): string =>
  `(select * from ${callTable} c where ${mine('c')} order by c."started$at" desc, c.pk desc limit ${limit}) c`
const byNewest = [{ started: 'desc' }]

/** Cases of the action `search` or `aggregate`. */
interface ReferenceCase {
  readonly name: string
  readonly action: 'search' | 'aggregate'
  readonly params: object
  readonly sql: string
}

const count = (name: string, filter: object, sql: string): ReferenceCase => ({
  name: `filter-${name}`,
  action: 'aggregate',
  params: { query: { filter }, measures: { calls: 'count' } },
  sql: `select count(*) from ${callTable} c ${sql}`,
})

const cases: readonly ReferenceCase[] = [
  count('text', executive, `${ofHost} where ${mine('c')} and ${isExecutive}`),
  count('integer', { eq: { 'ownerId.title': 'Account executive' } }, `${ofOwner} where ${mine('c')} and ${isExecutive}`),
  count(
    'path',
    { eq: { 'details.userId.title': 'Account executive' } },
    `join ${userTable} u on ${mine('u')} and u.id = c.details ->> 'userId' where ${mine('c')} and ${isExecutive}`,
  ),
  count('most', { neq: { 'hostId.title': 'Account executive' } }, `${ofHost} where ${mine('c')} and u.title <> 'Account executive'`),
  count(
    'words',
    { fuzzy: { 'hostId.title': 'account executive' } },
    `${ofHost} where ${mine('c')} and u.title ~* '\\maccount' and u.title ~* '\\mexecutive'`,
  ),
  count(
    'or',
    { or: [executive, { gte: { duration: 3_500 } }] },
    `left ${ofHost} where ${mine('c')} and (${isExecutive} or c.duration >= 3500)`,
  ),
  count(
    'not',
    { not: executive },
    `where ${mine('c')} and not exists (select from ${userTable} u where ${mine('u')} and u.id = c."hostId" and ${isExecutive})`,
  ),
  {
    name: 'filter-groups',
    action: 'aggregate',
    params: { query: { filter: executive }, group_by: [{ field: 'started', by: 'month' }], measures: { seconds: { sum: 'duration' } } },
    sql: `select date_trunc('month', to_timestamp(c."started$at" / 1000000) at time zone 'UTC'), sum(c.duration) from ${callTable} c ${ofHost}
      where ${mine('c')} and ${isExecutive} group by 1 order by 1`,
  },
  {
    name: 'filter-newest',
    action: 'search',
    params: { query: { filter: executive, sort: byNewest }, limit: 100 },
    sql: newest(100, { join: ofHost, where: isExecutive }),
  },
  {
    name: 'include-none',
    action: 'search',
    params: { query: { sort: byNewest }, limit: 1_000 },
    sql: newest(1_000),
  },
  {
    name: 'include-one',
    action: 'search',
    params: { query: { sort: byNewest }, limit: 1_000, include: { hostId: ['name', 'title'] } },
    sql: `select row_to_json(r)::text from (select ${columns}, u.name as host_name, u.title as host_title
      from ${page(1_000)} left join ${userTable} u on ${mine('u')} and u.pk = c."hostId" order by c."started$at" desc, c.pk desc) r`,
  },
  {
    name: 'include-two-steps',
    action: 'search',
    params: { query: { sort: byNewest }, limit: 1_000, include: { hostId: ['name', { teamId: ['name'] }] } },
    sql: `select row_to_json(r)::text from (select ${columns}, u.name as host_name, g.name as team_name
      from ${page(1_000)} left join ${userTable} u on ${mine('u')} and u.pk = c."hostId"
      left join ${teamTable} g on ${mine('g')} and g.id = u."teamId" order by c."started$at" desc, c.pk desc) r`,
  },
  {
    name: 'include-groups',
    action: 'aggregate',
    params: { group_by: ['hostId'], measures: { calls: 'count' }, include: { hostId: ['name'] }, limit: 1_000 },
    sql: `select g."hostId", g.calls, u.name from (select c."hostId", count(*) as calls from ${callTable} c where ${mine('c')} group by 1 order by 1 limit 1000) g
      left join ${userTable} u on ${mine('u')} and u.pk = g."hostId" order by 1`,
  },
]

async function measured({ settings }: StoreDatabase, engine: string, effort: HandEffort): Promise<readonly Result[]> {
  const store = new ContextStore({ settings: { ...settings, searchSeconds: 60, indexes: 0 }, kinds: [kind] })
  const ref = { connector: randomUUID(), kind: kind.kind, entity: 'calls' }
  const people = Math.max(1, Math.min(mostPeople, Math.floor(effort.records / callsOfPerson)))
  for (const entity of ['users', 'owners']) await fillCopy(store, { ...ref, entity }, people, personOf)
  await fillCopy(store, { ...ref, entity: 'teams' }, teams, (index) => ({ id: String(index), name: `Team ${index}` }))
  await fillCopy(store, ref, effort.records, makeCallOf(people))
  await analyze(store)
  const searcher: Searcher = new Searcher(store, { cursorKey: () => Buffer.from('key'), clock: Date.now })
  const all = cases.map(({ name, action, params, sql }): HandCase => {
    const answer = () =>
      action === 'search'
        ? searcher.search(ref, searcher.parse(ref, params))
        : searcher.aggregate(ref, searcher.parseAggregate(ref, params))
    return { name, ours: async () => (await answer())?.json, sql }
  })
  const results = await compareByHand(store, { ref, cases: all, prefix: `references-${engine}`, effort })
  await store.close()
  return results
}

/** A line for each case. The bar of filters is twice the time of the SQL by hand: a `ratio` of 0.5. */
export async function* references(effort: HandEffort): AsyncGenerator<Result, void, undefined> {
  yield* await withPostgres(1, (database) => measured(database, 'postgres', effort))
  yield* await withEmbedded(1, (database) => measured(database, 'embedded', effort))
}
