/** Makes the entities of the long form. */

import {
  type EntityDefinition,
  type LiveAction,
  liveActions,
  type Operation,
  type Origin,
  readDescribedSlot,
} from '../definition/entity.ts'
import { type Field, type Fields, objectOrAny } from '../definition/fields.ts'
import { dropAbsent } from '../definition/object.ts'
import { findField } from '../definition/plain-schema.ts'
import { type Changes, type Each, listParentNames, type Since, type Sync, type TimeForm } from '../definition/sync.ts'
import { listSlots } from '../definition/templates.ts'
import { buildFields } from './build-fields.ts'
import { buildOperation } from './build-operation.ts'
import { type BuildScope, checkValue, readConditions, readSpan, refer, referPath } from './build-scope.ts'
import type { Steps } from './check-tree.ts'
import type { FileChanges, FileCondition, FileEntity, FileSince, FileSync, Named, Scalar } from './file.ts'

/** An entity without its sync, and all others. */
interface SyncSource {
  readonly entity: string
  readonly entities: Named<EntityDefinition>
  readonly steps: Steps
}

/** Overlap of runs that do not say theirs, in seconds. */
const overlapSeconds = 60
const secondsPerDay = 86_400
/** Most walks that values of parameters make. */
const mostValues = 200

const forms: Readonly<Record<string, TimeForm>> = { 'unix-time': 'seconds', 'unix-time-ms': 'milliseconds', date: 'date' }
const readTimeForm = (params: Fields, name: string): TimeForm | undefined => forms[params[name]?.format ?? '']

type FullSince = Extract<FileSince, { readonly field: string; readonly send: string }>
const isFull = (since: FileSince): since is FullSince => 'field' in since
const readSince = (since: FileSince): FullSince => {
  if (isFull(since)) return since
  const [[field, send] = ['', '']] = Object.entries(since)
  return { field, send }
}

class SyncBuilder {
  readonly #scope: BuildScope
  readonly #source: SyncSource
  readonly #own: EntityDefinition

  constructor(scope: BuildScope, source: SyncSource) {
    this.#scope = scope
    this.#source = source
    this.#own = source.entities[source.entity] ?? { about: '', key: [] }
  }

