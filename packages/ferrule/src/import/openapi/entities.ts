/** Groups operations into entities: those of one path, with and without its slots, belong together. */

import { toSentence } from '../../kind-file/build-fields.ts'
import type { FileEntity, FileFields, FileOperation, FileSince, FileSync, FileWay, Named, Scalar, Unsure } from '../../kind-file/file.ts'
import { dropEmpty, type LeftOut } from '../imported.ts'
import { toEntityName, toSlotName, writeSentence } from '../sentences.ts'
import type { Action, Classified } from './classify.ts'
import { asList, asObject, type DocumentOperation, isFormType, isJsonType, type Parameter } from './document.ts'
import { findBase, isSameName, isSlot, listNouns, splitPath, toSingular } from './names.ts'
import { type FoundWay, type ListParameter, PagingFinder } from './paging.ts'
import { type Found, findKey, findSlot } from './rows.ts'
import { FieldWriter, isFieldName, type Schemas, type Shape } from './schemas.ts'

type Accepted = Extract<Classified, { action: Action }>

/** Deepest objects of bodies whose fields are written. */
const bodyDepth = 1
/** Names that callers of a paged list have for its position and its size. */
const ownNames = ['cursor', 'limit']

/** Writes a call. @param prefix what every path of the kind begins with */
const writeCall = ({ method, path }: DocumentOperation): string =>
  `${method} ${path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => `{${toSlotName(name)}}`)}`

const slotNames = ({ path }: DocumentOperation): readonly string[] => [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)

/** Headers that the transfer, the credentials or the top of the file have. */
const headersElsewhere =
  /^(authorization|accept|host|cookie|user-agent|(accept|content|proxy|idempotency)-.*|.*(key|token|secret|signature|version|revision))$/i

/** Lists the headers that a call must have, and that only callers know. */
const listNeededHeaders = ({ parameters }: DocumentOperation): readonly Parameter[] =>
  parameters.filter(({ name, in: sentIn, required }) => sentIn === 'header' && required && !headersElsewhere.test(name))

/** The body of a request: its fields, what they are wrapped in, and values that never change. */
interface Body {
  readonly shape: Shape
  readonly wrap: string | undefined
  readonly isForm: boolean
}

/** Reads the body of an operation. A body with one object that is named as the noun, or `data`, is a wrapper. */
function readBody(schemas: Schemas, { body, path }: DocumentOperation): Body | undefined {
  if (body.schema === undefined || !(isJsonType(body.type) || isFormType(body.type))) return undefined
  const shape = schemas.read(body.schema)
  const isForm = isFormType(body.type)
  const [only, another] = [...shape.properties]
  if (only === undefined) return undefined
  const inner = schemas.read(only[1])
  const isNoun = listNouns(path).some((noun) => isSameName(noun, only[0])) || /^(data|attributes|fields)$/.test(only[0])
  const isWrapper = another === undefined && isNoun && inner.properties.size > 0 && inner.items === undefined
  return isWrapper ? { shape: inner, wrap: only[0], isForm } : { shape, wrap: undefined, isForm }
}

class OperationWriter {
  readonly #schemas: Schemas
  readonly #fields: FieldWriter

  constructor(schemas: Schemas, fields: FieldWriter) {
    this.#schemas = schemas
    this.#fields = fields
  }

