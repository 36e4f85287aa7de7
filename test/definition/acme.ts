/** A kind of no vendor, whose parts tests replace by wrong ones. */
import type { ConnectorDefinition, CredentialScheme, Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { EntityDefinition, Operation } from '../../packages/ferrule/src/definition/entity.ts'
import { find, obj, opt, str } from '../../packages/ferrule/src/definition/fields.ts'

/** A list by a cursor. */
export const list: Operation = {
  call: 'GET /things/{group}',
  at: 'things',
  page: 'cursor',
  params: { group: str('Group'), cursor: opt(str('Cursor')), filter: opt(obj({ from: str('From') }, 'Filter')) },
}
/** An entity. */
export const things: EntityDefinition = { about: 'Things', key: ['id'], record: { id: str('Id'), name: str('Name') }, list }
/** Where people find a value. */
export const finding = { says: 'Acme shows the value.' }
/** A credential scheme. */
export const scheme: CredentialScheme = {
  title: 'Key',
  fields: { user: find(finding, str('User')), password: find(finding, str('Password')) },
  send: { headers: { authorization: 'Basic {user}:{password}' } },
}
/** A kind that is right. */
export const acme: ConnectorDefinition = {
  kind: 'acme',
  title: 'Acme',
  category: 'things',
  about: 'Things of Acme',
  id: '00000000-0000-4000-8000-000000000001',
  documentation: 'https://acme.example',
  origins: { api: 'https://api.acme.example' },
  credentials: { key: scheme },
  configuration: { show: opt(find(finding, str('Whether to show all'))) },
  pages: { cursor: { shape: 'cursor', read: { cursor: 'next' }, next: { meta: 'cursor', param: 'cursor' } } },
  problem: { message: ['message'] },
  errors: [{ status: 404, is: 'record_not_found' }],
  limits: { key: ['user'], rates: [{ calls: 1, seconds: 1 }] },
  lookups: { thing: { entity: 'things', action: 'list', ids: 'filter.from', batch: 10, key: 'id' } },
  hidden: { unless: { field: 'show', is: 'all' }, count: 'hidden', error: 'record_not_found', flag: 'secret' },
  check: { entity: 'things', action: 'list', params: { group: 'a' } },
  entities: { things },
}

/** The kind with other parts. */
export const kind = (more: Partial<ConnectorDefinition>): Kind => ({ definition: { ...acme, ...more }, rules: {} })
/** The kind with another entity. */
export const withEntity = (more: Partial<EntityDefinition>): Kind => kind({ entities: { things: { ...things, ...more } } })
/** The kind with another list. */
export const withList = (more: Partial<Operation>): Kind => withEntity({ list: { ...list, ...more } })
/** The kind with another credential scheme. */
export const withScheme = (more: Partial<CredentialScheme>): Kind => kind({ credentials: { key: { ...scheme, ...more } } })
const { page: _page, ...withoutPage } = list
/** The list without pages. */
export const unpaged: Operation = withoutPage
const { list: _list, ...withoutList } = things
/** The entity without its list. */
export const idle: EntityDefinition = withoutList
const { record: _record, ...withoutRecord } = things
/** The entity without its record. */
export const recordless: EntityDefinition = withoutRecord
const { hidden: _hidden, ...withoutHidden } = acme
/** The kind without a word on hidden rows. */
export const open: ConnectorDefinition = withoutHidden
/** A grant without values. */
export const grant = { send: {}, constant: {} } as const
/** An exchange of refresh tokens. */
export const exchange = {
  call: 'POST /token',
  headers: { authorization: 'Basic {user}:{password}' },
  as: 'form',
  refresh: grant,
  read: {},
  expires: { seconds: 'expires_in', field: 'user' },
} as const
/** A consent page. */
export const consent = {
  page: 'GET /consent',
  send: { client: 'user' },
  constant: {},
  oauthClient: ['user', 'password'],
  who: 'An administrator can consent.',
  code: ['code'],
} as const
/** Hides a value from the compiler, which would refuse it: such values arrive from foreign data. */
export const untyped = <T>(value: unknown): T => value as T
