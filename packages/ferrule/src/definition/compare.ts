/** Compares two versions of a kind: what a connector that moves from one to the other has to expect. */
import type { ConnectorDefinition } from './connector.ts'
import { type EntityDefinition, liveActions } from './entity.ts'
import type { Fields } from './fields.ts'

/**
 * What a change means for connectors, the least first. `none`: nothing changes. `text`: sentences only. `calls`: calls and their parameters change. `entities`: there are new
 * entities. `fields`: records are read again. `remade`: a copy is emptied and filled again. `authorize`: credentials are asked for again.
 */
export const kindChangeClasses = ['none', 'text', 'calls', 'entities', 'fields', 'remade', 'authorize'] as const
/** What a change means. */
export type KindChangeClass = (typeof kindChangeClasses)[number]

/** What a class of changes means for connectors that move to the version. */
export const kindChangeMeanings: Readonly<Record<KindChangeClass, string>> = {
  none: 'nothing changes',
  text: 'only texts change',
  calls: 'calls or their parameters change',
  entities: 'there are new entities',
  fields: 'records are read again',
  remade: 'a copy is emptied and filled again',
  authorize: 'credentials are asked for again',
}

/** A change between two versions. */
export interface KindChange {
  readonly class: KindChangeClass
  /** Entity that changes; null for the whole kind. */
  readonly entity: string | null
  readonly message: string
}

const texts: readonly string[] = ['about', 'description', 'documentation', 'title']

/** Writes a part of a definition without what is for people only. A field that is named `description` is an object, and stays. */
const printBare = (value: unknown): string =>
  JSON.stringify(value ?? null, (key, each: unknown) =>
    key === 'x-find' || (texts.includes(key) && typeof each === 'string') ? undefined : each,
  )

const isSame = (before: unknown, after: unknown): boolean => printBare(before) === printBare(after)

/** What has a message of its own; everything else of a definition concerns its calls. */
const told: readonly string[] = [...texts, 'kind', 'id', 'foreign', 'entities', 'credentials', 'origins', 'configuration', 'webhooks']

/** Says how webhooks change. Their secrets are no credentials, so these are not asked for again. */
function compareWebhooks({ webhooks: before }: ConnectorDefinition, { webhooks: after }: ConnectorDefinition): readonly string[] {
  if (isSame(before, after)) return []
  if (before === undefined || after === undefined) return [after === undefined ? 'webhooks are read no more' : 'there are webhooks']
  const secret = isSame(before.signature, after.signature) ? '' : '; their secret may be needed again'
  return [`webhooks are read in another way${secret}`]
}

function compareConnection(before: ConnectorDefinition, after: ConnectorDefinition): readonly KindChange[] {
  const change = (is: KindChangeClass, message: string): KindChange => ({ class: is, entity: null, message })
  const schemes = Object.entries(before.credentials).flatMap(([name, scheme]): readonly KindChange[] => {
    const next = after.credentials[name]
    if (next === undefined) return [change('authorize', `the scheme ${name} of the credentials is gone`)]
    return isSame(scheme, next) ? [] : [change('authorize', `the scheme ${name} of the credentials changes`)]
  })
  const added = Object.keys(after.credentials).filter((name) => !Object.hasOwn(before.credentials, name))
  const rest = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !told.includes(name))
  const others = rest.filter((name) => !isSame(Reflect.get(before, name), Reflect.get(after, name)))
  return [
    ...(isSame(before.origins, after.origins) ? [] : [change('authorize', 'requests go to other hosts')]),
    ...schemes,
    ...added.map((name) => change('calls', `there is a new scheme ${name} of the credentials`)),
    ...(isSame(before.configuration, after.configuration) ? [] : [change('calls', 'the configuration has other fields')]),
    ...compareWebhooks(before, after).map((message) => change('calls', message)),
    ...(others.length === 0 ? [] : [change('calls', `other values: ${others.join(', ')}`)]),
  ]
}

