/** One identity per person over all recordings of a file. */
import { expect, test } from 'vitest'
import { openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { Identities } from '../../packages/ferrule/src/kind-recordings/identities.ts'
import { buildRecording, makeCall } from '../../packages/ferrule/src/kind-recordings/record.ts'
import { serve } from '../engine/support.ts'
import { kindHead } from '../support/kind-head.ts'

const file = `${kindHead('people')}check: people.list
entities:
  people:
    about: People
    fields: { id: string Id, email: string Address for mail }
    list: { call: GET /people, pages: none, because: Few }
    get: GET /people/{id}
`
const ada = { id: '5b0cfc5e-7d0e-4e1b-9b6e-0c8f2a6d1a01', email: 'ada@company.test' }
const grace = { id: '5b0cfc5e-7d0e-4e1b-9b6e-0c8f2a6d1a02', email: 'grace@company.test' }

/** Records a call. @returns what the vendor answered, as it is written */
async function record(identities: Identities, id?: string): Promise<unknown> {
  await using vendor = await serve(({ url }) => ({ body: url === '/people' ? [ada, grace] : url.endsWith('02') ? grace : ada }))
  const { definition } = await parseKind(file)
  const connection = openConnection({ definition, rules: {} }, { credentials: { key: 'secret-key' }, origin: vendor.origin })
  const call = { entity: 'people', action: id === undefined ? 'list' : 'get', params: id === undefined ? {} : { id } }
  const made = await makeCall(connection, call, { mostPages: 2, signal: new AbortController().signal })
  const { entry, problems } = await buildRecording(connection, made, {
    configuration: undefined,
    secrets: [['key', 'secret-key']],
    identities,
  })
  expect(problems).toEqual([])
  return entry['data']
}

test('a person is the same one in a later recording, and another one is another', async () => {
  const first = new Identities(undefined, '')
  const list = await record(first)
  expect(list).toEqual([
    { id: expect.any(String), email: 'person-1@example.com' },
    { id: expect.any(String), email: 'person-2@example.com' },
  ])
  const kept = first.toText()
  expect(kept).not.toMatch(/company|ada|grace|5b0cfc5e/)
  const later = new Identities(kept, JSON.stringify(list))
  expect([await record(later, ada.id), await record(later, grace.id)]).toEqual(list)
})

test('without what was kept, nobody gets the identity of somebody else', async () => {
  const list = await record(new Identities(undefined, ''))
  const other = await record(new Identities('not JSON', JSON.stringify(list)), grace.id)
  expect(other).toEqual({ id: expect.any(String), email: 'person-3@example.com' })
  expect(JSON.stringify(list)).not.toContain(JSON.stringify(Object(other)['id']))
})
