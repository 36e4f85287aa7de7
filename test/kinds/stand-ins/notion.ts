/** Notion, by its public reference: https://developers.notion.com/reference (version 2025-09-03). Written without knowledge of any definition. */
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

/** https://developers.notion.com/reference/status-codes */
const refuse = (status: number, code: string, message: string): kit.Refusal =>
  new kit.Refusal({ status, body: { object: 'error', status, code, message, request_id: 'stand-in' } })
const shared = 'Make sure the relevant pages are shared with your integration.'
const missing = (id: unknown) => refuse(404, 'object_not_found', `Could not find object with ID: ${String(id)}. ${shared}`)
const invalid = (message: string) => refuse(400, 'validation_error', message)
const unknown = (where: string) => (name: string) => invalid(`${where} failed validation: ${where}.${name} should be not present.`)

/** Refusals on demand: https://developers.notion.com/reference/request-limits and /reference/status-codes */
export const notionRefusals = {
  rate: {
    status: 429,
    body: { object: 'error', status: 429, code: 'rate_limited', message: 'You have been rate limited.' },
    headers: { 'retry-after': '1' },
  },
  restricted: { status: 403, body: { object: 'error', status: 403, code: 'restricted_resource', message: 'Insufficient permissions.' } },
  conflict: { status: 409, body: { object: 'error', status: 409, code: 'conflict_error', message: 'Conflict occurred while saving.' } },
  down: { status: 503, body: { object: 'error', status: 503, code: 'service_unavailable', message: 'Notion is unavailable.' } },
}

/** Times are rounded down to the minute: https://developers.notion.com/changelog/last-edited-time-is-now-rounded-to-the-nearest-minute */
const iso = (time: number) => `${new Date(Math.floor(time / 60_000) * 60_000).toISOString().slice(0, 16)}:00.000Z`
const title = (content: string) => ({
  Name: { id: 'title', type: 'title', title: [{ type: 'text', plain_text: content, text: { content } }] },
})

/** Notion with users, data sources with rows, pages with blocks, and comments. */
export class Notion extends kit.Vendor {
  readonly key = 'ntn_standin'
  readonly #table = kit.tables()
  readonly #users = this.#table('users')
  readonly #sources = this.#table('data_sources')
  readonly #pages = this.#table('pages')
  readonly #blocks = this.#table('blocks')
  readonly #comments = this.#table('comments')

