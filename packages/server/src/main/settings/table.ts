/** All settings, each stated once: its reader, its type, the settings page and the nearest-name hint come from its row. */
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { OriginOverride } from 'ferrule/engine'
import { isObject, tryReadJson } from 'ferrule/internal'
import { changesDays } from 'ferrule/wire'
import { indexRules } from '../../copies/store/indexes/types.ts'
import { usualLogRules } from '../../copies/store/log.ts'
import { describeRows, type SettingRows } from './setting-rows.ts'
import {
  address,
  clientId,
  clientSecret,
  command,
  databaseUrl,
  file,
  folder,
  hostName,
  hosts,
  integer,
  kindName,
  listOf,
  masterKey,
  megabytes,
  oneOf,
  onOrOff,
  origin,
  proxies,
  proxyUrl,
  publicUrl,
  readOrigin,
  replicaUrl,
  settingInvalid,
  type ValueType,
} from './value-types.ts'

const names = ['api', 'oauth', 'media', 'consent']

/** Origins by the slug of their kind. A string stands for the API and the login. */
const originsByKind: ValueType<Readonly<Record<string, OriginOverride>>> = {
  says: 'JSON object',
  secret: false,
  read: (text, { name, kinds }) => {
    const given = tryReadJson(text)
    if (!isObject(given)) throw settingInvalid(name, 'it must be a JSON object of kind to origin, or kind to {api, oauth, media, consent}')
    const unknown = Object.keys(given).find((kind) => !kinds.includes(kind))
    if (unknown !== undefined) throw settingInvalid(name, `there is no kind ${unknown.slice(0, 40)}; known: ${kinds.join(', ')}`)
    return Object.fromEntries(Object.entries(given).map(([kind, value]) => [kind, readOverride(name, value)]))
  },
}

function readOverride(name: string, value: unknown): OriginOverride {
  if (!isObject(value)) {
    const api = readOrigin(name, value)
    return { api, oauth: api }
  }
  const unknown = Object.keys(value).find((key) => !names.includes(key))
  if (unknown !== undefined) throw settingInvalid(name, `there is no origin ${unknown.slice(0, 40)}; known: ${names.join(', ')}`)
  const readOptional = (key: 'oauth' | 'media' | 'consent') => (value[key] === undefined ? {} : { [key]: readOrigin(name, value[key]) })
  return { api: readOrigin(name, value['api']), ...readOptional('oauth'), ...readOptional('media'), ...readOptional('consent') }
}

/** A quarter of the memory of the container or machine, 1024 at most; in megabytes. */
function usualBodyMemoryMb(): number {
  const constrained = process.constrainedMemory()
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
  return Math.max(32, Math.min(1_024, Math.floor(bytes / 4 / 1_048_576)))
}

