/** HubSpot CRM v3, by its public reference: https://developers.hubspot.com/docs/api-reference. Written without knowledge of any definition. */
import {
  invalid,
  iso,
  known,
  limits,
  list,
  missing,
  modified,
  objects,
  pipeline,
  refuse,
  sampleOwn,
  showProperty,
  showType,
} from './hubspot-parts.ts'
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

/** Sizes, and types that the account made. */
interface Account {
  readonly records?: number
  readonly cap?: number
  readonly made?: readonly string[]
}

/** HubSpot with objects, owners, pipelines and properties. */
export class HubSpot extends kit.Vendor {
  readonly key = 'pat-standin'
  readonly #table = kit.tables()
  /** Results of a search end here: 10,000 at HubSpot. */
  readonly cap: number
  /** Types that the account made. */
  readonly made: Set<string>

  constructor({ records = 1_000, cap = 10_000, seed = 23, smaller = 1, made = ['2-11', '2-12'] }: Account & kit.Sizes = {}) {
    super(seed, smaller)
    this.cap = cap
    this.made = new Set(made)
    const start = Date.now() - 50 * 86_400_000
    for (let index = 0; index < records; index += 1) {
      const time = start + Math.floor(index / 50) * 3_600_000 // fifty records share a time
      const own = { own_color: index % 2 === 0 ? 'blue' : 'red' }
      this.#add('contacts', { email: `p${index}@example.com`, firstname: `First ${index}`, lastname: `Last ${index}`, ...own }, time)
      if (index % 2 === 0) this.#add('companies', { name: `Company ${index}`, domain: `c${index}.example.com` }, time)
      if (index % 3 === 0)
        this.#add('deals', { dealname: `Deal ${index}`, amount: `${index}.50`, dealstage: 'closedwon', pipeline: 'default' }, time)
      if (index % 5 === 0) this.#add('tickets', { subject: `Ticket ${index}`, hs_pipeline: '0', hs_pipeline_stage: '1' }, time)
      if (index % 6 === 0) this.#add('products', { name: `Product ${index}`, price: '10' }, time)
      if (index % 7 === 0) this.#add('line_items', { name: `Line ${index}`, quantity: '1', price: '10' }, time)
      const owner = { id: String(this.serial()), email: `o${index}@example.com`, firstName: 'Owner', lastName: `${index}`, userId: index }
      if (index < 120) this.#table('owners').add({ ...owner, archived: false, createdAt: iso(time), updatedAt: iso(time) })
      for (const path of made) if (index % 2 === 0) this.#add(path, sampleOwn(path, index), time)
    }
  }