  constructor({ records = 1_000, seed = 19, smaller = 1 }: { records?: number } & kit.Sizes = {}) {
    super(seed, smaller)
    const start = Date.now() - 20 * 86_400_000
    for (let index = 0; index < this.fixed(130); index += 1)
      this.#add(this.#users, 'user', { type: 'person', name: `Person ${index}`, person: { email: `p${index}@example.com` } })
    for (let index = 0; index < 3; index += 1) {
      const database = this.#id()
      const parent = { type: 'database_id', database_id: database }
      const properties = { Name: { id: 'title', name: 'Name', type: 'title', title: {} } } // columns: /reference/data-source
      this.#add(this.#sources, 'data_source', { title: [{ plain_text: `Table ${index}` }], parent, properties }, start)
    }
    for (let index = 0; index < records; index += 1) {
      const time = start + Math.floor(index / 50) * 600_000 // fifty pages share a minute
      const source = this.#sources.all[index % 10 === 0 ? 1 : 0]?.['id']
      const parent = index % 4 === 0 ? { type: 'workspace', workspace: true } : { type: 'data_source_id', data_source_id: source }
      const page = { type: 'page_id', page_id: this.#page(parent, `Page ${index}`, time)['id'] }
      const [blocks, comments] = index === 0 ? [this.fixed(250), this.fixed(120)] : index < 20 ? [3, 2] : [0, 0]
      for (let at = 0; at < blocks; at += 1) this.#block(page, `Block ${at}`, time)
      for (let at = 0; at < comments; at += 1) this.#comment(page, `Comment ${at}`, time)
    }
  }

  /** `documents` are all pages, `rows` those of data sources, and what is in the trash is in no list. */
  holds(what: string): readonly Row[] {
    if (what !== 'rows') return this.#table(what.replace('documents', 'pages')).live()
    return this.#pages.live((row) => kit.at(row, 'parent.type') === 'data_source_id')
  }

  mutate(): void {
    const source = this.#sources.all[0]?.['id']
    this.#page({ type: 'data_source_id', data_source_id: source }, `New ${this.serial()}`, Date.now())
    for (const table of [this.#pages, this.#blocks]) this.#trash(table, this.pick(table.live().slice(1)))
    Object.assign(this.pick(this.holds('rows')), { properties: title(`Renamed ${this.serial()}`), last_edited_time: iso(Date.now()) })
    this.#block({ type: 'page_id', page_id: this.#pages.all[0]?.['id'] }, 'New', Date.now())
  }

  protected answer(call: Call): Answer {
    if (call.path === '/v1/oauth/token') return exchange(call)
    if (call.headers.authorization !== `Bearer ${this.key}`) throw refuse(401, 'unauthorized', 'API token is invalid.')
    const version = call.headers['notion-version'] // https://developers.notion.com/reference/versioning
    if (version === undefined) throw refuse(400, 'missing_version', 'Notion-Version header failed validation.')
    if (version !== '2025-09-03') throw invalid(`Notion-Version ${String(version)} is not played`)
    const [, , what = '', id, part] = call.path.split('/')
    const route = `${call.method} ${what}${id === undefined ? '' : '/id'}${part === undefined ? '' : `/${part}`}`
    if (route === 'GET users') return this.#list(call, this.#users.live(), { type: 'user' })
    if (route === 'GET users/id') return kit.ok(id === 'me' ? { ...this.#users.all[0], type: 'bot', bot: {} } : find(this.#users, id))
    if (route === 'POST search') return this.#search(call)
    if (route === 'POST data_sources/id/query') return this.#query(call, id)
    if (route === 'GET data_sources/id') return kit.ok(find(this.#sources, id))
    if (route === 'POST pages') return this.#create(call)
    if (route === 'GET pages/id') return kit.ok(find(this.#pages, id))
    if (route === 'PATCH pages/id') return this.#update(call, this.#pages, id, ['properties', 'in_trash', 'archived', 'icon', 'cover'])
    if (route === 'GET blocks/id') return kit.ok(find(this.#blocks, id))
    if (route === 'PATCH blocks/id')
      return this.#update(call, this.#blocks, id, ['paragraph', 'to_do', 'heading_1', 'in_trash', 'archived'])
    if (route === 'DELETE blocks/id') {
      const page = this.#pages.find(id) // a page is a block: /reference/delete-a-block
      return kit.ok(page === undefined ? this.#trash(this.#blocks, find(this.#blocks, id)) : blockOf(this.#trash(this.#pages, page)))
    }
    if (route === 'GET blocks/id/children') return this.#list(call, children(this.#blocks, id), { type: 'block' })
    if (route === 'PATCH blocks/id/children') return this.#append(call, id)
    const commented = call.query.get('block_id')
    if (route === 'GET comments') return this.#list(call, children(this.#comments, commented), { type: 'comment', more: ['block_id'] })
    if (route === 'POST comments') {
      const { parent: given, rich_text, discussion_id } = read(call, ['parent', 'rich_text', 'discussion_id'])
      if (rich_text === undefined) throw invalid('body failed validation: body.rich_text should be defined.')
      const [first] = this.#comments.all.filter((row) => row['discussion_id'] === discussion_id) // one of both: /reference/create-a-comment
      const parent = given ?? first?.['parent']
      find(this.#pages, kit.at(parent, 'page_id'))
      return kit.ok(this.#comment(parent, 'New', Date.now(), { rich_text, ...(first === undefined ? {} : { discussion_id }) }))
    }
    throw refuse(400, 'invalid_request_url', 'Invalid request URL.')
  }

  /** Sorted by the time of the last change, the newest first: https://developers.notion.com/reference/post-search */
  #search(call: Call): Answer {
    const { query, filter, sort, ...page } = read(call, ['query', 'filter', 'sort', 'start_cursor', 'page_size'])
    const wanted = filter === undefined ? undefined : kit.at(filter, 'value')
    if (filter !== undefined && (kit.at(filter, 'property') !== 'object' || !['page', 'data_source'].includes(String(wanted))))
      throw invalid('body failed validation: body.filter')
    if (sort !== undefined && kit.at(sort, 'timestamp') !== 'last_edited_time') throw invalid('body failed validation: body.sort')
    const all = [...this.#pages.live(), ...this.#sources.live()].filter((row) => wanted === undefined || row['object'] === wanted)
    const rows = all.filter((row) => query === undefined || JSON.stringify(row).includes(String(query)))
    const isAscending = kit.at(sort, 'direction') === 'ascending'
    return this.#list(call, rows, { type: 'page_or_data_source', page, by: ['last_edited_time', 'id'], isAscending })
  }

  /** https://developers.notion.com/reference/query-a-data-source and /reference/filter-data-source-entries */
  #query(call: Call, id: string | undefined): Answer {
    find(this.#sources, id)
    const { filter, sorts, ...page } = read(call, ['filter', 'sorts', 'start_cursor', 'page_size', 'in_trash', 'result_type'])
    const time = kit.at(filter, 'timestamp')
    const condition = kit.at(filter, String(time))
    const isOne = kit.isRow(condition) && Object.keys(condition).length === 1
    if (filter !== undefined && !(isOne && ['created_time', 'last_edited_time'].includes(String(time))))
      throw invalid('body failed validation: body.filter should have a condition')
    const fits = (row: Row) => {
      const own = Date.parse(String(row[String(time)]))
      return Object.entries(kit.isRow(condition) ? condition : {}).every(([name, value]) => {
        const wanted = Date.parse(String(value))
        if (Number.isNaN(wanted)) throw invalid('body failed validation: the date is not valid')
        return { on_or_after: own >= wanted, after: own > wanted, on_or_before: own <= wanted, before: own < wanted }[name] ?? true
      })
    }
    const rows = children(this.#pages, id).filter(fits)
    const first = Array.isArray(sorts) ? (sorts[0] as Row | undefined) : undefined
    const by = [String(first?.['timestamp'] ?? 'created_time'), 'id']
    const isAscending = first?.['direction'] === 'ascending'
    return this.#list(call, rows, { type: 'page_or_data_source', page, more: ['filter_properties'], by, isAscending })
  }

  /** A last page has a null cursor, and 100 is the most: https://developers.notion.com/reference/intro#pagination */
  #list(call: Call, rows: readonly Row[], { type, page, more = [], by = ['created_time', 'id'], isAscending = true }: List): Answer {
    const isGet = call.method === 'GET'
    kit.refuseUnknown(call.query.keys(), [...more, ...(isGet ? ['start_cursor', 'page_size'] : [])], unknown('query'))
    const { start_cursor: cursor, page_size = 100 }: Row = page ?? Object.fromEntries(call.query)
    const size = Number(page_size)
    if (!(Number.isInteger(size) && size >= 1 && size <= 100)) throw invalid('page_size should be ≤ `100`.')
    const asked = { by, isAscending, size: this.pageSize(size), cursor: cursor === null ? '' : cursor }
    const cut = this.cut(rows, asked, invalid('The start_cursor provided is invalid.'))
    return kit.ok({ object: 'list', results: cut.data, next_cursor: cut.next ?? null, has_more: cut.next !== undefined, type, [type]: {} })
  }

  #create(call: Call): Answer {
    const { parent, properties, children: blocks } = read(call, ['parent', 'properties', 'children', 'icon', 'cover'])
    if (!kit.isRow(parent) || !kit.isRow(properties)) throw invalid('body failed validation: body.parent should be defined.')
    const source = parent['data_source_id']
    if (source === undefined) find(this.#pages, parent['page_id'])
    else find(this.#sources, source)
    const page = this.#page({ type: source === undefined ? 'page_id' : 'data_source_id', ...parent }, 'New', Date.now(), { properties })
    for (const block of Array.isArray(blocks) ? blocks : []) this.#block({ type: 'page_id', page_id: page['id'] }, '', Date.now(), block)
    return kit.ok(page)
  }

  #update(call: Call, table: kit.Table, id: string | undefined, allowed: readonly string[]): Answer {
    const row = find(table, id)
    const { in_trash, archived, ...fields } = read(call, allowed)
    if (in_trash === true || archived === true) return kit.ok(this.#trash(table, row))
    return kit.ok(Object.assign(row, fields, { last_edited_time: iso(Date.now()) }))
  }

  #append(call: Call, id: string | undefined): Answer {
    const type = this.#pages.find(id) === undefined ? 'block_id' : 'page_id' // of pages and of blocks: /reference/patch-block-children
    find(type === 'page_id' ? this.#pages : this.#blocks, id)
    const { children: blocks } = read(call, ['children', 'after', 'position'])
    if (!Array.isArray(blocks) || blocks.length > 100)
      // "a limit of 100 block children": /reference/patch-block-children
      throw invalid('body failed validation: body.children should be an array of at most 100.')
    const results = blocks.map((block) => this.#block({ type, [type]: id }, '', Date.now(), block))
    return kit.ok({ object: 'list', results, next_cursor: null, has_more: false, type: 'block', block: {} })
  }

  /** Moves a record to the trash, which no list has: https://developers.notion.com/reference/archive-a-page */
  #trash(table: kit.Table, row: Row): Row {
    this.vanish(table, Object.assign(row, { archived: true, in_trash: true, last_edited_time: iso(Date.now()) }))
    return row
  }

  #id = (): string => `${this.serial().toString(16).padStart(8, '0')}-0000-4000-8000-${'0'.repeat(12)}`
  #add(table: kit.Table, object: string, fields: Row, time = Date.now()): Row {
    const times = object === 'user' ? {} : { created_time: iso(time), last_edited_time: iso(time) }
    const trash = object === 'user' || object === 'comment' ? {} : { archived: false, in_trash: false } // /reference/comment-object has none
    return table.add({ object, id: this.#id(), ...times, ...trash, ...fields })
  }
  #page = (parent: Row, name: string, time: number, more: Row = {}) =>
    this.#add(this.#pages, 'page', { parent, properties: title(name), url: '', ...more }, time)
  #block(parent: Row, text: string, time: number, more: Row = {}): Row {
    const fields = { type: 'paragraph', parent, has_children: false, paragraph: { rich_text: [{ plain_text: text }] } }
    return this.#add(this.#blocks, 'block', { ...fields, ...more }, time)
  }
  #comment = (parent: unknown, text: string, time: number, more: Row = {}) =>
    this.#add(this.#comments, 'comment', { parent, discussion_id: this.#id(), rich_text: [{ plain_text: text }], ...more }, time)
}

interface List {
  readonly type: string
  /** Cursor and size of a body; those of the query if omitted. */
  readonly page?: Row
  readonly more?: readonly string[]
  readonly by?: readonly string[]
  readonly isAscending?: boolean
}

const isIn = (id: unknown, { parent }: Row) =>
  kit.isRow(parent) && [parent['page_id'], parent['data_source_id'], parent['block_id']].includes(id)
/** A page as the block that it is: https://developers.notion.com/reference/block#child-page */
const blockOf = ({ properties: _properties, url: _url, ...row }: Row): Row =>
  Object.assign(row, { object: 'block', type: 'child_page', child_page: {} })
const children = (table: kit.Table, id: unknown): Row[] => table.live((row) => isIn(id, row))
const find = (table: kit.Table, id: unknown): Row => table.need(id, missing(id))

function read({ body }: Call, allowed: readonly string[]): Row {
  const fields = body === '' ? {} : kit.readObject(body)
  if (fields === undefined) throw refuse(400, 'invalid_json', 'Error parsing JSON body.')
  kit.refuseUnknown(Object.keys(fields), allowed, unknown('body'))
  return fields
}

/** Basic with the client, and JSON: https://developers.notion.com/reference/create-a-token */
function exchange({ headers, body }: Call): Answer {
  if (!headers.authorization?.startsWith('Basic ') || kit.readObject(body)?.['code'] !== 'code')
    throw refuse(400, 'invalid_grant', 'Invalid code.')
  return kit.ok({ access_token: 'ntn_standin', token_type: 'bearer', bot_id: 'bot', workspace_id: 'workspace' })
}
