/** A kind of no vendor that is called by GraphQL, has a host for each region, and answers failures by codes. */
import { kindTop } from '../../support/kind-head.ts'
import type { RecordedKind } from './recorded.ts'

const kind = `${kindTop('counter')}api: { by: region, of: { eu: https://eu.counter.example, us: https://us.counter.example } }
path: /api
graphql: /graphql
configuration: { region: { $type: eu|us, $about: Region, $default: us } }
auth: { key: { title: Key, fields: { key: secret Key }, find: Settings, query: { k: '{key}' }, headers: { x-of: '{region}' } } }
errors: { code: code, success: ['0'], partial: ['7'], warnings: [x-note] }
check: { run: places.list, params: { of: all } }
account: { run: places.list, params: { of: all }, id: id, among: region }
pages:
  connection: { next: data.result.pageInfo.endCursor, more: data.result.pageInfo.hasNextPage, send: after, size: first=2 }
lists: { pages: connection }
entities:
  counts:
    about: Counts
    fields: { id: string Id, place: { id: string Id } }
    list: { call: 'query counts(first: Int, after: String)', at: data.result.nodes }
    create: { call: 'mutation countCreate(input: New!)', wrap: input, body: { place: string! Id of the place }, at: data.result.count }
  places:
    about: Places
    fields: { id: string Id }
    list:
      call: GET /places
      params: { of: string Which }
      at: places
      pages: none
      because: There are few.
    get: 'GET /places/{id}'
`
const says = { source: 'document', from: 'https://counter.example/docs' }
const eu = { headers: { 'x-of': 'eu' } }
const page = (ids: readonly string[], endCursor: string, hasNextPage: boolean) => ({
  body: { code: '0', data: { result: { nodes: ids.map((id) => ({ id, place: { id: 'p' } })), pageInfo: { endCursor, hasNextPage } } } },
})
const places = (name: string, answer: object, end: object) => ({
  ...{ call: 'places.list', name, ...says, params: { of: 'all' } },
  ...{ exchanges: [{ request: { call: 'GET /api/places?of=all', ...eu }, answer }], ...end },
})
const two = { places: [{ id: '1' }, { id: '2' }] }

/** The kind with its recordings. */
export const counter: RecordedKind = {
  kind,
  recordings: {
    kind: 'counter',
    config: { region: 'eu' },
    recordings: [
      {
        ...{ call: 'counts.list', ...says },
        exchanges: [
          { request: { call: 'POST /api/graphql', body: { variables: { first: 2 } }, ...eu }, answer: page(['1', '2'], 'c2', true) },
          { request: { call: 'POST /api/graphql', body: { variables: { first: 2, after: 'c2' } } }, answer: page(['3'], 'c3', false) },
        ],
        data: ['1', '2', '3'].map((id) => ({ id })),
      },
      {
        ...{ call: 'counts.create', ...says, params: { place: 'p' } },
        exchanges: [
          {
            request: { call: 'POST /api/graphql', body: { variables: { input: { place: 'p' } } } },
            answer: { body: { code: '0', data: { result: { count: { id: '4', place: { id: 'p' } } } } } },
          },
        ],
        data: { id: '4' },
      },
      places('all', { body: { code: '0', ...two } }, { data: [{ id: '1' }, { id: '2' }] }),
      {
        ...{ call: 'places.get', ...says, params: { id: '1' }, data: { id: '1' } },
        exchanges: [{ request: 'GET /api/places/1', answer: { body: { code: '7', message: 'In part', id: '1' } } }],
      },
      places('none', { body: { code: '3', message: 'No' } }, { error: 'upstream_error' }),
    ],
  },
}