  get #params(): Fields {
    return this.#own.list?.params ?? this.#own.get?.params ?? {}
  }

  #isParameter(name: string, steps: Steps): boolean {
    return refer(this.#scope, {
      ...{ steps, what: `a parameter of ${this.#own.list === undefined ? 'get' : 'list'}`, name, valid: Object.keys(this.#params) },
      example: `params: { ${name}: date-time Changed since }`,
    })
  }

  #checkParameter(name: string, value: unknown, steps: Steps): void {
    if (this.#isParameter(name, steps)) checkValue(this.#scope, steps, value, this.#params[name])
  }

  #isField(path: string, steps: Steps, fields: Fields | undefined = this.#own.record, of = 'the record'): boolean {
    return referPath(this.#scope, { steps, what: `a field of ${of}`, path, fields: fields ?? {} })
  }

  #isEntity(name: string, steps: Steps): boolean {
    return refer(this.#scope, { steps, what: 'an entity', name, valid: Object.keys(this.#source.entities) })
  }

  #take(parent: string, take: Named<string>, steps: Steps): Named<string> {
    const record = this.#source.entities[parent]?.record
    for (const [name, path] of Object.entries(take)) {
      this.#isParameter(name, [...steps, name])
      this.#isField(path, [...steps, name], record, parent)
    }
    return take
  }

  /** Reads which records of some entities are called for. */
  #where(where: FileCondition, parents: readonly string[], steps: Steps): Pick<Each, 'where'> {
    const records = parents.map((parent) => [parent, this.#source.entities[parent]?.record ?? {}] as const)
    const [condition] = readConditions(this.#scope, where, { steps, records, isConfigured: true })
    return condition === undefined ? {} : { where: condition }
  }

  #each({ each = {}, batch, where }: FileSync, steps: Steps): readonly Each[] {
    const parents = Object.entries(each).filter(([parent]) => this.#isEntity(parent, [...steps, 'each', parent]))
    for (const [name, word] of Object.entries({ batch, where }))
      if (word !== undefined && Object.keys(each).length === 0)
        this.#scope.found.note([...steps, name], { message: 'is for each, which is missing' })
    const names = parents.map(([parent]) => parent)
    const condition = where === undefined ? {} : this.#where(where, names, [...steps, 'where'])
    return parents.map(([entity, take]) =>
      dropAbsent({ entity, take: this.#take(entity, take, [...steps, 'each', entity]), batch, ...condition }),
    )
  }

  #parents(sync: FileSync, steps: Steps): Pick<Sync, 'each' | 'within' | 'under'> {
    const { within, under } = sync
    const [first, ...others] = this.#each(sync, steps)
    const isWithin = within !== undefined && this.#isEntity(within.entity, [...steps, 'within', 'entity'])
    if (within !== undefined && isWithin)
      this.#isField(within.at, [...steps, 'within', 'at'], this.#source.entities[within.entity]?.record, within.entity)
    const [field, path] = Object.entries(under ?? {})[0] ?? []
    return dropAbsent({
      each: first && (others.length === 0 ? first : [first, ...others]),
      within: within && isWithin ? this.#within(within, [...steps, 'within', 'take']) : undefined,
      under: field === undefined || path === undefined ? undefined : { field, parent: path },
    })
  }

  #within({ entity, at, most, take = {} }: NonNullable<FileSync['within']>, steps: Steps): Sync['within'] {
    return dropAbsent({ entity, at, most: most === undefined ? undefined : { records: most, take: this.#take(entity, take, steps) } })
  }

  #since(since: FileSince, steps: Steps): Since | undefined {
    const { field, send, until, as = readTimeForm(this.#params, send), text, first, overlap, fixed, sorted } = readSince(since)
    const at = isFull(since)
      ? { field: [...steps, 'field'], send: [...steps, 'send'] }
      : { field: [...steps, field], send: [...steps, field] }
    const isField = this.#isField(field, at.field)
    if (!this.#isParameter(send, at.send) || !isField) return undefined
    if (first !== undefined && Number.isNaN(Date.parse(first)))
      this.#scope.found.note([...steps, 'first'], { message: `${first} is no time`, example: "first: '2020-01-01T00:00:00Z'" })
    if (this.#params[send]?.enum !== undefined)
      this.#scope.found.note(at.send, {
        message: `${send} takes fixed values and no time`,
        example: `params: { ${send}: date-time Changed since }`,
      })
    if (until !== undefined) this.#isParameter(until, [...steps, 'until'])
    if (text !== undefined && !text.includes('{time}'))
      this.#scope.found.note([...steps, 'text'], {
        message: 'has no {time}, so every run would ask for the same',
        example: "text: 'created:>={time}'",
      })
    const lookback = overlap === undefined ? overlapSeconds : readSpan(overlap)
    const marks = { fixed: fixed || undefined, sorted: sorted || undefined }
    return dropAbsent({ as: as === 'iso' ? undefined : as, text, param: send, until, first, field, lookback, ...marks })
  }

  #changes(names: readonly string[], changes: FileChanges, steps: Steps): Changes | undefined {
    if (!this.#isEntity(changes.entity, ['changes', 'entity'])) return undefined
    const source = this.#source.entities[changes.entity]
    const { field, send, as = readTimeForm(source?.list?.params ?? {}, send) } = readSince(changes.since)
    refer(this.#scope, {
      steps: ['changes', 'since'],
      what: `a parameter of ${changes.entity}.list`,
      name: send,
      valid: Object.keys(source?.list?.params ?? {}),
    })
    this.#isField(field, ['changes', 'since'], source?.record, changes.entity)
    const [[whereField, values] = ['', '']] = Object.entries(changes.where)
    for (const template of [values, changes.gone ?? []].flat())
      for (const name of listSlots(template))
        refer(this.#scope, { steps: ['changes', 'where', whereField], what: 'a slot of changes', name, valid: ['name'] })
    const fill = (templates: string | readonly string[]) => [
      ...new Set([templates].flat().flatMap((template) => names.map((name) => template.replaceAll('{name}', name)))),
    ]
    if (names.length === 0) this.#scope.found.note([...steps, 'changes'], { message: 'is empty', example: 'changes: customer' })
    return dropAbsent({
      entity: changes.entity,
      params: changes.params,
      since: dropAbsent({ param: send, field, as: as === 'iso' ? undefined : as }),
      where: { field: whereField, is: fill(values) },
      gone: fill(changes.gone ?? []),
      record: changes.record,
      keepsDays: readSpan(changes.keeps) / secondsPerDay,
    })
  }

  #values(values: Named<readonly Scalar[]>, steps: Steps): NonNullable<Sync['values']> {
    const count = Object.values(values).reduce((product, { length }) => product * length, 1)
    if (count > mostValues) {
      this.#scope.found.note(steps, { message: `makes ${count} walks; at most ${mostValues}` }, 'key')
      return []
    }
    let all: readonly Named<Scalar>[] = [{}]
    for (const [name, of] of Object.entries(values)) {
      for (const value of of) this.#checkParameter(name, value, [...steps, name])
      all = all.flatMap((each) => of.map((value) => ({ ...each, [name]: value })))
    }
    return all
  }

  build(sync: FileSync): Sync {
    const { steps } = this.#source
    const { params, since, values, newest, token, changes, gone, after } = sync
    for (const [name, value] of Object.entries(params ?? {})) this.#checkParameter(name, value, [...steps, 'params', name])
    const [afterField, afterParam] = Object.entries(after ?? {})[0] ?? []
    if (afterField !== undefined && this.#isField(afterField, [...steps, 'after', afterField]))
      this.#isParameter(afterParam ?? '', [...steps, 'after', afterField])
    if (newest !== undefined) this.#isField(newest, [...steps, 'newest'])
    const records = [['the record', this.#own.record ?? {}]] as const
    const [builtGone] = gone === undefined ? [] : readConditions(this.#scope, gone, { steps: [...steps, 'gone'], records })
    if (token !== undefined) this.#isParameter(token.send, [...steps, 'token', 'send'])
    const source = this.#scope.file.changes
    if (changes !== undefined && source === undefined)
      this.#scope.found.note([...steps, 'changes'], {
        message: 'there is no list of changes: the file needs changes',
        example: 'changes: { entity: events, … }',
      })
    const builtSince = since === undefined ? undefined : this.#since(since, [...steps, 'since'])
    const builtChanges = changes === undefined || source === undefined ? undefined : this.#changes([changes].flat(), source, steps)
    return dropAbsent({
      params,
      ...this.#parents(sync, steps),
      since: builtSince,
      values: values && this.#values(values, [...steps, 'values']),
      newest,
      token: token && { read: token.read, param: token.send },
      changes: builtChanges,
      gone: builtGone,
      after: afterField === undefined || afterParam === undefined ? undefined : { param: afterParam, field: afterField },
    })
  }
}

/** Beyond so many searchable fields, values are stored as JSON: a table has at most 1,600 columns. */
const fieldsOfOwn = 60

const writtenActions = liveActions.filter((action) => action !== 'download')
type WrittenAction = Exclude<LiveAction, 'download'>
const isWritten = (action: LiveAction): action is WrittenAction => action !== 'download'

function buildOperations(scope: BuildScope, name: string, entity: FileEntity, record: Fields): Partial<Record<LiveAction, Operation>> {
  const { get } = entity
  const getAt = typeof get === 'object' ? get.at : undefined
  return Object.fromEntries(
    writtenActions.filter(isWritten).flatMap((action) => {
      const value = entity[action]
      if (value === undefined) return []
      const steps = ['entities', name, action]
      return [[action, buildOperation(scope, { steps, action, entity: name, value, record, getAt, from: buildFrom(entity) })] as const]
    }),
  )
}

const buildOrigin = (value: NonNullable<FileEntity['from']>[string]): Origin => {
  if (typeof value === 'string') return { copy: value }
  const { path: copy, param, as } = value
  return dropAbsent({ copy, param, as })
}

const buildFrom = ({ from = {} }: FileEntity): Readonly<Record<string, Origin>> =>
  Object.fromEntries(Object.entries(from).map(([path, each]) => [path, buildOrigin(each)]))

function buildKey(scope: BuildScope, name: string, { key }: FileEntity, record: Fields): readonly string[] {
  const steps = ['entities', name]
  if (key === 'none') return []
  const paths = [key ?? 'id'].flat()
  for (const path of paths.filter((each) => !each.startsWith('param.')))
    referPath(scope, {
      ...{ steps: key === undefined ? steps : [...steps, 'key'], what: 'a field of the record', path, fields: record },
      example: key === undefined ? 'key: sha (the field that identifies a record; without key it is id)' : 'key: id',
    })
  return paths
}

function buildEntity(scope: BuildScope, name: string, entity: FileEntity): EntityDefinition {
  const steps = ['entities', name]
  const { file, found } = scope
  const { fields: record } = buildFields(entity.fields, [...steps, 'fields'], { use: 'record', found, types: file.types ?? {} })
  if (Object.keys(record).length === 0) found.note([...steps, 'fields'], { message: 'has no field', example: 'fields: { id: string Id }' })
  if (writtenActions.every((action) => entity[action as WrittenAction] === undefined))
    found.note(steps, { message: 'has no operation', example: `list: GET /${name}` })
  for (const path of Object.keys(entity.from ?? {}))
    referPath(scope, { steps: [...steps, 'from', path], what: 'a field of the record', path, fields: record })
  if (entity.of !== undefined)
    refer(scope, { steps: [...steps, 'of'], what: 'an entity', name: entity.of, valid: Object.keys(file.entities) })
  for (const [path, target] of Object.entries(entity.refers ?? {}))
    refer(scope, { steps: [...steps, 'refers', path], what: 'an entity', name: target, valid: Object.keys(file.entities) })
  const { about, of, refers, title, summary, link } = entity
  const [key, from] = [buildKey(scope, name, entity, record), entity.from && buildFrom(entity)]
  return {
    ...dropAbsent({ about, scope: entity.scope, key, of, refers, title, summary, link, record, from }),
    ...buildOperations(scope, name, entity, record),
  }
}

function buildDescribed(scope: BuildScope, name: string, { described }: FileEntity, entities: Named<EntityDefinition>) {
  if (described === undefined) return {}
  const steps = ['entities', name, 'described']
  const [entity = '', action] = described.run.split('.')
  const source = entities[entity]
  const valid = Object.keys(entities).filter((each) => entities[each]?.list !== undefined)
  if (!refer(scope, { steps: [...steps, 'run'], what: 'an entity with a list', name: entity, valid }) || source === undefined) return {}
  if (action !== 'list') scope.found.note([...steps, 'run'], { message: 'must be a list', example: `run: ${entity}.list` })
  const { params, name: field } = described
  const given = Object.keys(source.list?.params ?? {})
  const own = Object.keys((entities[name]?.list ?? entities[name]?.get)?.params ?? {})
  for (const [each, value] of Object.entries(params ?? {})) {
    const at = [...steps, 'params', each]
    refer(scope, { steps: at, what: `a parameter of ${entity}.list`, name: each, valid: given })
    const slot = readDescribedSlot(value)
    if (slot !== undefined) refer(scope, { steps: at, what: `a parameter of ${name}`, name: slot, valid: own })
  }
  const { record = {} } = source
  referPath(scope, { steps: [...steps, 'name'], what: `a field of ${entity}`, path: field, fields: record })
  const at = { steps: [...steps, 'where'], records: [[entity, record]] } as const
  const [where] = described.where === undefined ? [] : readConditions(scope, described.where, at)
  return { described: dropAbsent({ entity, params, field, where }) }
}

/** Names the fields that can be searched, each with its path. Paths of a search have dots, so a dot of a name is `_` there. */
const nameSearched = (fields: readonly string[]): Named<string> => ({
  ...Object.fromEntries(
    fields.filter((name) => name.includes('.')).map((name) => [name.replaceAll('.', '_'), name.replaceAll('.', '\\.')]),
  ),
  ...Object.fromEntries(fields.filter((name) => !name.includes('.')).map((name) => [name, name])),
})

function buildSearch(
  scope: BuildScope,
  { search }: FileEntity,
  record: Fields,
  { steps, parent }: { readonly steps: Steps; readonly parent: Fields },
): { readonly fields: Fields; readonly project: Named<string> } | undefined {
  if (search === 'none') return undefined
  const names: Named<string> =
    search === undefined
      ? nameSearched(Object.keys(record))
      : typeof search === 'object' && !Array.isArray(search)
        ? (search as Named<string>)
        : Object.fromEntries([search].flat().map((name) => [String(name), String(name)]))
  const found = Object.entries(names).flatMap(([name, path]): [string, Field][] => {
    const [fields, inner] = path.startsWith('parent.') ? [parent, path.slice('parent.'.length)] : [record, path]
    const of = { steps: [...steps, 'search'], what: 'a field that can be searched', example: 'search: [id, name]' }
    if (!referPath(scope, { ...of, path: inner, fields })) return []
    return [[name, findField(fields, inner) ?? objectOrAny(name)]]
  })
  return {
    fields: Object.fromEntries(
      found.map(([name, field], index) => [name, index < fieldsOfOwn ? field : objectOrAny(field.description ?? '')]),
    ),
    project: Object.fromEntries(Object.entries(names).filter(([name, path]) => name !== path)),
  }
}

function addSync(scope: BuildScope, name: string, entity: FileEntity, entities: Named<EntityDefinition>): EntityDefinition {
  const built = entities[name] ?? { about: '', key: [] }
  const steps = ['entities', name]
  const { sync, search } = entity
  const { params: fields = {} } = built.list ?? built.get ?? {}
  for (const path of built.key.filter((each) => each.startsWith('param.')))
    referPath(scope, { steps: [...steps, 'key'], what: 'a parameter of the list', path: path.slice('param.'.length), fields })
  if (sync === undefined || sync === 'none') {
    if (search !== undefined && search !== 'none')
      scope.found.note([...steps, 'search'], { message: 'only a copy can be searched, and there is no sync', example: 'sync: full' })
    return built
  }
  if (built.key.length === 0)
    scope.found.note([...steps, 'sync'], { message: 'a copy needs a key, and this entity has none', example: 'key: id' })
  const base: Sync =
    typeof sync === 'string' ? {} : new SyncBuilder(scope, { entity: name, entities, steps: [...steps, 'sync'] }).build(sync)
  const parent = entities[listParentNames(base)[0] ?? '']?.record ?? {}
  const searched = buildSearch(scope, entity, built.record ?? {}, { steps, parent })
  const project = searched === undefined || Object.keys(searched.project).length === 0 ? {} : { project: searched.project }
  return {
    ...built,
    ...(searched === undefined ? {} : { context_store_search: searched.fields }),
    sync: { ...base, ...project },
  }
}

/** Builds all entities: first what they are, then how they are copied, because a copy can start from another entity. */
export function buildEntities(scope: BuildScope): Named<EntityDefinition> {
  const all = Object.entries(scope.file.entities)
  const entities = Object.fromEntries(all.map(([name, entity]) => [name, buildEntity(scope, name, entity)]))
  return Object.fromEntries(
    all.map(([name, entity]) => [name, { ...addSync(scope, name, entity, entities), ...buildDescribed(scope, name, entity, entities) }]),
  )
}
