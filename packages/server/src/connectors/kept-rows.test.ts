import { expect, test } from 'vitest'
import { viewOrganization } from '../values/access.ts'
import { keepRows } from './access.ts'
import type { SealedConnectorRow } from './sql/connectors.ts'

/** A query over rows of a test, with the number of its reads and of the changes. */
function startTest() {
  const state = { changes: 0, reads: 0, name: 'a name' }
  const read = keepRows({ countChanges: () => state.changes }, async (view, id) => {
    state.reads += 1
    if (view.organizationId === 'foreign') return undefined
    return { id, organization_id: view.organizationId, name: state.name } as SealedConnectorRow // as far as the test looks
  })
  return { state, read }
}

test('a row is read again after each change, and only then', async () => {
  const { state, read } = startTest()
  const own = viewOrganization('own')
  await read(own, 'c')
  expect(await read(own, 'c')).toMatchObject({ name: 'a name' })
  expect(state.reads).toBe(1)
  state.changes += 1
  state.name = 'another'
  expect(await read(own, 'c')).toMatchObject({ name: 'another' })
  expect(state.reads).toBe(2)
})

test('each view reads its own rows, and what it does not see is not kept', async () => {
  const { state, read } = startTest()
  const own = viewOrganization('own')
  await read(own, 'c')
  expect(await read(viewOrganization('foreign'), 'c')).toBeUndefined()
  expect(await read(viewOrganization('foreign'), 'c')).toBeUndefined()
  expect(await read(viewOrganization('other'), 'c')).toMatchObject({ organization_id: 'other' })
  expect(state.reads).toBe(4)
  await read({ ...own, workspaceIds: ['w'] }, 'c')
  await read({ ...own, workspaceIds: [] }, 'c')
  await read({ ...own, connectorIds: ['d'] }, 'c')
  expect(state.reads).toBe(7)
})

test('a change while a row is read is not missed', async () => {
  const { state, read } = startTest()
  const running = read(viewOrganization('own'), 'c')
  state.changes += 1
  state.name = 'another'
  await running
  expect(await read(viewOrganization('own'), 'c')).toMatchObject({ name: 'another' })
})

test('without a count of changes each call reads', async () => {
  let reads = 0
  const read = keepRows({}, async () => {
    reads += 1
    return undefined
  })
  await read(viewOrganization('own'), 'c')
  await read(viewOrganization('own'), 'c')
  expect(reads).toBe(2)
})
