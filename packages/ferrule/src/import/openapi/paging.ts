/** How lists continue: extensions, pairs of a parameter and a value of the answer, and a vote over the document. */
import { dropAbsent } from '../../definition/object.ts'
import type { FileWay } from '../../kind-file/file.ts'
import { splitWords } from '../sentences.ts'
import { asObject, asText, type DocumentOperation, type Parameter } from './document.ts'
import type { Found } from './rows.ts'
import type { Schemas } from './schemas.ts'

/** A parameter of a list, wherever the request carries it. */
export type ListParameter = Pick<Parameter, 'name' | 'about' | 'schema'>

/** A way of paging that a list has. */
export interface FoundWay {
  readonly way: FileWay
  /** Names of parameters that belong to paging. */
  readonly own: readonly string[]
  readonly isGuessed: boolean
}

/** A list before its way is known. */
export interface PagedList {
  readonly operation: DocumentOperation
  readonly parameters: readonly ListParameter[]
  readonly rows: Found
}

/** A value of an answer that says what comes next. */
interface Leaf {
  readonly path: string
  readonly isUrl: boolean
  readonly isFlag: boolean
}

const sizeNames =
  /^(limit|per_?page|page_?size|size|page\[(size|limit)\]|max_?results|max_?items|count|top|\$top|first|results_?per_?page|pagelen|page_?limit|max|num(ber)?_?of_?(results|items)|items_?per_?page|rows)$/i
const cursorNames =
  /^(page\[(cursor|after)\]|(next_?|page_?|start_?|pagination_?|continuation_?|list_?)?(cursor|token|marker|bookmark)|after|next(_?page)?|starting_?after|since_?id|page_?token|next_?page_?(token|id|key)?|scroll(_?id)?|after_?cursor|offset|page)$/i
const offsetNames = /^(offset|start_?(at|index)?|skip|\$skip|from|first_?result|page\[offset\])$/i
const pageNames = /^(page|page_?(number|no|num|index)|page\[number\]|current_?page|p)$/i
/** All parameters of paging, also those that lead back. */
const pagingNames = /^(before|ending_?before|prev(ious)?(_?(page|cursor|token))?|page\[before\]|before_?cursor)$/i
const nextWords = /(^|[._])(next|after|cursor|continuation|bookmark|marker|scroll)/i
const moreFlag = /(^|\.)(has_?more|more|has_?next(_?page)?|is_?truncated|incomplete_?results_?never)$/i
const lastFlag = /(^|\.)(is_?last(_?page)?|last_?page|done|end_?of_?stream|finished|complete)$/i
const totalNames = /(^|\.)(total(_?(count|results|records|items|size|elements))?|count)$/i
/** Page size without a word of the document about it. */
const usualSize = 50

const isInteger = (schemas: Schemas, { schema }: ListParameter): boolean => {
  const { types } = schemas.read(schema)
  return types.has('integer') || types.has('number')
}

/** Lists the values of an answer beside its rows, up to three levels deep. */
function listLeaves(schemas: Schemas, schema: unknown, at: string, above: readonly string[] = []): readonly Leaf[] {
  const { properties } = schemas.read(schema)
  return [...properties].flatMap(([name, inner]) => {
    const path = [...above, name].join('.')
    const shape = schemas.read(inner)
    if (path === at || shape.items !== undefined || /[.[\]\s]/.test(name)) return []
    if (shape.properties.size > 0) return above.length >= 2 ? [] : listLeaves(schemas, inner, at, [...above, name])
    const last = splitWords(name).at(-1) ?? ''
    const isUrl =
      /^(uri|url)/.test(shape.format) ||
      /^(url|uri|href|link)$/.test(last) ||
      (/(^|\.)_?links\./.test(path) && name !== 'cursor') ||
      /\b(url|uri|link)\b/i.test(shape.about)
    return [{ path, isUrl, isFlag: shape.types.has('boolean') }]
  })
}

/** Finds the value that says what comes next. A value in an object named `next` comes first, then one whose name begins so. */
function findNext(leaves: readonly Leaf[], parameters: readonly ListParameter[]): Leaf | undefined {
  const found = leaves.filter(({ path, isFlag }) => !isFlag && nextWords.test(path) && !/(^|[._])(prev|previous|before|back)/i.test(path))
  const isNamed = (path: string): boolean => /(^|[._])next/i.test(path)
  const named = found.filter(({ path }) => isNamed(path))
  const candidates = named.length > 0 ? named : found
  const names = parameters.map(({ name }) => name)
  return (
    candidates.find(({ path, isUrl }) => !isUrl && names.includes(path.split('.').at(-1) ?? '')) ??
    candidates.find(({ isUrl }) => !isUrl) ??
    candidates[0]
  )
}

