/** What searches refuse of `include`, and which name comes first where a field could be a reference. */
import { expect, test } from 'vitest'
import { buildSearchTable } from '../../packages/server/src/copies/search/columns.ts'
import { parseSearch } from '../../packages/server/src/copies/search/parse.ts'
import { catchRefusal } from '../support/refusal.ts'
import { entities } from './related-world.ts'

const findTable = (entity: string) => buildSearchTable('related-kind', entity, entities[entity] ?? { about: '', key: [] })
const parse = (params: object, entity = 'calls') => parseSearch(findTable(entity), { query: {}, ...params }, findTable)
const refusal = (params: object, entity?: string): readonly unknown[] => {
  const { code, errors } = catchRefusal(() => parse(params, entity))
  return [code, errors[0]?.field, errors[0]?.message]
}
const deep = { ownerId: [{ managerId: [{ managerId: ['name'] }] }] }
const many = { ownerId: Array.from({ length: 20 }, () => ({ managerId: ['name'] })) }

test.each([
  [['ownerId'], 'invalid_parameter', '/params/include', 'must be an object of references'],
  [{ ownerId: 'name' }, 'invalid_parameter', '/params/include/ownerId', 'must be an array of fields'],
  [{ title: ['name'] }, 'invalid_parameter', '/params/include/title', 'is no reference of calls; known: ownerId, ticketNumber'],
  [{ ownerId: [{ name: [] }] }, 'invalid_parameter', '/params/include/ownerId/0/name', 'is no reference of users; known: teamId'],
  [{ ownerId: [{ teamId: [{ id: [] }] }] }, 'query_too_complex', '/params/include/ownerId/0/teamId/0', 'more than 2 references'],
  [{ ownerId: ['nam'] }, 'field_not_searchable', '/params/include/ownerId/0', 'is no searchable field of users'],
  [{ ownerId: [7] }, 'invalid_parameter', '/params/include/ownerId/0', 'must be a path'],
  [{ ownerId: [], owner_id: [] }, 'invalid_parameter', '/params/include', 'names ownerId twice'],
  [deep, 'query_too_complex', '/params/include/ownerId/0/managerId/0', 'more than 2 references'],
  [many, 'query_too_complex', '/params/include/ownerId/19/managerId', 'more than 20 references'],
])('include %j is refused', (include, ...[code, field, says]) => {
  const [found, at, message] = refusal({ include })
  expect([found, at]).toEqual([code, field])
  expect(message).toContain(says)
})

test('an entity without references has none to include', () => {
  expect(refusal({ include: { name: [] } }, 'teams')).toContainEqual(expect.stringContaining('teams has none'))
})

test('filters lead through one reference, and name what the other entity lacks', () => {
  const filter = (eq: object) => ({ query: { filter: { eq } } })
  expect(parse(filter({ 'ownerId.name': 'a' })).filter).toMatchObject({
    op: 'related',
    isMany: false,
    of: { path: { column: { name: 'name' } } },
  })
  expect(parse(filter({ 'parties.user_id.name': 'a' })).filter).toMatchObject({ op: 'related', isMany: true })
  expect(refusal(filter({ 'ownerId.nam': 'a' }))).toContainEqual(expect.stringContaining('is no searchable field of users'))
  expect(refusal(filter({ 'ownerId.managerId.name': 'a' }))).toContainEqual(expect.stringContaining('is no searchable field of users'))
  expect(refusal({ query: { sort: [{ 'ownerId.name': 'asc' }] } })[0]).toBe('field_not_searchable')
  expect(refusal({ fields: ['ownerId.name'] })[0]).toBe('field_not_searchable')
})

test('a documented path of the record itself comes first; below an undocumented object the reference does', () => {
  const calls = entities['calls'] ?? { about: '', key: [] }
  const own = { ...calls, refers: { ...calls.refers, parties: 'users' } }
  const table = (entity: string) => (entity === 'calls' ? buildSearchTable('related-kind', 'calls', own) : findTable(entity))
  const read = (path: string) => parseSearch(table('calls'), { query: { filter: { eq: { [path]: 'host' } } } }, table).filter?.op
  expect(read('parties.role')).toBe('equals')
  expect(read('parties.name')).toBe('related')
  expect(read('details.spareId')).toBe('equals')
  expect(read('details.spareId.name')).toBe('related')
  expect(read('details.other.name')).toBe('equals')
})
