/** Headers of calls: fixed ones, and those that take a parameter or a value of the configuration. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { connectLocally, openConnection } from '../../packages/ferrule/src/engine/local.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { buildRecording, makeCall } from '../../packages/ferrule/src/kind-recordings/record.ts'
import { failure, serve } from '../engine/support.ts'
import { kindHead } from '../support/kind-head.ts'
import { loadThroughJson, testMistakes } from './edits.ts'

const file = `${kindHead('ledger', "x-api-key: '{key}'")}headers: { x-ledger-team: '{team}', x-ledger-version: '7' }
configuration: { team: string? Id of the team }
check: charges.list
entities:
  charges:
    about: Charges
    fields: { id: string Id }
    list:
      call: GET /charges
      pages: none
      because: Few
      params: { account: string Account whose charges they are, state: string State }
      headers: { X-Account: 'acct_{account}', accept: application/vnd.ledger+json }
    create:
      call: POST /charges
      params: { account: string! Account }
      body: { amount: integer! Amount }
      headers: { x-account: '{account}' }
      once: idempotency-key
`
const credentials = { key: 'k' }

test('a parameter stands in its header and nowhere else, and a header without a value is left out', async () => {
  await using vendor = await serve(() => ({ body: [{ id: 'a' }] }))
  const kind = await loadThroughJson(file)
  await using ledger = connectLocally(kind, { credentials, config: { team: 't1' }, origin: vendor.origin })
  await ledger.execute('charges', 'list', { account: '7', state: 'paid' })
  await ledger.execute('charges', 'list', {})
  expect(vendor.seen.map(({ url }) => url)).toEqual(['/charges?state=paid', '/charges'])
  const [first, second] = vendor.seen.map(({ headers }) => headers)
  const always = { accept: 'application/vnd.ledger+json', 'x-ledger-team': 't1', 'x-ledger-version': '7', 'x-api-key': 'k' }
  expect(first).toMatchObject({ ...always, 'x-account': 'acct_7' })
  expect(second).toMatchObject(always)
  expect(second).not.toHaveProperty('x-account')
})

test('a write has its own headers beside the one by which it is known', async () => {
  await using vendor = await serve(() => ({ body: { id: 'a' } }))
  const kind = await parseKind(file)
  await using ledger = connect(kind, { credentials, origin: vendor.origin })
  await ledger.execute('charges', 'create', { account: '7', amount: 5 })
  const [sent] = vendor.seen
  expect(sent).toMatchObject({ url: '/charges', body: '{"amount":5}', headers: { 'x-account': '7' } })
  expect(sent?.headers).toHaveProperty('idempotency-key')
  expect(sent?.headers).not.toHaveProperty('x-ledger-team')
})

test('a value that no header carries is refused at its field, and nothing is sent', async () => {
  await using vendor = await serve(() => ({ body: [] }))
  const kind = await parseKind(file)
  await using ledger = connect(kind, { credentials, origin: vendor.origin })
  for (const account of ['7\r\nhost: evil.example', 'é', ' 7'])
    expect(await failure(ledger.execute('charges', 'list', { account }))).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ field: '/params/account' }],
    })
  await using other = connect(kind, { credentials, config: { team: 'a\nb' }, origin: vendor.origin })
  expect(await failure(other.execute('charges', 'list', {}))).toMatchObject({
    code: 'validation_failed',
    errors: [{ field: '/replication_config/team' }],
  })
  expect(vendor.seen).toEqual([])
})

test('a recording has the headers that a call makes of its parameters', async () => {
  await using vendor = await serve(() => ({ body: [{ id: 'a' }] }))
  const { definition } = await parseKind(file)
  const connection = openConnection({ definition, rules: {} }, { credentials, origin: vendor.origin })
  const call = { entity: 'charges', action: 'list', params: { account: '7' } }
  const made = await makeCall(connection, call, { mostPages: 2, signal: new AbortController().signal })
  const { entry, problems } = await buildRecording(connection, made, { configuration: undefined, secrets: [['key', 'k']] })
  expect(problems).toEqual([])
  expect(entry).toMatchObject({ exchanges: [{ request: { call: 'GET /charges', headers: { 'x-account': 'acct_7' } } }] })
})

describe('mistakes', () => {
  testMistakes(file, [
    ["'acct_{account}'", "'acct_{acount}'", 'entities.charges.list.headers.X-Account', 'acount is not one of params'],
    ['X-Account:', 'Host:', 'entities.charges.list.headers.Host', 'cannot be set'],
    ['X-Account:', 'Authorization:', 'entities.charges.list.headers.Authorization', 'carries credentials'],
    ['X-Account:', 'x-api-key:', 'entities.charges.list.headers', 'carries credentials'],
    ["'{team}'", "'{tem}'", 'headers.x-ledger-team', 'tem is not a field of configuration'],
    [
      'account: string Account whose charges they are',
      'account: { $type: string, $to: acc, $about: Account }',
      'entities.charges.list.params.account',
      'leave $to out',
    ],
  ])
})
