/** What the words of the definition language infer. Compiled by the type check, never run. */
import type { Static } from '../../packages/ferrule/src/definition/index.ts'
import {
  absent,
  bool,
  byDefault,
  connector,
  date,
  decimal,
  each,
  emptyIsAbsent,
  entity,
  fromConnector,
  id,
  int,
  jsonArray,
  list,
  moment,
  mustBeTrue,
  num,
  obj,
  oneOf,
  oneOrMany,
  open,
  opt,
  orDate,
  orNull,
  refuse,
  secret,
  stamp,
  str,
  time,
} from '../../packages/ferrule/src/definition/index.ts'
import type {
  ActionsOf,
  CredentialsOf,
  Download,
  LocalConnector,
  MetaOf,
  ParamsOf,
  RecordOf,
} from '../../packages/ferrule/src/engine/types.ts'
import { type Same, yes } from './same.ts'

// Fields
const fields = {
  text: str('A text', { maxLength: 10 }),
  key: secret('A secret'),
  at: time('A moment'),
  day: date('A day'),
  since: orDate(time('A timestamp')),
  either: moment('A moment or a day'),
  count: int('A count', { minimum: 0 }),
  large: id('A large id'),
  score: num('A number'),
  flag: bool('A truth value'),
  yes: mustBeTrue('Must be true'),
  side: oneOf('A side', 'left', 'right'),
  tags: list(str('A tag'), 'Tags', { maxItems: 3 }),
  inner: obj({ a: str('A text'), b: opt(int('A count')) }, 'An object'),
  vendor: open('As the vendor sends it'),
  maybe: orNull(int('A count, or null')),
  missing: absent(list(str('A tag'), 'Tags')),
  ids: emptyIsAbsent(list(str('An id'), 'Ids')),
  range: refuse('range_invalid', str('A range')),
  ...each(orNull(str('A text, or null')), 'first', 'second'),
  names: jsonArray('Texts in a text'),
  some: oneOrMany(oneOf('A side', 'left', 'right'), 'Sides', { maxItems: 2 }),
  at_utc: stamp('A moment'),
  spent: orNull(decimal('An amount')),
  host: opt(byDefault('live', oneOf('A host', 'live', 'test'))),
}
const supplied = entity({
  about: 'Supplied',
  key: ['id'],
  record: { id: id('Id') },
  list: { call: 'GET /supplied', at: '', params: { owner: fromConnector('owner', str('Owner')), size: int('Size') } },
})
yes<Same<ParamsOf<typeof supplied, 'list'>, { owner?: string | null; size: number }>>()
yes<Same<Static<typeof fields.names>, string | readonly string[]>>()
yes<Same<Static<typeof fields.some>, 'left' | 'right' | readonly ('left' | 'right')[]>>()
yes<Same<Static<typeof fields.at_utc>, string>>()
yes<Same<Static<typeof fields.spent>, string | null>>()
yes<Same<Static<typeof fields.host>, 'live' | 'test'>>()
yes<Same<Static<typeof fields.text>, string>>()
yes<Same<Static<typeof fields.key>, string>>()
yes<Same<Static<typeof fields.at>, string>>()
yes<Same<Static<typeof fields.day>, string | Date>>()
yes<Same<Static<typeof fields.since>, string | Date>>()
yes<Same<Static<typeof fields.either>, string | Date>>()
yes<Same<Static<typeof fields.count>, number>>()
yes<Same<Static<typeof fields.large>, number | bigint>>()
yes<Same<Static<typeof fields.score>, number>>()
yes<Same<Static<typeof fields.flag>, boolean>>()
yes<Same<Static<typeof fields.yes>, true>>()
yes<Same<Static<typeof fields.side>, 'left' | 'right'>>()
yes<Same<Static<typeof fields.tags>, string[]>>()
yes<Same<Static<typeof fields.inner>, { a: string; b?: number }>>()
yes<Same<Static<typeof fields.vendor>, Record<string, unknown>>>()
yes<Same<Static<typeof fields.maybe>, number | null>>()
yes<Same<Static<typeof fields.missing>, string[] | null>>()
yes<Same<Static<typeof fields.ids>, string[]>>()
yes<Same<Static<typeof fields.range>, string>>()
yes<Same<Static<typeof fields.second>, string | null>>()

