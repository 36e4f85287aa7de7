/** Makes an operation of the long form. */
import type { LiveAction, Method, Operation, Origin, Send } from '../definition/entity.ts'
import { type Field, type Fields, id, int, opt, readFirstStep, str } from '../definition/fields.ts'
import { type GraphqlCall, graphqlResult, parseGraphqlCall, writeGraphql } from '../definition/graphql.ts'
import { dropAbsent, isObject } from '../definition/object.ts'
import { cursorName, type NextPages, sizeName } from '../definition/page.ts'
import { listSlots } from '../definition/templates.ts'
import { buildFields, toSentence } from './build-fields.ts'
import { type BuildScope, checkHeaders, checkValue, lowerNames, readConditions, readSpan, refer } from './build-scope.ts'
import type { Steps } from './check-tree.ts'
import type { FileOperation, FileText, FileWay, Named } from './file.ts'
import { findNearWord } from './mistakes.ts'

/** Names of parameters that vendors give to pages and their sizes. */
const pagingName =
  /^(page|offset|cursor|skip|limit|(per|page)_?(page|size|number|token|index)|start_?(at|index|cursor)|max_?results|(next|continuation)_?(page_?)?token)$/i

/** Builds the ways of paging. */
export function buildPages({ file }: BuildScope): Named<NextPages> {
  return Object.fromEntries(Object.entries(file.pages ?? {}).map(([name, way]) => [name, buildWay(way)]))
}

function buildWay({ next, send, in: sentIn, first, more, total, size, cap }: FileWay): NextPages {
  const [name = '', most = ''] = size?.split('=') ?? []
  return dropAbsent({
    shape: 'next',
    position: next === 'link' ? 'link:next' : next,
    send,
    in: sentIn,
    first: first === undefined ? undefined : first === '0' ? 0 : 1,
    more,
    total,
    size: size === undefined ? undefined : { send: name, most: Number(most) },
    cap,
  } as const)
}

/** Notes what is wrong with the ways of paging. */
export function checkWays({ file, found }: BuildScope): void {
  for (const [name, { next, send, first, size, more }] of Object.entries(file.pages ?? {})) {
    const steps = ['pages', name]
    const isUrl = /^link(:|$)/.test(next)
    if (name === 'none') found.note(steps, { message: 'none is the word for lists of one page, so no way has this name' })
    if (isUrl && send !== undefined)
      found.note([...steps, 'send'], { message: 'a link is the address of the next page, and no parameter takes it' }, 'key')
    if (/^(rows|pages)$/.test(next) && send === undefined)
      found.note(steps, { message: `${next} needs the parameter that takes it`, example: 'send: starting_after' })
    if (first !== undefined && next !== 'pages')
      found.note([...steps, 'first'], { message: 'first is the first number of pages: next is pages', example: 'next: pages' }, 'key')
    if (next.startsWith('last:') && size === undefined && more === undefined)
      found.note(steps, {
        message: `${next} does not say by itself where the list ends: name the size of a page, a flag, or rows for an empty page`,
        example: 'size: per_page=100',
      })
    if (/^(rows|pages)$/.test(next) && size === undefined && more === undefined)
      found.doubt(steps, {
        message: `${next} reads until a page is empty: with the size of a page, or a flag, a list takes one call less`,
        example: 'size: per_page=100',
      })
    if (size !== undefined && Number(size.split('=')[1]) < 1)
      found.note([...steps, 'size'], { message: 'the largest page has at least one record' })
  }
}

/** What an operation is built from. */
export interface OperationSource {
  readonly steps: Steps
  readonly action: LiveAction
  readonly entity: string
  readonly value: string | FileOperation
  readonly record: Fields
  /** Where the answer has fields that it has under other names. */
  readonly from: Readonly<Record<string, Origin>>
  /** Path of the record in the answer of `get`. */
  readonly getAt: string | undefined
}

const slotField = (name: string, record: Fields): Field => {
  const known = Object.hasOwn(record, name) ? record[name] : undefined
  const type = [known?.type ?? []].flat().find((each) => each !== 'null')
  const about = known?.description ?? toSentence(name)
  if (type === 'integer') return id(about)
  return str(about, { minLength: 1 })
}

