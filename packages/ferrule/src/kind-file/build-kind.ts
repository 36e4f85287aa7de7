/** Makes the long form of a checked file. */

import { v5 } from 'uuid'
import type { ConnectorDefinition, ErrorRule } from '../definition/connector.ts'
import { type LiveAction, liveActions } from '../definition/entity.ts'
import type { Fields } from '../definition/fields.ts'
import { dropAbsent, isObject } from '../definition/object.ts'
import type { WebhookChallenge, WebhookRule, Webhooks, WebhookTime } from '../definition/webhooks.ts'
import { buildEntities } from './build-entities.ts'
import { readFinding } from './build-fields.ts'
import { buildPages, checkWays } from './build-operation.ts'
import { type BuildScope, checkValue, readSpan, refer, referPath } from './build-scope.ts'
import type { Findings, Steps } from './check-tree.ts'
import { buildConfiguration, buildCredentials, buildLimits, buildOrigins, docsFinding } from './connection/build-connection.ts'
import type { FileAccount, FileErrorRow, FileErrors, FileWebhookEvent, FileWebhooks, KindFile, Named } from './file.ts'
import { findNearWord } from './mistakes.ts'
import type { Shape } from './shape.ts'
import { groups } from './table.ts'
import { errorMeanings } from './vocabulary.ts'

/** What statuses mean everywhere, behind the rows of the file. A status 408, 425 or from 500 is `upstream_error` without a row. */
const everywhere: readonly ErrorRule[] = [
  { status: 401, is: 'upstream_auth_failed' },
  { status: 403, is: 'upstream_permission_denied' },
  { status: 404, is: 'record_not_found' },
  { status: 405, is: 'upstream_unsupported' },
  { status: 409, is: 'upstream_conflict' },
  { status: 410, is: 'record_not_found' },
  { status: 429, is: 'upstream_rate_limited', wait: { first: 1, longest: 300 } },
  { statuses: [400, 400], is: 'upstream_invalid_request' },
  { statuses: [402, 407], is: 'upstream_invalid_request' },
  { statuses: [411, 424], is: 'upstream_invalid_request' },
  { statuses: [426, 428], is: 'upstream_invalid_request' },
  { statuses: [430, 499], is: 'upstream_invalid_request' },
]

/** Reads a status as the rule has it: `403`, `5xx`, `400-499`. */
const readStatus = (text: string): Pick<ErrorRule, 'status' | 'statuses'> => {
  if (text === '') return {}
  const [lowest = '', highest] = text.replace(/^(\d)xx$/, '$100-$199').split('-')
  return highest === undefined ? { status: Number(lowest) } : { statuses: [Number(lowest), Number(highest)] }
}

/** Reads the short form of a condition: a status, `code` with a code, words of the message. */
function readCondition(condition: string): FileErrorRow {
  const [, status = '', afterStatus = ''] = /^([1-5]xx|\d{3}(?:-\d{3})?)?(?: |$)?(.*)$/.exec(condition) ?? []
  const [, code, words = ''] = /^(?:code (\S+))?(?: |$)?(.*)$/.exec(afterStatus) ?? []
  return dropAbsent({ is: '', status: status || undefined, code: code?.split(','), contains: words || undefined })
}

const isFull = (row: Named<string> | FileErrorRow): row is FileErrorRow => 'is' in row

const readRow = (row: Named<string> | FileErrorRow): FileErrorRow => {
  if (isFull(row)) return row
  const [[condition, is] = ['', '']] = Object.entries(row)
  return { ...readCondition(condition), is }
}

function buildRule(row: FileErrorRow): ErrorRule {
  const isGone = row.is === 'gone'
  const [first, longest = first] = (row.wait ?? []).map(readSpan)
  const actions = isGone ? ['get'] : row.for
  const wait = first === undefined || longest === undefined ? undefined : { first, longest }
  const { contains, code: codes, hint, again: retryable } = row
  const is = errorMeanings[row.is] ?? 'upstream_error'
  return {
    ...readStatus(row.status ?? ''),
    ...dropAbsent({ actions, contains, codes, is, gone: isGone ? (true as const) : undefined, hint, retryable, wait }),
  }
}

