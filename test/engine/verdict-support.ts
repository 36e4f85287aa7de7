/** A vendor that reports its errors by codes of its own, in answers with status 200: a kind of no vendor. */
import { connector, entity, opt, secret, str } from '../../packages/ferrule/src/definition/index.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { fixed } from './support.ts'

/** The token that no text may hold. */
export const token = 'zxsecret+zxsecret/1&2"3'

const things = entity({
  about: 'Things',
  key: ['id'],
  record: { id: str('Id') },
  list: { call: 'GET /things', at: 'data.list', params: { group: opt(str('Group')) } },
  get: { call: 'GET /things/{id}', at: 'data', params: { id: str('Id') } },
})

/** The kind. */
export const coded = connector({
  kind: 'coded',
  title: 'Coded',
  category: 'things',
  about: 'Things of Coded',
  id: '00000000-0000-4000-8000-000000000002',
  documentation: 'https://coded.example',
  origins: { api: 'https://api.coded.example' },
  credentials: { token: { title: 'Token', fields: { token: secret('Token') }, send: { headers: { 'x-token': '{token}' } } } },
  configuration: {},
  pages: {},
  problem: {
    message: ['message', 'error.text'],
    requestId: 'request_id',
    code: 'code',
    success: ['0', 'OK'],
    partial: ['20001'],
    warnings: ['x-told', 'x-left-out'],
  },
  errors: [
    { codes: ['40105', 'E_TOKEN'], is: 'upstream_auth_failed', hint: 'Connect anew.' },
    { codes: ['40050'], is: 'upstream_conflict', retryable: false },
    { codes: ['40100'], is: 'upstream_rate_limited', wait: { first: 120, longest: 300 } },
    { codes: ['60001'], is: 'upstream_error', wait: { first: 300, longest: 300 } },
    { codes: ['40404'], actions: ['list'], is: 'empty' },
    { codes: ['40404'], is: 'record_not_found' },
    { codes: ['41000'], sent: 'group', is: 'upstream_invalid_request' },
    { codes: ['42000'], status: 403, is: 'upstream_permission_denied' },
    { codes: ['40000-49999'], is: 'upstream_invalid_request' },
    { codes: ['50000-59999'], is: 'upstream_error' },
    { status: 404, is: 'upstream_unsupported' },
    { statuses: [400, 499], is: 'upstream_invalid_request' },
    { statuses: [500, 599], is: 'upstream_error' },
  ],
  limits: { key: ['token'], rates: [] },
  check: { entity: 'things', action: 'list', params: {} },
  entities: { things },
})

/** A connector of the kind whose requests go to a test's server. */
export const codedAt = (origin: string): Connection => ({
  kind: coded,
  configuration: {},
  credentials: fixed({ token }),
  origin: { api: origin },
})
