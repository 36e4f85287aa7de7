/** Three invented vendors: each with its API, and what its pages say about the parts of a kind file. */
import { createServer } from 'node:http'
import { buildSchema, graphql } from 'graphql'
import { listen } from '../support/listen.ts'

/** A part of a file, and what the vendor's pages say there. */
export type Edit = readonly [path: string, value: unknown]

/** A vendor. */
export interface LoopVendor {
  readonly kind: string
  readonly title: string
  /** The schema that it publishes, if it has one. */
  readonly schema?: string
  /** Variables with the credentials of a test account. */
  readonly credentials: Readonly<Record<string, string>>
  /** Path of what is unsure or in doubt → the edits that the pages lead to. */
  readonly pages: Readonly<Record<string, readonly Edit[]>>
  /** Words of each call that is tried. */
  readonly calls: readonly string[]
  answer(request: VendorAsked): object | Promise<object> | undefined
}

/** A request as a vendor sees it. */
interface VendorAsked {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const find = <T extends { readonly id: unknown }>(all: readonly T[], id: string | undefined): T | undefined =>
  all.find((each) => String(each.id) === id)

const accounts = [1, 2, 3].map((id) => ({ id, label: `Account ${id}`, balance: `${id}.50`, opened: '2026-01-05T10:00:00Z' }))

/** Numbered pages, a key in a header of its own. */
const ledger: LoopVendor = {
  kind: 'ledger',
  title: 'Ledger',
  credentials: { LEDGER_API_KEY: 'k-ledger' },
  pages: {
    docs: [['docs', 'https://ledger.example/docs']],
    auth: [
      [
        'auth',
        { key: { title: 'API key', fields: { api_key: 'secret API key' }, find: 'Settings > Keys', send: { 'x-api-key': '{api_key}' } } },
      ],
      ['path', '/v2'],
    ],
    limits: [['limits', { per: 'api_key', rates: ['10/s'] }]],
    errors: [['errors', { message: 'error.text', code: 'error.code' }]],
    pages: [
      ['pages', { numbers: { next: 'pages', send: 'page', total: 'paging.total', size: 'per_page=50' } }],
      ['lists', { at: 'items', pages: 'numbers' }],
    ],
    'entities.things': [
      [
        'entities',
        {
          accounts: {
            about: 'Accounts of the books',
            fields: { id: 'integer Id', label: 'string Name', balance: 'decimal Balance', opened: 'date-time' },
            list: 'GET /accounts',
            get: 'GET /accounts/{id}',
          },
        },
      ],
      ['check', 'accounts.list'],
    ],
    'entities.accounts.fields.opened': [['entities.accounts.fields.opened', 'date-time When it was opened']],
  },
  calls: ['accounts list -p limit=1', 'accounts get -p id=2'],
  answer: ({ path, query, headers }) => {
    if (headers['x-api-key'] !== 'k-ledger') return undefined
    if (path !== '/v2/accounts') return find(accounts, /^\/v2\/accounts\/(\d+)$/.exec(path)?.[1])
    const size = Number(query.get('per_page'))
    const from = (Number(query.get('page') ?? 1) - 1) * size
    return { items: accounts.slice(from, from + size), paging: { total: accounts.length } }
  },
}

const parcels = ['p1', 'p2', 'p3'].map((id, index) => ({ id, weight: index + 1.5, sent: 1_767_600_000 + index }))

/** The last record is the position, two values in Basic. */
const parcel: LoopVendor = {
  kind: 'parcel',
  title: 'Parcel',
  credentials: { PARCEL_USER: 'ada', PARCEL_PASSWORD: 'p-parcel' },
  pages: {
    docs: [['docs', 'https://parcel.example/docs']],
    auth: [
      [
        'auth',
        {
          login: {
            title: 'User and password',
            fields: { user: 'string User', password: 'secret Password' },
            find: 'Account > API',
            send: { authorization: 'Basic {user}:{password}' },
          },
        },
      ],
    ],
    limits: [['limits', { per: 'user', rates: ['100/m'] }]],
    errors: [['errors', { message: 'problem' }]],
    pages: [
      ['pages', { last: { next: 'last:id', send: 'after', more: 'more', size: 'count=100' } }],
      ['lists', { at: 'parcels', pages: 'last' }],
    ],
    'entities.things': [
      [
        'entities',
        {
          parcels: {
            about: 'Parcels on their way',
            fields: { id: 'string Id', weight: 'number Weight in kilograms', sent: 'unix-time When it was sent' },
            list: 'GET /parcels',
            get: 'GET /parcels/{id}',
          },
        },
      ],
      ['check', 'parcels.list'],
    ],
  },
  calls: ['parcels list -p limit=1', 'parcels get -p id=p2'],
  answer: ({ path, query, headers }) => {
    if (headers['authorization'] !== `Basic ${Buffer.from('ada:p-parcel').toString('base64')}`) return undefined
    if (path !== '/parcels') return find(parcels, /^\/parcels\/(\w+)$/.exec(path)?.[1])
    const from = parcels.findIndex(({ id }) => id === query.get('after')) + 1
    const rows = parcels.slice(from, from + Number(query.get('count')))
    return { parcels: rows, more: from + rows.length < parcels.length }
  },
}

const deskSchema = `
scalar DateTime
type PageInfo { hasNextPage: Boolean! endCursor: String }
"A question of a customer."
type Ticket { id: ID! subject: String! createdAt: DateTime! agent: Agent }
type Agent { id: ID! name: String! }
type TicketConnection { nodes: [Ticket!]! pageInfo: PageInfo! }
type Query {
  "Questions of customers."
  tickets(first: Int, after: String): TicketConnection!
  ticket(id: ID!): Ticket
  "The person of the key."
  viewer: Agent!
}
`
const schema = buildSchema(deskSchema)
const tickets = ['t1', 't2', 't3'].map((id) => ({
  ...{ id, subject: `Ticket ${id}`, createdAt: '2026-01-05T10:00:00Z', agent: { id: 'a1', name: 'Ada' } },
}))
const rootValue = {
  viewer: { id: 'a1', name: 'Ada' },
  ticket: ({ id }: { readonly id: string }) => find(tickets, id),
  tickets: ({ first, after }: { readonly first: number; readonly after?: string }) => {
    const from = tickets.findIndex(({ id }) => id === after) + 1
    const nodes = tickets.slice(from, from + first)
    return { nodes, pageInfo: { hasNextPage: from + nodes.length < tickets.length, endCursor: nodes.at(-1)?.id } }
  },
}

/** GraphQL, with a published schema. */
const desk: LoopVendor = {
  kind: 'desk',
  title: 'Desk',
  schema: deskSchema,
  credentials: { DESK_TOKEN: 'k-desk' },
  pages: {
    docs: [['docs', 'https://desk.example/docs']],
    category: [['category', 'help desk']],
    auth: [['auth.token.find', 'Settings > Tokens']],
    limits: [['limits', { per: 'token', rates: ['60/m'] }]],
    errors: [],
    check: [],
    'pages.connection.size': [['pages.connection.size', 'first=100']],
  },
  calls: ['tickets list -p limit=1', 'tickets get -p id=t2', 'viewer get'],
  answer: async ({ path, headers, body }) => {
    if (path !== '/graphql' || headers['authorization'] !== 'Bearer k-desk') return undefined
    const { query, variables }: { readonly query: string; readonly variables: Record<string, unknown> } = JSON.parse(body)
    return graphql({ schema, source: query, variableValues: variables, rootValue })
  },
}

/** The vendors. */
export const loopVendors: readonly LoopVendor[] = [ledger, parcel, desk]

/** Plays a vendor. Without its credentials, and for what it lacks, it answers 404. */
export async function playVendor({ answer }: LoopVendor) {
  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://vendor.example')
    const body = await new Response(ReadableStream.from(request)).text()
    const answered = await answer({ path, query, headers: request.headers, body })
    response.writeHead(answered === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answered ?? { error: { text: 'none' } }))
  })
  return listen(server)
}
