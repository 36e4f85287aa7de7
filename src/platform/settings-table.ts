/** The table of settings: the settings page and the search for the nearest name read it. */

/** One row of the table of settings. */
export interface SettingRow {
  readonly name: string
  /** What a value looks like. */
  readonly type: string
  /** Shown text of the default. */
  readonly default: string
  readonly about: string
  /** Whether its value is a secret: never logged, shown or named in an error. */
  readonly secret: boolean
}

const plain = { secret: false } as const
const hidden = { secret: true } as const

/** All settings of the process. */
export const settingsTable: readonly SettingRow[] = [
  { name: 'FERRULE_HOST', type: 'address', default: '127.0.0.1', about: 'Address to listen on; 0.0.0.0 for all.', ...plain },
  { name: 'FERRULE_PORT', type: 'integer 0 to 65535', default: '8080', about: 'Port to listen on; 0 chooses a free one.', ...plain },
  { name: 'FERRULE_DATA', type: 'folder', default: './data', about: 'Folder of the embedded database and of its master key.', ...plain },
  {
    name: 'DATABASE_URL',
    type: 'postgresql:// URL',
    default: 'none',
    about: 'PostgreSQL 15 or later for the state of the service; without it the embedded database is used.',
    ...hidden,
  },
  {
    name: 'CONTEXT_DATABASE_URL',
    type: 'postgresql:// URL',
    default: 'DATABASE_URL',
    about:
      'PostgreSQL 15 or later for the copy of the records that is searched, made with LC_COLLATE C and LC_CTYPE C.UTF-8; without it and without DATABASE_URL the copy is embedded.',
    ...hidden,
  },
  {
    name: 'FERRULE_MASTER_KEY',
    type: '32 bytes in base64 or base64url',
    default: 'none',
    about: 'Key that wraps the keys of all credentials; required with DATABASE_URL. Embedded, a file in FERRULE_DATA takes its place.',
    ...hidden,
  },
  {
    name: 'FERRULE_MASTER_KEY_PREVIOUS',
    type: 'comma list of keys',
    default: 'none',
    about: 'Other master keys that may still be in use, for rotation.',
    ...hidden,
  },
  {
    name: 'FERRULE_CLIENT_ID',
    type: 'text',
    default: 'generated',
    about: 'Client id of the first application; set with FERRULE_CLIENT_SECRET.',
    ...plain,
  },
  {
    name: 'FERRULE_CLIENT_SECRET',
    type: 'text of 1 to 256 characters; outside of a trial at least 32 random ones',
    default: 'generated, shown once',
    about: 'Client secret of the first application; set with FERRULE_CLIENT_ID.',
    ...hidden,
  },
  {
    name: 'FERRULE_ORIGINS',
    type: 'JSON object',
    default: '{}',
    about: "Origins that replace a kind's own: kind to origin, or kind to {api, oauth, media}. For egress proxies and regional hosts.",
    ...plain,
  },
  {
    name: 'FERRULE_SANDBOX',
    type: 'on or off',
    default: 'on without DATABASE_URL, else off',
    about: 'Whether stand-ins of the vendors run and connectors can be made for them.',
    ...plain,
  },
  {
    name: 'FERRULE_TRUSTED_PROXIES',
    type: 'comma list of addresses and CIDR blocks, or a number of hops',
    default: 'none',
    about:
      'Proxies whose X-Forwarded headers are believed. Behind a proxy that is not named, all clients are one address, which takes one turn when clients ask for tokens.',
    ...plain,
  },
  { name: 'FERRULE_CORS_ORIGINS', type: 'comma list of origins', default: 'none', about: 'Origins that browsers may call from.', ...plain },
  {
    name: 'FERRULE_RATE_LIMIT',
    type: 'integer from 0',
    default: '600',
    about: 'Execute calls per minute for an organization, on one node; 0 is unlimited.',
    ...plain,
  },
  {
    name: 'FERRULE_CONCURRENCY',
    type: 'integer from 0',
    default: '60',
    about: 'Execute calls at one time for an organization, on one node; 0 is unlimited.',
    ...plain,
  },
  {
    name: 'FERRULE_BODY_LIMIT',
    type: 'integer from 1024 to 67108864',
    default: '1048576',
    about: 'Largest request body in bytes.',
    ...plain,
  },
  {
    name: 'FERRULE_BODY_MEMORY',
    type: 'integer from 32 to 65536',
    default: 'a quarter of the memory of the container or machine, 1024 at most',
    about: 'Megabytes for the answers of vendors and what is read of them, over all organizations of one node.',
    ...plain,
  },
  {
    name: 'FERRULE_LOG_LEVEL',
    type: 'fatal, error, warn, info, debug, trace or silent',
    default: 'info',
    about: 'Lowest level that is logged.',
    ...plain,
  },
  {
    name: 'FERRULE_SHUTDOWN_DELAY',
    type: 'integer 0 to 300',
    default: '0',
    about:
      'Seconds between a signal to stop and the end of taking requests: /health/ready answers 503 meanwhile, so that load balancers send no more. A second signal skips them.',
    ...plain,
  },
  {
    name: 'FERRULE_SHUTDOWN_SECONDS',
    type: 'integer 0 to 3600',
    default: '30',
    about: 'Seconds that running requests get after that; those that have not ended are answered with a problem.',
    ...plain,
  },
  { name: 'FERRULE_OPERATION_SECONDS', type: 'integer 1 to 3600', default: '60', about: 'Seconds until an operation gives up.', ...plain },
  {
    name: 'FERRULE_ROLE',
    type: 'all, api or worker',
    default: 'all',
    about: 'What this process does: api answers requests, worker fills the context store. Other roles than all need DATABASE_URL.',
    ...plain,
  },
  { name: 'FERRULE_SYNC_CONCURRENCY', type: 'integer 1 to 256', default: '8', about: 'Syncs at one time on this node.', ...plain },
  {
    name: 'FERRULE_SYNC_INTERVAL',
    type: 'integer 60 to 2592000',
    default: '3600',
    about: 'Seconds between two syncs of a connector that has no interval of its own.',
    ...plain,
  },
  {
    name: 'FERRULE_SYNC_FULL_DAYS',
    type: 'integer 1 to 365',
    default: '7',
    about: 'Days after which a sync that asks for changes reads everything again, which finds what was deleted.',
    ...plain,
  },
  {
    name: 'FERRULE_PUBLIC_URL',
    type: 'http or https URL',
    default: 'taken from the request',
    about: 'Address that clients use.',
    ...plain,
  },
  {
    name: 'FERRULE_CONTEXT_FOLDER',
    type: 'folder',
    default: 'context in FERRULE_DATA',
    about: 'Folder of the embedded copy of the records; refused with DATABASE_URL or CONTEXT_DATABASE_URL.',
    ...plain,
  },
  {
    name: 'FERRULE_CONTEXT_MEMORY',
    type: 'integer 16 to 1024',
    default: '32',
    about: 'Megabytes of buffers of the embedded copy; it takes about 200 more when it is open.',
    ...plain,
  },
  {
    name: 'FERRULE_CONTEXT_SEARCHES',
    type: 'integer 1 to 200',
    default: '8',
    about: 'Searches at one time on one node, each with a connection to the context database; the embedded copy runs one.',
    ...plain,
  },
  {
    name: 'FERRULE_CONTEXT_WRITERS',
    type: 'integer 1 to 100',
    default: '4',
    about: 'Writes to the copy at one time on one node, each with a connection to the context database; the embedded copy runs one.',
    ...plain,
  },
  {
    name: 'FERRULE_CONTEXT_QUEUE',
    type: 'integer 1 to 10000',
    default: '200',
    about: 'Searches, and writes, that may wait for their turn on one node; more are refused as overloaded.',
    ...plain,
  },
  {
    name: 'FERRULE_CONTEXT_INDEXES',
    type: 'integer 0 to 1000',
    default: '64',
    about: 'Indexes that are made on demand at most, over all connectors; 0 makes none.',
    ...plain,
  },
  { name: 'FERRULE_SEARCH_SECONDS', type: 'integer 1 to 600', default: '10', about: 'Seconds until a search is stopped.', ...plain },
]
