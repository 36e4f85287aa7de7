import { describe, expect, test } from 'vitest'
import { findProblems } from '../../packages/ferrule/src/definition/check.ts'
import type { ConnectorDefinition, CredentialScheme, Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { EntityDefinition, Operation } from '../../packages/ferrule/src/definition/entity.ts'
import { find, int, opt, secret, str } from '../../packages/ferrule/src/definition/fields.ts'
import { acme, finding, untyped } from './acme.ts'

const poll = { call: 'GET /jobs/{job}', cancel: 'POST /jobs/{job}/cancel', statuses: [202], handle: 'job' } as const
/** A request that is known by an id, asked for until it is ready, with a result in parts. */
const list: Operation = {
  call: 'POST /jobs',
  at: '',
  one: true,
  page: 'statement',
  params: { text: str('Text'), job_id: opt(str('Id')), seconds: opt(int('Seconds')) },
  submits: { id: 'job_id', again: 'again', within: 'seconds' },
  running: { status: 202, poll },
}
const jobs: EntityDefinition = { about: 'Jobs', key: ['id'], record: { id: str('Id') }, list }
const get: Operation = { call: 'GET /jobs/{job}', at: '', one: true, page: 'statement', params: { job: str('Job'), part: int('Part') } }
const results: EntityDefinition = { about: 'Results', key: ['id'], record: { id: str('Id') }, get }
const parts = {
  entity: 'results',
  handle: { meta: 'job', param: 'job' },
  number: 'part',
  known: 'parts',
  url: 'next',
} as const
const pages: ConnectorDefinition['pages'] = {
  statement: { shape: 'statement', read: { job: 'job', parts: 'parts', next: 'link:next' }, parts },
}
const signed: CredentialScheme = {
  title: 'Key',
  fields: { key: find(finding, secret('Key')), passphrase: opt(find(finding, secret('Passphrase'))) },
  send: { as: 'signed', key: 'key', passphrase: 'passphrase', claims: 'rule:owner', seconds: 60 },
}
const { lookups: _lookups, hidden: _hidden, ...bare } = acme
const right: ConnectorDefinition = {
  ...bare,
  credentials: { signed },
  pages,
  limits: { key: ['show'], rates: [] },
  check: { entity: 'jobs', action: 'list', params: { text: 'a' } },
  entities: { jobs, results },
}
const kind = (more: Partial<ConnectorDefinition>): Kind => ({
  definition: { ...right, ...more },
  rules: { claims: { owner: () => ({ iss: 'acme' }) } },
})
const withList = (more: Partial<Operation>): Kind => kind({ entities: { jobs: { ...jobs, list: { ...list, ...more } }, results } })
const withParts = (more: object): Kind =>
  kind({
    pages: { statement: { shape: 'statement', read: { job: 'job', parts: 'parts', next: 'link:next' }, parts: { ...parts, ...more } } },
  })
const withSend = (more: object): Kind =>
  kind({ credentials: { signed: { ...signed, send: { ...signed.send, ...more } as typeof signed.send } } })
const { one: _one, ...inPieces } = list
const { page: _page, ...pageless } = inPieces

/** One row per rule. */
const wrong: readonly (readonly [says: string, kind: Kind])[] = [
  [
    'acme.jobs.list: submits within limit, which is not a parameter',
    withList({ submits: { id: 'job_id', again: 'again', within: 'limit' } }),
  ],
  ['acme.jobs.list: submits by GET', withList({ call: 'GET /jobs' })],
  ['acme.jobs.list: a result in parts is the whole answer', kind({ entities: { jobs: { ...jobs, list: inPieces }, results } })],
  ['acme.jobs.list: submits or polls for what is not the whole answer', kind({ entities: { jobs: { ...jobs, list: pageless }, results } })],
  [
    'acme.jobs.list: submits or polls for what is not the whole answer',
    kind({ entities: { jobs: { ...jobs, list: { ...pageless, submits: untyped(undefined) } }, results } }),
  ],
  ['acme.jobs.list: 200 is not a status that means "not ready yet"', withList({ running: { status: 200, poll } })],
  ['acme: page statement continues from job_id, which it does not read', withParts({ handle: { meta: 'job_id', param: 'job' } })],
  ['acme: page statement continues from pieces, which it does not read', withParts({ known: 'pieces' })],
  ['acme: page statement continues from link, which it does not read', withParts({ url: 'link' })],
  ['acme: page statement continues with outcomes get, which does not exist', withParts({ entity: 'outcomes' })],
  ['acme: page statement continues with jobs get, which does not exist', withParts({ entity: 'jobs' })],
  [
    'acme: page statement continues with handle, which is not a parameter of results get',
    withParts({ handle: { meta: 'job', param: 'handle' } }),
  ],
  ['acme: page statement continues with number, which is not a parameter of results get', withParts({ number: 'number' })],
  ['acme: credentials signed use private, which is not one of their fields', withSend({ key: 'private' })],
  ['acme: credentials signed use password, which is not one of their fields', withSend({ passphrase: 'password' })],
  ['acme: credentials signed are signed with rule:other, which is not a rule of the kind', withSend({ claims: 'rule:other' })],
  ['acme: credentials signed are signed for 0 seconds, which is no time', withSend({ seconds: 0 })],
]

describe('a definition of statements that is wrong', () => {
  test.each(wrong)('%s', (says, given) => {
    expect(findProblems(given)).toContain(says)
  })
})

test('one that is right has no problems', () => {
  expect(findProblems(kind({}))).toEqual([])
})