  /** Returns what lists have, and the archive by `archived contacts`. */
  holds(what: string): readonly Row[] {
    if (what === 'contact properties') return known('contacts').map((name) => ({ name }))
    if (what === 'deal pipelines') return [pipeline('deals')]
    if (what === 'types') return [...this.made].map(showType)
    if (what === 'records of types') return [...this.made].flatMap((path) => this.#table(path).live())
    const table = this.#table(what.replace('archived ', ''))
    return what.startsWith('archived') ? table.all.filter((row) => table.isDeleted(row)) : table.live()
  }

  mutate(): void {
    const email = `n${this.serial()}@example.com`
    this.#add('contacts', { email, firstname: 'New' })
    for (const path of this.made) this.#add(path, sampleOwn(path, this.serial()))
    for (const path of ['contacts', 'companies', 'deals', ...this.made]) {
      this.#change(path, this.pick(this.#table(path).live()), { [known(path)[1] ?? '']: `Changed ${this.serial()}` })
      this.#archive(path, this.pick(this.#table(path).live()))
    }
  }

  protected answer(call: Call): Answer {
    if (call.headers.authorization !== `Bearer ${this.key}`)
      throw refuse(401, 'INVALID_AUTHENTICATION', 'Authentication credentials not found.')
    const answer = this.#route(call)
    const isSearch = call.path.endsWith('/search') // searches have no such headers
    return { ...answer, headers: { ...(isSearch ? {} : limits(180)), 'x-hubspot-correlation-id': 'stand-in', ...answer.headers } }
  }

  #route(call: Call): Answer {
    const [crm, version, area, path = '', id, ...rest] = call.path.slice(1).split('/')
    if (call.path === '/account-info/v3/details' && call.method === 'GET')
      return kit.ok({ portalId: 4_242, accountType: 'STANDARD', timeZone: 'UTC', companyCurrency: 'USD' })
    if (crm !== 'crm' || version !== 'v3' || rest.length > 0) throw missing()
    if (area === 'schemas' && path === '' && call.method === 'GET') {
      check(call.query, ['archived']) // all at once: /docs/api-reference/legacy/crm/objects/schemas/get-schemas
      return kit.ok({ results: this.holds('types') })
    }
    if (path.startsWith('2-') && !this.made.has(path)) throw refuse(400, 'VALIDATION_ERROR', `Unable to infer object type from: ${path}`)
    if (area === 'owners' && path === '' && call.method === 'GET')
      return this.#page(call, 'owners', { most: 500, filters: ['email', 'archived'] })
    if (area === 'owners' && call.method === 'GET') return kit.ok(this.#find('owners', path))
    if (area === 'pipelines' && call.method === 'GET') return kit.ok({ results: [pipeline(path)] }) // one page: /crm-pipelines-v3
    if (area === 'properties' && call.method === 'GET') return kit.ok({ results: known(path).map(showProperty) })
    if (area !== 'objects' || !objects.has(path)) throw missing()
    if (id === 'search' && call.method === 'POST') return this.#search(call, path)
    if (id === undefined && call.method === 'POST') return this.#create(call, path)
    if (id === undefined && call.method === 'GET')
      return this.#page(call, path, { most: 100, filters: ['properties', 'propertiesWithHistory', 'associations', 'archived'] })
    const row = this.#find(path, id)
    if (call.method === 'GET') check(call.query, ['properties', 'propertiesWithHistory', 'associations', 'archived', 'idProperty'])
    if (call.method === 'GET') return kit.ok(show(path, row, call.query.get('properties')))
    if (call.method === 'PATCH') return kit.ok(bare(this.#change(path, row, read(call, path))))
    if (call.method === 'DELETE') this.#archive(path, row)
    return { status: 204 }
  }

  /** The last page has no `paging`: https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/basic/get-crm-v3-objects-contacts */
  #page({ query, path: url }: Call, path: string, { most, filters }: { most: number; filters: readonly string[] }): Answer {
    check(query, ['limit', 'after', ...filters])
    const size = Number(query.get('limit') ?? (path === 'owners' ? 100 : 10))
    if (!(Number.isInteger(size) && size >= 1 && size <= most)) throw invalid(`Invalid input: limit must be at most ${most}`)
    const table = this.#table(path)
    const rows = query.get('archived') === 'true' ? table.all.filter((row) => table.isDeleted(row)) : table.live()
    const email = query.get('email')
    const fitting = rows.filter((row) => email === null || row['email'] === email).map((row) => ({ ...row, number: Number(row['id']) }))
    const asked = { by: ['number'], size: this.pageSize(size), cursor: query.get('after') }
    const cut = this.cut(fitting, asked, invalid('Invalid input: after'))
    const results = cut.data.map(({ number: _number, ...row }) => (path === 'owners' ? row : show(path, row, query.get('properties'))))
    const next = { after: cut.next, link: `${this.origin}${url}?after=${cut.next}` }
    return kit.ok({ results, ...(cut.next === undefined ? {} : { paging: { next } }) })
  }

  /** At most 200 a page and 10,000 in all: https://developers.hubspot.com/docs/api-reference/search/guide */
  #search(call: Call, path: string): Answer {
    const body = kit.readObject(call.body) ?? {}
    const unknown = (name: string) => invalid(`Invalid input JSON: Unrecognized field "${name}"`)
    kit.refuseUnknown(Object.keys(body), ['filterGroups', 'sorts', 'query', 'properties', 'limit', 'after'], unknown)
    const { filterGroups = [], sorts = [], query = '', limit = 10, after = 0, properties } = body
    const size = Number(limit)
    if (!(size >= 1 && size <= 200)) throw invalid('Invalid input: limit must be at most 200')
    if (Number(after) + size > this.cap) throw invalid(`There was a problem with the request: paging past ${this.cap} is not possible`)
    const groups = list(filterGroups).map((group) => list(group['filters']))
    // Five groups, ten filters in each, 25 in all: https://developers.hubspot.com/changelog/breaking-change-expanded-filtering-capabilities-and-error-messaging-in-hubspots-search-api
    if (groups.length > 5 || groups.some(({ length }) => length > 10) || groups.flat().length > 25) throw invalid('too many filters')
    const fits = (row: Row) => groups.length === 0 || groups.some((filters) => filters.every((filter) => says(path, row, filter)))
    const rows = this.#table(path).live((row) => fits(row) && JSON.stringify(row['properties']).includes(String(query)))
    const [sort] = list(sorts)
    const name = String(sort?.['propertyName'] ?? 'createdate')
    const numbered = rows.map((row) => ({ row, number: Number(row['id']), value: kit.at(row, `properties.${name}`) })) // ids are numbers
    const by = name === 'hs_object_id' ? ['number'] : ['value', 'number']
    const sorted = kit.sortBy(numbered, by, sort?.['direction'] !== 'DESCENDING').flatMap(({ row }) => (kit.isRow(row) ? [row] : []))
    const to = Number(after) + this.pageSize(size)
    const wanted = Array.isArray(properties) ? properties.join() : null
    const results = structuredClone(sorted.slice(Number(after), to)).map((row) => show(path, row, wanted))
    this.between?.()
    return kit.ok({ total: rows.length, results, ...(to < rows.length ? { paging: { next: { after: String(to) } } } : {}) })
  }

  #create(call: Call, path: string): Answer {
    const fields = read(call, path)
    const unique = objects.get(path)?.['unique'] ?? ''
    const [same] = this.#table(path).live((row) => unique !== '' && kit.at(row, `properties.${unique}`) === fields[unique])
    if (same !== undefined) throw refuse(409, 'CONFLICT', `Contact already exists. Existing ID: ${String(same['id'])}`)
    return { status: 201, body: bare(this.#add(path, fields)) }
  }

  #find = (path: string, id: string | undefined): Row => this.#table(path).need(id, missing())

  #add(path: string, fields: Row, time = Date.now()): Row {
    // An id is one of its type: https://developers.hubspot.com/docs/api-reference/legacy/crm/objects/custom-objects/guide
    const id = String(path.startsWith('2-') ? 900_000 + this.#table(path).all.length : this.serial())
    const properties = { ...fields, createdate: iso(time), hs_object_id: id, [modified(path)]: iso(time) }
    return this.#table(path).add({ id, properties, createdAt: iso(time), updatedAt: iso(time), archived: false, object: path })
  }

  #change(path: string, row: Row, fields: Row): Row {
    const time = iso(Date.now())
    const held = kit.isRow(row['properties']) ? row['properties'] : {}
    return Object.assign(row, { properties: { ...held, ...fields, [modified(path)]: time }, updatedAt: time })
  }

  /** Archived records are in the list of archived ones only: /crm-contacts-v3/basic/delete-crm-v3-objects-contacts */
  #archive(path: string, row: Row): void {
    this.vanish(this.#table(path), Object.assign(row, { archived: true, archivedAt: iso(Date.now()) }))
  }
}

/** No answer names the type of a record. */
const bare = ({ object: _object, ...row }: Row): Row => row

/** Without a list of wanted properties a few come: https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/guide#retrieve-contacts */
function show(path: string, row: Row, wanted: string | null): Row {
  const names = new Set([...(wanted === null || wanted === '' ? known(path).slice(0, 3) : wanted.split(',')), ...known(path).slice(-3)])
  const held = kit.isRow(row['properties']) ? row['properties'] : {}
  return { ...bare(row), properties: Object.fromEntries([...names].map((name) => [name, held[name] ?? null])) }
}

function says(path: string, row: Row, { propertyName, operator, value, values }: Row): boolean {
  if (!known(path).includes(String(propertyName))) throw invalid(`Property "${String(propertyName)}" does not exist`)
  const own = kit.at(row, `properties.${String(propertyName)}`)
  if (operator === 'HAS_PROPERTY' || operator === 'NOT_HAS_PROPERTY') return (own !== undefined) === (operator === 'HAS_PROPERTY')
  if (operator === 'IN') return Array.isArray(values) && values.includes(own)
  const number = (one: unknown) => (/^\d+$/.test(String(one)) ? Number(one) : Date.parse(String(one))) // dates are milliseconds or ISO
  const [left, right] = [number(own), number(value)]
  const answers = { EQ: own === value, NEQ: own !== value, GTE: left >= right, GT: left > right, LTE: left <= right, LT: left < right }
  const answer = Object.entries(answers).find(([name]) => name === operator)?.[1]
  if (answer === undefined) throw invalid(`operator ${String(operator)} is not played`)
  return answer
}

/** HubSpot ignores unknown parameters; the stand-in refuses them. */
const check = (query: URLSearchParams, allowed: readonly string[]): void =>
  kit.refuseUnknown(query.keys(), allowed, (name) => invalid(`${name} is not a parameter`))

/** Bodies hold `properties`, and unknown ones are refused: https://developers.hubspot.com/docs/api-reference/crm-contacts-v3/guide */
function read({ body }: Call, path: string): Row {
  const { properties, associations: _associations, ...rest } = kit.readObject(body) ?? {}
  if (!kit.isRow(properties) || Object.keys(rest).length > 0) throw invalid('Invalid input JSON')
  const unknown = (name: string) => invalid(`Property values were not valid: PROPERTY_DOESNT_EXIST ${name}`)
  kit.refuseUnknown(Object.keys(properties), known(path), unknown)
  return properties
}
