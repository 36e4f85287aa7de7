/** Checks of the sync rules of a kind's entities. */
import type { Sentences } from './check-codes.ts'
import { checkCondition } from './check-conditions.ts'
import type { Kind } from './connector.ts'
import type { EntityDefinition, Operation } from './entity.ts'
import { type Field, hasField } from './fields.ts'
import { findField, formatPlainType } from './plain-schema.ts'
import { listEach, listParentNames, readSetting, type Sync } from './sync.ts'

interface SyncedEntity {
  readonly kind: Kind
  readonly definition: EntityDefinition
  readonly sync: Sync
}

/** Finds the operation that a sync calls: the list, else the get. */
export const findSyncedOperation = ({ list, get }: EntityDefinition): Operation | undefined => list ?? get

const isParameter = ({ definition }: SyncedEntity, path: string): boolean => {
  const operation = findSyncedOperation(definition)
  return operation !== undefined && findField(operation.params, path) !== undefined
}

const findFeeder = ({ kind }: SyncedEntity, name: string): EntityDefinition | undefined => kind.definition.entities[name]

/** Lists the parameters that a sync sends, and those of live lists that it does not copy. */
const listSentParameters = ({ params = {}, within, since, windows, withdrawn, token, values, notCopied = [], ...sync }: Sync): string[] => [
  ...Object.keys(params),
  ...notCopied,
  ...(withdrawn === undefined ? [] : [withdrawn.param]),
  ...Object.keys(within?.most?.take ?? {}),
  ...listEach(sync).flatMap(({ take }) => Object.keys(take)),
  ...(token === undefined ? [] : [token.param]),
  ...(values ?? []).flatMap((each) => Object.keys(each)),
  ...(since === undefined ? [] : [since.param, ...(since.until === undefined ? [] : [since.until])]),
  ...(windows === undefined ? [] : [windows.from, windows.to]),
]

const checkParents = (synced: SyncedEntity): Sentences => {
  const { within, each } = synced.sync
  const all =
    within === undefined
      ? listEach(synced.sync).map(({ entity, take }) => ({ entity, fields: Object.values(take) }))
      : [{ entity: within.entity, fields: [within.at, ...Object.values(within.most?.take ?? {})] }]
  return [
    within !== undefined && each !== undefined && 'is within an entity and called for each of one',
    new Set(all.map(({ entity }) => entity)).size < all.length && 'is called for each of an entity twice',
    ...all.flatMap(({ entity, fields }) => {
      const parent = findFeeder(synced, entity)
      return [
        parent?.sync === undefined && `is fed by ${entity}, which is not synced`,
        ...fields.map((path) => parent !== undefined && !hasField(parent.record, path) && `takes ${path}, which ${entity} lacks`),
      ]
    }),
  ]
}

const checkWhere = (synced: SyncedEntity): Sentences =>
  listEach(synced.sync).flatMap(({ entity, where }) => {
    const setting = where === undefined ? undefined : readSetting(where)
    return [
      where !== undefined &&
        !hasField(findFeeder(synced, entity)?.record, where.field) &&
        `is for some of ${entity} by ${where.field}, which ${entity} lacks`,
      setting !== undefined &&
        !(setting in synced.kind.definition.configuration) &&
        `is for some of ${entity} by ${setting}, which is not a configuration field`,
      ...(where === undefined ? [] : checkCondition(findFeeder(synced, entity)?.record, where)),
    ]
  })

const checkUnder = (synced: SyncedEntity): Sentences => {
  const { under: rule } = synced.sync
  if (rule === undefined) return []
  const [name = '', ...others] = listParentNames(synced.sync)
  const parent = findFeeder(synced, name)
  return [
    // Two parents can have the same value: what is below one would be deleted with the other.
    others.length > 0 && `is under ${rule.field}, and has several parents`,
    parent === undefined && 'is under a parent that it does not have',
    !(rule.field in (synced.definition.context_store_search ?? {})) && `is under ${rule.field}, which is not searchable`,
    parent !== undefined && !hasField(parent.record, rule.parent) && `is under ${rule.parent}, which its parent lacks`,
  ]
}

/** Returns whether an entity is called for each record of another one, and so on, up to itself. */
const hangsOnItself = (kind: Kind, name: string, above: readonly string[] = []): boolean => {
  const parents = listEach(kind.definition.entities[name]?.sync ?? {}).map(({ entity }) => entity)
  return parents.some((parent) => above.includes(parent) || hangsOnItself(kind, parent, [...above, parent]))
}

/** Lists the roots that an entity hangs on: one walk reads a root with all that is below it. */
const listRoots = (kind: Kind, name: string): readonly string[] => {
  const { within, ...sync } = kind.definition.entities[name]?.sync ?? {}
  if (within !== undefined) return [within.entity]
  const parents = listParentNames(sync)
  return parents.length === 0 ? [name] : [...new Set(parents.flatMap((parent) => listRoots(kind, parent)))]
}

/** Checks the tree: no entity hangs on itself or on two roots, and records lie within the records of a root. */
const checkDepth = (synced: SyncedEntity): Sentences => {
  const { within } = synced.sync
  const parent = findFeeder(synced, within?.entity ?? '')?.sync
  const looped = listEach(synced.sync).filter(({ entity }) => hangsOnItself(synced.kind, entity, [entity]))
  const [first, ...others] = looped.length > 0 ? [] : listParentNames(synced.sync).flatMap((name) => listRoots(synced.kind, name))
  const other = others.find((root) => root !== first)
  return [
    within !== undefined && (parent?.within ?? parent?.each) !== undefined && `is within ${within.entity}, which hangs on another entity`,
    ...looped.map(({ entity }) => `is called for each of ${entity}, which hangs on itself`),
    other !== undefined && `hangs on ${first} and on ${other}, which two walks read`,
  ]
}