function checkRow({ found, file }: BuildScope, row: FileErrorRow, index: number): void {
  const steps = ['errors', 'rows', String(index)]
  if (row.status === undefined && row.code === undefined && row.contains === undefined)
    found.note(steps, { message: 'has no condition, so every failure would be this', example: '- 403 rate limit: rate_limited' })
  if (row.code !== undefined && file.errors?.code === undefined)
    found.note(steps, { message: "names a code, but errors.code does not say where the vendor's code is", example: 'code: error.code' })
  const [wrong] = /^\d+(?!\S)/.exec(row.contains ?? '') ?? []
  const isShort = !found.has([...steps, 'contains'])
  if (isShort && wrong !== undefined)
    found.note(steps, {
      message: `${wrong} is not a status; words that begin with a number stand in contains`,
      example: '- 403 rate limit: rate_limited',
    })
  const near = isShort ? findNearWord(row.contains?.split(' ')[0] ?? '', ['code']) : undefined
  if (near !== undefined) found.doubt(steps, { message: `${row.contains} is looked for in messages`, near })
  if (row.is === 'gone' && row.code === undefined && row.contains === undefined)
    found.note(steps, {
      message: "says gone by a status alone, which a missing right can have too: add the vendor's code or words",
      example: '- code resource_missing: gone',
    })
  if (row.is === 'gone' && row.for !== undefined && row.for.join() !== 'get')
    found.note([...steps, 'for'], { message: 'gone is for get only', example: 'for: [get]' })
  if ((row.wait?.length ?? 0) > 2)
    found.note([...steps, 'wait'], { message: 'wait has the first and the longest wait', example: 'wait: [1s, 5m]' })
}

/** Builds the table of errors, and where the answer of a failure says what. */
function buildErrors(scope: BuildScope): Pick<ConnectorDefinition, 'problem' | 'errors'> {
  const errors: FileErrors = scope.file.errors ?? {}
  const rows = (errors.rows ?? []).map(readRow)
  for (const [index, row] of rows.entries()) if (row.is !== '') checkRow(scope, row, index) // a wrong row is empty
  const said = rows.map(({ is: _is, hint: _hint, ...condition }) => JSON.stringify(condition))
  for (const [index, condition] of said.entries())
    if (said.indexOf(condition) < index)
      scope.found.note(['errors', 'rows', String(index)], { message: 'has the condition of a row above, which counts' })
  const { failed } = errors
  const [[at, is] = ['', '']] = typeof failed === 'object' ? Object.entries(failed) : [[failed ?? '', undefined] as const]
  const message = errors.message === undefined ? ['message', 'error.message', 'error', 'errors'] : [errors.message].flat()
  const { request: requestId, code, success, partial, warnings } = errors
  const failure = failed === undefined ? undefined : { at, ...(typeof is === 'boolean' || typeof is === 'string' ? { is } : {}) }
  return {
    problem: dropAbsent({ message, requestId, code, failed: failure, success, partial, warnings }),
    errors: [...rows.map(buildRule), ...everywhere],
  }
}

/** Namespace of the ids of kinds (RFC 9562, version 5): the id of a kind follows from its slug. */
const namespace = '5d1f1e0a-93c4-4c54-8f53-6f6a3f5f1c0e'

