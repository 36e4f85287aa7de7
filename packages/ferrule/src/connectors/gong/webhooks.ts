/**
 * What rules of Gong send when a call was processed: https://help.gong.io/docs/create-a-webhook-rule. A rule with a signed header sends a token in
 * place of a key in the address: https://help.gong.io/docs/prepare-your-receiving-application-to-receive-a-webhook-jwt-header
 */
import type { Webhooks } from '../../definition/index.ts'

const call = 'callData.metaData.id'
const byCall = { key: [call], parameters: { 'filter.callIds': call } }

/** Webhooks of automation rules. They have neither topics nor ids, and say nothing of the account. */
export const webhooks: Webhooks = {
  signature: {
    scheme: 'jwt',
    secret: 'webhook_public_key',
    find: {
      says: 'Gong shows the public key in a rule that fires a webhook with a signed JWT header.',
      menu: 'Admin center > Settings > Ecosystem > Automation rules',
      role: 'technical administrator',
    },
    header: 'authorization',
    body: 'body_sha256',
    url: 'webhook_url',
  },
  events: {
    '*': [
      { does: 'changed', entity: 'calls', key: [call] },
      { does: 'changed', entity: 'calls_extensive', ...byCall },
      { does: 'changed', entity: 'call_transcripts', ...byCall },
    ],
  },
}