/** All settings of the process. The key is the name in `Settings`. */
export const settingsTable = {
  host: { name: 'FERRULE_HOST', type: address, default: '127.0.0.1', about: 'Address to listen on; 0.0.0.0 for all.' },
  port: { name: 'FERRULE_PORT', type: integer(0, 65_535), default: '8080', about: 'Port to listen on; 0 chooses a free one.' },
  dataFolder: {
    name: 'FERRULE_DATA',
    type: folder,
    default: './data',
    about: 'Folder of the embedded database and of its master key, and of the kinds of FERRULE_KINDS that were checked.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    type: databaseUrl,
    default: { says: 'none' },
    about: 'PostgreSQL 15 or later for the state of the service. Without it, the embedded database is used.',
  },
  databasePasswordFile: {
    name: 'DATABASE_PASSWORD_FILE',
    type: file,
    default: { says: 'none' },
    about:
      'File with the password of all database URLs that have none. It is read for each new connection, so a renewed password needs no restart.',
  },
  databasePasswordCommand: {
    name: 'DATABASE_PASSWORD_COMMAND',
    type: command,
    default: { says: 'none' },
    about:
      'Command that prints the password instead, such as a token of a cloud. It runs in a shell with PGHOST, PGPORT, PGUSER and PGDATABASE, at the first connection and whenever the server refuses the password.',
  },
  databaseConnections: {
    name: 'FERRULE_DATABASE_CONNECTIONS',
    type: integer(2, 200),
    default: '10',
    about:
      'Maximum number of connections of one node to the database of DATABASE_URL. Two more look at the server and mark the node as alive.',
  },
  contextDatabaseUrl: {
    name: 'CONTEXT_DATABASE_URL',
    type: databaseUrl,
    default: { says: 'DATABASE_URL', from: (find) => find('DATABASE_URL') },
    about:
      'PostgreSQL 15 or later for the searched copy of the records, created with LC_COLLATE C and LC_CTYPE C.UTF-8. Without it and without DATABASE_URL, the copy is embedded.',
  },
  contextReadUrls: {
    name: 'CONTEXT_READ_URLS',
    type: listOf(replicaUrl, 'postgresql:// URLs'),
    default: '',
    about:
      'Streaming replicas of the database of CONTEXT_DATABASE_URL, 8 at most. Searches run there while their answer is as new as the primary would give.',
  },
  masterKey: {
    name: 'FERRULE_MASTER_KEY',
    type: masterKey,
    default: { says: 'none' },
    about: 'Key that wraps the keys of all credentials; required with DATABASE_URL. The embedded database keeps its key in FERRULE_DATA.',
  },
  previousMasterKeys: {
    name: 'FERRULE_MASTER_KEY_PREVIOUS',
    type: listOf(masterKey, 'keys'),
    default: '',
    about: 'Other master keys that may still be in use, for rotation.',
  },
  operatorClientId: {
    name: 'FERRULE_OPERATOR_CLIENT_ID',
    type: clientId,
    default: { says: 'generated' },
    about:
      'Client id that the first start gives to the first application; set with FERRULE_OPERATOR_CLIENT_SECRET. A later start changes nothing: `ferrule-server applications rotate` does.',
  },
  operatorClientSecret: {
    name: 'FERRULE_OPERATOR_CLIENT_SECRET',
    type: clientSecret,
    default: { says: 'generated, shown once' },
    about: 'Client secret that the first start gives to the first application, with the same rule.',
  },
  kinds: {
    name: 'FERRULE_KINDS',
    type: listOf(kindName, 'files, folders and packages'),
    default: '@ferrule/kinds',
    about:
      'Kinds beside the four of the library: files, folders with *.kind.yaml and *.kind.json, and installed packages. @ferrule/kinds means the ten that come with the service, @ferrule/kinds/github one of them, none no kind. A given list replaces the default: name @ferrule/kinds in it to keep the ten. Rules may lie beside a file, acme.rules.js beside acme.kind.json; they run in the service, so read them first.',
  },
  origins: {
    name: 'FERRULE_ORIGINS',
    type: originsByKind,
    default: '{}',
    about:
      "Origins that replace a kind's own: kind to origin, or kind to {api, oauth, media, consent}; browsers open `consent`. For egress proxies and regional hosts.",
  },
  httpProxy: {
    name: 'HTTP_PROXY',
    otherNames: ['http_proxy'],
    type: proxyUrl,
    default: { says: 'none' },
    about: 'Forward proxy for http addresses, and for https ones without HTTPS_PROXY. /docs/network says what goes through it.',
  },
  httpsProxy: {
    name: 'HTTPS_PROXY',
    otherNames: ['https_proxy'],
    type: proxyUrl,
    default: { says: 'HTTP_PROXY' },
    about: 'Forward proxy for https addresses of vendors, files and client documents. Databases are reached without it.',
  },
  noProxy: {
    name: 'NO_PROXY',
    otherNames: ['no_proxy'],
    type: hosts,
    default: '',
    about: 'Hosts that are reached without a proxy, with their subdomains; `*` is all of them. This machine always is.',
  },
  sandbox: {
    name: 'FERRULE_SANDBOX',
    type: onOrOff,
    default: {
      says: 'on without DATABASE_URL, else off',
      from: (find): string => (find('DATABASE_URL') === undefined ? 'on' : 'off'),
    },
    about: 'Runs stand-ins of the vendors, and allows connectors of environment.sandbox.',
  },
  webhookHosts: {
    name: 'FERRULE_WEBHOOK_HOSTS',
    type: listOf(hostName, 'hosts'),
    default: '',
    about: 'Hosts inside your network that webhooks may be sent to, also by http. All other endpoints need a public https address.',
  },
  trustedProxies: {
    name: 'FERRULE_TRUSTED_PROXIES',
    type: proxies,
    default: '',
    about:
      'Proxies whose X-Forwarded headers are believed. Behind any other proxy, all clients count as one address, and their token requests share one limit.',
  },
  corsOrigins: {
    name: 'FERRULE_CORS_ORIGINS',
    type: listOf(origin, 'origins'),
    default: '',
    about: 'Origins that browsers may call from.',
  },
  connectRedirects: {
    name: 'FERRULE_CONNECT_REDIRECTS',
    type: listOf(origin, 'origins'),
    default: '',
    about:
      'Origins that a connect link may lead back to. Origins of this machine need no entry while FERRULE_PUBLIC_URL is an address of this machine or not set.',
  },
  connectOrigins: {
    name: 'FERRULE_CONNECT_ORIGINS',
    type: listOf(origin, 'origins'),
    default: '',
    about: 'Origins of pages that may open a connect link and ask for its status, with the same exception.',
  },
  rateLimit: {
    name: 'FERRULE_RATE_LIMIT',
    type: integer(0, 1_000_000_000),
    default: '600',
    about: 'Maximum number of execute calls per minute for an organization on one node; 0 is unlimited.',
  },
  concurrency: {
    name: 'FERRULE_CONCURRENCY',
    type: integer(0, 1_000_000),
    default: '60',
    about: 'Maximum number of concurrent execute calls for an organization on one node; 0 is unlimited.',
  },
  mcpRateLimit: {
    name: 'FERRULE_MCP_RATE_LIMIT',
    type: integer(0, 1_000_000_000),
    default: '600',
    about:
      'Maximum number of requests to /mcp per minute for a token on one node; 0 is unlimited. Calls also count for FERRULE_RATE_LIMIT.',
  },
  mcpOAuth: {
    name: 'FERRULE_MCP_OAUTH',
    type: onOrOff,
    default: 'on',
    about:
      'Lets MCP clients that take no token ask for one by OAuth: an operator signs in and agrees on a page. Needs FERRULE_PUBLIC_URL with https, except on a loopback address.',
  },
  mcpHosts: {
    name: 'FERRULE_MCP_HOSTS',
    type: listOf(hostName, 'host names and addresses'),
    default: '',
    about:
      'Further names by which MCP clients reach the service, beside those of this machine and of FERRULE_PUBLIC_URL: ferrule.default.svc, host.docker.internal.',
  },
  bodyLimit: {
    name: 'FERRULE_BODY_LIMIT',
    type: integer(1_024, 67_108_864),
    default: '1048576',
    about: 'Maximum size of a request body in bytes.',
  },
  bodyMemory: {
    name: 'FERRULE_BODY_MEMORY',
    type: megabytes(32, 65_536),
    default: {
      says: 'a quarter of the memory of the container or machine, from 32 to 1024',
      from: (): string => String(usualBodyMemoryMb()),
    },
    about: 'Megabytes for the answers of vendors and what is read from them, across all organizations on one node.',
  },
  logLevel: {
    name: 'FERRULE_LOG_LEVEL',
    type: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    about: 'Lowest level that is logged.',
  },
  traceVendors: {
    name: 'FERRULE_TRACE_VENDORS',
    type: onOrOff,
    default: 'off',
    about: 'Sends the headers traceparent and tracestate to vendors too, while an SDK of OpenTelemetry runs in the process.',
  },
  shutdownDelay: {
    name: 'FERRULE_SHUTDOWN_DELAY',
    type: integer(0, 300),
    default: '0',
    about:
      'Seconds between a signal to stop and the end of accepting requests. During this time /health/ready answers 503, so that load balancers send no more requests. A second signal skips the delay.',
  },
  shutdownSeconds: {
    name: 'FERRULE_SHUTDOWN_SECONDS',
    type: integer(0, 3_600),
    default: '30',
    about: 'Seconds that running requests get after FERRULE_SHUTDOWN_DELAY. Requests that still run are answered with a problem.',
  },
  operationSeconds: {
    name: 'FERRULE_OPERATION_SECONDS',
    type: integer(1, 3_600),
    default: '60',
    about: 'Timeout of an operation in seconds.',
  },
  role: {
    name: 'FERRULE_ROLE',
    type: oneOf('all', 'api', 'worker'),
    default: 'all',
    about: 'Role of this process: api answers requests, worker fills the copies, all does both. api and worker need DATABASE_URL.',
  },
  syncConcurrency: {
    name: 'FERRULE_SYNC_CONCURRENCY',
    type: integer(1, 256),
    default: '8',
    about: 'Maximum number of concurrent syncs on this node.',
  },
  syncIntervalSeconds: {
    name: 'FERRULE_SYNC_INTERVAL',
    type: integer(60, 2_592_000),
    default: '3600',
    about: 'Seconds between two syncs of a connector that has no interval of its own.',
  },
  syncFullDays: {
    name: 'FERRULE_SYNC_FULL_DAYS',
    type: integer(1, 365),
    default: '7',
    about: 'Days after which an incremental sync reads everything again, and finds deleted records.',
  },
  publicUrl: {
    name: 'FERRULE_PUBLIC_URL',
    type: publicUrl,
    default: { says: 'taken from the request' },
    about:
      'Address that clients use. Connect links and OAuth need it, with https, except on a loopback address: they never take it from a request.',
  },
  contextDistribution: {
    name: 'FERRULE_CONTEXT_DISTRIBUTED',
    type: oneOf('auto', 'citus', 'none'),
    default: 'auto',
    about:
      'Whether Citus distributes the tables of the copy over machines. auto: where an empty context database has the extension citus. Filled tables stay as they are.',
  },
  contextFolder: {
    name: 'FERRULE_CONTEXT_FOLDER',
    type: folder,
    default: {
      says: 'context in FERRULE_DATA',
      from: (find) => (find('CONTEXT_DATABASE_URL') === undefined ? join(find('FERRULE_DATA') ?? '', 'context') : undefined),
    },
    about: 'Folder of the embedded copy of the records; refused with DATABASE_URL or CONTEXT_DATABASE_URL.',
  },
  contextMemoryMb: {
    name: 'FERRULE_CONTEXT_MEMORY',
    type: integer(16, 1_024),
    default: '32',
    about: 'Megabytes of buffers of the embedded copy. An open copy takes about 200 more.',
  },
  contextSearches: {
    name: 'FERRULE_CONTEXT_SEARCHES',
    type: integer(1, 200),
    default: '8',
    about:
      'Maximum number of concurrent searches on one node, each with a connection to the context database. Searches by key have up to four more. The embedded copy runs one search at a time.',
  },
  contextWriters: {
    name: 'FERRULE_CONTEXT_WRITERS',
    type: integer(1, 100),
    default: '4',
    about:
      'Maximum number of concurrent writes to the copy on one node, each with a connection to the context database. The embedded copy runs one write at a time.',
  },
  contextQueue: {
    name: 'FERRULE_CONTEXT_QUEUE',
    type: integer(1, 10_000),
    default: '200',
    about: 'Maximum number of waiting searches, and of waiting writes, on one node. Further ones are refused with `overloaded`.',
  },
  contextIndexes: {
    name: 'FERRULE_CONTEXT_INDEXES',
    type: integer(0, 1_000),
    default: String(indexRules.mostInAll),
    about: 'Maximum number of automatic indexes across all connectors; 0 disables them.',
  },
  changesDays: {
    name: 'FERRULE_CHANGES_DAYS',
    type: integer(changesDays.minimum, changesDays.maximum),
    default: '7',
    about:
      'Days for which the changes of a copy are kept for those who read them, where its connector has no `changes_days` of its own, and at most 64 megabytes for an entity of a connector. After as many days without a reader, changes of the entity are no longer written down.',
  },
  changesAlways: {
    name: 'FERRULE_CHANGES_ALWAYS',
    type: onOrOff,
    default: 'off',
    about:
      'Writes down the changes of all copies, also of entities that nobody follows. A cursor then stays valid while no change after it was deleted, however long nobody reads.',
  },
  changesEntities: {
    name: 'FERRULE_CHANGES_ENTITIES',
    type: integer(1, 1_000_000),
    default: String(usualLogRules.ofOrganization),
    about:
      'Maximum number of entities of connectors whose changes an organization follows. One that nobody reads is left out after the days for which its changes are kept.',
  },
  recordsChangedSeconds: {
    name: 'FERRULE_RECORDS_CHANGED_SECONDS',
    type: integer(1, 3_600),
    default: '5',
    about: 'Seconds between two events `records.changed` of a copy to an endpoint of webhooks, at least.',
  },
  searchSeconds: {
    name: 'FERRULE_SEARCH_SECONDS',
    type: integer(1, 600),
    default: '10',
    about: 'Timeout of a search in seconds, with its wait for a slot.',
  },
} satisfies SettingRows

/** Describes every setting, for documents. */
export const describeSettings = () => describeRows(settingsTable)
