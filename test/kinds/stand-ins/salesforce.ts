/** Salesforce REST API v62.0, by its public guide: https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest. Written without knowledge of any definition. */

import type { KeyObject } from 'node:crypto'
import {
  custom,
  customTypes,
  describeAll,
  fault,
  hasDeleted,
  isOwn,
  known,
  modified,
  noColumn,
  objects,
  own,
  type Query,
  refuse,
  Soql,
  sample,
  stamp,
  unwritable,
} from './salesforce-soql.ts'
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Refusals on demand: /api_rest/errorcodes.htm and /api/sforce_api_calls_concepts_core_data_objects.htm#exception_code */
export const salesforceRefusals = {
  rate: fault(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
  access: fault(403, 'INSUFFICIENT_ACCESS', 'insufficient access rights on cross-reference id'),
  disabled: fault(403, 'API_DISABLED_FOR_ORG', 'The REST API is not enabled for this Organization.'),
  timeout: fault(400, 'QUERY_TIMEOUT', 'Your query request was running for too long.'),
  duplicate: fault(400, 'DUPLICATES_DETECTED', "You're creating a duplicate record. We recommend you use an existing record instead."),
  down: fault(503, 'SERVER_UNAVAILABLE', 'Server is temporarily unavailable'),
}

/** Sizes, and objects that the organization made. */
interface Organization {
  readonly records?: number
  readonly batch?: number
  readonly seed?: number
  readonly made?: readonly string[]
}

/** Salesforce with its usual objects. */
export class Salesforce extends kit.Vendor {
  readonly access = '00D!standin'
  readonly version = 'v62.0'
  /** Custom fields that are deleted, or that the user may not read: no description shows them. */
  readonly hidden = new Set<string>()
  /** Custom fields that a description shows and a query refuses. */
  readonly unreadable = new Set<string>()
  /** Records of a page: 2,000 at most, and fewer as Salesforce likes: /api_rest/headers_queryoptions.htm */
  readonly batch: number
  readonly #table = kit.tables()
  readonly #locators = new Map<string, Query>()

  /** Objects that the organization made. */
  readonly made: Set<string>

  constructor({ records = 1_000, batch = 200, seed = 29, made = ['Shipment__c', 'acme__Box__c'] }: Organization = {}) {
    super(seed, 1)
    this.batch = batch
    this.made = new Set(made)
    const start = Date.now() - 50 * 86_400_000
    for (const object of this.#objects())
      for (let index = 0; index < records; index += Number(objects.get(object)?.['share']) || records)
        this.#add(object, sample(object, index), start + Math.floor(index / 50) * 3_600_000) // fifty records share a time
  }

  /** Returns what `query` has of an object, and what `queryAll` has by `all Account`. */
  holds(what: string): readonly Row[] {
    if (what === 'made') return [...this.made].map((name) => ({ name }))
    if (what === 'records of made') return [...this.made].flatMap((object) => this.#table(object).live())
    const table = this.#table(what.replace('all ', ''))
    return what.startsWith('all ') ? table.all : table.live()
  }

  mutate(): void {
    for (const object of this.#objects().filter((each) => each !== 'Organization')) {
      this.#add(object, sample(object, this.serial()))
      const row = this.pick(this.#table(object).live())
      Object.assign(row, { [own(object).includes('Subject') ? 'Subject' : 'Name']: `Changed ${this.serial()}` }, modified(Date.now()))
      if (hasDeleted(object)) this.#delete(object, this.pick(this.#table(object).live()))
    }
  }

  /** Public key of the app's certificate. */
  certificate: KeyObject | undefined

  protected answer(call: Call): Answer {
    if (call.path === '/services/oauth2/token' && call.method === 'POST') return this.#token(call)
    if (`${call.path}?${call.query}`.length > 16_384) return { status: 414, body: 'URI Too Long' } // /api_rest/errorcodes.htm
    if (call.headers.authorization !== `Bearer ${this.access}`) throw refuse(401, 'INVALID_SESSION_ID', 'Session expired or invalid')
    const answer = this.#route(call)
    return { ...answer, headers: { 'sforce-limit-info': 'api-usage=18/5000', ...answer.headers } } // /api_rest/headers_api_usage.htm
  }

  /** On the customer's own domain: https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_refresh_token_flow.htm and …_client_credentials_flow.htm */
  #token({ body }: Call): Answer {
    const {
      grant_type: grant,
      client_id: id,
      client_secret: secret,
      refresh_token: refresh,
      ...rest
    } = Object.fromEntries(new URLSearchParams(body))
    const say = (error: string) => ({ status: 400, body: { error, error_description: error } })
    if (grant === jwtBearer) return this.#isSigned(String(rest['assertion'])) ? this.#given() : say('invalid_grant')
    if (Object.keys(rest).length > 0) return say('invalid_request')
    if (id !== 'client' || secret !== 'secret') return say('invalid_client_id')
    if (grant === 'refresh_token' ? refresh !== 'refresh' : grant !== 'client_credentials' || refresh !== undefined)
      return say('invalid_grant')
    return this.#given()
  }

  /** https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_jwt_flow.htm: at most five minutes, for a user of the org */
  #isSigned(assertion: string): boolean {
    const { iss, sub, aud, exp } = (this.certificate && kit.readAssertion(assertion, this.certificate)) ?? {}
    return (
      iss === 'client' && sub === 'ada@acme.example' && aud === 'https://login.salesforce.com' && Number(exp) < Date.now() / 1_000 + 300
    )
  }

  #given(): Answer {
    const [org] = this.holds('Organization')
    const about = { instance_url: this.origin, id: `https://login.salesforce.com/id/${org?.['Id']}`, signature: 'stand-in' }
    return kit.ok({ access_token: this.access, token_type: 'Bearer', issued_at: String(Date.now()), ...about }) // it names no lifetime
  }

  #route(call: Call): Answer {
    const [services, data, version, area, object = '', id, ...rest] = call.path.slice(1).split('/')
    const missing = refuse(404, 'NOT_FOUND', 'The requested resource does not exist')
    if (services !== 'services' || data !== 'data' || version !== this.version || rest.length > 0) throw missing
    if ((area === 'query' || area === 'queryAll') && call.method === 'GET')
      return object === '' ? this.#query(call, area) : this.#more(call, object)
    if (area === 'sobjects' && object === '' && call.method === 'GET')
      return kit.ok({ encoding: 'UTF-8', maxBatchSize: 200, sobjects: describeAll(this.#objects()) })
    if (area !== 'sobjects' || !this.#objects().includes(object)) throw missing
    if (id === 'describe' && call.method === 'GET') return kit.ok(this.#describe(object))
    if (id === undefined && call.method === 'POST') return this.#create(object, read(call, object))
    const table = this.#table(object)
    const row = table.find(id, 'Id')
    if (!/^\w{15}(\w{3})?$/.test(id ?? '')) throw refuse(400, 'MALFORMED_ID', `malformed id ${id}`)
    if (row === undefined) throw missing
    if (table.isDeleted(row)) throw refuse(404, 'ENTITY_IS_DELETED', 'entity is deleted')
    if (call.method === 'GET') return kit.ok(this.#get(call, object, row))
    if (call.method === 'PATCH') Object.assign(row, read(call, object), modified(Date.now()))
    else if (call.method === 'DELETE' && hasDeleted(object)) this.#delete(object, row)
    else throw refuse(405, 'METHOD_NOT_ALLOWED', `HTTP Method '${call.method}' not allowed.`)
    return { status: 204 } // without a body: /api_rest/dome_update_fields.htm
  }

  #objects = (): string[] => [...objects.keys()].filter((object) => !isOwn(object) || this.made.has(object))

  /** Standard fields, and the custom ones that the user may read. */
  readonly #readable = (object: string): string[] => {
    if (!this.#objects().includes(object)) throw refuse(400, 'INVALID_TYPE', `sObject type '${object}' is not supported.`)
    return [...known(object), ...custom(object)].filter((name) => !this.hidden.has(name) && !this.unreadable.has(name))
  }

  /** /api_rest/resources_sobject_describe.htm; the types: /object_reference/field_types.htm */
  #describe(name: string): Row {
    const show = (field: string): Row => ({
      name: field,
      label: field,
      type: customTypes[field] ?? 'string',
      custom: field.endsWith('__c'),
    })
    const fields = [...known(name), ...custom(name)].filter((field) => !this.hidden.has(field))
    return { name, label: name, keyPrefix: objects.get(name)?.['prefix'], queryable: true, fields: fields.map(show) }
  }

  #get({ query }: Call, object: string, row: Row): Row {
    check(query, ['fields']) // /api_rest/resources_sobject_retrieve_get.htm
    const readable = this.#readable(object)
    const wanted = query.get('fields')?.split(',') ?? readable
    for (const name of wanted) if (!readable.includes(name)) throw noColumn(name, object, wanted)
    return this.#show(object, ['Id', ...wanted], row)
  }

  /** /api_rest/resources_query.htm, /api_rest/resources_queryall.htm */
  #query({ query }: Call, area: string): Answer {
    check(query, ['q'])
    const found = new Soql(query.get('q') ?? '', this.#readable).run((object) => this.holds(area === 'queryAll' ? `all ${object}` : object))
    const name = `01g${String(this.serial()).padStart(12, '0')}AAA`
    this.#locators.set(name, found)
    return this.#page(name, found, 0)
  }

  /** The next page has another path and no query: /api_rest/resources_query_more_results.htm */
  #more({ query }: Call, locator: string): Answer {
    check(query, [])
    const [name = '', from = ''] = locator.split('-')
    const found = this.#locators.get(name)
    if (found === undefined || !/^\d+$/.test(from)) throw refuse(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator')
    return this.#page(name, found, Number(from))
  }

  #page(name: string, { object, fields, rows }: Query, from: number): Answer {
    const next = from + this.batch
    const records = rows.slice(from, next).map((row) => this.#show(object, fields, row))
    const done = next >= rows.length
    const more = done ? {} : { nextRecordsUrl: `/services/data/${this.version}/query/${name}-${next}` }
    this.between?.()
    return kit.ok({ totalSize: rows.length, done, ...more, records })
  }

  #show(object: string, fields: readonly string[], row: Row): Row {
    const attributes = { type: object, url: `/services/data/${this.version}/sobjects/${object}/${row['Id']}` }
    return { attributes, ...Object.fromEntries(fields.map((name) => [name, row[name] ?? null])) }
  }

  #add(object: string, fields: Row, time = Date.now()): Row {
    const Id = `${objects.get(object)?.['prefix']}${String(this.serial()).padStart(12, '0')}AAA` // 18 characters
    const kept = hasDeleted(object) ? { IsDeleted: false } : {}
    return this.#table(object).add({ Id, ...fields, ...kept, CreatedDate: stamp(time), ...modified(time) })
  }

  /** Answers the id and no record: /api_rest/dome_sobject_create.htm */
  #create(object: string, fields: Row): Answer {
    const lacking = (name: string) => refuse(400, 'REQUIRED_FIELD_MISSING', `Required fields are missing: [${name}]`)
    kit.refuseLacking(fields, objects.get(object)?.['required'], lacking)
    return { status: 201, body: { id: this.#add(object, fields)['Id'], success: true, errors: [] } }
  }

  /** Deleted records stay in the bin, where queryAll finds them. */
  #delete(object: string, row: Row): void {
    this.#table(object).delete(Object.assign(row, { IsDeleted: true }, modified(Date.now())))
  }
}

function check(query: URLSearchParams, allowed: readonly string[]): void {
  kit.refuseUnknown(query.keys(), allowed, (name) => refuse(400, 'INVALID_PARAMETER', `${name} is not a parameter`))
}

/** System fields cannot be written: /object_reference/system_fields.htm */
function read({ body, headers }: Call, object: string): Row {
  const fields = kit.readObject(body)
  if (fields === undefined || !String(headers['content-type']).startsWith('application/json'))
    throw refuse(400, 'JSON_PARSER_ERROR', 'Unexpected character')
  kit.refuseUnknown(Object.keys(fields), own(object), (name) => noColumn(name, object))
  const given = Object.keys(fields).filter((name) => kit.words(objects.get(object)?.['read only']).includes(name))
  if (given.length > 0) throw new kit.Refusal(unwritable(given))
  return fields
}
