import { describe, expect, test } from 'vitest'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import { bool, id, list as listOf, obj, open, orNull, str } from '../../packages/ferrule/src/definition/fields.ts'
import { kind, list, things } from './acme.ts'

const record = {
  id: str('Id'),
  ownerId: orNull(str('Owner')),
  number: id('Number'),
  isNew: bool('Whether it is new'),
  labelIds: listOf(id('Label'), 'Labels'),
  parties: listOf(obj({ userId: str('User') }, 'Party'), 'Parties'),
  team: obj({ id: str('Team') }, 'Team'),
  details: open('Details'),
}
const own: EntityDefinition = { about: 'Things', key: ['id'], record, list, context_store_search: record, sync: { params: { group: 'a' } } }
const { context_store_search: _search, ...unsearched } = own
const targets = {
  users: own,
  live: things,
  pairs: { ...own, key: ['id', 'ownerId'] },
  asked: { ...own, key: ['param.group'] },
}
const withReferences = (refers: Readonly<Record<string, string>>, more: Partial<EntityDefinition> = {}): Kind =>
  kind({ entities: { things: { ...own, ...more, refers }, ...targets } })
const find = (given: Kind) => findProblems(given).filter((problem) => problem.startsWith('acme.things: refers'))

describe('references', () => {
  test.each(['ownerId', 'number', 'labelIds[]', 'parties[].userId', 'team.id', 'details.owner.id', 'details.owners[].id'])(
    'lead from %s to the key of an entity',
    (path) => {
      expect(find(withReferences({ [path]: 'users' }))).toEqual([])
    },
  )

  test('lead from an entity to itself', () => {
    expect(find(withReferences({ ownerId: 'things' }))).toEqual([])
  })

  test.each([
    ['ownerId', 'user', 'which is not an entity'],
    ['ownerId', 'live', 'which offers no search'],
    ['ownerId', 'pairs', 'whose key has several parts: a reference leads to a key of one part'],
    ['ownerId', 'asked', 'whose key only the call knows'],
    ['owner', 'users', 'which is not a searchable field'],
    ['constructor', 'users', 'which is not a searchable field'],
    ['team.name', 'users', 'which is not a searchable field'],
    ['isNew', 'users', 'which is neither text nor an integer'],
    ['team', 'users', 'which is neither text nor an integer'],
    ['labelIds', 'users', 'and labelIds is a list: write [] behind it'],
    ['parties.userId', 'users', 'and parties is a list: write [] behind it'],
    ['ownerId[]', 'users', 'and ownerId is not a list'],
    ['ownerId.id', 'users', 'and ownerId is not an object'],
  ])('by %s to %s are refused', (path, to, says) => {
    expect(find(withReferences({ [path]: to }))).toEqual([`acme.things: refers to ${to} by ${path}, ${says}`])
  })

  test('leave the name _related to what records refer to', () => {
    const fields = { ...record, _related: str('Related') }
    expect(findProblems(withReferences({ ownerId: 'users' }, { record: fields, context_store_search: fields }))).toContain(
      'acme.things: has the searchable field _related, which is the name of what a record refers to',
    )
  })

  test('start from what can be searched', () => {
    const live = kind({ entities: { things: { ...unsearched, refers: { ownerId: 'users' } }, users: own } })
    expect(find(live)).toEqual(['acme.things: refers to users by ownerId, and offers no search'])
  })
})
