import { describe, expect, test } from 'vitest'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { EntityDefinition, Operation } from '../../packages/ferrule/src/definition/entity.ts'
import {
  find,
  id,
  int,
  list as listOf,
  obj,
  open,
  opt,
  str,
  time,
  unixTime,
  unixTimeMs,
} from '../../packages/ferrule/src/definition/fields.ts'
import type { Sync } from '../../packages/ferrule/src/definition/sync.ts'
import { acme, finding } from './acme.ts'

const { lookups: _lookups, hidden: _hidden, ...bare } = acme
const params = {
  after: opt(int('Id after which records are listed')),
  filter: opt(obj({ from: opt(str('From')), to: opt(str('To')) }, 'Filter')),
}
const parentList: Operation = { call: 'GET /groups', at: 'groups', params }
const record = { id: id('Id'), changed: time('Changed'), address: open('Address'), children: listOf(open('Child'), 'Children') }
const searchable = { id: id('Id'), changed: time('Changed') }
const groups: EntityDefinition = { about: 'Groups', key: ['id'], record, list: parentList, context_store_search: searchable, sync: {} }
const memberList: Operation = { call: 'GET /groups/{group}/members', at: 'members', params: { group: id('Group'), ...params } }
const members: EntityDefinition = {
  about: 'Members',
  key: ['id'],
  record,
  list: memberList,
  context_store_search: searchable,
  sync: { each: { entity: 'groups', take: { group: 'id' } } },
}
const kind = (entities: Readonly<Record<string, EntityDefinition>>): Kind => ({
  definition: {
    ...bare,
    configuration: { ...acme.configuration, start: opt(find(finding, str('First day'))) },
    check: { entity: 'groups', action: 'list', params: {} },
    entities: { groups, members, ...entities },
  },
  rules: {},
})
const withSync = (sync: Sync): Kind => kind({ groups: { ...groups, sync } })
const withMembers = (sync: Sync): Kind => kind({ members: { ...members, sync } })
const toGroups = { entity: 'groups', take: { group: 'id' } }
const withTeams = (sync: Sync, teams: Sync = {}): Kind =>
  kind({ teams: { ...groups, about: 'Teams', sync: teams }, members: { ...members, sync } })
const { sync: _sync, ...unsynced } = groups
const since = { param: 'filter.from', field: 'changed', lookback: 60 }
const changes = {
  entity: 'members',
  since: { param: 'after', field: 'changed' },
  where: { field: 'address', is: ['changed'] },
  gone: [],
  record: 'address',
  keepsDays: 30,
}
const windows = { from: 'filter.from', to: 'filter.to', days: 30, first: 'start', lookback: 3 }

