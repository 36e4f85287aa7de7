/** Makes the entities of the long form. */

import { findField } from '../definition/document.ts'
import { type EntityDefinition, type LiveAction, liveActions, type Operation, type Origin } from '../definition/entity.ts'
import type { Field, Fields } from '../definition/fields.ts'
import { objectOrAny } from '../definition/fields.ts'
import { listParentNames, type Sync } from '../definition/sync.ts'
import { buildFields } from './build-fields.ts'
import { buildOperation } from './build-operation.ts'
import { type BuildScope, firstStep, readConditions, refer } from './build-scope.ts'
import { buildSync } from './build-sync.ts'
import type { Steps } from './check-tree.ts'
import type { FileEntity, Named } from './file.ts'

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
  const { path, param, as } = value
  return { ...(path === undefined ? {} : { copy: path }), ...(param === undefined ? {} : { param }), ...(as === undefined ? {} : { as }) }
}

const buildFrom = ({ from = {} }: FileEntity): Readonly<Record<string, Origin>> =>
  Object.fromEntries(Object.entries(from).map(([path, each]) => [path, buildOrigin(each)]))

/** Reads the key; empty for an entity whose records nothing identifies. */
function buildKey(scope: BuildScope, name: string, { key }: FileEntity, record: Fields): readonly string[] {
  const steps = ['entities', name]
  if (key === 'none') return []
  const paths = [key ?? 'id'].flat()
  const valid = Object.keys(record)
  for (const path of paths.filter((each) => !each.startsWith('param.')))
    if (!valid.includes(firstStep(path)))
      refer(scope, {
        ...{ steps: key === undefined ? steps : [...steps, 'key'], what: 'a field of the record', name: firstStep(path), valid },
        example: key === undefined ? 'key: sha (the field that identifies a record; without key it is id)' : 'key: id',
      })
  return paths
}

function buildEntity(scope: BuildScope, name: string, entity: FileEntity): EntityDefinition {
  const steps = ['entities', name]
  const { file, found } = scope
  const { fields: record } = buildFields(entity.fields, [...steps, 'fields'], { place: 'record', found, types: file.types ?? {} })
  if (Object.keys(record).length === 0) found.note([...steps, 'fields'], { message: 'has no field', example: 'fields: { id: string Id }' })
  if (writtenActions.every((action) => entity[action as WrittenAction] === undefined))
    found.note(steps, { message: 'has no operation', example: `list: GET /${name}` })
  for (const path of Object.keys(entity.from ?? {}))
    refer(scope, { steps: [...steps, 'from', path], what: 'a field of the record', name: firstStep(path), valid: Object.keys(record) })
  if (entity.of !== undefined)
    refer(scope, { steps: [...steps, 'of'], what: 'an entity', name: entity.of, valid: Object.keys(file.entities) })
  for (const [path, target] of Object.entries(entity.refers ?? {}))
    refer(scope, { steps: [...steps, 'refers', path], what: 'an entity', name: target, valid: Object.keys(file.entities) })
  return {
    about: entity.about,
    ...(entity.scope === undefined ? {} : { scope: entity.scope }),
    key: buildKey(scope, name, entity, record),
    ...(entity.of === undefined ? {} : { of: entity.of }),
    ...(entity.refers === undefined ? {} : { refers: entity.refers }),
    ...(entity.title === undefined ? {} : { title: entity.title }),
    ...(entity.summary === undefined ? {} : { summary: entity.summary }),
    ...(entity.link === undefined ? {} : { link: entity.link }),
    record,
    ...(entity.from === undefined ? {} : { from: buildFrom(entity) }),
    ...buildOperations(scope, name, entity, record),
  }
}

/** Builds how the fields are found that an account has of its own. */
function buildDescribed(scope: BuildScope, name: string, { described }: FileEntity, entities: Named<EntityDefinition>) {
  if (described === undefined) return {}
  const steps = ['entities', name, 'described']
  const [entity = '', action] = described.run.split('.')
  const source = entities[entity]
  const valid = Object.keys(entities).filter((each) => entities[each]?.list !== undefined)
  if (!refer(scope, { steps: [...steps, 'run'], what: 'an entity with a list', name: entity, valid }) || source === undefined) return {}
  if (action !== 'list') scope.found.note([...steps, 'run'], { message: 'must be a list', example: `run: ${entity}.list` })
  for (const each of Object.keys(described.params ?? {}))
    refer(scope, {
      ...{
        steps: [...steps, 'params', each],
        what: `a parameter of ${entity}.list`,
        name: each,
        valid: Object.keys(source.list?.params ?? {}),
      },
    })
  const { params, name: field } = described
  const { record = {} } = source
  refer(scope, { steps: [...steps, 'name'], what: `a field of ${entity}`, name: firstStep(field), valid: Object.keys(record) })
  const at = { steps: [...steps, 'where'], records: [[entity, record]] } as const
  const [where] = described.where === undefined ? [] : readConditions(scope, described.where, at)
  return {
    described: { entity, ...(params === undefined ? {} : { params }), field, ...(where === undefined ? {} : { where }) },
  }
}

const toJson = (field: Field): Field => objectOrAny(field.description ?? '')

/** Builds the searchable fields, and where those come from that are not at the top of the record. */
function buildSearch(
  scope: BuildScope,
  { search }: FileEntity,
  record: Fields,
  { steps, parent }: { readonly steps: Steps; readonly parent: Fields },
): { readonly fields: Fields; readonly project: Named<string> } | undefined {
  if (search === 'none') return undefined
  const names: Named<string> =
    search === undefined
      ? Object.fromEntries(Object.keys(record).map((name) => [name, name]))
      : typeof search === 'object' && !Array.isArray(search)
        ? (search as Named<string>)
        : Object.fromEntries([search].flat().map((name) => [String(name), String(name)]))
  const found = Object.entries(names).flatMap(([name, path]): [string, Field][] => {
    const [fields, inner] = path.startsWith('parent.') ? [parent, path.slice('parent.'.length)] : [record, path]
    const valid = Object.keys(fields)
    if (
      !refer(scope, {
        steps: [...steps, 'search'],
        what: 'a field that can be searched',
        name: firstStep(inner),
        valid,
        example: 'search: [id, name]',
      })
    )
      return []
    return [[name, findField(fields, inner) ?? objectOrAny(name)]]
  })
  return {
    fields: Object.fromEntries(found.map(([name, field], index) => [name, index < fieldsOfOwn ? field : toJson(field)])),
    project: Object.fromEntries(Object.entries(names).filter(([name, path]) => name !== path)),
  }
}

function addSync(scope: BuildScope, name: string, entity: FileEntity, entities: Named<EntityDefinition>): EntityDefinition {
  const built = entities[name] ?? { about: '', key: [] }
  const steps = ['entities', name]
  const { sync, search } = entity
  if (sync === undefined || sync === 'none') {
    if (search !== undefined && search !== 'none')
      scope.found.note([...steps, 'search'], { message: 'only a copy can be searched, and there is no sync', example: 'sync: full' })
    return built
  }
  if (built.key.length === 0)
    scope.found.note([...steps, 'sync'], { message: 'a copy needs a key, and this entity has none', example: 'key: id' })
  const base: Sync = typeof sync === 'string' ? {} : buildSync(scope, { entity: name, entities, steps: [...steps, 'sync'] }, sync)
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
