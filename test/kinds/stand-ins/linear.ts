/**
 * Linear, by its public schema (https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql) and its pages
 * (https://linear.app/developers). Written without knowledge of any definition.
 */
import * as graphql from './graphql.ts'
import { roots, types } from './linear-schema.ts'
import type { Answer, Call, Row } from './shared.ts'
import * as kit from './shared.ts'

/** Errors stand in a list, most of them with status 200: https://linear.app/developers/graphql and packages/sdk/src/error.ts */
const refusal = (status: number, code: string, message: string, presentable = message): Answer => ({
  status,
  body: { data: null, errors: [{ message, extensions: { code, statusCode: status, userPresentableMessage: presentable } }] },
})
const refuse = (status: number, code: string, message: string, presentable?: string): kit.Refusal =>
  new kit.Refusal(refusal(status, code, message, presentable))
const invalid = (message: string) => new graphql.GraphqlError(message)
const notCursor = refuse(200, 'INPUT_ERROR', 'Argument Validation Error', 'after must be a cursor.')
const budget = (of: string, most: number, left: number) => ({
  [`x-ratelimit-${of}-limit`]: String(most),
  [`x-ratelimit-${of}-remaining`]: String(Math.floor(left)),
  [`x-ratelimit-${of}-reset`]: String(Date.now() + 3_000_000),
})
const limits = (left: number) => budget('requests', 5_000, left)

/** Points in an hour for a key: https://linear.app/developers/rate-limiting */
const mostPoints = 250_000

/** Refusals on demand. The limit is status 400: https://linear.app/developers/rate-limiting */
export const linearRefusals = {
  rate: { ...refusal(400, 'RATELIMITED', 'Rate limit exceeded'), headers: limits(0) },
  forbidden: refusal(200, 'FORBIDDEN', 'You do not have access to this resource'),
  input: refusal(200, 'INVALID_INPUT', 'Argument Validation Error', 'first must not be greater than 250.'),
  internal: refusal(200, 'INTERNAL_SERVER_ERROR', 'Internal server error'),
  down: { status: 503, body: 'Service Unavailable', headers: { 'content-type': 'text/plain' } },
}

const relationsOf = (type: string) => graphql.readPairs(types.get(type)?.['relations'])
const iso = (time: number) => new Date(time).toISOString()

/** Linear with issues and all that belongs to them. */
export class Linear extends kit.Vendor {
  readonly key = 'lin_api_standin'
  /** Points of complexity that are used; the bucket empties within an hour. */
  used = 0
  /** Calls that were refused because no points were left. */
  refused = 0
  #usedAt = Date.now()
  #cost = 0
  readonly #table = kit.tables()

