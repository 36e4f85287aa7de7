/** An artificial kind with one entity for each way in which records reach the copy. */
import type { ConnectorDefinition, Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { EntityDefinition, Operation } from '../../packages/ferrule/src/definition/entity.ts'
import { byDefault, date, find, id, int, list, obj, open, opt, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import { acme, finding } from '../definition/acme.ts'

const cursor = opt(str('Cursor'))
const limit = opt(int('Records per page'))
const read = (call: Operation['call'], params: Operation['params'], page: 'cursor' | 'next_page_url' = 'cursor'): Operation => ({
  call,
  at: 'records',
  page,
  params,
})

const person = { id: str('Id'), name: str('Name') }
const order = {
  id: id('Id'),
  updated_at: time('Changed'),
  title: str('Title'),
  refunds: list(open('Refund'), 'Refunds'),
  lines: list(open('Line'), 'Lines'),
}
const refund = { id: id('Id'), amount: str('Amount') }
const line = { id: id('Id'), item: id('Item'), order_id: id('Order') }
const note = { id: id('Id'), order_id: id('Order'), text: str('Text') }
const item = { id: id('Id'), stock: int('Stock') }
const call = { id: str('Id'), started: time('Start'), title: str('Title'), isPrivate: opt(str('Private')) }
const transcript = { callId: str('Call'), text: str('Text') }
const account = { id: str('Id'), name: str('Name') }
const report = { account_id: str('Account'), day: date('Day'), clicks: int('Clicks') }

/** The entities. Pages have three records, own lists of lines two. */
export const entities = {
  /** Everything, each time, by counted pages. */
  people: {
    about: 'People',
    key: ['id'],
    record: person,
    list: read('GET /people', { cursor, limit }),
    context_store_search: person,
    sync: { params: { limit: 3 } },
  },
  /** Changes in the order of ids; not searchable itself. */
  orders: {
    about: 'Orders',
    key: ['id'],
    record: order,
    list: read(
      'GET /orders',
      { since_id: opt(id('After')), updated_at_min: opt(time('Changed since')), page_info: cursor },
      'next_page_url',
    ),
    sync: {
      since: { param: 'updated_at_min', field: 'updated_at', lookback: 3_600 },
      after: { param: 'since_id', field: 'id' },
    },
  },
  refunds: {
    about: 'Refunds within orders',
    key: ['id'],
    record: refund,
    list: read('GET /orders/{order_id}/refunds', { order_id: id('Order'), page_info: cursor }, 'next_page_url'),
    context_store_search: { ...refund, order_id: id('Order') },
    sync: { within: { entity: 'orders', at: 'refunds' }, under: { field: 'order_id', parent: 'id' }, project: { order_id: 'parent.id' } },
  },
  lines: {
    about: 'Lines within orders, of which an order shows three',
    key: ['id'],
    record: line,
    list: read('GET /orders/{order_id}/lines', { order_id: id('Order'), page_info: cursor }, 'next_page_url'),
    context_store_search: line,
    sync: {
      within: { entity: 'orders', at: 'lines', most: { records: 3, take: { order_id: 'id' } } },
      under: { field: 'order_id', parent: 'id' },
    },
  },
  notes: {
    about: 'Notes of one order',
    key: ['id'],
    record: note,
    list: read('GET /orders/{order_id}/notes', { order_id: id('Order'), page_info: cursor }, 'next_page_url'),
    context_store_search: note,
    sync: { each: { entity: 'orders', take: { order_id: 'id' } }, under: { field: 'order_id', parent: 'id' } },
  },
  items: {
    about: 'Items of lines, two in one call',
    key: ['id'],
    record: item,
    list: read('GET /items', { ids: list(str('Id'), 'Ids'), page_info: cursor }, 'next_page_url'),
    context_store_search: item,
    sync: { each: { entity: 'lines', take: { ids: 'item' }, batch: 2 } },
  },
  /** Reads two weeks again. The start of a call never changes, and private calls are not listed. */
  calls: {
    about: 'Calls',
    key: ['id'],
    record: call,
    list: read('GET /calls', { filter: opt(obj({ from: opt(time('From')), to: opt(time('To')) }, 'Window')), cursor }),
    context_store_search: { id: str('Id'), started: time('Start'), title: str('Title') },
    sync: { since: { param: 'filter.from', until: 'filter.to', field: 'started', lookback: 14 * 86_400, fixed: true } },
  },
  transcripts: {
    about: 'Transcripts of some calls',
    key: ['callId'],
    record: transcript,
    list: read('GET /transcripts', { filter: obj({ ids: list(str('Id'), 'Ids') }, 'Which'), cursor }),
    context_store_search: { ...transcript, started: time('Start') },
    sync: { each: { entity: 'calls', take: { 'filter.ids': 'id' }, batch: 3 }, project: { started: 'parent.started' } },
  },
  accounts: {
    about: 'Accounts, all in one answer',
    key: ['id'],
    record: account,
    list: { ...read('GET /accounts', {}), onePage: true },
    context_store_search: account,
    sync: {},
  },
  reports: {
    about: 'Days of one account, ten in one call',
    key: ['account_id', 'day'],
    record: report,
    list: read('GET /reports', { account_id: str('Account'), start: date('First day'), end: date('Last day'), cursor }),
    context_store_search: report,
    sync: {
      each: { entity: 'accounts', take: { account_id: 'id' } },
      windows: { from: 'start', to: 'end', days: 10, first: 'start', lookback: 2 },
    },
  },
  shop: {
    about: 'The one shop',
    key: ['id'],
    record: { id: id('Id'), name: str('Name') },
    get: { call: 'GET /shop', at: 'shop', params: {} },
    context_store_search: { id: id('Id'), name: str('Name') },
    sync: {},
  },
} satisfies Record<string, EntityDefinition>

/** Name of an entity of the artificial kind. */
export type EntityName = keyof typeof entities

const definition: ConnectorDefinition = {
  ...acme,
  kind: 'made-up',
  configuration: {
    start: opt(find(finding, byDefault('2026-01-01', date('First day of reports')))),
    zone: opt(find(finding, str('Zone'))),
  },
  pages: {
    ...acme.pages,
    next_page_url: {
      shape: 'next_page_url',
      read: { next_page_url: 'link:next' },
      next: { meta: 'next_page_url', param: 'page_info', from: 'page_info' },
    },
  },
  lookups: {},
  check: { entity: 'accounts', action: 'list', params: {} },
  entities,
}
const { hidden: _hidden, ...withoutHidden } = definition

/** The kind. */
export const madeUp: Kind = { definition: withoutHidden, rules: {} }
