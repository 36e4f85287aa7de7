/** Checks a whole kind: all problems at once, each a sentence with its entity. */
import { errorTable, fail } from '../errors.ts'
import type { Sentences } from './check-codes.ts'
import { checkCondition, checkWhere } from './check-conditions.ts'
import { checkConnection } from './check-connection.ts'
import { checkReferences } from './check-references.ts'
import { checkSync } from './check-sync.ts'
import type { Kind } from './connector.ts'
import {
  asksForDescribed,
  describedSlot,
  type EntityDefinition,
  type LiveAction,
  liveActions,
  type Operation,
  readDescribedSlot,
} from './entity.ts'
import { type Fields, hasField, isOptional } from './fields.ts'
import { isObject, refusedNames } from './object.ts'
import { cursorName, everyRow, findShape, type PageDefinition, sizeName } from './page.ts'
import { findField } from './plain-schema.ts'
import { checkRecordTexts } from './record-texts.ts'
import { listSlots } from './templates.ts'

/** Keys whose values are sentences, patterns or values of the vendor's, and no names. */
const free: ReadonlySet<string> = new Set([
  ...['about', 'title', 'category', 'documentation', 'description', 'says', 'menu', 'role', 'who', 'hint', 'onePage'],
  ...['enum', 'default', 'const', 'examples', 'x-known', 'pattern', 'matches', 'contains', 'codes', 'is', 'success', 'partial'],
])

const findStep = (text: string): string | undefined =>
  /\s/.test(text) ? undefined : text.split(/[.:!?[\]]+/).find((step) => refusedNames.has(step))

const say = (at: string, text: string): Sentences => {
  const step = findStep(text)
  return [
    step !== undefined &&
      `has the path ${text} at ${at}, and ${step} is a name that JavaScript uses itself: take the object around it, or leave it out`,
  ]
}

/** Finds names and paths with a step that JavaScript uses itself. @param at where the value stands */
function checkNames(value: unknown, at = ''): Sentences {
  if (typeof value === 'string') return say(at, value)
  if (Array.isArray(value)) return value.flatMap((inner) => checkNames(inner, at))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = at === '' ? name : `${at}.${name}`
    return [...say(at === '' ? 'the top' : at, name), ...(free.has(name) ? [] : checkNames(inner, below))]
  })
}

/** Longest tool name that common clients accept, in characters. */
const longestToolName = 64

interface EntityContext {
  readonly kind: Kind
  readonly entity: string
  readonly definition: EntityDefinition
}
interface OperationContext extends EntityContext {
  readonly action: LiveAction
  readonly operation: Operation
}
type Check<C> = (context: C) => Sentences

/** Lists the parameters that no request carries. */
const listUnsent = ({ unsent = [], slice = { page: '', size: '' } }: Operation): string[] => [...unsent, slice.page, slice.size]

const findSpeechless = (fields: Fields, at: string): string[] =>
  Object.entries(fields).flatMap(([name, { description = '', properties = {} }]) => [
    ...(description.trim() === '' ? [`${at} ${name} has no sentence`] : []),
    ...findSpeechless(properties, `${at} ${name}.`),
  ])

const findUnknownRefusals = (fields: Fields): string[] =>
  Object.values(fields).flatMap(({ 'x-refuse': code, properties = {} }) => [
    ...(code !== undefined && !(code in errorTable) ? [`refuses with ${code}, which is not an error code`] : []),
    ...findUnknownRefusals(properties),
  ])

/** Finds what lacks so that an operation can ask for the account's own fields. */
const checkAsked = ({ params }: Operation, described: EntityDefinition['described']): Sentences =>
  described === undefined
    ? [`asks for ${describedSlot}, which nothing describes`]
    : Object.values(described.params ?? {}).map((value) => {
        const slot = readDescribedSlot(value)
        return slot !== undefined && isOptional(params, slot) && `asks for ${describedSlot} of ${slot}, which is not a required parameter`
      })