/** Puts empty values where a file lacks or misspells something that is required, so that the rest can be checked too. */
function fillGaps(value: unknown, shape: Shape): unknown {
  switch (shape.is) {
    case 'keys': {
      const rows = groups[shape.group]?.keys ?? []
      const given = isObject(value) ? value : {}
      return Object.fromEntries(
        rows.flatMap(({ key, holds, required }) => {
          const filled = Object.hasOwn(given, key) || required ? fillGaps(given[key], holds) : undefined
          return filled === undefined ? [] : [[key, filled]]
        }),
      )
    }
    case 'map':
      return Object.fromEntries(
        Object.entries(isObject(value) ? value : {}).flatMap(([name, inner]) =>
          inner === undefined ? [] : [[name, fillGaps(inner, shape.of)]],
        ),
      )
    case 'list':
      return Array.isArray(value) ? value.filter((item) => item !== undefined).map((item) => fillGaps(item, shape.of)) : []
    case 'pair':
      if (isObject(value) && shape.known in value) return fillGaps(value, { is: 'keys', group: shape.group })
      return fillGaps(value, { is: 'map', names: shape.names, of: shape.of })
    case 'either':
      return fillEither(value, shape.of)
    case 'fields':
      return isObject(value) ? value : {}
    default:
      return value ?? (shape.is === 'text' || shape.is === 'word' ? '' : undefined)
  }
}

function fillEither(value: unknown, of: readonly Shape[]): unknown {
  const wanted = Array.isArray(value)
    ? ['list']
    : isObject(value)
      ? ['map', 'keys', 'pair', 'fields']
      : ['text', 'word', 'scalar', 'flag', 'number']
  const found = of.find(({ is }) => wanted.includes(is)) ?? of[0]
  return found === undefined ? value : fillGaps(value, found)
}

/** The table has just checked it, and `fillGaps` has given it what it lacked. */
const isKindFile = (_value: unknown): _value is KindFile => true

const isAction = (text: string): text is LiveAction => liveActions.some((action) => action === text)

function findOperation(
  scope: BuildScope,
  steps: Steps,
  text: string,
): { readonly entity: string; readonly action: LiveAction } | undefined {
  const [entity = '', action = ''] = text.split('.')
  const { entities } = scope.file
  const found = entities[entity]
  if (!refer(scope, { steps, what: 'an entity', name: entity, valid: Object.keys(entities) }) || found === undefined) return undefined
  const valid = liveActions.filter((each) => each in found)
  const isKnown = refer(scope, { steps, what: `an operation of ${entity}`, name: action, valid })
  return isKnown && isAction(action) ? { entity, action } : undefined
}

function checkGiven(scope: BuildScope, steps: Steps, params: Named<unknown>, known: Fields = {}): void {
  for (const [name, value] of Object.entries(params))
    if (refer(scope, { steps: [...steps, name], what: 'a parameter of the call', name, valid: Object.keys(known) }))
      checkValue(scope, [...steps, name], value, known[name])
}

/** Builds the call that proves the credentials, and the one that names the account. */
function buildProofs(scope: BuildScope, entities: ConnectorDefinition['entities']): Pick<ConnectorDefinition, 'check' | 'account'> {
  const { check, account } = scope.file
  const { run, params = {} } = typeof check === 'string' ? { run: check } : check
  const proof = findOperation(scope, typeof check === 'string' ? ['check'] : ['check', 'run'], run)
  const known = proof === undefined ? {} : (entities[proof.entity]?.[proof.action]?.params ?? {})
  if (proof !== undefined) {
    checkGiven(scope, ['check', 'params'], params, known)
    for (const [name, field] of Object.entries(known))
      if (!field['x-optional'] && !(name in params))
        scope.found.note(['check'], { message: `needs the parameter ${name}`, example: `check: { run: ${run}, params: { ${name}: … } }` })
  }
  return {
    check: { entity: proof?.entity ?? '', action: proof?.action ?? '', params },
    ...(account === undefined ? {} : buildAccount(scope, account, entities)),
  }
}

