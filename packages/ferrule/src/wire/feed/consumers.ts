/** Consumers of changes on the wire: the service keeps the cursor of each in the feed of a connector. */
import { int, list, oneOf, opt, orNull, str, time } from '../../definition/index.ts'
import { body, part, record, type Wire } from '../schemas.ts'

/** Maximum number of consumers. */
export const mostConsumers = { ofConnector: 20, ofOrganization: 200 } as const

/** Rules of the name of a consumer, which stands in addresses. */
export const consumerNameRules = {
  maxLength: 64,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  says: 'must be 1 to 64 letters, digits, points, underscores and hyphens, a letter or digit first',
} as const

/** Makes the name of a consumer. */
export const consumerName = (about: string) => str(about, consumerNameRules)

const entityNames = (about: string) => orNull(list(str('Entity'), about, { minItems: 1, maxItems: 50 }))
const cursor = (about: string) => str(about, { maxLength: 8_000 })

export const consumerStates = ['snapshot', 'following', 'expired'] as const

const consumedEntity = part(
  {
    entity: str('Entity'),
    state: oneOf(
      'snapshot: it reads all records first; following: it reads what changes; expired: its changes are no longer kept, so the next page has ' +
        'all records of the entity again, between their marks',
      ...consumerStates,
    ),
    unread_bytes: orNull(int('About the bytes of the changes that it has not read; 64 MB are kept. null: expired')),
    unread_since: orNull(time('Time of the oldest change that it has not read; null: there is none, or it is expired')),
  },
  'Where the consumer stands in an entity',
)

export const changeConsumer = record(
  'ChangeConsumer',
  {
    name: consumerName('Name'),
    entities: entityNames('Entities that it reads; null: all that can be searched'),
    cursor: orNull(cursor('Where it reads on; null: at the beginning, so all records come first')),
    status: oneOf('active: what it has not read is kept; expired: changes of an entity are lost', 'active', 'expired'),
    status_reason: orNull(str('What is lost, and what comes instead')),
    unread_bytes: int('About the bytes of the changes that it has not read, of all entities'),
    unread_since: orNull(time('Time of the oldest change that it has not read; null: there is none')),
    positions: list(consumedEntity, 'Where it stands in each entity that it has begun'),
    created_at: time('Time of registration'),
    moved_at: orNull(time('Time when its cursor was last kept')),
  },
  'A consumer of the changes of a connector',
)
/** A consumer of the changes of a connector. */
export type ChangeConsumer = Wire<typeof changeConsumer>

export const changeConsumerList = record(
  'ChangeConsumerList',
  { data: list(changeConsumer, 'Consumers, by name') },
  'Consumers of the changes of a connector',
)
/** All consumers of a connector. */
export type ChangeConsumerList = Wire<typeof changeConsumerList>

export const changeConsumerInput = body(
  'ChangeConsumerInput',
  {
    cursor: opt(
      cursor(
        'Opaque: `next` of the page up to which everything is handled; any other text is refused with invalid_cursor. Left out: the cursor stays; a new ' +
          'consumer begins with all records.',
      ),
    ),
    replaces: opt(
      orNull(
        cursor(
          'The cursor that the consumer has now, null for none: if another process has moved it meanwhile, the answer is `consumer_moved`.',
        ),
      ),
    ),
    entities: opt(entityNames('Entities to read; null: all that can be searched. Left out: as before.')),
  },
  'What to keep of a consumer',
)
/** What to keep of a consumer. */
export type ChangeConsumerInput = Wire<typeof changeConsumerInput>

export const changeConsumerRemoval = record(
  'ChangeConsumerRemoval',
  { name: consumerName('Name'), deleted_at: time('Time of deletion') },
  'A deleted consumer',
)
/** A deleted consumer. */
export type ChangeConsumerRemoval = Wire<typeof changeConsumerRemoval>
