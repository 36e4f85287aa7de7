/** Ways of paging, read from the paginators of manifests. */
import { dropAbsent } from '../../definition/object.ts'
import { everyRow } from '../../definition/page.ts'
import type { Component } from './component.ts'
import { splitTop } from './expression.ts'
import { isStep, isWireName } from './names.ts'
import type { Notes } from './outcome.ts'
import type { Entry } from './request.ts'
import { findLogic, readPlain, readSlot, type Slot, type Template } from './template.ts'

/** A way of paging as a kind file has it. */
export interface Way {
  readonly next: string
  readonly send?: string
  readonly in?: 'query' | 'body'
  readonly first?: '0' | '1'
  readonly more?: string
  readonly size?: string
}
/** A way, and the names of fixed parameters that became a part of it. */
export interface ReadWay {
  /** Undefined for a list of one page, whose size is fixed. */
  readonly way?: Way
  readonly taken: readonly string[]
  /** Parameters of a list of one page. */
  readonly fixed?: readonly Entry[]
  /** The parameters, and what carries them. */
  readonly options: readonly RequestOption[]
}
/** What a paginator is read with. */
export interface PagingSource {
  readonly notes: Notes
  /** Fixed parameters of every request, by name. */
  readonly fixed: Readonly<Record<string, string>>
  readonly hasBody: boolean
  /** Path of the rows in the answer. */
  readonly at: string
  /** The parameter that takes the position by an expression, if one does. */
  readonly token: RequestOption | undefined
}

const noWay = 'a way of paging that kind files do not have'

/** Writes steps as a path into an answer; undefined for steps that no path has. A dot within a name has a backslash before it. */
export const toPath = (steps: readonly (string | number)[]): string | undefined => {
  const right = steps.every((step) => (typeof step === 'number' ? step >= 0 : isStep(step.replaceAll('.', ''))))
  if (!right || steps.length === 0) return undefined
  return steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    const name = step.replaceAll('.', '\\.')
    return path === '' ? name : `${path}.${name}`
  }, '')
}

/** Finds where an answer has the position of the next page. */
function readPosition(slot: Slot, { notes, at }: PagingSource): string | undefined {
  const { root, path } = slot
  const [first, second] = path.map(String)
  const behind = path.indexOf(-1)
  if (root === 'last_record') return `last:${toPath(path) ?? 'id'}`
  if (behind === 0 && root === 'last_records') return `last:${toPath(path.slice(1)) ?? 'id'}`
  if (behind >= 0 && root === 'response' && (toPath(path.slice(0, behind)) ?? '') === at)
    return `last:${toPath(path.slice(behind + 1)) ?? 'id'}`
  if (root === 'response') return toPath(path) ?? notes.stop('a position of the next page at no plain path')
  if (root === 'headers' && path.length === 3 && first?.toLowerCase() === 'link' && path[2] === 'url')
    return second === 'next' ? 'link' : `link:${second}`
  if (root === 'headers' && path.length === 1) return `header:${first}`
  return notes.stop('logic in the position of the next page', `${root} ${path.join('.')}`)
}

/** What a position is: a slot, an address whose parameter is cut out, the value of an object that is sent, or a number that is counted. */
type PositionSource = { readonly slot: Slot; readonly isCut?: true; readonly into?: string } | { readonly counted: 'pages' | 'rows' }

/** The address of the next page in a `Link` header. */
const nextLink: Slot = { is: 'slot', root: 'headers', path: ['link', 'next', 'url'] }