const readPage = (way: FileWay | undefined): Fields => {
  if (way === undefined) return {}
  const most = Number(way.size?.split('=')[1])
  return {
    [cursorName]: opt(str('Position of the page: the cursor of the page before')),
    ...(way.size === undefined ? {} : { [sizeName]: opt(int('Number of records of a page', { minimum: 1, maximum: most })) }),
  }
}

const listPaging = (way: FileWay | undefined): readonly string[] => [way?.send ?? [], way?.size?.split('=')[0] ?? []].flat()

/** Lists the arguments that callers must give: those that neither a parameter of the body nor paging fills. */
function listNeeded({ args }: GraphqlCall, { body = {}, wrap, always = {} }: FileOperation, paging: readonly string[]): string[] {
  const sent = Object.entries(body).map(([name, value]) => (isObject(value) && typeof value['$to'] === 'string' ? value['$to'] : name))
  const filled = new Set([...(wrap === undefined ? sent : [wrap]), ...Object.keys(always), ...paging].map(readFirstStep))
  return Object.entries(args).flatMap(([name, type]) => (type.endsWith('!') && !filled.has(name) ? [name] : []))
}

class OperationBuilder {
  readonly #scope: BuildScope
  readonly #source: OperationSource
  readonly #full: FileOperation
  readonly #method: string
  readonly #path: string
  readonly #slots: readonly string[]
  readonly #graphql: GraphqlCall | undefined

  constructor(scope: BuildScope, source: OperationSource) {
    this.#scope = scope
    this.#source = source
    this.#full = typeof source.value === 'string' ? { call: source.value } : source.value
    const graphql = parseGraphqlCall(this.#full.call)
    const [method = '', path = ''] = graphql === undefined ? this.#full.call.split(' ') : ['POST', scope.file.graphql]
    this.#method = method
    this.#path = path
    this.#graphql = graphql
    const paged = source.action === 'list' ? (this.#full.pages ?? scope.file.lists?.pages) : undefined
    this.#slots = graphql === undefined ? listSlots(path) : listNeeded(graphql, this.#full, listPaging(scope.file.pages?.[paged ?? '']))
  }

  /** Parameters that stand in headers. */
  get #inHeaders(): readonly string[] {
    return Object.values(this.#full.headers ?? {}).flatMap(listSlots)
  }

  /** A GET has a body only if its own call says so, because `lists` is for all methods. */
  get #hasBody(): boolean {
    const { body, as = 'query' } = this.#full
    return this.#method === 'GET' ? body !== undefined || as !== 'query' : ['POST', 'PUT', 'PATCH'].includes(this.#method)
  }

  get #common(): Pick<FileOperation, 'as' | 'arrays' | 'once' | 'remembers'> {
    const { lists = {}, writes = {} } = this.#scope.file
    const { action } = this.#source
    if (action === 'list') return lists
    return action === 'get' ? {} : writes
  }

  /** Writes the name of a parameter within what wraps the body: a path of JSON, brackets of a form. */
  #wrapName(wrap: string, name: string): string {
    return (this.#full.as ?? this.#common.as) === 'form' ? `${wrap}[${name}]` : `${wrap}.${name}`
  }