function compareSearch(before: Fields, after: Fields): readonly Omit<KindChange, 'entity'>[] {
  const remade = Object.keys(before).filter((name) => after[name] !== undefined && !isSame(before[name], after[name]))
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name))
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const [was, is] = [before, after].map((fields) => Object.keys(fields).filter((name) => !added.includes(name) && !gone.includes(name)))
  const moved = was?.join() === is?.join() ? [] : (is ?? [])
  const tell = (is: KindChangeClass, names: readonly string[], says: string) =>
    names.length === 0 ? [] : [{ class: is, message: `${says}: ${names.join(', ')}` }]
  return [
    ...tell('remade', remade, 'searchable fields have another type'),
    ...tell('fields', added, 'new searchable fields'),
    ...tell('fields', gone, 'fields are not searchable any more'),
    ...tell('fields', moved, 'searchable fields come in another order'),
  ]
}

function compareEntity(before: EntityDefinition, after: EntityDefinition): readonly Omit<KindChange, 'entity'>[] {
  const [had, has] = [before.context_store_search, after.context_store_search]
  const actions = liveActions.filter((action) => !isSame(before[action], after[action]))
  const isOtherKey = !isSame(before.key, after.key)
  const copy: readonly Omit<KindChange, 'entity'>[] =
    had === undefined || has === undefined
      ? (had === undefined) === (has === undefined)
        ? []
        : [
            {
              class: has === undefined ? 'remade' : 'fields',
              message: has === undefined ? 'cannot be searched any more' : 'can be searched',
            },
          ]
      : [
          ...(isOtherKey ? [{ class: 'remade' as const, message: 'has another key' }] : []),
          ...compareSearch(had, has),
          ...(isSame([before.sync, before.list?.where], [after.sync, after.list?.where])
            ? []
            : [{ class: 'fields' as const, message: 'is synced in another way' }]),
        ]
  return [
    ...copy,
    ...(actions.length === 0 ? [] : [{ class: 'calls' as const, message: `other calls: ${actions.join(', ')}` }]),
    ...(isSame([before.title, before.summary], [after.title, after.summary])
      ? []
      : [{ class: 'remade' as const, message: 'has another title or summary, whose words are listed' }]),
    ...(isSame(before.link, after.link) ? [] : [{ class: 'calls' as const, message: 'records have another link' }]),
    ...(isSame(before.refers, after.refers) ? [] : [{ class: 'calls' as const, message: 'searches follow other references' }]),
    ...(isSame(before.record, after.record) ? [] : [{ class: 'calls' as const, message: 'records have other fields' }]),
  ]
}

function compareEntities({ entities: before }: ConnectorDefinition, { entities: after }: ConnectorDefinition): readonly KindChange[] {
  const kept = Object.entries(before).flatMap(([entity, each]): readonly KindChange[] => {
    const next = after[entity]
    if (next === undefined) return [{ class: 'remade', entity, message: 'is gone, and its copy with it' }]
    return compareEntity(each, next).map((change) => ({ ...change, entity }))
  })
  const added = Object.keys(after).filter((entity) => !Object.hasOwn(before, entity))
  return [...kept, ...added.map((entity): KindChange => ({ class: 'entities', entity, message: 'is new' }))]
}

/** Compares two versions of a kind. @returns what changes, the weightiest first; empty for equal definitions, whatever their names */
export function compareKinds(before: ConnectorDefinition, after: ConnectorDefinition): readonly KindChange[] {
  const found = [...compareConnection(before, after), ...compareEntities(before, after)]
  const unnamed = (definition: ConnectorDefinition): string => JSON.stringify({ ...definition, kind: '', id: '', foreign: undefined })
  if (found.length === 0 && unnamed(before) !== unnamed(after)) return [{ class: 'text', entity: null, message: 'texts change' }]
  return found.toSorted((one, other) => kindChangeClasses.indexOf(other.class) - kindChangeClasses.indexOf(one.class))
}