function readSize(
  schemas: Schemas,
  parameters: readonly ListParameter[],
): { readonly size?: string; readonly name?: string; readonly isGuessed: boolean } {
  const parameter = parameters.find(({ name }) => sizeNames.test(name))
  if (parameter === undefined) return { isGuessed: false }
  const { raw, about } = schemas.read(parameter.schema)
  const said =
    /(?:max(?:imum)?(?: (?:of|is|value|allowed|page size|number|limit))*:? ?|up to |between 1 and |range (?:is )?1 ?(?:to|-) ?|1 ?[-–] ?)(\d[\d,]*)/i.exec(
      `${parameter.about} ${about}`,
    )
  const most = typeof raw['maximum'] === 'number' ? raw['maximum'] : Number(said?.[1]?.replaceAll(',', ''))
  const stated = typeof raw['default'] === 'number' ? raw['default'] : usualSize
  const isKnown = Number.isSafeInteger(most) && most > 0 && most <= 100_000
  const isPlain = /^[^\s=]+$/.test(parameter.name)
  return {
    name: parameter.name,
    isGuessed: !isKnown,
    ...(isPlain ? { size: `${parameter.name}=${isKnown ? most : Math.max(1, Math.floor(stated))}` } : {}),
  }
}

/** Reads what generators of clients were told about paging. */
function readExtension({ raw }: DocumentOperation): FileWay | undefined {
  const path = (value: unknown): string =>
    asText(value)
      .replace(/^\$(response|request|body)?\.?(body)?[.#/]*/, '')
      .replaceAll('/', '.')
  const speakeasy = asObject(raw['x-speakeasy-pagination'])
  const outputs = asObject(speakeasy['outputs'])
  const inputs = Array.isArray(speakeasy['inputs']) ? speakeasy['inputs'].map(asObject) : []
  const input = (type: string): string => asText(inputs.find((each) => each['type'] === type)?.['name'])
  if (speakeasy['type'] === 'cursor' && outputs['nextCursor'] !== undefined)
    return { next: path(outputs['nextCursor']), send: input('cursor') || 'cursor' }
  if (speakeasy['type'] === 'url' && outputs['nextUrl'] !== undefined) return { next: path(outputs['nextUrl']) }
  if (speakeasy['type'] === 'offsetLimit')
    return input('page') === '' ? { next: 'rows', send: input('offset') || 'offset' } : { next: 'pages', send: input('page') }
  const fern = asObject(raw['x-fern-pagination'])
  if (fern['next_cursor'] !== undefined) return { next: path(fern['next_cursor']), send: path(fern['cursor']) }
  if (fern['next_uri'] !== undefined) return { next: path(fern['next_uri']) }
  if (fern['offset'] !== undefined) {
    const send = path(fern['offset'])
    return { next: pageNames.test(send) ? 'pages' : 'rows', send }
  }
  const autorest = asObject(raw['x-ms-pageable'])
  return typeof autorest['nextLinkName'] === 'string' ? { next: autorest['nextLinkName'] } : undefined
}

/** Reads what the answer says beside the position: whether there is more, and how many there are. */
function readSigns(leaves: readonly Leaf[]): Pick<FileWay, 'more' | 'total'> {
  const more = leaves.find(({ path, isFlag }) => isFlag && moreFlag.test(path))
  const last = leaves.find(({ path, isFlag }) => isFlag && lastFlag.test(path))
  const total = leaves.find(({ path, isFlag }) => !isFlag && totalNames.test(path))
  return dropAbsent({ more: more?.path ?? (last && `!${last.path}`), total: total?.path })
}

/** Finds the ways of paging of one document. */
export class PagingFinder {
  readonly #schemas: Schemas
  /** Whether lists with a parameter of pages say the next page in the header Link, mostly. */
  readonly #hasLinks: boolean
  /** The way that most lists with a parameter have, by the parameter. */
  readonly #usual = new Map<string, FileWay>()

  constructor(schemas: Schemas, lists: readonly PagedList[]) {
    this.#schemas = schemas
    const paged = lists.filter(({ parameters }) => parameters.some(({ name }) => pageNames.test(name)))
    this.#hasLinks = paged.length > 0 && paged.filter(({ operation }) => hasLink(operation)).length * 2 > paged.length
    const votes = new Map<string, Map<string, number>>()
    for (const list of lists) {
      const found = this.#findSaid(list)?.way
      if (found?.send === undefined || found.next === 'link') continue
      const { size: _, ...way } = found
      const own = votes.get(found.send) ?? new Map<string, number>()
      own.set(JSON.stringify(way), (own.get(JSON.stringify(way)) ?? 0) + 1)
      votes.set(found.send, own)
    }
    for (const [send, own] of votes) {
      const [[most] = ['']] = [...own].toSorted(([, one], [, other]) => other - one)
      this.#usual.set(send, JSON.parse(most))
    }
  }

  /** Finds the way of a list. @returns undefined for a list of one page */
  find(list: PagedList): FoundWay | undefined {
    const found = this.#findSaid(list) ?? this.#findUsual(list)
    if (found === undefined) return undefined
    const { name: sizeName, size, isGuessed } = readSize(this.#schemas, list.parameters)
    const own = list.parameters.map(({ name }) => name).filter((name) => this.#isOwn(name, found.way, sizeName))
    const way = size === undefined || found.way.next.startsWith('header:') ? found.way : { ...found.way, size }
    // A position that counts has no end without a size or a flag.
    if (/^(rows|pages|last:)/.test(way.next) && way.size === undefined && way.more === undefined) return undefined
    return { way, own, isGuessed: found.isGuessed || isGuessed }
  }

  #isOwn(name: string, { send }: FileWay, sizeName: string | undefined): boolean {
    return (
      name === send ||
      name === sizeName ||
      cursorNames.test(name) ||
      pagingNames.test(name) ||
      pageNames.test(name) ||
      name === 'cursor' ||
      name === 'limit' ||
      sizeNames.test(name)
    )
  }

  #findSaid(list: PagedList): { readonly way: FileWay; readonly isGuessed: boolean } | undefined {
    const { operation, parameters, rows } = list
    const extension = readExtension(operation)
    if (extension !== undefined && extension.next !== '') return { way: extension, isGuessed: false }
    const leaves = listLeaves(this.#schemas, operation.answer.schema, rows.at)
    const signs = readSigns(leaves)
    const last = parameters.find(({ name }) => /^starting_?after$/i.test(name))
    const next = findNext(leaves, parameters)
    if (last !== undefined && next === undefined && signs.more !== undefined && rows.record.properties.has('id'))
      return { way: { next: 'last:id', send: last.name, more: signs.more }, isGuessed: false }
    const cursor = this.#findCursor(parameters, next)
    if (next !== undefined && !next.isUrl && cursor !== undefined)
      return { way: { next: next.path, send: cursor.name, ...signs }, isGuessed: false }
    if (next?.isUrl) return { way: { next: next.path, ...(signs.total === undefined ? {} : { total: signs.total }) }, isGuessed: false }
    const isPaged = parameters.some(({ name }) => pageNames.test(name) || cursorNames.test(name))
    if (hasLink(operation)) return { way: { next: 'link' }, isGuessed: !isPaged }
    return undefined
  }

  #findCursor(parameters: readonly ListParameter[], next: Leaf | undefined): ListParameter | undefined {
    const all = parameters.filter(({ name }) => cursorNames.test(name) && !sizeNames.test(name))
    const last = next?.path.split('.').at(-1)
    // A number of a page or an offset is no cursor, unless the answer has a value of its name.
    const isCounted = (parameter: ListParameter): boolean =>
      (pageNames.test(parameter.name) || offsetNames.test(parameter.name)) && isInteger(this.#schemas, parameter)
    return all.find(({ name }) => name === last) ?? all.find((parameter) => !isCounted(parameter))
  }

  /** Finds a way by what most lists of the document do, and by counting. */
  #findUsual({ operation, parameters, rows }: PagedList): { readonly way: FileWay; readonly isGuessed: boolean } | undefined {
    const pages = parameters.find(({ name }) => pageNames.test(name))
    const cursor = parameters.find(({ name }) => cursorNames.test(name) && !pageNames.test(name))
    if (this.#hasLinks && (pages !== undefined || cursor !== undefined)) return { way: { next: 'link' }, isGuessed: true }
    const signs = readSigns(listLeaves(this.#schemas, operation.answer.schema, rows.at))
    const offset = parameters.find(({ name }) => offsetNames.test(name))
    const usual = cursor === undefined ? undefined : this.#usual.get(cursor.name)
    if (usual !== undefined) return { way: usual, isGuessed: true }
    if (offset !== undefined) return { way: { next: 'rows', send: offset.name, ...signs }, isGuessed: true }
    if (pages !== undefined) {
      const { raw } = this.#schemas.read(pages.schema)
      const isZero = raw['default'] === 0 || raw['minimum'] === 0
      return { way: { next: 'pages', send: pages.name, ...(isZero ? { first: '0' } : {}), ...signs }, isGuessed: true }
    }
    return undefined
  }
}

const hasLink = ({ answer }: DocumentOperation): boolean => answer.headers.includes('link')
