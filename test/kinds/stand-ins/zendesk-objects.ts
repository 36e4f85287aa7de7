/** Custom objects of Zendesk, by its public reference: https://developer.zendesk.com/api-reference/custom-data/introduction/. Written without knowledge of any definition. */
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'
import { missing, refuse, Zendesk } from './zendesk.ts'

/** Objects that an account can make, and their fields: /custom-data/custom-objects/custom_object_fields/ */
const objects = kit.readTable(`
  key  | fields
  ship | crew draught
  dock | town places`)
const iso = (time = Date.now()): string => `${new Date(time).toISOString().slice(0, 19)}Z`
const unknown = (name: string) => refuse(400, 'InvalidParameter', `${name} is not a parameter`)

/** What an account made. */
interface Account extends kit.Sizes {
  readonly records?: number
  readonly made?: readonly string[]
}

/** Zendesk with objects that the account made. */
export class ZendeskObjects extends Zendesk {
  /** Keys of the account's objects. */
  readonly made: Set<string>
  readonly #records = kit.tables()

  constructor({ made = [...objects.keys()], ...sizes }: Account = {}) {
    super(sizes)
    this.made = new Set(made)
    const { records = 1_000 } = sizes
    const start = Date.now() - 30 * 86_400_000
    for (const key of made)
      for (let index = 0; index < records; index += 2) this.#add(key, sample(key, index), start + Math.floor(index / 40) * 7_200_000)
  }