/** One row per rule. */
const wrong: readonly (readonly [says: string, kind: Kind])[] = [
  ['acme.groups: is searchable, but is not said to be synced', kind({ groups: unsynced })],
  [
    'acme.members: is within an entity and called for each of one',
    withMembers({ within: { entity: 'groups', at: 'children' }, each: { entity: 'groups', take: { group: 'id' } } }),
  ],
  ['acme.members: is fed by teams, which is not synced', withMembers({ each: { entity: 'teams', take: { group: 'id' } } })],
  ['acme.members: is fed by groups, which is not synced', kind({ groups: unsynced })],
  ['acme.members: takes uid, which groups lacks', withMembers({ each: { entity: 'groups', take: { group: 'uid' } } })],
  [
    'acme.members: is called for each of an entity twice',
    withMembers({
      each: [
        { entity: 'groups', take: { group: 'id' } },
        { entity: 'groups', take: { after: 'id' } },
      ],
    }),
  ],
  ['acme.members: takes uid, which teams lacks', withTeams({ each: [toGroups, { entity: 'teams', take: { group: 'uid' } }] })],
  [
    'acme.members: hangs on groups and on teams, which two walks read',
    withTeams({ each: [toGroups, { entity: 'teams', take: { group: 'id' } }] }),
  ],
  [
    'acme.members: is under id, and has several parents',
    withTeams({ each: [toGroups, { entity: 'teams', take: { group: 'id' } }], under: { field: 'id', parent: 'id' } }),
  ],
  ['acme.members: is for some of groups by size, which groups lacks', withMembers({ each: { ...toGroups, where: { field: 'size' } } })],
  [
    'acme.members: is for some of groups by teams, which is not a configuration field',
    withMembers({ each: { ...toGroups, where: { field: 'id', is: '{teams}' } } }),
  ],
  ['acme.members: takes people, which groups lacks', withMembers({ within: { entity: 'groups', at: 'people' } })],
  [
    'acme.members: takes uid, which groups lacks',
    withMembers({ within: { entity: 'groups', at: 'children', most: { records: 100, take: { group: 'uid' } } } }),
  ],
  ['acme.groups: sends status, which is not a parameter', withSync({ params: { status: 'any' } })],
  ['acme.members: sends team, which is not a parameter', withMembers({ each: { entity: 'groups', take: { team: 'id' } } })],
  [
    'acme.members: sends team, which is not a parameter',
    withMembers({ within: { entity: 'groups', at: 'children', most: { records: 100, take: { team: 'id' } } } }),
  ],
  ['acme.groups: sends filter.since, which is not a parameter', withSync({ since: { ...since, param: 'filter.since' } })],
  ['acme.groups: sends filter.until, which is not a parameter', withSync({ since: { ...since, until: 'filter.until' } })],
  ['acme.groups: sends first_day, which is not a parameter', withSync({ windows: { ...windows, from: 'first_day' } })],
  ['acme.groups: sends last_day, which is not a parameter', withSync({ windows: { ...windows, to: 'last_day' } })],
  ['acme.groups: remembers updated, which is not a field of the record', withSync({ since: { ...since, field: 'updated' } })],
  [
    'acme.groups: remembers count, a number without the format unix-time or unix-time-ms',
    kind({ groups: { ...groups, record: { ...record, count: int('Count') }, sync: { since: { ...since, field: 'count' } } } }),
  ],
  ['acme.groups: asks for changes by updated:{since}, which lacks {time}', withSync({ since: { ...since, text: 'updated:{since}' } })],
  [
    'acme.groups: deletes by made, which is a number',
    kind({
      groups: { ...groups, record: { ...record, made: unixTime('Made') }, sync: { since: { ...since, field: 'made', fixed: true } } },
    }),
  ],
  ['acme.groups: knows deleted records by archived, which is not a field of the record', withSync({ gone: { field: 'archived' } })],
  ['acme.groups: stops at updated, which is not a field of the record', withSync({ newest: 'updated' })],
  ['acme.groups: has several of since, newest, token and changes', withSync({ newest: 'changed', since })],
  ['acme.groups: sends sync_token, which is not a parameter', withSync({ token: { read: 'next', param: 'sync_token' } })],
  ['acme.groups: reads changes of events, which has no list', withSync({ changes: { ...changes, entity: 'events' } })],
  [
    'acme.groups: reads changes by made, which members does not take',
    withSync({ changes: { ...changes, since: { ...changes.since, param: 'made' } } }),
  ],
  [
    'acme.groups: reads changes by made, which is not a field of the record',
    withSync({ changes: { ...changes, since: { ...changes.since, field: 'made' } } }),
  ],
  ['acme.groups: reads kind of a change, which members lacks', withSync({ changes: { ...changes, where: { field: 'kind', is: ['a'] } } })],
  ['acme.groups: reads data of a change, which members lacks', withSync({ changes: { ...changes, record: 'data' } })],
  ['acme.groups: reads changes of no kind', withSync({ changes: { ...changes, where: { field: 'address', is: [] } } })],
  ['acme.groups: reads changes that are kept for 0 days', withSync({ changes: { ...changes, keepsDays: 0 } })],
  ['acme.groups: sends kind, which is not a parameter', withSync({ values: [{ kind: 'a' }] })],
  ['acme.groups: is walked for no value', withSync({ values: [] })],
  [
    'acme.groups: has values beside a token or windows, which one list has',
    withSync({ values: [{ after: 1 }], token: { read: 'next', param: 'after' } }),
  ],
  ['acme.groups: looks into the future', withSync({ since: { ...since, lookback: -1 } })],
  ['acme.groups: goes on with behind, which is not a parameter', withSync({ after: { param: 'behind', field: 'id' } })],
  ['acme.groups: goes on after uid, which is not a field of the record', withSync({ after: { param: 'after', field: 'uid' } })],
  ['acme.groups: begins at first, which is not a configuration field', withSync({ windows: { ...windows, first: 'first' } })],
  ...[0, 1.5].map((days) => [`acme.groups: has windows of ${days} days`, withSync({ windows: { ...windows, days } })] as const),
  ['acme.groups: projects city, which is not searchable', withSync({ project: { city: 'address.city' } })],
  ['acme.groups: projects from updated, which is not a field of the record', withSync({ project: { changed: 'updated' } })],
  ['acme.groups: projects from parent.id without a parent', withSync({ project: { id: 'parent.id' } })],
  [
    'acme.groups: searchable city comes from nowhere',
    kind({ groups: { ...groups, context_store_search: { ...searchable, city: str('City') } } }),
  ],
]

describe('a definition whose sync is wrong', () => {
  test.each(wrong)('%s', (says, given) => {
    expect(findProblems(given)).toContain(says)
  })
})

test('one whose sync is right has no problems', () => {
  expect(findProblems(kind({}))).toEqual([])
  expect(findProblems(withSync({ since: { ...since, until: 'filter.to' }, after: { param: 'after', field: 'id' } }))).toEqual([])
  expect(findProblems(withSync({ windows }))).toEqual([])
  const two = [
    { ...toGroups, where: { field: 'id', is: '{start}' } },
    { entity: 'teams', take: { group: 'id' } },
  ]
  const isInGroup = { each: { entity: 'groups', take: { after: 'id' } } }
  expect(findProblems(withTeams({ each: two }, isInGroup))).toEqual([])
  expect(findProblems(withSync({ changes }))).toEqual([])
  for (const made of [unixTime('Made'), unixTimeMs('Made'), time('Made')])
    expect(
      findProblems(kind({ groups: { ...groups, record: { ...record, made }, sync: { since: { ...since, field: 'made' } } } })),
    ).toEqual([])
  const projected = { ...members, context_store_search: { ...searchable, city: str('City'), group: id('Group') } }
  const project = { city: 'address.city', group: 'parent.id' }
  expect(findProblems(kind({ members: { ...projected, sync: { within: { entity: 'groups', at: 'children' }, project } } }))).toEqual([])
})
