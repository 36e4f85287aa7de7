/** A kind with synced entities: some always in full, some by changes, some as dependents. */

import { opt, secret, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { connector, entity } from '../../packages/ferrule/src/definition/index.ts'

const name = { id: str('Id.'), name: str('Name.') }
const page = { cursor: opt(str('Position.')) }

const accounts = entity({
  about: 'Accounts.',
  key: ['id'],
  record: { id: str('Id.'), name: str('Name.') },
  list: { call: 'GET /accounts', at: 'data', params: page, page: 'cursor' },
  context_store_search: name,
  sync: {},
})
const lines = entity({
  about: 'Lines of an account.',
  key: ['id'],
  record: { id: str('Id.'), name: str('Name.') },
  list: { call: 'GET /accounts/{account}/lines', at: 'data', params: { account: str('Account.') } },
  context_store_search: name,
  sync: { each: { entity: 'accounts', take: { account: 'id' } } },
})
const entries = entity({
  about: 'Entries, which tell when they changed.',
  key: ['id'],
  record: { id: str('Id.'), name: str('Name.'), changed_at: time('Last change.') },
  list: { call: 'GET /entries', at: 'data', params: { ...page, since: opt(str('Changed since.')) }, page: 'cursor' },
  context_store_search: name,
  sync: { since: { param: 'since', field: 'changed_at', lookback: 60 } },
})
const comments = entity({
  about: 'Comments of an entry.',
  key: ['id'],
  record: { id: str('Id.'), name: str('Name.') },
  list: { call: 'GET /entries/{entry}/comments', at: 'data', params: { entry: str('Entry.') } },
  context_store_search: name,
  sync: { each: { entity: 'entries', take: { entry: 'id' } } },
})
/** Read live only. */
const rates = entity({
  about: 'Rates.',
  key: ['id'],
  record: { id: str('Id.') },
  list: { call: 'GET /rates', at: 'data', params: {} },
})

/** A kind with copies. */
export const ledger = connector({
  kind: 'ledger',
  title: 'Ledger',
  category: 'finance',
  about: 'Accounts and entries.',
  documentation: 'https://ledger.example/docs',
  id: '7d5d9b1c-55a4-4c7a-9d57-0d1f4c7f0003',
  origins: { api: 'https://api.ledger.example' },
  credentials: { token: { title: 'Token', fields: { token: secret('Token.') }, send: { headers: { authorization: 'Bearer {token}' } } } },
  configuration: { book: opt(str('Which book.')) },
  pages: { cursor: { shape: 'cursor', read: { cursor: 'next' }, next: { meta: 'cursor', param: 'cursor' } } },
  problem: { message: ['message'] },
  errors: [
    { status: 401, is: 'upstream_auth_failed' },
    { status: 429, is: 'upstream_rate_limited' },
  ],
  limits: { key: ['token'], rates: [] },
  check: { entity: 'accounts', action: 'list', params: {} },
  entities: { accounts, lines, entries, comments, rates },
})