const findRecordField = ({ record }: EntityDefinition, path: string): Field | undefined => findField(record ?? {}, path)
const isNumber = (definition: EntityDefinition, path: string): boolean =>
  ['integer', 'number'].includes(formatPlainType(findRecordField(definition, path) ?? {}))
const isCountedTime = (format: string | undefined): boolean => format === 'unix-time' || format === 'unix-time-ms'

/** Checks a field with the time of a record: a number says what it counts. */
const checkTime = (definition: EntityDefinition, path: string, verb: string): Sentences => [
  !hasField(definition.record, path) && `${verb} ${path}, which is not a field of the record`,
  isNumber(definition, path) &&
    !isCountedTime(findRecordField(definition, path)?.format) &&
    `${verb} ${path}, a number without the format unix-time or unix-time-ms`,
]

/** Checks the list of changes that is read instead of a whole pass. */
const checkChanges = ({ kind, sync: { changes } }: SyncedEntity): Sentences => {
  if (changes === undefined) return []
  const { entity, params = {}, since, where, record, keepsDays } = changes
  const listed = kind.definition.entities[entity]
  if (listed?.list === undefined) return [`reads changes of ${entity}, which has no list`]
  const { params: known } = listed.list
  return [
    ...[...Object.keys(params), since.param].map(
      (path) => findField(known, path) === undefined && `reads changes by ${path}, which ${entity} does not take`,
    ),
    ...[where.field, record].map((path) => !hasField(listed.record, path) && `reads ${path} of a change, which ${entity} lacks`),
    ...checkTime(listed, since.field, 'reads changes by'),
    where.is.length === 0 && 'reads changes of no kind',
    !(keepsDays > 0) && `reads changes that are kept for ${keepsDays} days`,
  ]
}

const checks: readonly ((synced: SyncedEntity) => Sentences)[] = [
  checkParents,
  checkWhere,
  checkUnder,
  checkDepth,
  checkChanges,
  (synced) => listSentParameters(synced.sync).map((path) => !isParameter(synced, path) && `sends ${path}, which is not a parameter`),
  ({ definition, sync: { since } }) =>
    since === undefined
      ? []
      : [
          ...checkTime(definition, since.field, 'remembers'),
          since.lookback < 0 && 'looks into the future',
          since.text?.includes('{time}') === false && `asks for changes by ${since.text}, which lacks {time}`,
          since.fixed && isNumber(definition, since.field) && `deletes by ${since.field}, which is a number`,
        ],
  ({ sync: { values, token, windows } }) => [
    values?.length === 0 && 'is walked for no value',
    values !== undefined && (token ?? windows) !== undefined && 'has values beside a token or windows, which one list has',
  ],
  ({ definition, sync: { newest } }) => (newest === undefined ? [] : checkTime(definition, newest, 'stops at')),
  ({ sync: { since, newest, token, changes } }) => [
    [since, newest, token, changes].filter((way) => way !== undefined).length > 1 && 'has several of since, newest, token and changes',
  ],
  ({ definition, sync: { gone } }) => [
    gone !== undefined &&
      !hasField(definition.record, gone.field) &&
      `knows deleted records by ${gone.field}, which is not a field of the record`,
    ...(gone === undefined ? [] : checkCondition(definition.record, gone)),
  ],
  (synced) => {
    const { after } = synced.sync
    return after === undefined
      ? []
      : [
          !isParameter(synced, after.param) && `goes on with ${after.param}, which is not a parameter`,
          !hasField(synced.definition.record, after.field) && `goes on after ${after.field}, which is not a field of the record`,
        ]
  },
  ({ kind, sync: { windows } }) => [
    windows !== undefined &&
      !(windows.first in kind.definition.configuration) &&
      `begins at ${windows.first}, which is not a configuration field`,
    windows?.setting !== undefined &&
      kind.definition.configuration[windows.setting]?.default === undefined &&
      `looks back by ${windows.setting}, which is not a configuration field with a default`,
    windows !== undefined && !(Number.isInteger(windows.days) && windows.days >= 1) && `has windows of ${windows.days} days`,
  ],
  ({ definition, sync }) =>
    Object.entries(sync.project ?? {}).flatMap(([field, path]) => [
      !hasField(definition.context_store_search, field) && `projects ${field}, which is not searchable`,
      // A vendor's field beyond the documents is projected by its own name.
      !path.startsWith('parent.') &&
        path !== field &&
        !hasField(definition.record, path) &&
        `projects from ${path}, which is not a field of the record`,
      path.startsWith('parent.') && sync.each === undefined && sync.within === undefined && `projects from ${path} without a parent`,
    ]),
  ({ definition, sync }) =>
    Object.keys(definition.context_store_search ?? {}).map(
      (field) => !hasField(definition.record, field) && sync.project?.[field] === undefined && `searchable ${field} comes from nowhere`,
    ),
]

/** Finds the problems of an entity's sync rules. @returns sentences; falsy entries are no problems */
export function checkSync(kind: Kind, definition: EntityDefinition): Sentences {
  const { sync } = definition
  if (sync === undefined) return [definition.context_store_search !== undefined && 'is searchable, but is not said to be synced']
  return checks.flatMap((check) => check({ kind, definition, sync }))
}