/** Reads a `Link` header that is cut by hand: its entry for the next page. */
function readCutLink(text: string, stop: string): PositionSource | undefined {
  if (!/^headers(?:\.get\(\s*|\[)['"]link['"]/i.test(text)) return undefined
  const isNext = /rel=\\?"?next/.test(`${text} ${stop}`)
  return isNext ? { slot: nextLink, ...(/regex_search|split\(['"]\w+=/.test(text) ? { isCut: true } : {}) } : undefined
}

/** Reads an object with the position as its only value, which is written as a text: `'{"after": "' + response.next + '"}'`. */
function readWrapped(text: string): PositionSource | undefined {
  const [, into = '', inner = ''] = /^'\{\s*"(\w+)"\s*:\s*"'\s*\+\s*(.+?)\s*\+\s*'"\s*\}'(?:\s+if\s+.+)?$/.exec(text) ?? []
  const slot = readSlot(inner)
  return slot === undefined ? undefined : { slot, into }
}

/** Reads a position that the answer has only sometimes: `response.next if response.next`, or if there are rows. */
function readSometimes(text: string, at: string): PositionSource | undefined {
  const [, then = '', condition = ''] = /^(.+?)\s+if\s+(.+?)(?:\s+else\s+(?:None|''|""))?$/.exec(text) ?? []
  const chosen = readSlot(then.trim())
  const asked = readSlot(condition)
  if (chosen === undefined) return undefined
  const isOwn = asked?.path.every((step, index) => chosen.path[index] === step) || condition === chosen.root
  return isOwn || (asked?.root === 'response' && at !== '' && toPath(asked.path) === at) ? { slot: chosen } : undefined
}

/** Reads a position that is cut out of an address: the address has it too. */
function readCut(text: string): PositionSource | undefined {
  const [then = ''] = text.split(/\s+if\s+/)
  const [, whole = ''] =
    /^(.+?)\s*\|\s*regex_search\(/.exec(text) ??
    /^(.+?)\.split\(\s*['"][^'"]*=['"]\s*\)\[-?1\](?:\.split\(\s*['"]&['"]\s*\)\[0\])?$/.exec(then) ??
    []
  const slot = /=/.test(text) ? readSlot(whole.trim()) : undefined
  return slot === undefined ? undefined : { slot, isCut: true }
}

/** Reads the expression of a position. @param at path of the rows @param stop condition that ends the list */
function readExpressionOf(template: Template, at: string, stop: string): PositionSource | undefined {
  const [part, ...others] = template
  if (part === undefined || others.length > 0) return undefined
  if (part.is === 'slot') {
    const isCursor = part.root === 'headers' && /^link$/i.test(String(part.path[0])) && part.path.slice(1).join('.') === 'next.cursor'
    if (isCursor) return { slot: nextLink, isCut: true }
    return part.form === undefined && part.isList === undefined ? { slot: part } : undefined
  }
  if (part.is !== 'logic') return undefined
  const found = readSometimes(part.text, at) ?? readCutLink(part.text, stop) ?? readWrapped(part.text) ?? readCut(part.text)
  if (found !== undefined) return found
  if (/^\(?(?:response\S*|next_page_token\S*|\(.*\))\s*(?:\|\s*int\s*)?\)?\s*\+\s*1$/.test(part.text)) return { counted: 'pages' }
  const [one = '', other, ...more] = splitTop(part.text, /^\s*\+\s*/)
  const isOffset =
    other !== undefined &&
    more.length === 0 &&
    readSlot(one)?.root === 'response' &&
    /limit|size|max|count|per/i.test(other) &&
    readSlot(other)?.root === 'response'
  return isOffset ? { counted: 'rows' } : undefined
}

const never = String.raw`(?:None|none|null|'null'|""|''|\{\}|\[\])`
/** Conditions that end a list when a value is empty, and those that end it when a flag is set. */
const emptyConditions: readonly RegExp[] = [
  /^not\s+(.+)$/,
  new RegExp(String.raw`^(.+?)\s*(?:is|==)\s*${never}$`),
  /^(.+?)\s*(?:is|==)\s*(?:[Ff]alse|'false')$/,
  /^(.+?)\s+is\s+not\s+defined$/,
]
const setConditions: readonly RegExp[] = [/^(.+?)\s*(?:is|==)\s*(?:[Tt]rue|'true')$/, /^(.+)$/]

const unwrap = (condition: string): string => condition.replace(/^\(([^()]*)\)$/, '$1').trim()

function matchSlot(condition: string, patterns: readonly RegExp[]): Slot | undefined {
  const found = patterns.flatMap((pattern) => readSlot(unwrap(pattern.exec(condition)?.[1] ?? '')) ?? [])
  return found[0]
}

/** What a stop condition means: nothing beyond an empty position, a flag, or an end that the number of rows shows. */
type Stop = { readonly more?: string } | undefined

/** Conditions over the number of rows: a page that is not full, or empty, is the last. */
const isByRows = (condition: string): boolean =>
  /last_page_size|last_records?\b|\|\s*(?:length|count)/.test(condition) || /^not\s+last_record/.test(condition)

const isByEmptyPage = (condition: string): boolean =>
  /^not\s+last_records?$|^(?:last_page_size|.+\|\s*(?:length|count))\s*(?:==\s*0|<\s*1)$/.test(condition) ||
  /^headers\W+link\W+next\W+results\W+==\s*['"]false['"]$/i.test(condition)

/** What a condition that ends a list is read with: paths of the position and of the rows. */
interface StopScope {
  readonly position: string
  readonly at: string
}

function readStopPart(condition: string, { position, at }: StopScope): Stop {
  if (isByEmptyPage(condition)) return { more: everyRow }
  const link = /^'(\w+)'\s+not\s+in\s+(\S.*)$/.exec(condition.replaceAll('"', "'"))
  if (link !== null) return {}
  const empty = matchSlot(condition, emptyConditions)
  const path = toPath(empty?.path ?? [])
  if (empty !== undefined && empty.root !== 'response') return {}
  if (path !== undefined && path === at) return { more: everyRow }
  if (path !== undefined) return path === position || `${position}.`.startsWith(`${path}.`) ? {} : { more: path }
  const set = toPath(matchSlot(condition, setConditions)?.path ?? [])
  if (set !== undefined && !/\bnot\b|[<>=]/.test(condition)) return { more: `!${set}` }
  return isByRows(condition) ? {} : undefined
}

function readStop(template: Template | undefined, scope: StopScope, notes: Notes): Stop {
  const [part, ...others] = template ?? []
  if (part === undefined) return {}
  const expression = part.is === 'slot' ? writeSlot(part) : part.is === 'choice' ? writeSlot(part.by) : part.text
  const found: readonly Stop[] =
    others.length > 0 || part.is === 'choice'
      ? [undefined]
      : expression.split(/\s+or\s+/).map((each) => readStopPart(unwrap(each.trim()), scope))
  const all = found.flatMap((each) => each?.more ?? [])
  const flags = all.length > 1 ? all.filter((flag) => flag !== everyRow) : all
  if (found.every((each) => each !== undefined) && flags.length <= 1) return flags[0] === undefined ? {} : { more: flags[0] }
  notes.doubt('list.pages', 'guessed')
  // An empty position ends the list, whatever else does: the condition can only save a call, unless the position stays on the last page.
  return /[<>=|]|\bin\b/.test(expression) ? {} : notes.stop('logic in the end of a list', expression)
}

const writeSlot = ({ root, path }: Slot): string => root + path.map((step) => `[${typeof step === 'number' ? step : `'${step}'`}]`).join('')

/** Where a request carries a value. */
export interface RequestOption {
  readonly name: string
  readonly in: 'query' | 'body' | 'header'
  /** True for a form. */
  readonly isForm?: boolean
}

/** Reads an option of a request: the name and what carries it. */
export function readOption(option: Component | undefined, notes: Notes): RequestOption | undefined {
  if (option === undefined) return undefined
  if (option.type === 'RequestPath') {
    option.leaveAll()
    return undefined
  }
  const into = option.text('inject_into') ?? 'request_parameter'
  const path = option.takeAll('field_path')
  option.leave('field_name')
  const plain = Array.isArray(path) ? path.join('.') : readPlain(option.template('field_name') ?? [])
  if (plain === undefined) return notes.stop('logic in the name of a parameter')
  const sentIn = into === 'request_parameter' ? 'query' : into === 'header' ? 'header' : 'body'
  const isForm = into === 'body_data' ? { isForm: true } : {}
  return isWireName(plain)
    ? { name: plain.trim(), in: sentIn, ...isForm }
    : notes.stop('a parameter whose name kind files do not take', plain)
}

const sizeNames = /size|limit|count|per|max|rows|top|first|results|items|length|page/i

/** Finds the size of pages: of the option, else of a fixed parameter with that number. */
function readSize(
  paginator: Component,
  strategy: Component,
  { notes, fixed }: PagingSource,
): { size?: string; taken: readonly string[]; option?: RequestOption } {
  const option = readOption(paginator.child('page_size_option'), notes)
  const template = strategy.template('page_size')
  const given = readPlain(template ?? [])
  if (template !== undefined && given === undefined) notes.leave('sizes', 'page_size')
  const known = Number(given ?? '')
  const [name] =
    Object.entries(fixed).find(([key, value]) => sizeNames.test(key) && /^\d+$/.test(value) && (known < 1 || Number(value) === known)) ?? []
  if (option !== undefined && option.in !== 'header' && known >= 1) return { size: `${option.name}=${known}`, taken: [option.name], option }
  if (name !== undefined && option === undefined) return { size: `${name}=${fixed[name]}`, taken: [name] }
  if (option !== undefined && option.in !== 'header' && template !== undefined) {
    notes.doubt('list.pages', 'guessed')
    return { size: `${option.name}=100`, taken: [option.name], option }
  }
  return { taken: [] }
}

const strategies: Readonly<Record<string, 'cursor' | 'pages' | 'rows'>> = {
  CursorPagination: 'cursor',
  PageIncrement: 'pages',
  OffsetIncrement: 'rows',
}

function readCounted(next: 'pages' | 'rows', strategy: Component, notes: Notes): Pick<Way, 'next' | 'first'> | undefined {
  strategy.leave('inject_on_first_request')
  if (next === 'rows') return { next }
  const first = strategy.text('start_from_page') ?? '0'
  return first === '0' || first === '1' ? { next, ...(first === '0' ? { first } : {}) } : notes.stop(noWay, `pages from ${first}`)
}

type CursorWay = Pick<Way, 'next' | 'more'> & Pick<Extract<PositionSource, { slot: Slot }>, 'isCut' | 'into'>

function readCursor(strategy: Component, source: PagingSource): CursorWay | undefined {
  const { notes, at } = source
  const value = strategy.template('cursor_value') ?? []
  const stop = strategy.template('stop_condition')
  const position = readExpressionOf(value, at, (stop ?? []).map((part) => (part.is === 'logic' ? part.text : '')).join(''))
  if (position === undefined) return notes.stop('logic in the position of the next page', findLogic(value) ?? readPlain(value))
  if ('counted' in position) {
    notes.doubt('list.pages', 'guessed')
    return { next: position.counted }
  }
  const next = readPosition(position.slot, source)
  const read = next === undefined ? undefined : readStop(stop, { position: next, at }, notes)
  if (next === undefined || read === undefined) return undefined
  if (position.isCut) notes.doubt('list.pages', 'guessed')
  const { slot: _slot, ...rest } = position
  return { next, ...read, ...rest }
}

function findFlaw(next: string, send: RequestOption | undefined, hasToken: boolean): string | undefined {
  const isUrl = /^link(:|$)/.test(next)
  if (isUrl && send !== undefined) return 'a position within the address of the next page'
  return send === undefined && (next === 'pages' || next === 'rows' || !(isUrl || hasToken))
    ? 'a position of pages that no parameter takes'
    : undefined
}

/** Reads pages whose number no request carries: the platform reads the first one only. */
function readOnePage(strategy: Component, { size, option }: { size?: string; option?: RequestOption }, notes: Notes): ReadWay {
  strategy.leaveAll()
  notes.doubt('list.pages', 'guessed')
  const [name = '', most = ''] = size?.split('=') ?? []
  const options = [option ?? []].flat()
  return size === undefined ? { taken: [], options } : { taken: [name], fixed: [{ name, value: Number(most) }], options }
}

/** Reads the paginator of a stream; undefined for a list of one page, and for what cannot be said. */
export function readPaging(paginator: Component | undefined, source: PagingSource): ReadWay | undefined {
  const { notes, hasBody } = source
  if (paginator === undefined || paginator.type === 'NoPagination') return undefined
  if (paginator.type !== 'DefaultPaginator') return notes.stop(paginator.isCustom ? 'custom code: paginator' : noWay, paginator.type)
  const strategy = paginator.child('pagination_strategy')
  const kind = strategies[strategy?.type ?? '']
  if (strategy === undefined || kind === undefined)
    return notes.stop(strategy?.isCustom ? 'custom code: pagination strategy' : noWay, strategy?.type)
  const token = paginator.child('page_token_option')
  token?.leave('field_name', 'inject_into')
  const sized = readSize(paginator, strategy, source)
  const { size, taken, option: sizeOption } = sized
  const own = token === undefined ? source.token : readOption(token, notes)
  if (own === undefined && token === undefined) return readOnePage(strategy, sized, notes)
  if (own?.in === 'header' || sizeOption?.in === 'header') return notes.stop('a position or size of pages in a header')
  const read = kind === 'cursor' ? readCursor(strategy, source) : readCounted(kind, strategy, notes)
  if (read === undefined) return undefined
  const { isCut, into, ...rest } = { isCut: undefined, into: undefined, ...read }
  const option = isCut ? undefined : own
  const flaw = findFlaw(rest.next, option, token !== undefined)
  if (flaw !== undefined) return notes.stop(flaw)
  const sentIn = option?.in ?? sizeOption?.in
  // Without a size nothing but an empty page ends such a list.
  const more = rest.next.startsWith('last:') && size === undefined ? everyRow : undefined
  return {
    way: {
      ...dropAbsent({ more }),
      ...rest,
      ...dropAbsent({ send: option && (into === undefined ? option.name : `${option.name}.${into}`) }),
      ...dropAbsent({ in: sentIn === 'query' && hasBody ? sentIn : undefined, size }),
    },
    taken: [...taken, ...(own === undefined ? [] : [own.name])],
    options: [option ?? [], sizeOption ?? []].flat(),
  }
}
