/** Reads expressions that say no more than a kind file can say: a value, a text of several values, a time in a form, a choice by one value. */

/** A value that stands outside of the text: a name and the steps from there. */
export interface Slot {
  readonly is: 'slot'
  /** `config`, `response`, `record`, `stream_partition` and the like; `now` for the time of the call. */
  readonly root: string
  readonly path: readonly (string | number)[]
  /** Value where the account gives no other one. */
  readonly otherwise?: string | number | boolean
  /** The value is a list, which is written with commas. */
  readonly isList?: true
  /** Form in which a time is written. */
  readonly form?: string
}
/** A text for each value of one slot. */
export interface Choice {
  readonly is: 'choice'
  readonly by: Slot
  /** Value and text. True and false are values too. */
  readonly cases: readonly (readonly [value: string, text: string])[]
  /** Text for all other values. */
  readonly otherwise: string
}
/** A part of a text. */
export type TemplatePart = { readonly is: 'text'; readonly text: string } | Slot | Choice | { readonly is: 'logic'; readonly text: string }

const text = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`
const simple = String.raw`${text}|-?\d+(?:\.\d+)?|[Tt]rue|[Ff]alse|None|\{\}|\[\]`
const step = String.raw`\.get\(\s*(?:${text})\s*(?:,\s*(?:${simple})\s*)?\)|\.\w+(?!\w*\()|\[\s*(?:${text}|-?\d+)\s*\]`
const reference = new RegExp(String.raw`^(\w+)((?:${step})+)(?:\s+or\s+(${simple}))?$`)
const steps = new RegExp(step, 'g')
const getter = new RegExp(String.raw`^\.get\(\s*(${text})\s*(?:,\s*(${simple})\s*)?\)$`)

const isLiteral = new RegExp(`^(?:${simple})$`)

/** Reads a literal of an expression; undefined for none, and for None and an empty map or list. */
export function readLiteral(source: string): string | number | boolean | undefined {
  if (!isLiteral.test(source)) return undefined
  if (/^['"]/.test(source)) return source.slice(1, -1).replace(/\\(.)/g, '$1')
  if (/^[Tt]rue$/.test(source)) return true
  if (/^[Ff]alse$/.test(source)) return false
  return /^-?\d/.test(source) ? Number(source) : undefined
}

function readStep(source: string): string | number {
  const inner = getter.exec(source)?.[1] ?? (source.startsWith('[') ? source.slice(1, -1).trim() : source.slice(1))
  const literal = readLiteral(inner)
  return typeof literal === 'string' || typeof literal === 'number' ? literal : inner
}

/** Reads an expression that is a plain slot. */
export function readSlot(expression: string): Slot | undefined {
  const [, root = '', path = '', or] = reference.exec(expression.trim()) ?? []
  if (root === '') return undefined
  const found = path.match(steps) ?? []
  const last = getter.exec(found.at(-1) ?? '')?.[2]
  const otherwise = readLiteral(or ?? last ?? '')
  return { is: 'slot', root, path: found.map(readStep), ...(otherwise === undefined || otherwise === '' ? {} : { otherwise }) }
}

/** Splits an expression at an operator that stands outside of quotes and brackets. */
export function splitTop(expression: string, operator: RegExp): readonly string[] {
  const parts: string[] = []
  let [depth, quote, from] = [0, '', 0]
  for (let at = 0; at < expression.length; at += 1) {
    const sign = expression[at] ?? ''
    if (quote !== '') {
      if (sign === '\\') at += 1
      else if (sign === quote) quote = ''
      continue
    }
    if (sign === '"' || sign === "'") quote = sign
    if ('([{'.includes(sign)) depth += 1
    if (')]}'.includes(sign)) depth -= 1
    const [found] = depth === 0 ? (operator.exec(expression.slice(at)) ?? []) : []
    if (found === undefined) continue
    parts.push(expression.slice(from, at))
    at += found.length - 1
    from = at + 1
  }
  return [...parts, expression.slice(from)].map((part) => part.trim())
}

const unwrap = (expression: string): string => (/^\([^()]*\)$/.test(expression) ? expression.slice(1, -1).trim() : expression)

function readJoin(source: string): Slot | undefined {
  const [, behind] = /^['"],['"]\.join\((.+)\)$/.exec(source) ?? []
  const [, before] = /^(.+?)\s*\|\s*join\(\s*['"],['"]\s*\)$/.exec(source) ?? []
  const slot = readSlot(behind ?? before ?? '')
  return slot === undefined ? undefined : { ...slot, isList: true }
}

const isNow = (source: string): boolean => /^(now_utc|today_utc)\(\)$|^day_delta\(\s*0\s*(,.*)?\)$/.test(source)

function readTime(source: string): Slot | undefined {
  const [, moment = '', form = ''] =
    /^format_datetime\(\s*(.+?)\s*,\s*(?:format\s*=\s*)?['"]([^'"]+)['"]\s*(?:,\s*['"][^'"]*['"]\s*)?\)$/.exec(source) ??
    /^(.+?)\.strftime\(\s*['"]([^'"]+)['"]\s*\)$/.exec(source) ??
    []
  // A zone with a colon, as ISO 8601 has it.
  const [, zoned, again] = /^(.+?)\[:-2\]\s*\+\s*['"]:['"]\s*\+\s*(.+?)\[-2:\]$/.exec(source) ?? []
  const [whole, zone] = [readSlot(zoned ?? ''), readSlot(again ?? '')]
  if (isOfCall(whole) && isOfCall(zone)) return { ...whole, form: '%Y-%m-%dT%H:%M:%S%z' }
  const [, milliseconds] = /^\(?\s*timestamp\(\s*(.+?)\s*\)\s*\*\s*1000\s*\)?\s*(?:\|\s*int)?$/.exec(source) ?? []
  const [, seconds] = /^timestamp\(\s*(.+?)\s*\)\s*(?:\|\s*int)?$/.exec(source) ?? []
  const [said, as] = milliseconds !== undefined ? [milliseconds, '%ms'] : seconds !== undefined ? [seconds, '%s'] : [moment, form]
  if (said === '') return undefined
  if (isNow(said)) return { is: 'slot', root: 'now', path: [], form: as }
  const slot = readSlot(said)
  return slot === undefined ? undefined : { ...slot, form: as }
}

const readText = (source: string): string | undefined => {
  const literal = isLiteral.test(source) ? (readLiteral(source) ?? '') : undefined
  return literal === undefined ? undefined : String(literal)
}

function readCase(condition: string): { readonly by: Slot; readonly value: string; readonly isNot: boolean } | undefined {
  const [, left = '', operator = '', right = ''] = new RegExp(String.raw`^(.+?)\s*(==|!=)\s*(${simple})$`).exec(condition) ?? []
  const by = readSlot(operator === '' ? condition.replace(/^not\s+/, '') : left)
  if (by === undefined) return undefined
  if (operator !== '') return { by, value: String(readLiteral(right) ?? ''), isNot: operator === '!=' }
  return { by, value: 'true', isNot: condition.startsWith('not ') }
}

function readChoice(source: string): Choice | undefined {
  const [then = '', rest, ...more] = splitTop(source, /^\s+if\s+/)
  if (rest === undefined) return undefined
  const [condition = '', ...others] = splitTop([rest, ...more].join(' if '), /^\s+else\s+/)
  const chosen = readText(then)
  const found = readCase(unwrap(condition))
  if (chosen === undefined || found === undefined) return undefined
  const behind = unwrap(others.join(' else '))
  const last = others.length === 0 ? '' : readText(behind)
  const inner = last === undefined ? readChoice(behind) : undefined
  const { by, value, isNot } = found
  if (last !== undefined)
    return { is: 'choice', by, ...(isNot ? { cases: [[value, last]], otherwise: chosen } : { cases: [[value, chosen]], otherwise: last }) }
  if (inner === undefined || isNot || inner.by.path.join() !== by.path.join()) return undefined
  return { is: 'choice', by, cases: [[value, chosen], ...inner.cases], otherwise: inner.otherwise }
}

const isOfCall = (slot: Slot | undefined): slot is Slot => slot !== undefined && /^stream_(interval|slice|partition)$/.test(slot.root)

/** Reads a value of the call, with a default where the call has none, such as the first day of all. */
function readFirstOf(source: string): Slot | undefined {
  const [first = '', condition] = splitTop(source, /^\s+if\s+/)
  const [either = '', ...others] = splitTop(source, /^\s+or\s+/)
  const read = (part: string): Slot | undefined => readTime(part) ?? readSlot(part)
  const own = readSlot(either)?.root === 'config' && others.length === 1 ? read(others[0] ?? '') : undefined
  const slot = own ?? read(condition === undefined ? either : first)
  if (!isOfCall(slot) || (condition === undefined && others.length === 0)) return undefined
  return condition === undefined || condition.startsWith(slot.root) ? slot : undefined
}

function readSeveral(source: string): readonly TemplatePart[] | undefined {
  const operands = splitTop(source, /^\s*[+~]\s*/)
  if (operands.length < 2) return undefined
  const parts = operands.flatMap((each) => readExpression(each))
  const isText = parts.some((part) => part.is === 'text' && part.text !== '' && !/^-?\d+$/.test(part.text))
  return isText && parts.every((part) => part.is === 'text' || part.is === 'slot') ? parts : undefined
}

const trimmed = /^(.+?)\.(?:strip|rstrip|lstrip)\((?:'[\s/]*'|"[\s/]*")?\)$/
const harmless = /^(.+?)\s*\|\s*(?:string|int|float|trim|lower|urlencode|tojson(?:\(\))?|default\(\s*(?:None|''|"")\s*\))$/

/** Joins literals that stand beside each other: `config['query_' + 'events']`. */
const joinLiterals = (source: string): string => source.replaceAll(/(['"])([\w .:/-]*)\1\s*[+~]\s*(['"])([\w .:/-]*)\3/g, "'$2$4'")

/** Reads an expression. Everything that says more is logic. */
export function readExpression(expression: string): readonly TemplatePart[] {
  const source = joinLiterals(unwrap(expression.trim()))
  if (isLiteral.test(source)) return [{ is: 'text', text: String(readLiteral(source) ?? '') }]
  if (isNow(source)) return [{ is: 'slot', root: 'now', path: [] }]
  const found = readSlot(source) ?? readJoin(source) ?? readTime(source) ?? readChoice(source) ?? readFirstOf(source)
  if (found !== undefined) return [found]
  const [, inner] = trimmed.exec(source) ?? harmless.exec(source) ?? []
  const bare = inner === undefined ? [] : readExpression(inner)
  if (bare.length === 1 && bare[0]?.is === 'slot') return bare
  return readSeveral(source) ?? [{ is: 'logic', text: source }]
}
