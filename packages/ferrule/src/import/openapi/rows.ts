/** Where an answer has its rows or its record, and what identifies a record. */
import { splitWords } from '../sentences.ts'
import { isSameName, isSlot, listNouns, readSlot, splitPath, toSingular } from './names.ts'
import { isObjectShape, type Schemas, type Shape } from './schemas.ts'

/** Where rows or a record stand: a path in the answer, empty for the whole answer; and the schema of one record. */
export interface Found {
  readonly at: string
  readonly record: Shape
  /** How sure it is: `said` if nothing else could be meant. */
  readonly isGuessed: boolean
}

const rowNames = 'data results result items values records entries rows elements objects list content hits nodes'.split(' ')
const recordNames = ['data', 'result', 'results', 'item', 'record', 'object', 'response']
/** Words that stand beside rows or a record, and hold neither. */
const besides =
  /^(@?odata.*|_?links?|meta(data)?|paging|pagination|page_?info|included|errors?|warnings?.*|header|success|ok|status|code|message|total.*|.*_?count|has_?more|more|next.*|prev.*|previous.*|first|last|is_?(last|first).*|limit|offset|page.*|per_?page|size|start.*|max_?results|cursor.*|url|uri|self|object|type|expand|took|time.*|request.*|query|jsonapi|names|schema|count|href|etag|kind|filter.*|sort.*|order.*|.*selection)$/i

const isBeside = (name: string): boolean => besides.test(name)
const ids = ['id', 'gid', 'uuid', 'guid', '_id', 'key']

const isRecord = ({ properties }: Shape): boolean => ids.slice(0, 5).some((name) => properties.has(name))

/** Finds the rows of a list. */
export function findRows(schemas: Schemas, schema: unknown, path: string): Found | undefined {
  const answer = schemas.read(schema)
  if (answer.items !== undefined && answer.properties.size === 0) {
    const record = schemas.read(answer.items)
    return schemas.isRecordList(schema) ? { at: '', record, isGuessed: false } : undefined
  }
  return findRowsIn(schemas, answer, path)
}

function findRowsIn(schemas: Schemas, answer: Shape, path: string, above = ''): Found | undefined {
  if (isRecord(answer)) return undefined
  const lists = [...answer.properties].filter(([, inner]) => schemas.isRecordList(inner))
  const toFound = (name: string, isGuessed: boolean): Found => {
    const { items } = schemas.read(answer.properties.get(name))
    return { at: `${above}${name}`, record: schemas.read(items), isGuessed }
  }
  const noun = listNouns(path).at(-1) ?? ''
  const named = lists.find(([name]) => isSameName(name, noun))?.[0]
  if (named !== undefined && lists.length === 1) return toFound(named, false)
  if (named !== undefined && [...answer.properties.keys()].every((name) => name === named || isBeside(name))) return toFound(named, false)
  const usual = rowNames.find((name) => lists.some(([each]) => each === name))
  const others = [...answer.properties.keys()].filter((name) => !isBeside(name))
  if (usual !== undefined && (lists.length === 1 || others.every((name) => name === usual))) return toFound(usual, false)
  const [only] = lists.filter(([name]) => !isBeside(name))
  if (only !== undefined && others.length === 1) return toFound(only[0], true)
  return above === '' ? findRowsBelow(schemas, answer, path) : undefined
}

/** Finds rows one level deeper: `data.items`. */
function findRowsBelow(schemas: Schemas, answer: Shape, path: string): Found | undefined {
  const others = [...answer.properties].filter(([name]) => !isBeside(name))
  const [holder] = others
  if (holder === undefined || others.length !== 1 || !recordNames.includes(holder[0])) return undefined
  const inner = schemas.read(holder[1])
  if (
    !isObjectShape(inner) ||
    [...inner.properties.keys()].some((name) => !isBeside(name) && !schemas.isRecordList(inner.properties.get(name)))
  )
    return undefined
  const found = findRowsIn(schemas, inner, path, `${holder[0]}.`)
  return found === undefined ? undefined : { ...found, isGuessed: true }
}

/** Finds the record of an answer: the answer itself, or the single object that is named as what the path names. */
export function findRecord(schemas: Schemas, schema: unknown, path: string): Found | undefined {
  const answer = schemas.read(schema)
  if (answer.items !== undefined && !answer.types.has('object')) return undefined
  if (answer.properties.size === 0 && !answer.types.has('object')) return undefined
  const others = [...answer.properties].filter(([name]) => !isBeside(name))
  const [only] = others
  if (!isRecord(answer) && only !== undefined && others.length === 1) {
    const [name, inner] = only
    const record = schemas.read(inner)
    const isNoun = listNouns(path).some((noun) => isSameName(noun, name)) || recordNames.includes(name)
    if (isNoun && isObjectShape(record)) return { at: name, record, isGuessed: false }
  }
  return { at: '', record: answer, isGuessed: false }
}

const isScalar = (schemas: Schemas, schema: unknown): boolean => {
  const { types, items } = schemas.read(schema)
  return items === undefined && (types.has('string') || types.has('integer') || types.has('number'))
}

/** Finds what identifies a record. @param slot the slot of the call for one record, if there is one @returns undefined if nothing does */
export function findKey(
  schemas: Schemas,
  { properties }: Shape,
  path: string,
  slot?: string,
): { readonly key: string; readonly isGuessed: boolean } | undefined {
  const has = (name: string): boolean => properties.has(name) && isScalar(schemas, properties.get(name))
  if (has('id')) return { key: 'id', isGuessed: false }
  const noun = toSingular(splitWords(listNouns(path).at(-1) ?? '').at(-1) ?? '')
  const words = splitWords(slot ?? '')
  const wanted = slot === undefined ? [] : [slot, words.slice(1).join('_'), words.at(-1) ?? '']
  const bySlot = wanted.find((name) => name !== '' && has(name))
  if (bySlot !== undefined) return { key: bySlot, isGuessed: true }
  const usual = [
    ...['gid', 'uuid', 'guid', '_id', 'sha', 'accountId', 'key'],
    ...[`${noun}_id`, `${noun}Id`, `${noun}ID`, 'number', 'slug', 'login', 'code'],
  ]
  const byName = usual.find(has)
  if (byName !== undefined) return { key: byName, isGuessed: byName !== 'gid' && byName !== 'uuid' }
  const own = [...properties.keys()].filter((name) => splitWords(name).at(-1) === 'id' && splitWords(name)[0] === noun && has(name))
  if (own[0] !== undefined) return { key: own[0], isGuessed: true }
  if (has('name') && !properties.has('version')) return { key: 'name', isGuessed: true }
  return undefined
}

/** Returns the last slot of a path that ends with one. */
export const findSlot = (path: string): string | undefined => {
  const last = splitPath(path).at(-1) ?? ''
  return isSlot(last) ? readSlot(last) : undefined
}