  override holds(what: string): readonly Row[] {
    if (what === 'custom objects') return [...this.made].map(showObject)
    if (what === 'records of objects') return [...this.made].flatMap((key) => this.#records(key).live())
    return objects.has(what) ? this.#records(what).live() : super.holds(what)
  }

  override mutate(): void {
    super.mutate()
    for (const key of this.made) {
      this.#add(key, sample(key, this.serial()))
      this.#change(key, this.pick(this.#records(key).live()), { name: `Renamed ${this.serial()}` })
      this.vanish(this.#records(key), this.pick(this.#records(key).live()))
    }
  }

  protected override route(call: Call): Answer {
    const [, , , path, key = '', part, id, ...rest] = call.path.split('/')
    if (path !== 'custom_objects') return super.route(call)
    if (rest.length > 0) throw refuse(404, 'InvalidEndpoint', 'Not found')
    // All at once: /custom-data/custom-objects/custom_objects/#list-custom-objects
    if (key === '' && call.method === 'GET') return this.#all(call, { custom_objects: [...this.made].map(showObject) })
    if (!this.made.has(key)) throw missing()
    if (part === undefined && call.method === 'GET') return kit.ok({ custom_object: showObject(key) })
    if (part === 'fields' && id === undefined && call.method === 'GET') return this.#fields(call, key)
    if (part !== 'records') throw refuse(404, 'InvalidEndpoint', 'Not found')
    if (id === undefined && call.method === 'GET') return this.#page(call, key)
    if (id === undefined && call.method === 'POST') return { status: 201, body: { custom_object_record: this.#add(key, read(call, key)) } }
    const row = this.#records(key).need(id, missing())
    if (call.method === 'GET') return kit.ok({ custom_object_record: row })
    if (call.method === 'PATCH') return kit.ok({ custom_object_record: this.#change(key, row, read(call, key)) })
    if (call.method !== 'DELETE') throw refuse(405, 'MethodNotAllowed')
    this.vanish(this.#records(key), row)
    return { status: 204 }
  }

  #all({ query }: Call, body: Row): Answer {
    kit.refuseUnknown(query.keys(), [], unknown)
    return kit.ok(body)
  }

  /** Cursors if page[size] is there: /custom-data/custom-objects/custom_object_fields/#list-custom-object-fields */
  #fields({ query }: Call, key: string): Answer {
    kit.refuseUnknown(query.keys(), ['page[size]', 'page[after]', 'include_standard_fields'], unknown)
    const rows = kit.words(objects.get(key)?.['fields']).map((name, index) => showField(name, 9_007_199_254_740_993n + BigInt(index)))
    return kit.ok({ custom_object_fields: rows, meta: { has_more: false, after_cursor: null }, links: { next: null } })
  }

  /** Cursors only, sorted by id or by the last change: /custom-data/custom-objects/custom_object_records/#list-custom-object-records */
  #page({ query, path }: Call, key: string): Answer {
    kit.refuseUnknown(query.keys(), ['page[size]', 'page[after]', 'sort', 'filter[ids]', 'filter[external_ids]'], unknown)
    const sort = query.get('sort') ?? 'id'
    if (!/^-?(id|updated_at)$/.test(sort)) throw refuse(400, 'InvalidParameter', 'sort must be id or updated_at')
    const size = Number(query.get('page[size]') ?? 100)
    if (!(size >= 1 && size <= 100)) throw refuse(400, 'InvalidPaginationParameter', 'page[size] must be from 1 to 100')
    const order = { by: [sort.replace('-', ''), 'id'], isAscending: !sort.startsWith('-') }
    const asked = { ...order, size: this.pageSize(size), cursor: query.get('page[after]') }
    const cut = this.cut(this.#records(key).live(), asked, refuse(400, 'InvalidPaginationParameter', 'page[after] is not valid'))
    const url = new URL(`${path}?${query}`, this.origin)
    url.searchParams.set('page[after]', `${cut.last}`)
    const meta = { has_more: cut.next !== undefined, after_cursor: cut.last ?? null, before_cursor: null }
    return kit.ok({ custom_object_records: cut.data, meta, links: { next: meta.has_more ? url.href : null, prev: null } })
  }

  #add(key: string, fields: Row, time?: number): Row {
    // A ULID has 26 characters: /custom-data/custom-objects/custom_object_records/#json-format
    const id = `01GDXYEY1FQYN0${String(this.serial()).padStart(12, '0')}`
    const times = { created_at: iso(time), updated_at: iso(time), created_by_user_id: '1', updated_by_user_id: '1' }
    return this.#records(key).add({ id, custom_object_key: key, external_id: null, ...fields, ...times })
  }

  #change(key: string, row: Row, { custom_object_fields: own, ...fields }: Row): Row {
    const held = { ...(kit.isRow(row['custom_object_fields']) ? row['custom_object_fields'] : {}), ...(kit.isRow(own) ? own : {}) }
    if (this.#records(key).isDeleted(row)) throw missing()
    return Object.assign(row, fields, { custom_object_fields: held, updated_at: iso() })
  }
}

const sample = (key: string, index: number): Row => ({
  name: `${key} ${index}`,
  custom_object_fields: Object.fromEntries(kit.words(objects.get(key)?.['fields']).map((name) => [name, `${name} ${index}`])),
})
/** /custom-data/custom-objects/custom_objects/#json-format */
const showObject = (key: string): Row => ({
  ...{ key, title: key, title_pluralized: `${key}s`, raw_title: key, raw_title_pluralized: `${key}s`, description: '' },
  ...{ created_at: iso(0), updated_at: iso(0), created_by_user_id: '1', updated_by_user_id: '1', include_in_list_view: true },
})
/** /custom-data/custom-objects/custom_object_fields/#json-format */
const showField = (key: string, id: bigint): Row => ({
  ...{ id, key, type: 'text', title: key, raw_title: key, description: '', active: true, system: false, position: 0 },
  ...{ created_at: iso(0), updated_at: iso(0) },
})

/** Bodies are wrapped, and fields belong to the object: /custom-data/custom-objects/custom_object_records/#create-custom-object-record */
function read({ body }: Call, key: string): Row {
  const fields = kit.readObject(body)?.['custom_object_record']
  if (!kit.isRow(fields)) throw refuse(400, 'RequiredParameterMissing', 'Parameter custom_object_record is required')
  const wrong = (name: string) => refuse(422, 'RecordInvalid', `${name} is not an attribute`)
  kit.refuseUnknown(Object.keys(fields), ['name', 'external_id', 'custom_object_fields'], wrong)
  const own = fields['custom_object_fields']
  kit.refuseUnknown(Object.keys(kit.isRow(own) ? own : {}), kit.words(objects.get(key)?.['fields']), wrong)
  return fields
}
