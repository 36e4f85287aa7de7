import { describe, expect, test } from 'vitest'
import { printLabel } from '../../shared/label.ts'
import type { PageKind, PageScheme } from '../view.ts'
import { listFields, readValues } from './fields.ts'

const scheme: PageScheme = {
  name: 'key',
  title: 'Key',
  consent: false,
  who: null,
  schema: {
    type: 'object',
    required: ['private_key'],
    properties: {
      private_key: { type: 'string', writeOnly: true, description: 'Private key, PEM (PKCS #8)' },
      passphrase: { type: 'string', writeOnly: true, description: 'Passphrase' },
    },
  },
}
const kind: PageKind = {
  slug: 'a',
  title: 'A',
  about: '',
  documentation: '',
  reviewed: true,
  hosts: [],
  readable: [],
  changeable: [],
  schemes: [scheme],
  locked: [],
  accounts_field: 'account_id',
  configuration: {
    type: 'object',
    required: ['shop'],
    properties: {
      shop: { type: 'string', 'x-find': { says: 'See the address.', menu: 'Settings > Store', url: 'javascript:alert(1)' } },
      account_id: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      mode: { type: 'string', enum: ['one', 'two'], default: 'one' },
      first_day: { type: 'string', format: 'date' },
    },
  },
  defaults: { shop: 'acme', account_id: ['1', '2'] },
}

test('labels are the names as words', () => {
  expect(['api_key', 'shop', 'account_id', 'api_base_url_for_customer', 'fromDateTime', 'callIds'].map(printLabel)).toEqual([
    'API key',
    'Shop',
    'Account ID',
    'API base URL for customer',
    'From date time',
    'Call IDs',
  ])
})

describe('the fields of a form', () => {
  test('are what is required, the accounts and the credentials, and the rest apart', () => {
    const { first, more } = listFields(kind, scheme)
    expect(first.map(({ pointer, control, value }) => [pointer, control, value])).toEqual([
      ['/configuration/shop', 'text', 'acme'],
      ['/configuration/account_id', 'lines', '1\n2'],
      ['/credentials/private_key', 'secret lines', ''],
      ['/credentials/passphrase', 'password', ''],
    ])
    expect(more.map(({ name, control, choices, usual }) => [name, control, choices, usual])).toEqual([
      ['mode', 'choice', ['one', 'two'], 'one'],
      ['first_day', 'date', [], ''],
    ])
  })

  test('ask for no credentials and no accounts before a consent', () => {
    const consent: PageScheme = { name: 'oauth', title: 'OAuth', consent: true, who: null, schema: null }
    expect(listFields(kind, consent).first.map(({ name }) => name)).toEqual(['shop'])
  })

  test('say where a value is, and link to nothing but https', () => {
    expect(listFields(kind, scheme).first[0]?.help).toEqual({ says: 'See the address.', menu: 'Settings > Store' })
  })
})

test('the values of a form keep the lines of a key, and leave out what is empty', () => {
  const { first, more } = listFields(kind, scheme)
  const form = new FormData()
  form.set('/configuration/account_id', ' 1, 2\n3 ')
  form.set('/credentials/private_key', 'BEGIN\nline\nEND\n')
  form.set('/configuration/mode', '')
  expect(readValues([...first, ...more], form)).toEqual({
    credentials: { private_key: 'BEGIN\nline\nEND\n' },
    configuration: { account_id: ['1', '2', '3'] },
    missing: ['/configuration/shop'],
  })
})
