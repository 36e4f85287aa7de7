/** A world with copies of two kinds, whose records tests write. */

import { id, list, obj, opt, secret, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { connector, entity } from '../../packages/ferrule/src/definition/index.ts'
import type { Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import type { EngineName } from '../../packages/server/src/copies/store/database/database.ts'
import { startCopyWorld } from './search-support.ts'
import { base, connectorsPath, type Json, type World, type WorldOptions } from './support.ts'

const common = {
  category: 'tests',
  origins: { api: 'https://api.desk.example' },
  credentials: { token: { title: 'Token', fields: { token: secret('Token.') }, send: { headers: { authorization: 'Bearer {token}' } } } },
  pages: {},
  problem: { message: ['message'] },
  errors: [{ status: 401, is: 'upstream_auth_failed' }],
  limits: { key: ['token'], rates: [] },
} as const

const tickets = {
  id: id('Id.'),
  subject: str('Subject.'),
  body: str('Body.'),
  state: str('State.'),
  custom: obj({}, 'Custom fields.'),
  opened: time('Opened.'),
  requester: str('Id of a person.'),
  watchers: list(str('Id'), 'Ids of people.'),
}
const people = { id: str('Id.'), name: str('Name.'), email: str('Address.'), manager: str('Id of a person.') }

export const desk = connector({
  ...common,
  kind: 'desk',
  title: 'Desk',
  about: 'Tickets.',
  documentation: 'https://desk.example/docs',
  id: '7d5d9b1c-55a4-4c7a-9d57-0d1f4c7f0101',
  configuration: { site: opt(str('Site.', { pattern: '^[a-z]+$' })) },
  check: { entity: 'tickets', action: 'list', params: {} },
  entities: {
    tickets: entity({
      about: 'Tickets.',
      key: ['id'],
      record: tickets,
      list: { call: 'GET /tickets', at: '', params: {} },
      context_store_search: tickets,
      refers: { requester: 'people', 'watchers[]': 'people' },
      summary: 'body',
      link: 'https://{site}.desk.example/tickets/{id}',
      sync: {},
    }),
    people: entity({
      about: 'People.',
      key: ['id'],
      record: people,
      list: { call: 'GET /people', at: '', params: {} },
      context_store_search: people,
      refers: { manager: 'people' },
      link: 'https://desk.example/people?of={id}',
      sync: {},
    }),
  },
})

const orders = { id: str('Id.'), title: str('Title.'), state: str('State.'), url: str('Address.'), created_at: time('Created.') }

export const shop = connector({
  ...common,
  kind: 'shop',
  title: 'Shop',
  about: 'Orders.',
  documentation: 'https://shop.example/docs',
  id: '7d5d9b1c-55a4-4c7a-9d57-0d1f4c7f0102',
  configuration: {},
  check: { entity: 'orders', action: 'list', params: {} },
  entities: {
    orders: entity({
      about: 'Orders.',
      key: ['id'],
      record: orders,
      list: { call: 'GET /orders', at: '', params: {} },
      context_store_search: orders,
      link: 'https://shop.example/{url}',
      sync: {},
    }),
  },
})

/** Records of a copy, by their fields. */
export interface Written {
  readonly connector: string
  readonly kind: 'desk' | 'shop'
  readonly entity: string
  readonly records: readonly Json[]
}

/** Options of a world whose vendors have nothing: the copies have what tests write. */
export const emptyVendors = {
  kinds: [desk, shop],
  engine: () => ({
    run: async (): Promise<Outcome> => ({ type: 'list', data: [], meta: {} }),
    checkAccount: async () => undefined,
  }),
} satisfies WorldOptions

/** A world whose vendors have nothing. */
export const startEverythingWorld = (engine: EngineName, options: WorldOptions = {}): Promise<World> =>
  startCopyWorld(engine, { ...emptyVendors, ...options })

/** A connector with copies that can be searched and are empty. */
export async function connectEmpty(world: World, kind: string, name: string, more: object = {}): Promise<string> {
  const body = { workspace_name: 'default', connector_type: kind, name, credentials: { token: 't' }, ...more }
  const { status, json, text } = await world.ask(connectorsPath, { token: world.token, body })
  if (status !== 200) throw new Error(text)
  await world.context.sync()
  return json.id
}

/** Writes records into a copy. */
export async function write(world: World, { connector: of, kind, entity: name, records }: Written): Promise<void> {
  const { key } = world.context.store.getTable(kind, name)
  await world.context.store.writeBatch(
    { connector: of, kind, entity: name },
    {
      records: records.map((fields) => ({ key: buildPrimaryKey(key, fields) ?? '', fields })),
      asked: world.clock.now,
    },
  )
}

/** A search over everything. */
export const searchAll = (world: World, body: object, token = world.token) => world.ask(`${base}/search`, { token, body })

/** All hits of all pages. */
export async function allHits(world: World, body: object, token = world.token): Promise<Json[]> {
  const hits: Json[] = []
  for (let cursor: string | null = null; ; ) {
    const { status, json, text } = await searchAll(world, { ...body, ...(cursor === null ? {} : { cursor }) }, token)
    if (status !== 200) throw new Error(text)
    hits.push(...json.data)
    cursor = json.meta.cursor
    if (cursor === null) return hits
  }
}