function buildAccount(
  scope: BuildScope,
  account: string | FileAccount,
  entities: ConnectorDefinition['entities'],
): Pick<ConnectorDefinition, 'account'> {
  const isShort = typeof account === 'string'
  const [short = '', name = ''] = isShort ? account.split(' ') : []
  const { run, id, params = {}, among }: FileAccount = isShort ? { run: short, id: name } : account
  const identity = findOperation(scope, isShort ? ['account'] : ['account', 'run'], run)
  if (identity === undefined) return {}
  const { record = {}, [identity.action]: operation } = entities[identity.entity] ?? {}
  const steps = isShort ? ['account'] : ['account', 'id']
  referPath(scope, { steps, what: `a field of ${identity.entity}`, path: id, fields: record })
  checkGiven(scope, ['account', 'params'], params, operation?.params)
  if (among !== undefined)
    refer(scope, {
      ...{ steps: ['account', 'among'], what: 'a field of configuration', name: among, valid: Object.keys(scope.file.configuration ?? {}) },
      example: `configuration: { ${among}: digits? Id of the account }`,
    })
  return { account: dropAbsent({ ...identity, params, id, among }) }
}

/** Lists the values of the configuration that the definition names: those of the account, and those that fill parameters. */
function buildKnown({ file, found }: BuildScope, entities: ConnectorDefinition['entities']): Pick<ConnectorDefinition, 'known'> {
  const { account, configuration = {} } = file
  const among = typeof account === 'object' ? account.among : undefined
  const names = new Set(among === undefined ? [] : [among])
  for (const [entity, definition] of Object.entries(entities))
    for (const action of liveActions)
      for (const [param, { 'x-fill': fill }] of Object.entries(definition[action]?.params ?? {})) {
        if (fill === undefined) continue
        names.add(fill.known)
        const steps = [
          ['params', param],
          ['body', param],
        ]
          .map((each) => ['entities', entity, action, ...each, '$from'])
          .find((each) => found.has(each))
        refer(
          { found },
          {
            ...{
              steps: steps ?? ['entities', entity, action],
              what: 'a field of configuration',
              name: fill.known,
              valid: Object.keys(configuration),
            },
            example: `configuration: { ${fill.known}: digits? Id of the workspace }`,
          },
        )
      }
  return names.size === 0 ? {} : { known: Object.fromEntries([...names].map((name) => [name, { configuration: name }])) }
}

/** Builds the long form. @param value the checked file, perhaps with gaps where it is wrong */
export function buildDefinition(value: unknown, found: Findings): ConnectorDefinition | undefined {
  const filled = fillGaps(value, { is: 'keys', group: 'kind' })
  if (!isKindFile(filled)) return undefined
  const scope = { file: filled, found }
  const { kind, title, category, about, docs, path, unsure } = filled
  checkWays(scope)
  const configuration = buildConfiguration(scope)
  const credentials = buildCredentials(scope)
  const entities = buildEntities(scope)
  return {
    kind,
    title,
    category,
    about,
    id: v5(kind, namespace),
    documentation: docs,
    origins: buildOrigins(scope),
    ...dropAbsent({ prefix: path }),
    credentials,
    configuration,
    pages: buildPages(scope),
    ...buildErrors(scope),
    limits: buildLimits(scope, { credentials, configuration }),
    ...buildProofs(scope, entities),
    ...buildKnown(scope, entities),
    ...buildWebhooks(scope),
    ...dropAbsent({ unsure }),
    entities,
  }
}

const toList = (given: string | readonly string[] | undefined): readonly string[] => (given === undefined ? [] : [given].flat())

/** Writes the names of headers in sources in lower case. */
const toWebhookSources = (given: string | readonly string[] | undefined): readonly string[] =>
  toList(given).map((source) => (source.startsWith('header:') ? source.toLowerCase() : source))

function buildWebhookTime(time: NonNullable<FileWebhooks['signature']>['time']): { readonly time?: WebhookTime } {
  if (time === undefined) return {}
  const { at, as = 'seconds', within } = typeof time === 'string' ? { at: time } : time
  const [source = at] = toWebhookSources(at)
  return { time: dropAbsent({ at: source, unit: as, tolerance: within === undefined ? undefined : readSpan(within) }) }
}