const entityChecks: readonly Check<EntityContext>[] = [
  ({ definition }) => [definition.about.trim() === '' && 'has no sentence'],
  ({ entity }) => [refusedNames.has(entity) && 'is a name that JavaScript uses itself'],
  ({ definition }) => [
    definition.key.length === 0 &&
      (definition.sync ?? definition.context_store_search) !== undefined &&
      'has no key, so it can have no copy',
  ],
  ({ kind, definition: { of, key } }) => {
    const held = of === undefined ? undefined : kind.definition.entities[of]
    return [
      of !== undefined && (held === undefined || held.of !== undefined) && `is of ${of}, which is not an entity of its own`,
      of !== undefined && (key.length > 1 || (held?.key.length ?? 1) > 1) && `is of ${of}, but a key has several parts`,
    ]
  },
  ({ definition }) =>
    definition.key.map(
      (path) => !path.startsWith('param.') && !hasField(definition.record, path) && `key ${path} is not a field of the record`,
    ),
  ({ definition }) =>
    Object.keys(definition.from ?? {}).map((path) => !hasField(definition.record, path) && `from ${path} is not a field of the record`),
  ({ definition }) =>
    Object.entries(definition.from ?? {}).map(([path, { rename, copy, param, as }]) => {
      const sources = Object.entries({ rename, copy, param }).flatMap(([name, source]) => (source === undefined ? [] : [name]))
      return sources.length > 1
        ? `from ${path} says ${sources.join(' and ')}`
        : sources.length === 0 && as === undefined && `from ${path} says nothing`
    }),
  ({ definition }) =>
    Object.entries(definition.from ?? {}).flatMap(([path, { param }]) =>
      liveActions.map((action) => {
        const operation = definition[action]
        return (
          param !== undefined &&
          operation !== undefined &&
          !hasField(operation.params, param) &&
          `from ${path} takes ${param}, which is not a parameter of ${action}`
        )
      }),
    ),
  ({ definition }) => findSpeechless(definition.context_store_search ?? {}, 'searchable'),
  ({ kind, definition: { described } }) => {
    if (described === undefined) return []
    const { entity, params = {}, field, where } = described
    const describing = kind.definition.entities[entity]
    return [
      describing?.list === undefined && `is described by ${entity}, which has no list`,
      describing?.described !== undefined && `is described by ${entity}, which is described itself`,
      ...Object.keys(params).map(
        (name) =>
          describing?.list !== undefined && !hasField(describing.list.params, name) && `is described by ${name}, which is not a parameter`,
      ),
      ...[field, ...(where === undefined ? [] : [where.field])].map(
        (path) => describing !== undefined && !hasField(describing.record, path) && `is described by ${path}, which ${entity} lacks`,
      ),
      ...(where === undefined ? [] : checkCondition(describing?.record, where)),
    ]
  },
  ({ definition: { filled, record } }) => [
    ...(Array.isArray(filled?.record) ? filled.record : []).map(
      (field) => !hasField(record, field) && `filled ${field} is not a field of the record`,
    ),
  ],
  ({ definition }) =>
    (definition.filled?.params ?? []).map(
      (action) => definition[action] === undefined && `filled ${action} is not an action of the entity`,
    ),
  ({ kind, definition }) => checkSync(kind, definition),
  ({ kind, definition }) => checkReferences(kind, definition),
  ({ definition }) => checkNames(definition),
  ({ kind, definition }) => checkRecordTexts(kind, definition),
  ({ definition }) => [liveActions.every((action) => definition[action] === undefined) && 'has no action'],
]

