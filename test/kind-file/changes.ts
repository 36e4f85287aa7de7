/** Thirty-two changes of a kind, each with its class. */
import type { KindChangeClass } from '../../packages/ferrule/src/definition/compare.ts'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'

/** A kind before it changes. */
export const file = `
kind: acme
title: Acme Desk
category: help desk
about: Tickets of customers
docs: https://acme.example.com/docs
api: https://api.acme.example.com
path: /v1
configuration:
  team: { $type: string?, $about: Team whose tickets are read }
auth:
  token: { title: Token, fields: { token: secret Token }, send: { authorization: 'Bearer {token}' } }
  key: { title: Key, fields: { key: secret Key }, send: { x-acme-key: '{key}' } }
limits: { per: [token, key], rates: [100/m] }
errors: { message: error }
check: tickets.list
pages:
  cursor: { next: next_cursor, send: cursor, more: has_more, size: limit=100 }
lists: { at: data, pages: cursor }
entities:
  tickets:
    about: Questions of customers
    fields:
      id: integer Id
      subject: string Subject
      state: open|closed State
      updated_at: date-time When it changed
    list: { call: GET /tickets, params: { since: date-time Changed since } }
    get: GET /tickets/{id}
    create: { call: POST /tickets, body: { subject: string! Subject } }
    sync: { since: { updated_at: since } }
  people:
    about: Customers
    fields: { id: integer Id, name: string Name }
    list: { call: GET /people }
    sync: {}
    search: [id]
`

/** Reads a definition. */
export const read = async (text: string) => {
  const { definition, mistakes } = await readKind(text, { name: 'acme.kind.yaml' })
  if (definition === undefined) throw new Error(mistakes.map(({ path, message }) => `${path}: ${message}`).join('\n'))
  return definition
}

/** Name, what is replaced, by what, the class, and the entity that it concerns. */
export const changes: readonly (readonly [string, string, string, KindChangeClass, string | null])[] = [
  ['nothing', 'kind: acme', 'kind: acme', 'none', null],
  ['the slug, which the organization decides', 'kind: acme', 'kind: acme-two', 'none', null],
  ['a comment', 'limits:', '# a comment\nlimits:', 'none', null],
  ['the title', 'Acme Desk', 'Acme Help', 'text', null],
  ['the description', 'Tickets of customers', 'Tickets', 'text', null],
  ['the sentence of an entity', 'Questions of customers', 'Questions', 'text', null],
  ['the sentence of a field', 'string Subject\n', 'string What it is about\n', 'text', null],
  ["the vendor's page", 'acme.example.com/docs', 'acme.example.com/api', 'text', null],
  ['a rate', '100/m', '50/m', 'calls', null],
  ['an error', 'message: error', 'message: error.text', 'calls', null],
  ['the way of paging', 'limit=100', 'limit=50', 'calls', null],
  ['the path of the API', 'path: /v1', 'path: /v2', 'calls', null],
  ['the path of a call', 'GET /tickets/{id}', 'GET /ticket/{id}', 'calls', 'tickets'],
  [
    'a parameter',
    'create: { call: POST /tickets, body: { subject: string! Subject }',
    'create: { call: POST /tickets, body: { subject: string! Subject, state: string State }',
    'calls',
    'tickets',
  ],
  ['a new action', 'get: GET /tickets/{id}', 'get: GET /tickets/{id}\n    delete: DELETE /tickets/{id}', 'calls', 'tickets'],
  ['an action less', '    get: GET /tickets/{id}\n', '', 'calls', 'tickets'],
  ['a value of the configuration', '  team:', '  region: { $type: string?, $about: Region }\n  team:', 'calls', null],
  [
    'a new scheme',
    '  key: {',
    '  basic: { title: Basic, fields: { user: string User, word: secret Word }, send: { authorization: "Basic {user}:{word}" } }\n  key: {',
    'calls',
    null,
  ],
  ['a field that is not searched', 'name: string Name', 'name: string Name, city: string City', 'calls', 'people'],
  [
    'a new entity',
    '  people:\n',
    '  teams: { about: Teams, fields: { id: integer Id }, list: { call: GET /teams } }\n  people:\n',
    'entities',
    'teams',
  ],
  [
    'a new searchable field',
    'subject: string Subject\n',
    'subject: string Subject\n      priority: integer? Priority\n',
    'fields',
    'tickets',
  ],
  ['a field that is no longer searchable', '      subject: string Subject\n', '', 'fields', 'tickets'],
  ['another way to sync', 'sync: { since: { updated_at: since } }', 'sync: {}', 'fields', 'tickets'],
  [
    'other records of a list',
    '{ since: date-time Changed since } }',
    '{ since: date-time Changed since }, where: { state: open } }',
    'fields',
    'tickets',
  ],
  ['another type of a searchable field', 'subject: string Subject\n', 'subject: integer Subject\n', 'remade', 'tickets'],
  ['another set of values', 'open|closed State', 'string State', 'remade', 'tickets'],
  [
    'a searchable field in the middle',
    '      id: integer Id\n      subject: string Subject\n',
    '      id: integer Id\n      number: integer Number\n      subject: string Subject\n',
    'fields',
    'tickets',
  ],
  [
    'searchable fields in another order',
    '      subject: string Subject\n      state: open|closed State\n',
    '      state: open|closed State\n      subject: string Subject\n',
    'fields',
    'tickets',
  ],
  ['an entity less', file.slice(file.indexOf('  people:\n')), '', 'remade', 'people'],
  ['another host', 'https://api.acme.example.com', 'https://api.other.example.com', 'authorize', null],
  ['another header of a scheme', 'x-acme-key', 'x-acme-token', 'authorize', null],
  [
    'a scheme less',
    "  key: { title: Key, fields: { key: secret Key }, send: { x-acme-key: '{key}' } }\nlimits: { per: [token, key]",
    'limits: { per: token',
    'authorize',
    null,
  ],
]
