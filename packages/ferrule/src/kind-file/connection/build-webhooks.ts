/** Makes what a kind says of webhooks. */
import type { ConnectorDefinition } from '../../definition/connector.ts'
import { isObject } from '../../definition/object.ts'
import type { WebhookChallenge, WebhookRule, Webhooks, WebhookTime } from '../../definition/webhooks.ts'
import { readFinding } from '../build-fields.ts'
import { type BuildScope, readSpan, refer } from '../build-scope.ts'
import type { FileWebhookEvent, FileWebhooks } from '../file.ts'

const toList = (given: string | readonly string[] | undefined): readonly string[] => (given === undefined ? [] : [given].flat())

/** Writes the names of headers in sources in lower case. */
const toSources = (given: string | readonly string[] | undefined): readonly string[] =>
  toList(given).map((source) => (source.startsWith('header:') ? source.toLowerCase() : source))

function buildTime(time: NonNullable<FileWebhooks['signature']>['time']): { readonly time?: WebhookTime } {
  if (time === undefined) return {}
  const { at, as = 'seconds', within } = typeof time === 'string' ? { at: time } : time
  const [source = at] = toSources(at)
  return { time: { at: source, unit: as, ...(within === undefined ? {} : { tolerance: readSpan(within) }) } }
}

function buildSignature({ file, found }: BuildScope, { secret, find, signature, token }: FileWebhooks): Webhooks['signature'] {
  if ((signature === undefined) === (token === undefined))
    found.note(
      ['webhooks'],
      { message: 'have a signature or a token, one of them', example: 'signature: { header: x-signature, as: hex }' },
      'key',
    )
  if (find === undefined)
    found.doubt(['webhooks'], { message: 'does not say where people find the secret', example: 'find: Settings > Webhooks' })
  const docs = { says: `The documentation of ${file.title} describes where.`, ...(file.docs === '' ? {} : { url: file.docs }) }
  const key = { secret, find: find === undefined ? docs : readFinding(find, file.title) }
  if (token !== undefined) {
    const { header, body, url } = token
    return { scheme: 'jwt', ...key, header: header.toLowerCase(), body, ...(url === undefined ? {} : { url }) }
  }
  const { header = '', as = 'hex', prefix, part, signs, time } = signature ?? {}
  return {
    scheme: 'hmac',
    ...key,
    header: header.toLowerCase(),
    encoding: as,
    ...(prefix === undefined ? {} : { prefix }),
    ...(part === undefined ? {} : { part }),
    ...(signs === undefined ? {} : { signed: signs }),
    ...buildTime(time),
  }
}

function buildChallenge({ found }: BuildScope, { challenge }: FileWebhooks): { readonly challenge?: WebhookChallenge } {
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

function buildAccount({ account }: FileWebhooks): Pick<Webhooks, 'account'> {
  if (account === undefined) return {}
  if (!isObject(account)) return { account: { at: toSources(account) } }
  const { at, is } = account
  return { account: { at: toSources(at), ...(is === undefined ? {} : { is }) } }
}

const buildRule = ({ does = 'changed', entity, key, params, version }: FileWebhookEvent): WebhookRule => ({
  does,
  ...(entity === undefined ? {} : { entity }),
  ...(key === undefined ? {} : { key: toList(key) }),
  ...(params === undefined ? {} : { parameters: params }),
  ...(version === undefined ? {} : { version }),
})

function buildEvents(scope: BuildScope, events: FileWebhooks['events']): Webhooks['events'] {
  const valid = Object.keys(scope.file.entities)
  const made = Object.entries(events).map(([topic, given]) => {
    const rules = typeof given === 'string' ? [{ does: given }] : [given].flat()
    for (const [index, { entity }] of rules.entries())
      if (entity !== undefined)
        refer(scope, {
          ...{ what: 'an entity', name: entity, valid },
          steps: ['webhooks', 'events', topic, ...(Array.isArray(given) ? [String(index)] : []), 'entity'],
        })
    const [only, ...more] = rules.map(buildRule)
    return [topic, only !== undefined && more.length === 0 ? only : rules.map(buildRule)] as const
  })
  return Object.fromEntries(made)
}

/** Builds what the file says of webhooks. */
export function buildWebhooks(scope: BuildScope): Pick<ConnectorDefinition, 'webhooks'> {
  const { webhooks } = scope.file
  if (webhooks === undefined) return {}
  const { id, topic, list, events } = webhooks
  return {
    webhooks: {
      signature: buildSignature(scope, webhooks),
      ...buildChallenge(scope, webhooks),
      ...buildAccount(webhooks),
      ...(id === undefined ? {} : { id: toSources(id) }),
      ...(topic === undefined ? {} : { topic: toSources(topic) }),
      ...(list === undefined ? {} : { list }),
      events: buildEvents(scope, events),
    },
  }
}