  /** Lists the parameters that a list could continue by: those of its address, and of its body. */
  listParameters(operation: DocumentOperation): readonly ListParameter[] {
    const query = operation.parameters.filter((each) => each.in === 'query')
    const body = operation.method === 'GET' ? undefined : readBody(this.#schemas, operation)
    return [...query, ...[...(body?.shape.properties ?? [])].map(([name, schema]) => ({ name, about: '', schema }))]
  }

  /** Writes the parameters of the address. @param skip those of paging */
  writeParams({ parameters }: DocumentOperation, skip: readonly string[]): FileFields {
    const query = parameters.filter((each) => each.in === 'query' && !skip.includes(each.name))
    return Object.fromEntries(query.flatMap((each) => this.#writeParam(each)).filter(([name]) => isFieldName(name) && !skip.includes(name)))
  }

  #writeHeaderParams(headers: readonly Parameter[]): FileFields {
    return Object.fromEntries(headers.flatMap((each) => this.#writeParam({ ...each, name: toSlotName(each.name.toLowerCase()) })))
  }

  /** An object in the address is one parameter for each of its fields: `created[gte]`. */
  #writeParam({ name, about, schema, required, style }: Parameter): readonly (readonly [string, unknown])[] {
    const shape = this.#schemas.read(schema)
    const entry = (as: string, inner: unknown, isRequired: boolean, says: string) =>
      [as, this.#fields.writeField(as, withAbout(inner, says), { use: 'parameter', depth: 0, isRequired })] as const
    if (style !== 'deepObject' || shape.properties.size === 0) return [entry(name, schema, required, about)]
    return [...shape.properties].map(([inner, each]) => entry(`${name}[${inner}]`, each, false, `${about || name} (${inner})`))
  }

  /** Writes an operation. `lists` and `writes` of the file are left to it. */
  write({ operation, action, found }: Accepted, way?: { readonly name: string; readonly found: FoundWay | undefined }): FileOperation {
    const skip = way?.found === undefined ? [] : [...way.found.own, ...ownNames]
    const slots = slotNames(operation)
    const body = ['GET', 'DELETE'].includes(operation.method) ? undefined : readBody(this.#schemas, operation)
    const headers = listNeededHeaders(operation)
    const params = { ...this.writeParams(operation, [...skip, ...slots]), ...this.#writeHeaderParams(headers) }
    const sent = this.#writeBody(body, { operation, skip, params })
    const at = found?.at ?? ''
    return {
      call: writeCall(operation),
      ...dropEmpty({
        params,
        headers: Object.fromEntries(headers.map(({ name }) => [name.toLowerCase(), `{${toSlotName(name.toLowerCase())}}`])),
      }),
      ...sent,
      ...(at === '' || (action !== 'list' && found === undefined) ? {} : { at }),
      ...(way === undefined ? {} : { pages: way.name }),
      ...(body?.isForm === true ? ({ as: 'form' } as const) : {}),
      ...this.#writeArrays(operation, body),
      ...this.#writeAnswers(action, found),
    }
  }

  #writeBody(
    body: Body | undefined,
    { operation, skip, params }: { readonly operation: DocumentOperation; readonly skip: readonly string[]; readonly params: FileFields },
  ): Pick<FileOperation, 'body' | 'wrap' | 'always'> {
    if (body === undefined) return {}
    const { shape, wrap } = body
    const always = this.#findConstants(shape)
    const taken = new Set([...slotNames(operation).map(toSlotName), ...Object.keys(params)])
    const fields = this.#fields.writeFields(shape, { use: 'parameter', depth: bodyDepth }, new Set([...skip, ...Object.keys(always)]))
    const named = Object.entries(fields).map(([name, field]) =>
      taken.has(name) ? ([`body_${name}`, withName(field, name)] as const) : ([name, field] as const),
    )
    const prefix = wrap === undefined ? '' : `${wrap}.`
    const constants = Object.fromEntries(Object.entries(always).map(([name, value]) => [`${prefix}${name}`, value]))
    return {
      ...(named.length === 0 ? {} : { body: Object.fromEntries(named), ...(wrap === undefined ? {} : { wrap }) }),
      ...dropEmpty({ always: constants }),
    }
  }

  #findConstants({ properties, required }: Shape): Named<Scalar> {
    return Object.fromEntries(
      [...properties].flatMap(([name, schema]): [string, Scalar][] => {
        const [value, another] = this.#schemas.read(schema).values ?? []
        const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        return required.has(name) && isScalar && another === undefined && /^[\w-]+$/.test(name) ? [[name, value]] : []
      }),
    )
  }

  #writeArrays({ parameters }: DocumentOperation, body: Body | undefined): Pick<FileOperation, 'arrays'> {
    if (body?.isForm === true) return { arrays: 'brackets' }
    const lists = parameters.filter(({ in: sentIn, schema }) => sentIn === 'query' && this.#schemas.read(schema).items !== undefined)
    const [first] = lists
    if (first === undefined || first.name.endsWith('[]')) return {}
    if (first.style === 'deepObject') return { arrays: 'brackets' }
    return first.explode ? { arrays: 'repeat' } : {}
  }

  #writeAnswers(action: Action, found: Found | undefined): Pick<FileOperation, 'answers'> {
    if (action === 'list' || action === 'get' || action === 'delete') return {}
    return found === undefined || found.record.properties.size === 0 ? { answers: 'nothing' } : {}
  }
}

const withAbout = (schema: unknown, about: string): unknown => (about === '' ? schema : { allOf: [schema], description: about })

/** Gives a field another name than the request carries. */
const withName = (field: unknown, name: string): unknown => {
  if (typeof field !== 'string') return { ...asObject(field), $to: name }
  const [type = 'string', ...words] = field.split(' ')
  return { $type: type, $about: words.join(' '), $to: name }
}

/** Returns the sentence of an entity: that of its list, else of its first operation. */
const writeAbout = (operations: readonly Accepted[], name: string): string => {
  const first = operations.find(({ action }) => action === 'list') ?? operations.find(({ action }) => action === 'get') ?? operations[0]
  const said = first?.operation.about ?? ''
  const sentence = writeSentence(said, name, 110)
  const noun = sentence.replace(
    /^(get|list|retrieve|fetch|return|create|add|update|delete|remove|find)s? (a (paginated )?list of |all |the |an? )?/i,
    '',
  )
  return writeSentence(noun, name, 110)
}

const listTags = ({ operation }: Accepted): readonly string[] => asList(operation.raw['tags']).map(String)

const changed =
  /^(since|(updated|modified|changed)_?(since|after|from|min|at_?(min|from|gte|after|since))|(min|start|from)_?(updated|modified)(_?(at|date|time))?|last_?(updated|modified)_?(since|after|min)|updatedMin|(updated|modified|updated_at|modified_at)\[(gte|gt|after|from|min)\])$/i
const created = /^((created|created_at)\[(gte|gt|after|from|min)\]|created_?(after|since|min|from|at_?(min|from)))$/i
const changedFields = [
  ...['updated_at', 'updatedAt', 'updated', 'modified_at', 'modifiedAt', 'modified'],
  ...['last_modified', 'lastModified', 'last_updated', 'lastUpdated', 'changed_at'],
]
const createdFields = ['created_at', 'createdAt', 'created', 'created_on', 'createdOn']

const isTime = (field: unknown): boolean =>
  typeof field === 'string' && /^(date-time|date|unix-time|unix-time-ms|integer|string)\b/.test(field)

/** Finds the filter by the time of a change. @returns undefined if the list has none that a record can answer */
function findSince(fields: FileFields, params: FileFields): FileSince | undefined {
  const find = (names: readonly string[]): string | undefined =>
    names.find((name) => isTime(fields[name]) && !/^(integer|string)\b/.test(String(fields[name])))
  const sent = Object.keys(params).filter((name) => isTime(params[name]))
  const change = sent.find((name) => changed.test(name))
  const field = find(changedFields)
  if (change !== undefined && field !== undefined) return { [field]: change }
  const creation = sent.find((name) => created.test(name))
  const made = find(createdFields)
  // A number cannot say since when a record is deleted, which a fixed time must.
  if (creation === undefined || made === undefined || field !== undefined || /^unix/.test(String(fields[made]))) return undefined
  return { field: made, send: creation, fixed: true }
}

/** Entities, ways of paging, and what is unsure of them. */
export interface FoundEntities {
  readonly entities: Named<FileEntity>
  readonly pages: Named<FileWay>
  readonly unsure: Readonly<Record<string, Unsure>>
  readonly leftOut: readonly LeftOut[]
}

interface EntityGroup {
  readonly base: string
  readonly members: Map<Action, Accepted>
}

const actions: readonly Action[] = ['list', 'get', 'create', 'update', 'delete']
/** Deepest objects of records whose fields are written. */
const recordDepth = 0

/** Puts each operation to the others of its path. One whose action is taken gets an entity of its own. */
function group(accepted: readonly Accepted[]): readonly EntityGroup[] {
  const groups: EntityGroup[] = []
  const byBase = new Map<string, EntityGroup[]>()
  // PATCH changes parts, which callers want more often than PUT.
  const ordered = accepted.toSorted((one, other) => Number(one.operation.method === 'PUT') - Number(other.operation.method === 'PUT'))
  for (const each of ordered) {
    const base = findBase(each.operation.path).replaceAll(/\{[^}]*\}/g, '{}')
    const known = byBase.get(base) ?? []
    const free = known.find(({ members }) => !members.has(each.action))
    const target = free ?? { base: findBase(each.operation.path), members: new Map() }
    target.members.set(each.action, each)
    if (free === undefined) {
      byBase.set(base, [...known, target])
      groups.push(target)
    }
  }
  return groups
}

/** Names entities by the nouns of their paths: as many as it takes to tell them apart, short paths first. */
function nameGroups(groups: readonly EntityGroup[]): ReadonlyMap<string, EntityGroup> {
  const named = new Map<string, EntityGroup>()
  const ordered = groups.toSorted((one, other) => splitPath(one.base).length - splitPath(other.base).length)
  for (const each of ordered) {
    const nouns = listNouns(each.base)
    const candidates = nouns.map((_, index) => {
      const parts = nouns.slice(nouns.length - 1 - index)
      return toEntityName(parts.map((part, at) => (at < parts.length - 1 ? toSingular(part) : part)).join('_'))
    })
    const last = candidates.at(-1) ?? 'records'
    const numbered = Array.from({ length: groups.length + 1 }, (_, index) => `${last}_${index + 2}`)
    const name = [...candidates, last, ...numbered].find((one) => !named.has(one) && !/^(constructor|then|prototype)$/.test(one)) ?? last
    named.set(name, each)
  }
  return named
}

class EntityBuilder {
  readonly #schemas: Schemas
  readonly #fields: FieldWriter
  readonly #operations: OperationWriter
  readonly #paging: PagingFinder
  readonly #ways = new Map<string, string>()
  readonly pages: Record<string, FileWay> = {}
  readonly unsure: Record<string, Unsure> = {}
  readonly leftOut: LeftOut[] = []

  constructor(schemas: Schemas, accepted: readonly Accepted[]) {
    this.#schemas = schemas
    this.#fields = new FieldWriter(schemas)
    this.#operations = new OperationWriter(schemas, this.#fields)
    const lists = accepted.flatMap(({ operation, action, found }) =>
      action === 'list' && found !== undefined ? [{ operation, parameters: this.#operations.listParameters(operation), rows: found }] : [],
    )
    this.#paging = new PagingFinder(schemas, lists)
  }

  build(name: string, { members }: EntityGroup): FileEntity | undefined {
    const all = actions.flatMap((action) => members.get(action) ?? [])
    const record = this.#findRecord(all)
    const path = all[0]?.operation.path ?? ''
    const slot = findSlot(
      [members.get('get'), members.get('update'), members.get('delete')].flatMap((each) => each?.operation.path ?? [])[0] ?? '',
    )
    const fields = this.#writeRecord(record, all)
    if (Object.keys(fields).length === 0) {
      for (const { operation } of all) this.leftOut.push({ what: operation.call, why: 'The document names no field of its record.' })
      return undefined
    }
    if (record === undefined) this.unsure[`entities.${name}.fields`] = 'guessed'
    const key = record === undefined ? undefined : findKey(this.#schemas, record, path, slot)
    const own = key === undefined || fields[key.key] === undefined ? undefined : key
    if (own?.isGuessed === true) this.unsure[`entities.${name}.key`] = 'guessed'
    const operations = Object.fromEntries(all.map((each) => [each.action, this.#writeOperation(name, each, record)]))
    return {
      about: writeAbout(all, name),
      ...(own?.key === 'id' ? {} : { key: own?.key ?? 'none' }),
      fields,
      ...operations,
    }
  }

  /** Finds the record: that of `get`, else of the list, else what a write answers. */
  #findRecord(all: readonly Accepted[]): Shape | undefined {
    const order: readonly Action[] = ['get', 'list', 'create', 'update']
    const shapes = order.flatMap((action) => all.find((each) => each.action === action)?.found?.record ?? [])
    const read = shapes.filter((shape) => shape.properties.size > 0)
    return read[0]
  }

  #writeRecord(record: Shape | undefined, all: readonly Accepted[]): FileFields {
    if (record !== undefined) return this.#fields.writeFields(record, { use: 'record', depth: recordDepth })
    const slots = all
      .flatMap(({ operation }) => splitPath(operation.path).filter(isSlot))
      .map((part) => toSlotName(part.replaceAll(/[{}]/g, '')))
    return Object.fromEntries([...new Set(slots)].filter(isFieldName).map((slot) => [slot, `string ${toSentence(slot)}`]))
  }

  #writeOperation(entity: string, accepted: Accepted, record: Shape | undefined): string | FileOperation {
    const { operation, action, found } = accepted
    if (action !== 'list') {
      const written = this.#operations.write(accepted)
      const [answered, whole] = [found?.record.properties.size ?? 0, record?.properties.size ?? 0]
      const isPart = (action === 'create' || action === 'update') && answered > 0 && answered * 2 <= whole
      return shorten(isPart ? { ...written, answers: 'part' } : written)
    }
    if (found?.isGuessed === true) this.unsure[`entities.${entity}.list.at`] = 'guessed'
    const parameters = this.#operations.listParameters(operation)
    const way = found === undefined ? undefined : this.#paging.find({ operation, parameters, rows: found })
    if (way === undefined || way.isGuessed) this.unsure[`entities.${entity}.list.pages`] = way === undefined ? 'not said' : 'guessed'
    return shorten(this.#operations.write(accepted, { name: this.#nameWay(way), found: way }))
  }

  #nameWay(found: FoundWay | undefined): string {
    if (found === undefined) return 'none'
    const text = JSON.stringify(found.way)
    const known = this.#ways.get(text)
    if (known !== undefined) return known
    const { next, send } = found.way
    const base = /^(rows|pages|link)$/.test(next)
      ? { rows: 'offset', pages: 'numbers', link: 'link' }[next as 'rows']
      : next.startsWith('last:')
        ? 'last'
        : send === undefined
          ? 'address'
          : 'cursor'
    const names = [base, ...Array.from({ length: this.#ways.size + 1 }, (_, index) => `${base}_${index + 2}`)]
    const name = names.find((each) => !(each in this.pages)) ?? base
    this.#ways.set(text, name)
    this.pages[name] = found.way
    return name
  }
}

const shorten = (operation: FileOperation): string | FileOperation => (Object.keys(operation).length === 1 ? operation.call : operation)

/** Returns whether the user wants an entity: by its name, or by a tag of its operations. */
const isWanted = (name: string, { members }: EntityGroup, only: readonly string[] | undefined): boolean =>
  only === undefined || only.some((wanted) => wanted === name || [...members.values()].some((each) => listTags(each).includes(wanted)))

/** Chooses how lists are copied: those without required parameters, and those that one copied entity feeds. */
class SyncFinder {
  readonly #entities: Named<FileEntity>
  readonly #named: ReadonlyMap<string, EntityGroup>
  readonly #parents: ReadonlyMap<string, string>

  constructor(entities: Named<FileEntity>, named: ReadonlyMap<string, EntityGroup>) {
    this.#entities = entities
    this.#named = named
    const lists = Object.entries(entities).filter(([, { list, key }]) => list !== undefined && key !== 'none')
    this.#parents = new Map(lists.map(([name]) => [named.get(name)?.base ?? '', name]))
  }

  find(name: string): FileSync | 'full' | undefined {
    const { list, key, fields } = this.#entities[name] ?? { fields: {} }
    if (list === undefined || key === 'none') return undefined
    const { call, params = {}, body = {} } = typeof list === 'string' ? { call: list } : list
    if (call.startsWith('POST') || Object.values({ ...params, ...body }).some(isNeeded)) return undefined
    const found = findSince(fields, params)
    const since = found === undefined ? {} : { since: found }
    const slots = splitPath(call).filter(isSlot)
    const [slot = '', another] = slots
    if (slot === '') return found === undefined ? 'full' : since
    const parent = another === undefined ? this.#findParent(name) : undefined
    return parent === undefined ? undefined : { each: { [parent.name]: { [slot.replaceAll(/[{}]/g, '')]: parent.key } }, ...since }
  }

  /** Finds the entity whose records have the path's only slot. Its own list has none, and is copied. */
  #findParent(name: string): { readonly name: string; readonly key: string } | undefined {
    const parts = splitPath(this.#named.get(name)?.base ?? '')
    const parent = this.#parents.get(`/${parts.slice(0, parts.findIndex(isSlot)).join('/')}`)
    if (parent === undefined || parent === name) return undefined
    return this.find(parent) === undefined ? undefined : { name: parent, key: String(this.#entities[parent]?.key ?? 'id') }
  }
}

const isNeeded = (field: unknown): boolean =>
  /!( |$)/.test(typeof field === 'string' ? (field.split(' ')[0] ?? '') : String(asObject(field)['$type'] ?? ''))

function addSyncs(entities: Named<FileEntity>, named: ReadonlyMap<string, EntityGroup>, unsure: Record<string, Unsure>): Named<FileEntity> {
  const finder = new SyncFinder(entities, named)
  return Object.fromEntries(
    Object.entries(entities).map(([name, entity]) => {
      const sync = finder.find(name)
      if (entity.list !== undefined) unsure[`entities.${name}.sync`] = sync === undefined ? 'not said' : 'guessed'
      return [name, sync === undefined ? entity : { ...entity, sync }]
    }),
  )
}

/** Finds the entities of a document. */
export function findEntities(schemas: Schemas, classified: readonly Classified[], only: readonly string[] | undefined): FoundEntities {
  const accepted = classified.filter((each): each is Accepted => each.action !== undefined)
  const builder = new EntityBuilder(schemas, accepted)
  const named = nameGroups(group(accepted))
  const wanted = [...named].filter(([name, each]) => isWanted(name, each, only))
  const built = wanted.flatMap(([name, each]): [string, FileEntity][] => {
    const entity = builder.build(name, each)
    return entity === undefined ? [] : [[name, entity]]
  })
  const entities = addSyncs(Object.fromEntries(built), named, builder.unsure)
  const refused =
    only === undefined
      ? classified.flatMap((each) => (each.action === undefined ? [{ what: each.operation.call, why: each.why }] : []))
      : []
  return { entities, pages: builder.pages, unsure: builder.unsure, leftOut: [...refused, ...builder.leftOut] }
}
