/** Tests of the tests: whatever differs from the document is refused, on either side. */

import { describe, expect, test } from 'vitest'
import type { ProblemDetails } from '../../packages/ferrule/src/errors.ts'
import type { SyncState } from '../../packages/ferrule/src/wire/context-store.ts'
import type { ProblemRecord } from '../../packages/ferrule/src/wire/problem.ts'
import type { SyncRunRecord } from '../../packages/ferrule/src/wire/syncs.ts'
import type { WorkspaceRecord } from '../../packages/ferrule/src/wire/workspaces.ts'
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { Contract } from './contract.ts'
import type { Json } from './support.ts'

const id = '01934e2a-0000-7000-8000-000000000000'
const time = '2026-01-01T00:00:00.000Z'
const workspace: WorkspaceRecord = {
  ...{ id, name: 'Sales', organization_id: id, status: 'active', cache_enabled: null, tombstone: false },
  ...{ visibility: 'shared', color: null, created_at: time, updated_at: time },
}
const asked = { method: 'GET', path: `/api/v1/workspaces/${id}` }
const type = 'application/json; charset=utf-8'
const path = '/api/v1/workspaces/{workspace_id}'

const print = (): Json => structuredClone(openApiDocument({ routes, kinds: [] }))
/** Checks an answer against a document with a planted mistake. */
const check = (answer: object, status = 200, plant: (document: Json) => void = () => {}) => {
  const document = print()
  plant(document)
  new Contract(document).check(asked, { status, type, text: JSON.stringify(answer) })
}
const schemas = (document: Json) => document.components.schemas

describe('a mistake in an answer', () => {
  test('none is made here', () => {
    expect(() => check(workspace)).not.toThrow()
  })

  test.each<[string, object, RegExp]>([
    ['a status that does not exist', { ...workspace, status: 'asleep' }, /\/status must be equal to one of the allowed values/],
    ['null in a member that is never null', { ...workspace, name: null }, /\/name must be string/],
    ['an undocumented member', { ...workspace, owner: 'me' }, /must NOT have additional properties .*owner/],
    ['a missing member', { ...workspace, color: undefined }, /must have required property 'color'/],
    ['a time that is none', { ...workspace, created_at: 'yesterday' }, /\/created_at must match format/],
  ])('%s is refused', (_what, answer, says) => {
    expect(() => check(answer)).toThrow(says)
  })

  test('an undocumented HTTP status is refused', () => {
    expect(() => check(workspace, 201)).toThrow('the status is not documented')
  })

  test('an undocumented media type is refused', () => {
    const contract = new Contract(print())
    expect(() => contract.check(asked, { status: 200, type: 'text/plain', text: '' })).toThrow('the media type is not documented')
  })

  test('a code that the route does not document is refused', () => {
    const problem = { type: 'urn:ferrule:error:job_not_found', title: 'x', status: 404, detail: 'x', code: 'job_not_found', message: 'x' }
    const whole = { ...problem, fault: 'caller', retryable: false, hint: 'x', errors: [] }
    const answer = (code: string) => ({ status: 404, type: 'application/problem+json', text: JSON.stringify({ ...whole, code }) })
    const contract = new Contract(print())
    expect(() => contract.check(asked, answer('workspace_not_found'))).not.toThrow()
    expect(() => contract.check(asked, answer('job_not_found'))).toThrow('job_not_found is not documented')
    expect(() => contract.check(asked, answer('not_a_code'))).toThrow(/\/code must be equal to one of the allowed values/)
  })

  test('an event of another name or with other data is refused', () => {
    const contract = new Contract(print())
    const stream = { method: 'GET', path: '/api/v1/integrations/connectors/x/syncs/y/events' }
    expect(() => contract.checkEvent(stream, { event: 'ran', data: {} })).toThrow('is not documented')
    expect(() => contract.checkEvent(stream, { event: 'run', data: { id } })).toThrow(/must have required property 'state'/)
  })
})

describe('a mistake in the document', () => {
  test.each<[string, (document: Json) => void, RegExp]>([
    [
      'a status that does not exist instead of one that does',
      (document) => Object.assign(schemas(document).Workspace.properties.status, { enum: ['asleep', 'inactive'] }),
      /\/status/,
    ],
    [
      'a nullable that is not',
      (document) => Object.assign(schemas(document).Workspace.properties.color, { type: 'string' }),
      /\/color must be string/,
    ],
    ['a member that is gone', (document) => Reflect.deleteProperty(schemas(document).Workspace.properties, 'tombstone'), /tombstone/],
    ['an answer that is gone', (document) => Reflect.deleteProperty(document.paths[path].get.responses, '200'), /status is not documented/],
  ])('%s is refused', (_what, plant, says) => {
    expect(() => check(workspace, 200, plant)).toThrow(says)
  })
})

/** Fails to compile unless both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

describe('the compiler', () => {
  test('lets no mapper produce an unknown state', () => {
    // @ts-expect-error there is no such status
    const status: WorkspaceRecord['status'] = 'asleep'
    // @ts-expect-error there is no such state of a run
    const run: SyncRunRecord['state'] = 'paused'
    // @ts-expect-error there is no such state of a copy
    const copy: SyncState = 'almost'
    // @ts-expect-error a name is never null
    const name: WorkspaceRecord['name'] = null
    expect([status, run, copy, name]).toHaveLength(4)
  })

  test('holds the problem that errors make against the documented one', () => {
    const isSame: Same<{ readonly [K in keyof ProblemDetails]: ProblemDetails[K] }, ProblemRecord> = true
    expect(isSame).toBe(true)
  })
})
