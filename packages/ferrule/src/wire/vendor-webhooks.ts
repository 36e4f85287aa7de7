/** Webhooks that vendors send, on the wire: the address of a connector, and what came there. */
import { bool, int, list, oneOf, opt, orNull, str, time } from '../definition/index.ts'
import { body, part, record, uuid, type Wire } from './schemas.ts'

export const connectorWebhooks = record(
  'ConnectorWebhooks',
  {
    connector_id: uuid('Connector'),
    address: orNull(str('Address to give to the vendor; whoever has it can send, and only the signature counts. null: there is none')),
    application_address: orNull(
      str('Address of the OAuth client that the connector was made through: events for its account reach the connector too. null: none'),
    ),
    verified_by: oneOf(
      'What verifies requests. secret: one that was set; credentials: a field of the connector or its OAuth client; nothing: all are refused',
      ...(['secret', 'credentials', 'nothing'] as const),
    ),
    offered_secret: orNull(
      str(
        'Secret that a request has stated, as Notion does; it verifies nothing until you set it. null: there is none, or no connectors:write',
      ),
    ),
    topics: list(str('Topic, as the vendor names it; * stands for any rest'), 'Topics that are read; others do nothing'),
    received: int('Events that came, at either address'),
    repeated: int('Events that came again, and were dropped'),
    turned_away: int('Events that were not stored, because too many waited'),
    worked: int('Events whose records were read'),
    given_up: int('Events that failed too often, or could not be read; a sync reads their records'),
    waiting: int('Events that wait'),
    oldest_waiting_at: orNull(time('Time when the oldest waiting event came')),
    last_event_at: orNull(time('Time of the newest event')),
    last_refused_at: orNull(time('Time of a request with a wrong signature, to the minute')),
    last_worked_at: orNull(time('Time when events were last worked on')),
    last_lag_ms: orNull(int('Milliseconds from the arrival of that event until its records were in the copy')),
    subscribable: bool('Whether the kind says how to ask the vendor for events, so that `subscribe` is offered'),
    subscriptions: orNull(
      list(
        part(
          {
            topic: str('Topic'),
            state: oneOf('known: the vendor sends it already', ...(['made', 'known', 'refused'] as const)),
            message: orNull(str('Why the vendor refused it')),
          },
          'What the vendor answered',
        ),
        'Answers of the vendor to the last request with `subscribe`; null before the first',
      ),
    ),
    missing: list(str('Sentence'), 'What is missing for events to come; empty: nothing is'),
  },
  'Webhooks that the vendor sends to a connector',
)
/** Webhooks that the vendor sends to a connector. */
export type ConnectorWebhooks = Wire<typeof connectorWebhooks>

/** Longest secret, in characters: a public key is one too. */
const longestSecret = 8_000

/** A secret that verifies webhooks. */
export const webhookSecret = (about: string) => opt(orNull(str(about, { minLength: 1, maxLength: longestSecret })))

export const connectorWebhooksInput = body(
  'ConnectorWebhooksInput',
  {
    subscribe: opt(
      bool(
        'true: ask the vendor for the topics of the copied entities, with the credentials of the connector. Offered where the kind says how.',
      ),
    ),
    secret: webhookSecret(
      'Secret that the vendor signs with, or its public key; null deletes it. Left out: it stays. It is never returned.',
    ),
  },
  'How webhooks of a vendor are verified',
)
/** How webhooks of a vendor are verified. */
export type ConnectorWebhooksInput = Wire<typeof connectorWebhooksInput>
