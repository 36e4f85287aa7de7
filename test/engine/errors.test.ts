import { describe, expect, test } from 'vitest'
import { type ErrorCode, FerruleError } from '../../packages/ferrule/src/errors.ts'
import { maxAttempts } from '../../packages/ferrule/src/retry.ts'
import { failure, gongAt, listed, serve, testEngine } from './support.ts'

const calls = { calls: ['calls', 'list', {}], call: ['calls', 'get', { id: '7' }], page2: ['calls', 'list', { cursor: 'x' }] } as const
const filter = { fromDate: '2025-01-01', toDate: '2025-02-01' }
const moments = { fromDateTime: '2025-01-01T00:00:00Z', toDateTime: '2025-02-01T00:00:00Z' }
const operations = {
  ...calls,
  users: ['users', 'list', {}],
  user: ['users', 'get', { id: '7' }],
  extensive: ['calls_extensive', 'list', { filter: {} }],
  transcripts: ['call_transcripts', 'list', { filter: {} }],
  audio: ['call_audio', 'download', { filter: { callIds: ['7'] }, contentSelector: { exposedFields: { media: true } } }],
  aggregate: ['stats_activity_aggregate', 'list', { filter }],
  interaction: ['stats_interaction', 'list', { filter }],
  answered: ['stats_activity_scorecards', 'list', { filter: moments }],
  scorecards: ['settings_scorecards', 'list', {}],
  trackers: ['settings_trackers', 'list', { workspaceId: '7' }],
  folders: ['library_folders', 'list', { workspaceId: '7' }],
  coaching: ['coaching', 'list', { 'workspace-id': '7', 'manager-id': '8', from: '2025-01-01', to: '2025-02-01' }],
} as const
type Name = keyof typeof operations

const requestId = '2p0d7h1kq6ye8uzb3vw'

/** Runs an operation against a vendor that always answers this; how it ended, and how many requests it took. */
async function met(name: Name, status: number, message: string | undefined) {
  const body = message === undefined ? '<html>Bad gateway</html>' : { requestId, errors: [message, 'a second text'] }
  await using server = await serve(() => ({ status, body }))
  await using engine = testEngine()
  const [entity, action, params] = operations[name]
  const ended = await engine.run(gongAt(server.origin), { entity, action, params }).catch((error: unknown) => error)
  return { ended, requests: server.seen.length }
}

const none = 'found corresponding to the provided filters'

/** Every error of the vendor: what was recorded, what its OpenAPI document describes, and what a proxy before it may say. */
const errors: readonly [Name, number, string | undefined, ErrorCode][] = [
  ['call', 404, 'Call ID 7 was not found', 'record_not_found'],
  ['audio', 404, `No calls ${none}`, 'record_not_found'],
  ['user', 404, 'User not found', 'record_not_found'],
  ['aggregate', 404, 'User not found', 'record_not_found'],
  ['trackers', 404, 'Workspace not found', 'record_not_found'],
  ['calls', 404, 'No workspace found for the id 7', 'record_not_found'],
  ['folders', 404, 'No workspace was found', 'record_not_found'],
  ['users', 404, 'No permission profile found', 'record_not_found'],
  ['scorecards', 404, 'The workspace of the scorecards not found', 'record_not_found'],
  ['calls', 404, 'No route found', 'record_not_found'],
  ['calls', 404, undefined, 'record_not_found'],
  ['coaching', 401, "You don't have permission to use 'api:coaching:read' in your app.", 'upstream_permission_denied'],
  ['users', 401, 'access token has been revoked', 'upstream_auth_failed'],
  ['users', 401, undefined, 'upstream_auth_failed'],
  ['users', 403, 'Access denied', 'upstream_permission_denied'],
  ['calls', 400, 'Bad request', 'upstream_invalid_request'],
  ['extensive', 400, 'Some calls not found', 'upstream_invalid_request'],
  ['calls', 400, 'Invalid cursor', 'upstream_invalid_request'],
  ['page2', 400, 'Invalid cursor', 'invalid_cursor'],
  ['page2', 400, 'fromDateTime is not valid', 'upstream_invalid_request'],
  ['calls', 405, 'Method Not Allowed', 'upstream_unsupported'],
  ['extensive', 415, 'Unsupported Media Type', 'upstream_unsupported'],
  ['calls', 409, 'Conflict', 'upstream_invalid_request'],
  ['calls', 429, 'API request limit exceeded', 'upstream_rate_limited'],
  ['calls', 500, 'Internal server error occurred', 'upstream_error'],
  ['calls', 502, undefined, 'upstream_error'],
  ['calls', 503, undefined, 'upstream_error'],
  ['calls', 301, undefined, 'upstream_answer_invalid'],
  ['calls', 304, undefined, 'upstream_answer_invalid'],
  ['calls', 600, undefined, 'upstream_error'],
]

