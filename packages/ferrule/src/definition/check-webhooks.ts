/** Checks what a kind says of webhooks. */
import type { Sentences } from './check-codes.ts'
import type { ConnectorDefinition } from './connector.ts'
import type { EntityDefinition } from './entity.ts'
import { isOptional, readFirstStep } from './fields.ts'
import { findField } from './plain-schema.ts'
import { listSlots } from './templates.ts'
import {
  findWebhookRules,
  type HmacSignature,
  listWebhookRules,
  type TokenSignature,
  type WebhookRule,
  type Webhooks,
  webhookEffects,
} from './webhooks.ts'

/** Largest difference of the clocks that a kind may accept, in seconds: vendors repeat for hours with the time of the first attempt. */
const mostTolerance = 8 * 3_600

const signedSlots: ReadonlySet<string> = new Set(['body', 'timestamp', 'method', 'url'])

const checkHmac = ({ signed = '{body}', time, prefix, part }: HmacSignature): Sentences => {
  const slots = listSlots(signed)
  return [
    !slots.includes('body') && `webhooks sign ${signed}, which does not hold the body`,
    ...slots.map((slot) => !signedSlots.has(slot) && `webhooks sign ${signed}, and ${slot} is no part of a request`),
    slots.includes('timestamp') && !/^(?:part|header):/.test(time?.at ?? '') && `webhooks sign ${signed} without a time in a header`,
    prefix !== undefined && part !== undefined && 'webhooks have a prefix and a part, which one header cannot have',
    time?.at.startsWith('part:') && part === undefined && `webhooks read ${time.at} of a header that has no parts`,
    time?.tolerance !== undefined &&
      !(time.tolerance >= 1 && time.tolerance <= mostTolerance) &&
      'webhooks accept a time that is too far away',
  ]
}

const checkSignature = (signature: HmacSignature | TokenSignature): Sentences => [
  signature.secret.trim() === '' && 'webhooks are verified by a secret without a name',
  !/^[A-Z].*\.$/.test(signature.find.says) && `webhooks have a secret that is found by ${signature.find.says}, which is not a sentence`,
  signature.header !== signature.header.toLowerCase() && `webhooks read the header ${signature.header}, which is not in lower case`,
  ...(signature.scheme === 'hmac' ? checkHmac(signature) : [signature.body.trim() === '' && 'webhooks have a token that binds no body']),
]

const checkSources = ({ account, id = [], topic, events }: Webhooks, { account: proof, configuration }: ConnectorDefinition): Sentences => [
  account !== undefined && account.at.length === 0 && 'webhooks name an account nowhere',
  account !== undefined && account.is === undefined && proof === undefined && 'webhooks name an account, which nothing proves',
  ...listSlots(account?.is ?? '').map(
    (slot) => !(slot in configuration) && `webhooks name an account by ${slot}, which is not a configuration field`,
  ),
  ...[...(account?.at ?? []), ...id, ...(topic ?? [])].map(
    (source) => source.startsWith('header:') && source !== source.toLowerCase() && `webhooks read ${source}, which is not in lower case`,
  ),
  Object.keys(events).length === 0 && 'webhooks have no events',
  ...Object.keys(events).map((name) => name.slice(0, -1).includes('*') && `webhooks have the topic ${name}: a star stands at the end only`),
]

function checkRecords(at: string, rule: WebhookRule, entity: EntityDefinition): Sentences {
  const { key, under, version, does } = rule
  const isRead = does !== 'redact'
  const parameters = rule.parameters ?? (isRead ? under : undefined)
  const { record, get, list, context_store_search: searchable = {} } = entity
  const operation = under === undefined ? (get ?? list) : list
  const field = version?.slice(version.lastIndexOf('.') + 1) ?? ''
  const known = operation?.params ?? {}
  return [
    key !== undefined && key.length !== entity.key.length && `${at} names ${key.length} parts of a key that has ${entity.key.length}`,
    (key ?? under) === undefined && does !== 'changed' && `${at} names no record`,
    under !== undefined && Object.keys(under).length !== 1 && `${at} names records under several fields`,
    under !== undefined && (key ?? version) !== undefined && `${at} names records under a field, and by a key or a version`,
    isRead && Object.values(under ?? {}).some((path) => path.includes('[]')) && `${at} reads records under several values`,
    !isRead && (rule.parameters ?? version) !== undefined && `${at} reads records that it forgets`,
    ...Object.keys(under ?? {}).map(
      (name) => !(name in searchable) && `${at} names records under ${name}, which is not a searchable field of ${rule.entity}`,
    ),
    isRead && operation === undefined && `${at}: ${rule.entity} neither lists nor gets records`,
    version !== undefined &&
      findField(record ?? {}, field) === undefined &&
      `${at} has the version ${field}, which is not a field of the record`,
    ...Object.keys(parameters ?? {}).map(
      (path) =>
        findField(known, path) === undefined &&
        `${at} reads with ${path}, which is not a parameter of ${operation === get ? 'get' : 'list'}`,
    ),
    ...Object.keys(parameters === undefined ? {} : known).map(
      (name) =>
        !isOptional(known, name) &&
        !Object.keys(parameters ?? {}).some((path) => readFirstStep(path) === name) &&
        `${at} reads without ${name}, which is required`,
    ),
  ]
}

const checkRule = (topic: string, rule: WebhookRule, { entities }: ConnectorDefinition): Sentences => {
  const { does, entity: name, key = [], under, needs = [], parameters, version } = rule
  const at = `webhooks ${topic}`
  const entity = name === undefined ? undefined : entities[name]
  return [
    !webhookEffects.includes(does) && `${at} does ${does}, which is not one of ${webhookEffects.join(', ')}`,
    name !== undefined && entity === undefined && `${at} is for ${name}, which is not an entity`,
    does === 'uninstalled' && name !== undefined && `${at} is for the whole account, and for ${name}`,
    name === undefined && (does === 'changed' || does === 'removed') && `${at} is for no entity`,
    name === undefined && (under ?? parameters ?? version) !== undefined && `${at} reads records of no entity`,
    key.length > 1 && key.some((path) => path.includes('[]')) && `${at} names several records by several parts of a key`,
    needs.some((path) => path.includes('[]')) && `${at} needs a path with [], which is several values`,
    ...(entity === undefined ? [] : checkRecords(at, rule, entity)),
  ]
}

/** Finds the problems of webhooks. @returns sentences; falsy entries are no problems */
export function checkWebhooks(definition: ConnectorDefinition): Sentences {
  const { webhooks } = definition
  if (webhooks === undefined) return []
  const { signature, events, subscribe } = webhooks
  return [
    subscribe !== undefined &&
      !/^(?:POST|PUT) \//.test(subscribe.call) &&
      `webhooks are asked for by ${subscribe.call}, which writes nothing`,
    ...(subscribe?.topics ?? []).map(
      (topic) => findWebhookRules(webhooks, topic).length === 0 && `webhooks ask for the topic ${topic}, of which nothing is said`,
    ),
    ...checkSignature(signature),
    ...checkSources(webhooks, definition),
    ...Object.entries(events).flatMap(([topic, rules]) => listWebhookRules(rules).flatMap((rule) => checkRule(topic, rule, definition))),
  ]
}
