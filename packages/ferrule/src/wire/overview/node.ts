/** The service and the node that answers, on the wire. */
import { bool, int, list, oneOf, orNull, str, time } from '../../definition/index.ts'
import { part, record, recordOrNull, type Wire } from '../schemas.ts'

export const serviceRecord = record(
  'Service',
  {
    version: str('Version of the service'),
    sandbox: bool('true: connectors to the stand-ins of the vendors can be created'),
    public_url: orNull(str('Address that clients reach the service by; null: not set')),
    connect_url: orNull(
      str('Address that connect links and redirect URIs begin with: https, or of this machine; null: the service has none'),
    ),
    context_store: bool('true: records are copied, so they can be searched'),
    operator: bool('true: the caller may read `GET /api/v1/node`'),
  },
  'What every client may know of the service',
)
/** What every client may know of the service. */
export type ServiceRecord = Wire<typeof serviceRecord>

/** Where the value of a setting comes from. */
export const settingOrigins = ['given', 'default', 'none'] as const

const setting = part(
  {
    name: str('Name of the environment variable'),
    about: str('What it sets'),
    secret: bool('true: the value is never shown'),
    origin: oneOf('given: set for this process; default: the value by default; none: no value', ...settingOrigins),
    value: orNull(str('The value; null: none, or a secret')),
  },
  'A setting',
)

/** Engines of databases. */
export const databaseEngines = ['sqlite', 'postgres', 'embedded'] as const

const database = part(
  {
    engine: oneOf('sqlite, or embedded for the copy of records: a file of this process; postgres: a server', ...databaseEngines),
    version: orNull(str('Version of the engine; null: not opened, or no answer within a second')),
    size_bytes: orNull(int('Size in bytes; null: not opened, or no answer within a second')),
  },
  'A database',
)

/** States of read replicas. */
export const replicaStates = ['unknown', 'used', 'gone', 'refused'] as const

export const nodeRecord = record(
  'Node',
  {
    version: str('Version of the service'),
    node_version: str('Version of Node.js'),
    role: str('What the process does, as FERRULE_ROLE says'),
    started_at: time('Time of its start'),
    uptime_seconds: int('Seconds since its start'),
    memory_bytes: int('Memory of the process'),
    state: database,
    context_store: recordOrNull(database),
    read_replicas: list(
      part(
        {
          position: int('Its position in CONTEXT_READ_URLS, from 1 on'),
          state: oneOf(
            'used: searches go there; gone: no answer; refused: no replica of the copy; unknown: not asked yet',
            ...replicaStates,
          ),
          lag_bytes: orNull(int('Bytes of the log that it has not replayed; null: not used')),
        },
        'A read replica',
      ),
      'Read replicas of the copy of records, as this node sees them',
    ),
    settings: list(setting, 'All settings'),
    nodes: list(
      part({ id: str('Name of the node'), running: int('Syncs that it runs'), last_started_at: time('Start of its last sync') }, 'A node'),
      'Nodes that have worked on the last 1,000 syncs, this one included. A node that only answers requests has no entry',
    ),
  },
  'What the answering node runs with; context_store is null without a copy of records',
)
/** What the answering node runs with. */
export type NodeRecord = Wire<typeof nodeRecord>

export const health = record('Health', { status: oneOf('Status', 'ok') }, 'The service is healthy')
/** The answer of a healthy service. */
export type Health = Wire<typeof health>