function buildWebhookSignature(scope: BuildScope, { secret, find, signature, token }: FileWebhooks): Webhooks['signature'] {
  const { file, found } = scope
  if ((signature === undefined) === (token === undefined))
    found.note(
      ['webhooks'],
      { message: 'have a signature or a token, one of them', example: 'signature: { header: x-signature, as: hex }' },
      'key',
    )
  if (find === undefined)
    found.doubt(['webhooks'], { message: 'does not say where people find the secret', example: 'find: Settings > Webhooks' })
  const key = { secret, find: find === undefined ? docsFinding(scope) : readFinding(find, file.title) }
  if (token !== undefined) {
    const { header, body, url } = token
    return dropAbsent({ scheme: 'jwt', ...key, header: header.toLowerCase(), body, url } as const)
  }
  const { header = '', as = 'hex', prefix, part, signs, time } = signature ?? {}
  const how = { header: header.toLowerCase(), encoding: as, prefix, part, signed: signs, ...buildWebhookTime(time) }
  return dropAbsent({ scheme: 'hmac' as const, ...key, ...how })
}

function buildWebhookChallenge({ found }: BuildScope, { challenge }: FileWebhooks): { readonly challenge?: WebhookChallenge } {
  if (challenge === undefined) return {}
  const { when, answer, secret } = challenge
  if (secret !== undefined && when === undefined && answer === undefined) return { challenge: { secret } }
  if (when !== undefined && answer !== undefined && secret === undefined) return { challenge: { when, answer } }
  found.note(
    ['webhooks', 'challenge'],
    { message: 'has when and answer, or secret', example: 'challenge: { when: { type: url_verification }, answer: challenge }' },
    'key',
  )
  return {}
}

function buildWebhookAccount({ account }: FileWebhooks): Pick<Webhooks, 'account'> {
  if (account === undefined) return {}
  if (!isObject(account)) return { account: { at: toWebhookSources(account) } }
  const { at, is } = account
  return { account: dropAbsent({ at: toWebhookSources(at), is }) }
}

const buildWebhookRule = ({ does = 'changed', entity, key, under, needs, params: parameters, version }: FileWebhookEvent): WebhookRule => {
  const toPaths = (given: typeof key) => (given === undefined ? undefined : toList(given))
  return dropAbsent({ does, entity, key: toPaths(key), under, needs: toPaths(needs), parameters, version })
}

function buildWebhookEvents(scope: BuildScope, events: FileWebhooks['events']): Webhooks['events'] {
  const valid = Object.keys(scope.file.entities)
  const made = Object.entries(events).map(([topic, given]) => {
    const rules = typeof given === 'string' ? [{ does: given }] : [given].flat()
    for (const [index, { entity }] of rules.entries())
      if (entity !== undefined)
        refer(scope, {
          ...{ what: 'an entity', name: entity, valid },
          steps: ['webhooks', 'events', topic, ...(Array.isArray(given) ? [String(index)] : []), 'entity'],
        })
    const [only, ...more] = rules.map(buildWebhookRule)
    return [topic, only !== undefined && more.length === 0 ? only : rules.map(buildWebhookRule)] as const
  })
  return Object.fromEntries(made)
}

function buildWebhooks(scope: BuildScope): Pick<ConnectorDefinition, 'webhooks'> {
  const { webhooks } = scope.file
  if (webhooks === undefined) return {}
  const { id, topic, list, events } = webhooks
  return {
    webhooks: {
      signature: buildWebhookSignature(scope, webhooks),
      ...buildWebhookChallenge(scope, webhooks),
      ...buildWebhookAccount(webhooks),
      ...(id === undefined ? {} : { id: toWebhookSources(id) }),
      ...(topic === undefined ? {} : { topic: toWebhookSources(topic) }),
      ...dropAbsent({ list }),
      events: buildWebhookEvents(scope, events),
    },
  }
}
