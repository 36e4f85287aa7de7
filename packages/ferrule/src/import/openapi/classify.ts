/** Which action of an entity each operation is; or why it fits no action. */
import { asObject, type DocumentOperation, isFormType, isJsonType, type OpenapiDocument } from './document.ts'
import { findBase, isPlural, isSlot, isVerb, listNouns, splitPath } from './names.ts'
import { type Found, findRecord, findRows } from './rows.ts'
import type { Schemas } from './schemas.ts'

/** Actions that an importer finds. */
export type Action = 'list' | 'get' | 'create' | 'update' | 'delete'

/** What an operation is. */
export type Classified = { readonly operation: DocumentOperation } & (
  | { readonly action: Action; readonly found: Found | undefined }
  | { readonly action: undefined; readonly why: string }
)

interface Known {
  readonly document: OpenapiDocument
  readonly schemas: Schemas
  readonly gets: ReadonlyMap<string, 'list' | 'get'>
  readonly paths: ReadonlySet<string>
}

const refuse = (operation: DocumentOperation, why: string): Classified => ({ operation, action: undefined, why })
const accept = (operation: DocumentOperation, action: Action, found: Found | undefined): Classified => ({ operation, action, found })

const endsWithSlot = (path: string): boolean => isSlot(splitPath(path).at(-1) ?? '')
const lastPart = (path: string): string => splitPath(path).at(-1) ?? ''

const isBatch = (path: string): boolean => splitPath(path).some((part) => /^(batch|bulk|batches|\$batch)$/i.test(part))
const searchWord = /^(search|_?query|find|list|filter|lookup)$/i

/** Reads what an answer has; undefined for an answer without JSON. */
function findAnswer(
  schemas: Schemas,
  { answer, path }: DocumentOperation,
  isSingle: boolean,
): { readonly rows?: Found; readonly record?: Found } {
  if (!isJsonType(answer.type) || answer.schema === undefined) return {}
  const rows = isSingle ? undefined : findRows(schemas, answer.schema, path)
  const record = findRecord(schemas, answer.schema, path)
  return { ...(rows === undefined ? {} : { rows }), ...(record === undefined ? {} : { record }) }
}

function classifyGet(operation: DocumentOperation, { schemas }: Known): Classified {
  const { answer } = operation
  if (answer.type === 'elsewhere') return refuse(operation, 'It leads to another address, such as a file.')
  if (answer.type === undefined) return refuse(operation, 'The document does not say what it answers.')
  if (!isJsonType(answer.type)) return refuse(operation, `It answers ${answer.type}, which is no JSON.`)
  const { rows, record } = findAnswer(schemas, operation, false)
  if (rows !== undefined)
    return rows.record.properties.size === 0 ? refuse(operation, 'Its records have no named fields.') : accept(operation, 'list', rows)
  if (record === undefined) return refuse(operation, 'It answers no objects.')
  return record.record.properties.size === 0 ? refuse(operation, 'Its record has no named fields.') : accept(operation, 'get', record)
}

/** Says why the body of a write cannot be sent; undefined if it can. */
function refuseBody({ body }: DocumentOperation, schemas: Schemas): string | undefined {
  if (body.type === undefined) return undefined
  if (!isJsonType(body.type) && !isFormType(body.type)) return `It takes ${body.type}, such as a file.`
  const shape = schemas.read(body.schema)
  if (shape.items !== undefined) return 'Its body is a list.'
  const isOpen = shape.properties.size === 0 && (shape.types.size > 0 || Object.keys(shape.raw).length > 0)
  return isOpen && asObject(shape.raw)['type'] !== 'object' ? 'Its body has no named fields.' : undefined
}