  constructor({ records = 1_000, seed = 23, smaller = 1 }: { records?: number } & kit.Sizes = {}) {
    super(seed, smaller)
    const start = Date.now() - 20 * 86_400_000
    const many = (type: string, count: number, make: (at: number) => Row) => {
      for (let at = 0; at < this.fixed(count); at += 1) this.#make(type, make(at), start)
    }
    many('Organization', 1, () => ({ name: 'Acme', urlKey: 'acme', userCount: 130 }))
    many('User', 130, (at) => ({ name: `Person ${at}`, email: `p${at}@example.com`, active: at % 13 !== 12, isMe: at === 0 }))
    many('Team', 3, (at) => ({ key: `T${at}`, name: `Team ${at}` }))
    const teams = this.#table('Team').all
    many('WorkflowState', 9, (at) => ({ name: `State ${at}`, type: 'started', position: at, team: teams[at % 3] }))
    many('Cycle', 30, (at) => ({ number: at, team: teams[at % 3], startsAt: iso(start), endsAt: iso(start), progress: 0 }))
    many('ProjectStatus', 1, () => ({ name: 'Planned', type: 'planned' }))
    many('Project', 300, (at) => ({ name: `Project ${at}`, status: this.#table('ProjectStatus').all[0], progress: 0 }))
    many('IssueLabel', 270, (at) => ({ name: `Label ${at}`, isGroup: false, team: at % 2 === 0 ? null : teams[0] }))
    for (let at = 0; at < records; at += 1) {
      const time = start + Math.floor(at / 50) * 600_000 // fifty records share an instant
      const issue = this.#issue(`Issue ${at}`, time)
      const user = this.#table('User').all[at % this.fixed(130)]
      this.#make('Comment', { body: `Comment ${at}`, issue, issueId: issue['id'], user }, time)
      if (at % 20 === 19) Object.assign(issue, { archivedAt: iso(time) })
    }
  }

  /** `issues` are those that are not archived, `all issues` all of them; so for every list. `users` are those who can sign in. */
  holds(what: string): readonly Row[] {
    const type = roots.get(what.replace(/^all /, ''))?.['type']
    const rows = type === undefined ? [] : this.#table(type).live()
    return what.startsWith('all ') ? rows : rows.filter((row) => row['archivedAt'] === null && row['active'] !== false)
  }

  mutate(): void {
    const issue = this.#issue(`New ${this.serial()}`, Date.now())
    this.#make('Comment', { body: 'New', issue, issueId: issue['id'], user: this.#table('User').all[0] })
    for (const list of ['issues', 'projects']) this.#trash(this.pick(this.holds(list).slice(1)))
    for (const type of ['Comment', 'IssueLabel']) this.vanish(this.#table(type), this.pick(this.#table(type).live().slice(1)))
    for (const word of ['issues title', 'projects name', 'users name', 'comments body', 'issueLabels name']) {
      const [list = '', field = ''] = word.split(' ')
      Object.assign(this.pick(this.holds(list)), { [field]: `Changed ${this.serial()}`, updatedAt: iso(Date.now()) })
    }
  }

  protected answer(call: Call): Answer {
    if (call.path !== '/graphql' || call.method !== 'POST') return { status: 404, body: 'Not Found' }
    // A key stands bare in the header: https://linear.app/developers/graphql
    if (call.headers.authorization !== this.key)
      throw refuse(401, 'AUTHENTICATION_ERROR', 'Authentication required, not authenticated', 'You need to authenticate to access this.')
    const { query, variables = {} } = kit.readObject(call.body) ?? {}
    if (typeof query !== 'string' || !kit.isRow(variables)) throw refuse(400, 'BAD_REQUEST', 'POST body missing or no JSON object.')
    this.#cost = 0
    try {
      const operation = graphql.readOperation(query)
      const data = operation.fields.map((field) => [field.alias, this.#resolve(operation, field, variables)] as const)
      return { ...kit.ok({ data: Object.fromEntries(data) }), headers: { ...limits(4_999), ...this.#points() } }
    } catch (error) {
      throw error instanceof graphql.GraphqlError ? refuse(400, 'GRAPHQL_VALIDATION_FAILED', error.message) : error
    }
  }

  #resolve({ kind, variables: declared }: graphql.Operation, field: graphql.Field, variables: Row): unknown {
    const root = roots.get(field.name)
    const [type = '', answers = ''] = [root?.['type'], root?.['answers']]
    if (root === undefined || kind !== (answers === '' ? 'query' : 'mutation')) throw invalid(`Cannot ${kind} field "${field.name}".`)
    const args = graphql.readArguments(graphql.readPairs(root['arguments']), field, { declared, variables })
    if (answers !== '') return this.#write(field, type, { root, args })
    if (root['arguments']?.startsWith('after')) return this.#list(field, type, args)
    const row = root['arguments'] === '' ? this.#table(type).all[0] : this.#find(type, args['id'])
    return graphql.select(types, type, row, field.fields)
  }

  /** Headers of the points: https://linear.app/developers/rate-limiting */
  #points = () => ({ 'x-complexity': String(Math.ceil(this.#cost)), ...budget('complexity', mostPoints, mostPoints - this.used) })

  /** A query takes points from a bucket that fills at a constant rate, at most 10,000: https://linear.app/developers/rate-limiting */
  #spend(points: number): void {
    if (points > 10_000) throw refuse(400, 'INPUT_ERROR', 'Query too complex')
    const now = Date.now()
    this.used = Math.max(0, this.used - ((now - this.#usedAt) * mostPoints) / 3_600_000)
    this.#usedAt = now
    this.#cost += points
    if (this.used + points > mostPoints) {
      this.refused += 1
      throw new kit.Refusal({ ...linearRefusals.rate, headers: { ...limits(4_999), ...this.#points() } })
    }
    this.used += points
  }

  /** First, at most 250, and after: https://linear.app/developers/pagination */
  #list(field: graphql.Field, type: string, { first = 50, after, filter = {}, ...args }: Row): Row {
    if (!(Number.isInteger(first) && Number(first) >= 1 && Number(first) <= 250)) throw new kit.Refusal(linearRefusals.input)
    this.#spend(Number(first) * costOf(field.fields))
    const isListed = (row: Row) =>
      (args['includeArchived'] === true || row['archivedAt'] === null) && (args['includeDisabled'] === true || row['active'] !== false)
    const found = this.#table(type).live((row) => isListed(row) && graphql.fits(types, type, row, filter))
    const by = [args['orderBy'] === 'updatedAt' ? 'updatedAt' : 'createdAt', 'id']
    const asked = { by, isAscending: false, size: this.pageSize(Number(first)), cursor: after }
    const { data: nodes, last: endCursor = null, next } = this.cut(found, asked, notCursor)
    // The last page has a cursor too.
    const pageInfo = { hasNextPage: next !== undefined, endCursor, hasPreviousPage: after !== undefined, startCursor: null }
    return graphql.selectConnection(types, type, { nodes, pageInfo }, field.fields)
  }

  /** Mutations answer success and the record; deletes of what leaves no trace answer its id. */
  #write(field: graphql.Field, type: string, { root, args }: { root: Readonly<Record<string, string>>; args: Row }): Row {
    const input = args['input'] === undefined ? undefined : this.#input(type, root, args['input'])
    const number = type === 'Issue' ? { number: this.serial() } : {}
    const row = args['id'] === undefined ? this.#make(type, { ...number, ...input }) : this.#find(type, args['id'])
    if (input !== undefined) Object.assign(row, input, { updatedAt: iso(Date.now()) })
    else if (root['answers'] === 'entityId') this.vanish(this.#table(type), row)
    else this.#trash(row)
    const plain: Row = { success: true, lastSyncId: 1, __typename: 'Payload', entityId: row['id'] }
    const read = field.fields.map((each) => {
      const isRecord = each.name === root['answers'] && !(each.name in plain)
      if (!isRecord && !(each.name in plain)) throw invalid(`Cannot query field "${each.name}" on type "${type}Payload".`)
      return [each.alias, isRecord ? graphql.select(types, type, row, each.fields) : plain[each.name]] as const
    })
    return Object.fromEntries(read)
  }

  /** Reads an input: names of the schema only, and ids of records that exist. */
  #input(type: string, root: Readonly<Record<string, string>>, given: unknown): Row {
    const allowed = kit.words(root['input'])
    if (!kit.isRow(given)) throw invalid('Variable "$input" got invalid value')
    const mistake = (name: string, says: string) => invalid(`Variable "$input" got invalid value; Field "${name}" ${says}.`)
    const names = allowed.map((name) => name.replace('!', ''))
    kit.refuseUnknown(Object.keys(given), names, (name) => mistake(name, 'is not defined'))
    const lacking = allowed.find((name) => name.endsWith('!') && (given[name.slice(0, -1)] ?? null) === null)
    if (lacking !== undefined) throw mistake(lacking, 'was not provided')
    if (this.#table(type).find(given['id'] ?? '') !== undefined) throw refuse(200, 'INPUT_ERROR', 'Entity already exists')
    for (const id of [given['teamIds'] ?? []].flat()) this.#find('Team', id)
    const read = Object.entries(given).map(([name, value]) => {
      const relation = name.replace(/Id$/, '')
      const other = relationsOf(type).get(relation)
      return other === undefined || value === null ? { [name]: value } : { [name]: value, [relation]: this.#find(other, value) }
    })
    return Object.assign({}, ...read)
  }

  #find(type: string, id: unknown): Row {
    const table = this.#table(type)
    const isIdentifier = type === 'Issue' && table.find(id) === undefined
    const missing = refuse(200, 'INPUT_ERROR', `Entity not found: ${type}`, `Could not find referenced ${type}.`)
    return table.need(id, missing, isIdentifier ? 'identifier' : 'id')
  }

  #make(type: string, fields: Row, time = Date.now()): Row {
    const id = `${this.serial().toString(16).padStart(8, '0')}-0000-4000-8000-${'0'.repeat(12)}`
    return this.#table(type).add({ id, createdAt: iso(time), updatedAt: iso(time), archivedAt: null, ...fields })
  }

  #issue(title: string, time: number): Row {
    const number = this.serial()
    const [team, state, creator] = ['Team', 'WorkflowState', 'User'].map((type) => this.#table(type).all[Math.floor(number / 3) % 3])
    const assignee = number % 2 === 0 ? null : creator
    const fields = { number, identifier: `T-${number}`, title, priority: number % 5, labelIds: [], team, state, creator, assignee }
    return this.#make('Issue', fields, time)
  }

  /** Archives what goes to the trash; it is removed after 30 days: https://linear.app/docs/delete-archive-issues */
  #trash(row: Row): void {
    Object.assign(row, { archivedAt: iso(Date.now()), updatedAt: iso(Date.now()), trashed: true })
  }
}

/** An object is a point and a value a tenth: https://linear.app/developers/rate-limiting */
const costOf = (fields: readonly graphql.Field[]): number =>
  fields.reduce((sum, each) => sum + (each.fields.length > 0 ? 1 + costOf(each.fields) : 0.1), 0)
