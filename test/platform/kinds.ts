import { id, opt, secret, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { connector, entity } from '../../packages/ferrule/src/definition/index.ts'

const users = entity({
  about: 'People.',
  key: ['id'],
  record: { id: str('Id.'), name: str('Name.') },
  list: { call: 'GET /users', at: 'users', params: { team: opt(str('Only this team.')) } },
  get: { about: 'One person.', call: 'GET /users/{id}', at: 'user', params: { id: str('Id.') } },
  context_store_search: { name: str('Name.') },
})

/** An entity with writes. */
const posts = entity({
  about: 'Posts.',
  key: ['id'],
  record: { id: id('Id.'), text: str('Text.') },
  list: { call: 'GET /posts', at: 'posts', params: {} },
  create: {
    about: 'Writes a post.',
    call: 'POST /posts',
    at: 'post',
    params: { text: str('Text.'), author: opt(id('Author.')), title: opt(str('Title.')) },
  },
  update: { about: 'Changes a post.', call: 'POST /posts/{id}', at: 'post', params: { id: str('Id.'), text: str('Text.') } },
  delete: { about: 'Removes a post.', call: 'POST /posts/{id}/removal', at: 'post', params: { id: str('Id.') } },
})

const common = {
  documentation: 'https://notes.example/docs',
  origins: { api: 'https://api.notes.example', oauth: 'https://login.notes.example' },
  pages: {},
  problem: { message: ['message'] },
  errors: [],
  limits: { key: ['api_key'], rates: [] },
  check: { entity: 'users', action: 'list', params: {} },
  entities: { users },
} as const

/** A kind with two schemes; one has single-use refresh tokens. */
export const notes = connector({
  ...common,
  kind: 'notes',
  title: 'Good Notes',
  category: 'notes',
  about: 'Notes of people.',
  id: '7d5d9b1c-55a4-4c7a-9d57-0d1f4c7f0001',
  credentials: {
    key: {
      title: 'Key',
      fields: { api_key: secret('Key.'), api_secret: secret('Its secret.') },
      send: { headers: { authorization: 'Basic {api_key}:{api_secret}' } },
    },
    oauth: {
      title: 'OAuth',
      fields: {
        refresh_token: secret('Single use.'),
        access_token: opt(secret('Access token.')),
        token_expiry_date: opt(time('End of the access token.')),
        client_id: opt(str('Client.')),
      },
      send: { headers: { authorization: 'Bearer {access_token}' } },
      exchange: {
        call: 'POST /token',
        client: { user: 'client_id', password: 'client_id' },
        as: 'form',
        refresh: { send: { refresh_token: 'refresh_token' }, constant: { grant_type: 'refresh_token' } },
        read: { access_token: 'access_token', refresh_token: 'refresh_token' },
        expires: { seconds: 'expires_in', field: 'token_expiry_date' },
      },
    },
  },
  configuration: { team: opt(str('Default team.')) },
})

/** A kind that needs configuration. */
export const stall = connector({
  ...common,
  kind: 'market-stall',
  title: 'Market Stall',
  category: 'commerce',
  about: 'A stall.',
  id: '7d5d9b1c-55a4-4c7a-9d57-0d1f4c7f0002',
  credentials: { token: { title: 'Token', fields: { token: secret('Token.') }, send: { headers: { authorization: 'Bearer {token}' } } } },
  configuration: { stall: str('Name of the stall.', { pattern: '^[a-z]+$' }) },
})

/** `notes` with a writable entity. */
export const writable = connector({
  ...notes.definition,
  entities: { users, posts },
  errors: [
    { status: 401, is: 'upstream_auth_failed' },
    { status: 422, is: 'upstream_invalid_request' },
    { status: 429, is: 'upstream_rate_limited' },
  ],
})

/** Credentials of the kinds. */
export const keyPair = { api_key: 'key-in-plain-text', api_secret: 'secret-in-plain-text' } as const
/** Credentials with a single-use refresh token. */
export const oauth = { refresh_token: 'refresh-1', access_token: 'access-1', client_id: 'client' } as const