function classifyPost(operation: DocumentOperation, known: Known): Classified {
  const { path, body } = operation
  const { schemas, gets } = known
  const last = lastPart(path)
  const { rows, record } = findAnswer(schemas, operation, false)
  if (searchWord.test(last) && rows !== undefined && rows.record.properties.size > 0 && isJsonType(body.type))
    return accept(operation, 'list', rows)
  const single = findAnswer(schemas, operation, true).record ?? record
  if (endsWithSlot(path)) return accept(operation, gets.get(path) === 'get' ? 'update' : 'create', single)
  if (gets.get(path) === 'list') return accept(operation, 'create', single)
  if (gets.get(path) === 'get') return accept(operation, 'update', single)
  const hasRecords = [...known.paths].some((other) => other !== path && findBase(other) === findBase(path))
  if (hasRecords) return accept(operation, 'create', single)
  const parts = splitPath(path)
  const isBelowRecord = isSlot(parts.at(-2) ?? '')
  if (isVerb(last)) return refuse(operation, 'It does something, and neither creates nor changes a record.')
  if (isBelowRecord && !isPlural(last)) return refuse(operation, 'It does something with a record, and neither creates nor changes one.')
  if (!isBelowRecord && listNouns(path).length > 1 && !isPlural(last) && single === undefined)
    return refuse(operation, 'It answers no record that it could have created.')
  return accept(operation, 'create', single)
}

function classifyChange(operation: DocumentOperation, { schemas, gets }: Known): Classified {
  const { path, method, body } = operation
  const hasFields = body.schema !== undefined && schemas.read(body.schema).properties.size > 0
  const { record } = findAnswer(schemas, operation, true)
  if (endsWithSlot(path)) {
    if (method === 'PATCH' && !hasFields) return refuse(operation, 'It changes a record without saying what.')
    return accept(operation, 'update', record)
  }
  if (gets.get(path) === 'list') return refuse(operation, 'It changes many records at once.')
  if (gets.get(path) === 'get') return accept(operation, 'update', record)
  if (isVerb(lastPart(path)) || !hasFields) return refuse(operation, 'It does something, and neither creates nor changes a record.')
  return /relationships/.test(path) && hasFields
    ? accept(operation, 'update', record)
    : refuse(operation, 'Nothing reads what it changes, so it belongs to no record.')
}

function classifyDelete(operation: DocumentOperation, { schemas, gets }: Known): Classified {
  const { path } = operation
  const { record } = findAnswer(schemas, operation, true)
  if (!endsWithSlot(path)) {
    if (gets.get(path) === 'list') return refuse(operation, 'It deletes many records at once.')
    if (isVerb(lastPart(path)) || isPlural(lastPart(path))) return refuse(operation, 'It deletes no single record.')
  }
  return accept(operation, 'delete', record)
}

function classifyOne(operation: DocumentOperation, known: Known): Classified {
  const { method, path } = operation
  if (/[?#\s]/.test(path)) return refuse(operation, 'Its path has a query.')
  if (method === 'GET') return classifyGet(operation, known)
  if (isBatch(path)) return refuse(operation, 'It is for many records at once.')
  const isLinking = /\/relationships\//.test(path) && method !== 'PATCH'
  if (isLinking) return refuse(operation, 'It links records that exist, and creates none.')
  const why = method === 'DELETE' ? undefined : refuseBody(operation, known.schemas)
  if (why !== undefined) return refuse(operation, why)
  if (method === 'POST') return classifyPost(operation, known)
  return method === 'DELETE' ? classifyDelete(operation, known) : classifyChange(operation, known)
}

/** Says of each operation which action it is. */
export function classify(document: OpenapiDocument, schemas: Schemas, operations: readonly DocumentOperation[]): readonly Classified[] {
  const paths = new Set(operations.map(({ path }) => path))
  const none: Known = { document, schemas, gets: new Map(), paths }
  const gets = new Map(
    operations.flatMap((operation) => {
      if (operation.method !== 'GET') return []
      const { action } = classifyGet(operation, none)
      return action === 'list' || action === 'get' ? [[operation.path, action] as const] : []
    }),
  )
  return operations.map((operation) => classifyOne(operation, { document, schemas, gets, paths }))
}
