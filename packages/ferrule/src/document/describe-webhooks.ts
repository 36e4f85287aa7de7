/** Describes what a kind says of webhooks, for people who set them up at the vendor. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { listWebhookRules, type WebhookEffect, type WebhookRule } from '../definition/webhooks.ts'
import { type Block, paragraph, table } from './blocks.ts'

const effects: Readonly<Record<WebhookEffect, string>> = {
  changed: 'read again',
  removed: 'removed',
  redact: 'forgotten',
  uninstalled: 'the application was removed',
}

const describeRule = ({ does, entity }: WebhookRule): string =>
  entity === undefined ? (does === 'redact' ? 'the whole account is forgotten' : effects[does]) : `\`${entity}\`: ${effects[does]}`

/** Describes webhooks; empty for a kind without any. @param finding where people find the secret */
export function describeWebhooks({ title, webhooks }: ConnectorDefinition, finding: string): readonly Block[] {
  if (webhooks === undefined) return []
  const { signature, account, events, topic } = webhooks
  const how = signature.scheme === 'hmac' ? 'HMAC-SHA256' : 'a token (RS256)'
  const whose =
    account === undefined
      ? 'Events name no account: each connector needs an address of its own.'
      : 'Events name their account, so one address can serve many connectors.'
  return [
    paragraph(`${title} can tell a service what changed. It signs each event with ${how} in the header \`${signature.header}\`. ${whose}`),
    paragraph(`The secret is \`${signature.secret}\`. ${finding}`),
    table(
      [topic === undefined ? 'Event' : 'Topic', 'What happens'],
      Object.entries(events).map(([name, rules]) => [`\`${name}\``, listWebhookRules(rules).map(describeRule).join('; ')]),
    ),
  ]
}
