/** A right file of no vendor, in which tests make one mistake. */
export const acme = `kind: acme
title: Acme
category: things
about: Things of Acme
docs: https://docs.acme.example
api: 'https://{site}.acme.example'
path: /v1
headers: { x-version: '3' }
configuration:
  site: label Name of the account in the address
auth:
  key:
    title: Key
    fields: { token: secret Token of the account, user: string? Address for mail }
    find: Settings > API
    send: { authorization: 'Bearer {token}' }
limits: { per: token, rates: [100/10s] }
errors:
  message: error.message
  code: error.code
  rows:
    - 403 too fast: rate_limited
    - code missing: gone
check: user.get
account: user.get id
pages:
  cursor: { next: meta.next, send: cursor, more: meta.has_more, size: limit=100 }
lists: { at: data, pages: cursor }
types:
  base: { id: integer Id, updated_at: date-time When it changed }
changes:
  entity: events
  since: { at: from }
  where: { type: '{name}.changed' }
  record: data
  keeps: 30d
entities:
  user:
    about: The account
    fields: { id: string Id }
    get: GET /user
  things:
    about: Things
    fields:
      +: base
      name: string Name
      owner: { login: string Name for signing in }
    list:
      call: GET /things
      params: { since: date-time Changed since, state: open|closed State }
    get: GET /things/{id}
    create: { call: POST /things, body: { name: string! Name } }
    sync: { params: { state: open }, since: { updated_at: since } }
  parts:
    about: Parts of a thing
    fields: { id: string Id, type: string Type }
    list: GET /things/{thing}/parts
    sync: { each: { things: { thing: id } }, changes: part }
  events:
    about: Changes
    fields: { id: string Id, at: date-time When, type: string What, data: object The part }
    list: { call: GET /events, params: { from: date-time Start } }
`
