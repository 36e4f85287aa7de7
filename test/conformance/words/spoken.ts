/** A kind of no vendor with the words that no recorded call shows: of signing in, of the copy, of webhooks, and for people. */
import { kindTop } from '../../support/kind-head.ts'

/** Text of its file. */
export const spoken = `${kindTop('spoken')}api: 'https://{site}.spoken.example'
configuration: { site: label Name in the address, shelves: labels? Names of shelves, account: digits? Id of the account }
auth:
  key: { title: Key, fields: { user: string User, password: secret Key }, find: Settings, send: { authorization: 'Basic {user}:{password}' } }
  app:
    title: App
    oauth:
      page: 'https://{site}.spoken.example/authorize'
      token: 'https://{site}.spoken.example/token'
      scopes: [read, write]
      separator: ','
      pkce: true
      always: { prompt: consent }
      as: json
      names:
        client_id: app_id
        client_secret: app_secret
        code: auth_code
        redirect_uri: back
        access_token: data.access_token
        refresh_token: data.refresh_token
        expires_in: data.expires_in
      exchange: { lasting: true }
      revoke: { call: POST /revoke, send: { token: access_token }, as: json, ended: ['17'] }
      accounts: { call: GET /accounts, send: { app: client_id }, at: data.list, id: id, name: name, to: account }
      signature: hmac
      returns: { site: '{site}.spoken.example' }
      refusal: 'Oauth error '
      who: An owner of the site can agree.
  service:
    title: Service
    fields: { address: string Address, private_key: secret Private key, key_passphrase: secret? Passphrase of the key }
    oauth:
      token: 'https://{site}.spoken.example/token'
      signed: { key: private_key, passphrase: key_passphrase, claims: { iss: '{address}' } }
limits:
  per: [user, address]
  rates: [100/m]
  budgets: { slow: [1/s] }
  points: { rate: 1000/h, cost: x-cost, expected: 10, left: x-points-left, resets: x-points-reset }
  left: x-left
  resets: x-reset
  as: unix-time
errors:
  message: error
  code: code
  request: header:x-id
  rows:
    - { is: conflict, status: 423, hint: Unlock it first., wait: [1s, 5m], again: true }
check: shelves.list
pages:
  cursor: { next: next, send: after }
lists: { at: rows, pages: cursor }
changes:
  entity: events
  params: { kind: note }
  since: { at: from }
  where: { type: ['{name}.changed', '{name}.deleted'] }
  gone: '{name}.deleted'
  record: data
  keeps: 30d
webhooks:
  secret: hook_key
  find: Settings > Webhooks
  token: { header: authorization, body: body_sha256, url: address }
  account: { at: [header:x-site, site], is: '{site}.spoken.example' }
  id: id
  topic: type
  events:
    note.*: { entity: notes, key: note.id, version: note.changed_at }
    shelf.*: { entity: notes, under: { shelf: shelf.id }, needs: reason, params: { shelves: shelf.id } }
unsure: { limits: guessed }
entities:
  shelves:
    about: Shelves
    fields: { id: string Id, name: string Name, open: boolean Whether it is open, owner_id: string Id of the owner, notes: 'object[] Notes' }
    refers: { owner_id: people }
    scope: [read]
    list:
      call: GET /shelves
      about: Lists shelves
      budget: slow
      params: { after_id: string Behind, sort: { $type: string, $about: Order, $default: name, $example: name } }
    sync: { params: { sort: name }, after: { id: after_id } }
  people:
    about: People
    fields: { id: string Id, state: string State }
    search: [id]
    list: { call: GET /people, params: { state: { $type: string, $about: State, $deprecated: true }, group: string Group } }
    sync: { values: { state: [active, away], group: [a, b] }, gone: { state: away } }
  notes:
    about: Notes
    fields: { id: string Id, shelf: string Shelf, changed_at: date-time When it changed }
    get: GET /notes/{id}
    list:
      call: GET /notes
      params:
        shelves: string[] Shelves
        q: string Words
        until: string End
        fields: { $type: string, $about: Fields, $chooses: true }
    sync:
      each: { shelves: { shelves: id } }
      where: { name: '{shelves}' }
      batch: 5
      under: { shelf: id }
      since:
        { field: changed_at, send: q, until: until, as: date, text: 'changed:{time}', first: '2020-01-01', overlap: 1h, fixed: true, sorted: true }
  pages:
    about: Pages of notes
    fields: { id: string Id, changed_at: date-time When it changed }
    of: notes
    list: GET /pages
    sync: { newest: changed_at }
  drafts:
    about: Drafts
    fields: { id: string Id }
    list: { call: GET /drafts, params: { mark: string Mark } }
    sync: { token: { read: mark, send: mark } }
  marks:
    about: Marks
    fields: { id: string Id }
    list: GET /marks
    sync: { changes: mark }
  lines:
    about: Lines of notes
    fields: { id: string Id }
    list: { call: GET /lines, params: { shelf: string Shelf } }
    sync: { within: { entity: shelves, at: notes, most: 10, take: { shelf: id } } }
  events:
    about: Changes
    fields: { id: string Id, at: date-time When, type: string What, data: object The record }
    list: { call: GET /events, params: { from: date-time Start, kind: string Kind } }
`

/** Text of a file with a login, and an OAuth client whose tokens do not end. */
export const signing = `${kindTop('signing')}api: https://api.signing.example
configuration: { region: { $type: eu|us, $about: Region, $default: us } }
auth:
  user:
    title: User
    fields: { user: string User, password: secret Password }
    find: { says: Signing shows it once., menu: Settings > Users, url: 'https://signing.example/users', role: owner }
    login:
      call: POST /session
      host: https://login.signing.example
      send: { user: '{user}' }
      headers: { authorization: 'Basic {user}:{password}' }
      as: form
      token: data.token
      expires: 12h
    send: { x-session: '{access_token}' }
  app:
    title: App
    oauth: { page: https://login.signing.example/agree, token: https://login.signing.example/agreed, refresh: false }
webhooks:
  secret: hook_key
  find: Settings > Webhooks
  signature: { header: x-signature, part: v1, signs: '{timestamp}.{body}', time: { at: part:t, within: 1m } }
  topic: type
  events: { note.made: { entity: notes, key: note.id } }
check: notes.list
entities:
  notes:
    about: Notes
    fields: { id: string Id }
    list: { call: GET /notes, pages: none, because: There are few. }
`