// Entities
const record = { id: str('Id'), title: str('Title'), owner: open('Owner'), size: absent(int('Size')) }
const notes = entity({
  about: 'Notes',
  key: ['id'],
  record,
  from: { size: { rename: 'bytes' } },
  list: { call: 'GET /notes', at: 'notes', page: 'cursor', params: { cursor: opt(str('Position')), since: opt(time('First moment')) } },
  get: { call: 'GET /folders/{folder}/notes/{id}', at: 'note', params: { folder: str('Folder id'), id: str('Id') } },
  context_store_search: { id: record.id },
})
const tags = entity({ about: 'Tags', key: ['id'], record: { id: str('Id') }, list: { call: 'GET /tags', at: 'tags', params: {} } })
const files = entity({
  about: 'Files',
  key: ['param.note.id'],
  download: {
    call: 'POST /files',
    at: '',
    params: { note: obj({ id: str('Id') }, 'The note'), range_header: opt(str('Range')) },
    file: { at: 'url', range: 'range_header', renew: [403], name: '{note.id}.bin' },
  },
})
// A key may lie inside a field, and what only the call knows is a key too
entity({
  about: 'Owners',
  key: ['owner.id', 'param.id'],
  record,
  get: { call: 'GET /owners/{id}', at: 'owner', params: { id: str('Id') } },
})
yes<Same<ParamsOf<typeof notes, 'list'>, { cursor?: string | null; since?: string | null }>>()
yes<Same<ParamsOf<typeof notes, 'get'>, { folder: string; id: string }>>()
yes<Same<ParamsOf<typeof tags, 'list'>, Record<never, never>>>()
yes<Same<ParamsOf<typeof files, 'download'>, { note: { id: string }; range_header?: string | null }>>()
yes<Same<ParamsOf<typeof tags, 'get'>, never>>()
yes<Same<RecordOf<typeof notes>, { id: string; title: string; owner: Record<string, unknown>; size: number | null }>>()
yes<Same<RecordOf<typeof files>, never>>()
yes<Same<ActionsOf<typeof notes>, 'list' | 'get'>>()
yes<Same<ActionsOf<typeof files>, 'download'>>()
yes<Same<MetaOf<typeof notes>['cursor'], string | null>>()
yes<Same<Extract<keyof MetaOf<typeof tags>, 'cursor'>, never>>()

// A kind
const kind = connector({
  kind: 'notes',
  title: 'Notes',
  category: 'notes',
  about: 'Notes of people',
  id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  documentation: 'https://notes.example/docs',
  origins: { api: 'https://api.notes.example' },
  credentials: {
    token: { title: 'Token', fields: { token: secret('Token') }, send: { headers: { authorization: 'Bearer {token}' } } },
    password: {
      title: 'Password',
      fields: { user: str('User'), password: secret('Password') },
      send: { headers: { authorization: 'Basic {user}:{password}' } },
    },
  },
  configuration: { folder: opt(str('Folder id')) },
  pages: { cursor: { shape: 'cursor', read: { cursor: 'next' }, next: { meta: 'cursor', param: 'cursor' } } },
  problem: { message: ['message'] },
  errors: [
    { status: 401, is: 'upstream_auth_failed' },
    { statuses: [400, 499], is: 'upstream_invalid_request', hint: 'Look again.' },
  ],
  limits: { key: ['token', 'user'], rates: [{ calls: 10, seconds: 1 }] },
  check: { entity: 'tags', action: 'list', params: {} },
  entities: { notes, tags, files },
})
type Notes = LocalConnector<(typeof kind)['definition']>
yes<Same<keyof (typeof kind)['definition']['entities'], 'notes' | 'tags' | 'files'>>()
yes<Same<ReturnType<Notes['files']['download']>, Promise<Download>>>()
yes<Same<Parameters<Notes['tags']['list']>[0], Record<string, never> | undefined>>()
yes<Same<Parameters<Notes['notes']['get']>[0], { folder: string; id: string }>>()
type Credentials = CredentialsOf<(typeof kind)['definition']>
yes<Same<Credentials, { token: string; user?: never; password?: never } | { user: string; password: string; token?: never }>>()