  /** Finds the way of paging; undefined for a list of one page. */
  #findWay(): string | undefined {
    const { action, steps, entity } = this.#source
    const { file, found } = this.#scope
    const { pages: own } = this.#full
    if (action !== 'list') {
      if (own !== undefined) found.note([...steps, 'pages'], { message: `only a list has pages, and this is ${action}` }, 'key')
      return undefined
    }
    const name = own ?? file.lists?.pages
    if (name === undefined)
      found.doubt(steps, {
        message: 'has no way of paging, so every call returns one page',
        example: `pages: none, or pages: ${Object.keys(file.pages ?? {})[0] ?? 'link'}`,
      })
    if (name === undefined || name === 'none') return undefined
    const where = own === undefined ? ['lists', 'pages'] : [...steps, 'pages']
    const isKnown = refer(this.#scope, {
      steps: where,
      what: 'a way of paging',
      name,
      valid: Object.keys(file.pages ?? {}),
      example: `pages: { ${name}: { next: link } }`,
    })
    return isKnown && entity !== '' ? name : undefined
  }

  #buildParams(): { readonly params: Fields; readonly query: readonly string[]; readonly send: Named<Send> } {
    const { steps, record } = this.#source
    const { found, file } = this.#scope
    const required = new Set(this.#slots)
    const scope = { use: 'parameter', found, types: file.types ?? {}, required } as const
    const query = buildFields(this.#full.params ?? {}, [...steps, 'params'], scope)
    const body = buildFields(this.#full.body ?? {}, [...steps, 'body'], scope)
    this.#checkParams(query.fields, body.fields)
    const slots = this.#slots.filter((name) => !Object.hasOwn(query.fields, name)).map((name) => [name, slotField(name, record)] as const)
    const inHeaders = this.#inHeaders
    this.#checkHeaders(query, inHeaders)
    const renamed = { ...query.renamed, ...body.renamed }
    const { wrap } = this.#full
    const wrapped =
      wrap === undefined ? [] : Object.keys(body.fields).map((name) => [name, this.#wrapName(wrap, renamed[name] ?? name)] as const)
    return {
      params: { ...Object.fromEntries(slots), ...query.fields, ...body.fields },
      query: this.#hasBody ? Object.keys(query.fields).filter((name) => ![...this.#slots, ...inHeaders].includes(name)) : [],
      send: Object.fromEntries([...Object.entries(renamed), ...wrapped].map(([name, to]) => [name, { to }])),
    }
  }

  #checkParams(query: Fields, body: Fields): void {
    const { steps } = this.#source
    const { found } = this.#scope
    if (this.#full.wrap !== undefined && this.#full.body === undefined)
      found.note([...steps, 'wrap'], { message: 'wraps a body, and there is none', example: 'body: { name: string! Name }' }, 'key')
    for (const name of this.#slots)
      if (Object.hasOwn(body, name)) found.note([...steps, 'body', name], { message: `is in the path already: ${this.#path}` }, 'key')
    for (const name of Object.keys(body))
      if (Object.hasOwn(query, name)) found.note([...steps, 'body', name], { message: 'stands in params too' }, 'key')
    for (const name of this.#slots)
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
        found.note([...steps, 'call'], { message: `the slot {${name}} is not a name`, example: 'GET /repos/{owner}' })
  }

  /** Notes headers that no call may set, and slots that are no parameters of the address. */
  #checkHeaders({ fields, renamed }: { readonly fields: Fields; readonly renamed: Named<string> }, names: readonly string[]): void {
    const { headers = {} } = this.#full
    const steps = [...this.#source.steps, 'headers']
    checkHeaders(this.#scope, headers, steps, false)
    const valid = Object.keys(fields).filter((name) => !this.#slots.includes(name))
    for (const [header, template] of Object.entries(headers))
      for (const name of listSlots(template))
        refer(this.#scope, {
          ...{ steps: [...steps, header], what: 'one of params', name, valid },
          example: `params: { ${name}: string ${toSentence(name)} }`,
        })
    for (const name of names.filter((each) => Object.hasOwn(renamed, each)))
      this.#scope.found.note([...this.#source.steps, 'params', name], {
        message: 'stands in a header, so it has no other name: leave $to out',
      })
  }

  #checkNames(params: Fields, way: string | undefined): void {
    const { steps, action } = this.#source
    const { found, file } = this.#scope
    const own = [way === undefined ? [] : [cursorName, sizeName]].flat()
    for (const name of own)
      for (const part of ['params', 'body'])
        if (found.has([...steps, part, name]))
          found.note(
            [...steps, part, name],
            {
              message: `is what every paged list calls ${name === cursorName ? 'its position' : 'the size of a page'}: the vendor's own stands in pages`,
              example: `pages: { ${way}: { next: …, send: ${file.pages?.[way ?? '']?.send ?? name} } }`,
            },
            'key',
          )
    const odd = action === 'list' ? Object.keys(params).filter((name) => pagingName.test(name)) : []
    for (const name of odd.filter((each) => !own.includes(each)))
      found.doubt([...steps, 'params', name], {
        message: 'looks like a part of paging, which stands in pages: callers have cursor and limit',
        example: `pages: { numbers: { next: pages, send: ${name}, size: per_page=100 } }`,
      })
    const valid = Object.keys(params)
    for (const [name, value] of Object.entries(this.#full.defaults ?? {})) {
      const at = [...steps, 'defaults', name]
      refer(this.#scope, { steps: at, what: 'a parameter', name, valid, example: `params: { ${name}: string ${toSentence(name)} }` })
      checkValue(this.#scope, at, value, params[name])
    }
    for (const part of ['defaults', 'always'] as const)
      for (const [name, value] of Object.entries(this.#full[part] ?? {}))
        for (const slot of typeof value === 'string' ? listSlots(value) : []) {
          const near = findNearWord(slot, ['fields', 'described'])
          if (near !== undefined || value === `{${slot}}`)
            refer(this.#scope, {
              steps: [...steps, part, name],
              what: 'a slot of fixed values',
              name: slot,
              valid: ['fields', 'described'],
            })
        }
    for (const name of Object.keys(this.#full.always ?? {}))
      if (Object.hasOwn(params, name))
        found.note([...steps, 'always', name], { message: 'is a parameter too: callers cannot choose what is always sent' }, 'key')
    if (this.#full.budget !== undefined) {
      const budgets = Object.keys(file.limits?.budgets ?? {})
      refer(this.#scope, { steps: [...steps, 'budget'], what: 'a budget of limits', name: this.#full.budget, valid: budgets })
    }
    for (const word of ['answers', 'once', 'remembers'] as const)
      if (this.#full[word] !== undefined && (action === 'list' || action === 'get'))
        found.note([...steps, word], { message: `is for writes, and this is ${action}` }, 'key')
    if (this.#full.remembers !== undefined && (this.#full.once ?? this.#common.once) === undefined)
      found.note(
        [...steps, 'remembers'],
        { message: 'is for writes with once, and this has none', example: 'once: idempotency-key' },
        'key',
      )
  }

  get #callSteps(): Steps {
    const { value, steps } = this.#source
    return typeof value === 'string' ? steps : [...steps, 'call']
  }

  /** Notes what a call of GraphQL sends although it is no argument, and what it cannot have. */
  #checkGraphql({ field, args }: GraphqlCall, sent: readonly string[], at: string): void {
    const { steps } = this.#source
    const { file, found } = this.#scope
    if (file.graphql === undefined)
      found.note(this.#callSteps, { message: 'is a call of GraphQL, and the file does not say its path', example: 'graphql: /graphql' })
    if (Object.keys(this.#full.params ?? {}).some((name) => !this.#inHeaders.includes(name)))
      found.note([...steps, 'params'], { message: 'GraphQL has arguments only: its parameters stand in body', example: 'body: …' }, 'key')
    for (const name of new Set(sent.map(readFirstStep)))
      refer(this.#scope, {
        ...{ steps: this.#callSteps, what: `an argument of ${field}, and it is sent`, name, valid: Object.keys(args) },
        example: `call: 'query ${field}(${name}: String)'`,
      })
    if (at !== graphqlResult && !at.startsWith(`${graphqlResult}.`))
      found.note(this.#full.at === undefined ? this.#callSteps : [...steps, 'at'], {
        message: `${at} is not in ${graphqlResult}, where the answers of GraphQL have what the field returns`,
        example: `at: ${graphqlResult}.nodes`,
      })
  }

  /** Writes the document of GraphQL: the fields of the record, and what says where the next page is. */
  #buildGraphql(at: string, { answers, params, send }: Pick<Operation, 'answers' | 'params' | 'send'>, way?: FileWay) {
    if (this.#graphql === undefined) return {}
    const own = Object.keys(params).flatMap((name) => (this.#inHeaders.includes(name) ? [] : [send?.[name]?.to ?? name]))
    this.#checkGraphql(this.#graphql, [...own, ...Object.keys(this.#full.always ?? {}), ...listPaging(way)], at)
    const beside = [way?.next ?? [], way?.more?.replace('!', '') ?? [], way?.total ?? []].flat()
    const { record, from } = this.#source
    // The fields of the record stand in the object that is merged into the row: `node` of an edge.
    const { merge = [] } = this.#full
    const rows = merge.length === 1 ? `${at}.${merge[0]}` : at
    return {
      graphql: writeGraphql(this.#graphql, {
        ...{ at: answers === 'nothing' ? undefined : rows, record, from },
        beside: beside.filter((path) => path.startsWith(`${graphqlResult}.`)),
      }),
    }
  }

  /** Builds the parameters in query languages. Their slots are parameters. */
  #buildText(params: Fields): Pick<Operation, 'text'> {
    const { steps } = this.#source
    const { text } = this.#full
    if (text === undefined) return {}
    for (const [name, { parts }] of Object.entries(text))
      for (const [index, part] of parts.entries())
        for (const slot of listSlots(part).map((each) => each.replace(/\|bare$/, '')))
          refer(this.#scope, {
            ...{ steps: [...steps, 'text', name, 'parts', String(index)], what: 'a parameter', name: slot, valid: Object.keys(params) },
            example: `params: { ${slot}: string ${toSentence(slot)} }`,
          })
    const build = ({ start, join = ' AND ', ...rest }: FileText) => ({
      ...rest,
      join,
      ...(start === undefined ? {} : { start: this.#nameFields(start) }),
    })
    return { text: Object.fromEntries(Object.entries(text).map(([name, each]) => [name, build(each)])) }
  }

  /** Replaces `{fields}` with the names of the record's fields, for vendors that want to be told them. */
  #nameFields<T>(value: T): T | string {
    const { record, from } = this.#source
    const own = Object.keys(record).filter((name) => name !== this.#full.rest)
    const names = own.flatMap((name) => from[name]?.copy ?? (from[name]?.param === undefined ? name : []))
    return typeof value === 'string' ? value.replaceAll('{fields}', names.join(',')) : value
  }

  #nameAll<T>(values: Named<T>): Named<T | string> {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#nameFields(value)]))
  }

  #buildOnePage(way: string | undefined): Pick<Operation, 'onePage'> {
    const { because } = this.#full
    if (because === undefined) return {}
    if (way === undefined && this.#source.action === 'list') return { onePage: because }
    this.#scope.found.note([...this.#source.steps, 'because'], { message: 'is for lists of one page', example: 'pages: none' }, 'key')
    return {}
  }

  #buildWhere(): Pick<Operation, 'where'> {
    const { steps, record } = this.#source
    const { where } = this.#full
    const at = { steps: [...steps, 'where'], records: [['the record', record]], isConfigured: true } as const
    return where === undefined ? {} : { where: readConditions(this.#scope, where, at) }
  }

  build(): Operation {
    const { action, getAt } = this.#source
    const { lists = {} } = this.#scope.file
    const common = this.#common
    const way = this.#findWay()
    const { params, query, send } = this.#buildParams()
    this.#checkNames(params, way)
    const isList = action === 'list'
    const isWrite = !isList && action !== 'get'
    const { about, always, defaults, keyed, merge, rest, budget, format, headers, outer, running } = this.#full
    const { as = common.as, arrays = common.arrays } = this.#full
    const once = this.#full.once ?? (isWrite && this.#hasBody ? common.once : undefined)
    const remembers = once === undefined ? undefined : (this.#full.remembers ?? common.remembers)
    const at =
      this.#full.at ??
      (format !== undefined ? '' : isList ? lists.at : isWrite ? getAt : undefined) ??
      (this.#graphql === undefined ? '' : graphqlResult)
    const usual = /^(GET|DELETE)$/.test(this.#method) && this.#full.body !== undefined ? 'json' : undefined
    const body = this.#method === 'GET' && !this.#hasBody ? undefined : (as ?? usual)
    const answers = this.#full.answers ?? (action === 'delete' ? 'nothing' : undefined)
    return dropAbsent({
      about,
      call: `${this.#method as Method} ${this.#path as `/${string}`}` as const, // the form of a call proves both
      body,
      ...this.#buildGraphql(at, { answers: answers ?? 'record', params, send }, this.#scope.file.pages?.[way ?? '']),
      query: query.length === 0 ? undefined : query,
      lists: arrays,
      answers,
      once,
      remembers: remembers === undefined ? undefined : readSpan(remembers),
      headers: headers && lowerNames(headers),
      running: running === undefined ? undefined : { status: running },
      budget,
      format,
      at,
      outer,
      keyed,
      ...this.#buildWhere(),
      params: { ...params, ...readPage(this.#scope.file.pages?.[way ?? '']) },
      page: way,
      ...this.#buildOnePage(way),
      ...this.#buildText(params),
      send: Object.keys(send).length === 0 ? undefined : send,
      constant: always && this.#nameAll(always),
      defaults: defaults && this.#nameAll(defaults),
      rows: merge === undefined && rest === undefined ? undefined : dropAbsent({ merge: merge ?? [], rest }),
    })
  }
}

/** Builds an operation. */
export const buildOperation = (scope: BuildScope, source: OperationSource): Operation => new OperationBuilder(scope, source).build()