describe('errors of the vendor', () => {
  test.each(errors)('%s: %s %s is %s', async (name, status, ...[message, code]) => {
    const { ended, requests } = await met(name, status, message)
    expect(ended).toBeInstanceOf(FerruleError)
    expect(ended).toMatchObject({
      code,
      upstream: { status, ...(message === undefined ? {} : { message: `${message}; a second text`, request_id: requestId }) },
    })
    const transient = ['upstream_rate_limited', 'upstream_error'].includes(code)
    expect(requests).toBe(transient ? maxAttempts : 1)
  })

  test.each<[Name, string]>([
    ['calls', `No calls ${none}`],
    ['extensive', `No calls ${none}`],
    ['transcripts', `No calls ${none}`],
    ['users', `No users ${none}`],
    ['interaction', 'No stats found for the specified period'],
    ['answered', 'Answered scorecards not found'],
    ['scorecards', 'Scorecards not found'],
    ['folders', 'No folders found for the workspace'],
  ])('%s: 404 %s is an empty list', async (name, message) => {
    const { ended, requests } = await met(name, 404, message)
    expect(ended).toMatchObject({ type: 'list', data: [], meta: { next_params: null } })
    expect(requests).toBe(1)
  })

  test('an empty list has the meta of its shape, and counts of zero', async () => {
    await using server = await serve(() => ({ status: 404, body: { requestId, errors: [`No calls ${none}`] } }))
    await using engine = testEngine()
    const { meta } = await listed(engine.run(gongAt(server.origin), { entity: 'calls', action: 'list' }))
    expect(meta).toEqual({ cursor: null, total_records: 0, current_page_number: 0, next_params: null, private_calls_excluded: 0 })
  })

  test('a long text of the vendor is cut', async () => {
    const { ended } = await met('calls', 400, 'x'.repeat(100_000))
    expect(ended).toMatchObject({ message: `Gong refused the request: ${'x'.repeat(500)}; a second text.` })
  })

  test('an error of another form is not a crash', async () => {
    await using engine = testEngine()
    for (const body of ['null', '[]', '"x"', '{"errors":null}', '{"errors":[{"a":1}]}', '{"errors":{"0":"x"},"requestId":7}', '']) {
      await using server = await serve(() => ({ status: 400, body }))
      const error = await failure(engine.run(gongAt(server.origin), { entity: 'calls', action: 'list' }))
      expect(error.code).toBe('upstream_invalid_request')
    }
  })

  test.each([
    ['calls', 'list', {}, { requestId, records: {} }],
    ['calls', 'list', {}, { requestId, calls: {} }],
    ['calls', 'list', {}, { requestId, calls: null }],
    ['calls', 'list', {}, []],
    ['calls', 'list', {}, null],
    ['calls', 'get', { id: '7' }, { requestId }],
    ['calls', 'get', { id: '7' }, { requestId, call: null }],
    ['calls', 'get', { id: '7' }, { requestId, call: 'x' }],
    ['calls', 'get', { id: '7' }, { requestId, call: [] }],
    ['coaching', 'list', operations.coaching[2], { requestId, coachingData: 'x' }],
  ])('%s %s: a success without what it should hold is an error, never an empty answer', async (entity, action, ...[params, body]) => {
    await using server = await serve(() => ({ body }))
    await using engine = testEngine()
    expect((await failure(engine.run(gongAt(server.origin), { entity, action, params }))).code).toBe('upstream_answer_invalid')
  })
})