const listPositionParams = (page: PageDefinition): string[] => {
  if ('position' in page) {
    const { size, cap = { order: {}, behind: {} } } = page
    const sent = [...Object.keys(cap.order), ...Object.keys(cap.behind)].map((path) => path.replace(/[.[].*$/, ''))
    return [cursorName, ...(size === undefined ? [] : [sizeName]), ...sent]
  }
  return 'next' in page ? [page.next.param, ...(page.url === undefined ? [] : [page.url])] : []
}

/** Lists what a way of paging reads beside the rows of an answer. */
function listToldPaths(page: PageDefinition | undefined): string[] {
  if (page === undefined) return []
  if (!('position' in page)) return 'read' in page ? Object.values(page.read) : []
  const told = /^(rows$|pages$|last:|link:|header:)/.test(page.position) ? [] : [page.position]
  return [...told, ...[page.more === everyRow ? [] : (page.more ?? []), page.total ?? []].flat()]
}

const operationChecks: readonly Check<OperationContext>[] = [
  ({ operation }) =>
    [...operation.call.matchAll(/\{([^}]*)\}/g)].map(
      ([, slot = '']) => !(slot in operation.params) && `path slot ${slot} is not a parameter`,
    ),
  ({ operation }) => [
    !/^(GET|POST|PUT|PATCH|DELETE) \/[^?#\s]*$/.test(operation.call) && `call ${operation.call} is not a method and a path`,
  ],
  ({ operation }) => [
    operation.graphql !== undefined &&
      !(operation.call.startsWith('POST ') && (operation.body ?? 'json') === 'json') &&
      'call has a document of GraphQL, which only JSON by POST carries',
  ],
  ({ operation: { headers = {}, params, once }, kind }) => {
    const secret = Object.values(kind.definition.credentials).flatMap(({ send }) =>
      'as' in send ? ['authorization'] : Object.keys(send.headers ?? {}).map((name) => name.toLowerCase()),
    )
    return Object.entries(headers).flatMap(([name, template]) => [
      secret.includes(name.toLowerCase()) && `headers have ${name}, which carries credentials`,
      name.toLowerCase() === once?.toLowerCase() && `headers have ${name}, by which the vendor knows a repeated write`,
      ...listSlots(template).map((slot) => !(slot in params) && `headers take ${slot}, which is not a parameter`),
    ])
  },
  ({ operation }) => findSpeechless(operation.params, 'parameter'),
  ({ operation }) => findUnknownRefusals(operation.params),
  ({ operation, kind }) => {
    const page = kind.definition.pages[operation.page ?? '']
    return [
      operation.page !== undefined && page === undefined && `page ${operation.page} is not a page of the kind`,
      ...(page === undefined || operation.onePage ? [] : listPositionParams(page)).map(
        (name) => !(name in operation.params) && `page ${operation.page} continues with ${name}, which is not a parameter`,
      ),
    ]
  },
  ({ operation }) =>
    (operation.unsent ?? []).map((name) =>
      name in operation.params
        ? operation.call.includes(`{${name}}`) && `unsent ${name} is in the path`
        : `unsent ${name} is not a parameter`,
    ),
  ({ operation }) =>
    Object.keys(operation.defaults ?? {}).map((name) =>
      name in operation.params
        ? !isOptional(operation.params, name) && `default ${name} is for a parameter that is required`
        : `default ${name} is not a parameter`,
    ),
  ({ operation }) => [
    operation.running !== undefined &&
      !(operation.running.status > 200 && operation.running.status < 300) &&
      `${operation.running.status} is not a status that means "not ready yet"`,
  ],
  ({ operation: { keyed, rows, one }, action, definition }) => [
    keyed !== undefined && (action !== 'list' || one === true) && 'only a list has keyed rows',
    keyed !== undefined && !Object.hasOwn(definition.record ?? {}, keyed) && `keyed by ${keyed}, which is not a field of the record`,
    keyed !== undefined && typeof rows === 'string' && 'keyed rows have no rule',
  ],
  ({ operation: { at, outer = {}, keyed, one, graphql }, action, definition }) => {
    const isWithin = at.includes('[]')
    return [
      isWithin && (action !== 'list' || one === true) && 'only a list has rows within rows',
      isWithin && keyed !== undefined && 'keyed rows are not within rows',
      isWithin && graphql !== undefined && 'rows within rows are not for GraphQL, whose query names the inner list',
      ...Object.keys(outer).flatMap((field) => [
        !isWithin && `outer ${field} is for rows within rows`,
        !hasField(definition.record, field) && `outer ${field} is not a field of the record`,
      ]),
    ]
  },
  ({
    operation,
    action,
    definition,
    kind: {
      definition: { configuration },
    },
  }) => checkWhere(operation, { definition, configuration, isList: action === 'list' && operation.one !== true }),
  ({ operation: { format, at, keyed, one, page }, action, kind }) => {
    if (format === undefined) return []
    const told = listToldPaths(kind.definition.pages[page ?? ''])
    return [
      (action !== 'list' || one === true) && `only a list has the format ${format}`,
      (at !== '' || keyed !== undefined) && `rows of ${format} are the lines of the whole answer`,
      ...told.map((path) => `page ${page} reads ${path}, which the lines of ${format} do not have`),
    ]
  },
  ({ operation, action, kind }) => [
    operation.page !== undefined && !operation.one && action !== 'list' && 'only a list has pages',
    findShape(kind.definition.pages, operation.page) === 'statement' && !operation.one && 'a result in parts is the whole answer',
  ],
  ({ operation }) => [
    operation.submits !== undefined &&
      !(operation.submits.within in operation.params) &&
      `submits within ${operation.submits.within}, which is not a parameter`,
    operation.submits !== undefined && !operation.call.startsWith('POST') && 'submits by GET',
    (operation.submits ?? operation.running?.poll) !== undefined && !operation.one && 'submits or polls for what is not the whole answer',
  ],
  ({ operation }) =>
    Object.keys(operation.send ?? {}).map((path) => findField(operation.params, path) === undefined && `send ${path} is not a parameter`),
  ({ operation }) =>
    Object.keys(operation.local ?? {}).map((path) => findField(operation.params, path) === undefined && `local ${path} is not a parameter`),
  ({ operation, definition }) =>
    Object.values(operation.local ?? {}).map(
      ({ field }) => !hasField(definition.record, field) && `local filters by ${field}, which is not a field of the record`,
    ),
  ({ operation }) =>
    Object.keys(operation.constant ?? {}).map(
      (path) => findField(operation.params, path) !== undefined && `constant ${path} is a parameter too`,
    ),
  ({ operation, kind, definition }) => [
    typeof operation.rows === 'string' &&
      !(operation.rows.slice('rule:'.length) in (kind.rules.rows ?? {})) &&
      `${operation.rows} is not a rule of the kind`,
    typeof operation.rows === 'object' &&
      operation.rows.merge.length === 0 &&
      operation.rows.rest === undefined &&
      'merges rows from nothing',
    typeof operation.rows === 'object' &&
      operation.rows.rest !== undefined &&
      !hasField(definition.record, operation.rows.rest) &&
      `keeps the rest in ${operation.rows.rest}, which is not a field of the record`,
    ...(asksForDescribed(operation) ? checkAsked(operation, definition.described) : []),
    operation.admit !== undefined &&
      !(operation.admit.slice('rule:'.length) in (kind.rules.params ?? {})) &&
      `${operation.admit} is not a rule of the kind`,
  ],
  ({ operation }) => Object.values(operation.slice ?? {}).map((name) => !(name in operation.params) && `slice ${name} is not a parameter`),
  ({ operation, kind }) => {
    const page = kind.definition.pages[operation.page ?? '']
    return [
      operation.slice !== undefined &&
        !(page?.shape === 'page_info' && 'next' in page && page.next.param === operation.slice.page) &&
        `slices a list whose pages are not numbered by ${operation.slice.page}`,
    ]
  },
  ({ operation, action }) => [
    action !== 'list' &&
      (typeof operation.rows === 'string' || operation.slice !== undefined) &&
      'makes or slices rows, which only a list has',
  ],
  ({ operation }) =>
    listUnsent(operation).map((name) => name in (operation.defaults ?? {}) && `default ${name} is for a parameter that is not sent`),
  ({ operation, kind, definition, action }) =>
    Object.entries(operation.params).flatMap(([name, { 'x-fill': fill }]) => {
      if (fill === undefined) return []
      const used = !listUnsent(operation).includes(name) || Object.values(definition.from ?? {}).some(({ param }) => param === name)
      return [
        !(fill.known in (kind.definition.known ?? {})) && `${name} is filled from ${fill.known}, which the kind does not know`,
        !used && `${name} is filled from ${fill.known}, but neither sent nor part of a record`,
        action === 'download' && `${name} is filled from ${fill.known}, but nothing fills the parameters of a download`,
      ]
    }),
  ({ operation, kind }) => [
    operation.hidden !== undefined && kind.definition.hidden === undefined && 'hides rows, but the kind does not say what hiding means',
  ],
  ({ operation, kind }) => [
    operation.join !== undefined &&
      kind.definition.lookups?.[operation.join.lookup] === undefined &&
      `join uses ${operation.join?.lookup}, which is not a lookup of the kind`,
  ],
  ({ operation, definition }) =>
    Object.keys(operation.join?.take ?? {}).map(
      (field) => !hasField(definition.record, field) && `join takes ${field}, which is not a field of the record`,
    ),
  ({ operation, action }) => [(action === 'download') !== (operation.file !== undefined) && 'a download has a file, and nothing else has'],
  ({ operation }) => [
    operation.file !== undefined &&
      findField(operation.params, operation.file.range) === undefined &&
      `file range ${operation.file.range} is not a parameter`,
  ],
  ({ action, definition }) => [action !== 'download' && definition.record === undefined && 'has no record'],
  ({ kind, entity, action }) => [
    `${kind.definition.kind}_${entity}_${action}`.length > longestToolName &&
      `makes a tool name of more than ${longestToolName} characters`,
  ],
]

const toSentences = (at: string, sentences: Sentences): string[] =>
  sentences.flatMap((sentence) => (sentence ? [`${at}: ${sentence}`] : []))

const findEntityProblems = (kind: Kind, entity: string, definition: EntityDefinition): string[] => {
  const at = `${kind.definition.kind}.${entity}`
  const operations = liveActions.flatMap((action) => {
    const operation = definition[action]
    return operation === undefined ? [] : [{ kind, entity, definition, action, operation }]
  })
  return [
    ...entityChecks.flatMap((check) => toSentences(at, check({ kind, entity, definition }))),
    ...operations.flatMap((context) => operationChecks.flatMap((check) => toSentences(`${at}.${context.action}`, check(context)))),
  ]
}

/** Finds all problems of a kind. @returns one sentence per problem; empty if the kind is right */
export function findProblems(kind: Kind): string[] {
  const { entities, ...connection } = kind.definition
  return [
    ...toSentences(kind.definition.kind, [...checkConnection(kind), ...checkNames(connection)]),
    ...Object.entries(entities).flatMap(([name, definition]) => findEntityProblems(kind, name, definition)),
  ]
}

/** Checks kinds together. @returns the same object @throws FerruleError `definition_invalid` with all problems */
export function checkKinds<const K extends Readonly<Record<string, Kind>>>(kinds: K): K {
  const all = Object.entries(kinds)
  const misnamed = all.flatMap(([name, { definition }]) => (name === definition.kind ? [] : [`${name}: its slug is ${definition.kind}`]))
  const ids = all.map(([, { definition }]) => definition.id)
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is the id of two kinds`)
  const problems = [...misnamed, ...repeated, ...all.flatMap(([, kind]) => findProblems(kind))]
  if (problems.length > 0) throw fail('definition_invalid', { reason: problems.join('; ') })
  return kinds
}
