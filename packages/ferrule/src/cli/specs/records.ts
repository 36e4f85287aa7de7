/** Commands that read and write records, and fill their copies; commands about events and webhooks. */
import type { CommandOptions } from '../context.ts'
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

const entity: OptionSpec = { flags: '--entity <name>', about: 'only this entity', isList: true }

/** Commands about copies. */
export const syncCommands: readonly CommandSpec[] = [
  {
    name: 'sync start',
    args: '<connector>',
    about: 'bring the copy up to date',
    options: [
      { flags: '--full', about: 'read everything and remove deleted records; else what has changed' },
      entity,
      { flags: '--wait', about: 'wait for the end' },
    ],
    examples: ['ferrule sync start gong --entity calls', 'ferrule sync start gong --full --wait'],
    record: async () => (await import('../../wire/syncs.ts')).syncRunRecord,
    load: async () => (await import('../actions/connectors.ts')).startSync,
  },
  {
    name: 'sync status',
    args: '<connector>',
    about: 'show the copy by entity',
    options: [
      { flags: '--watch', about: 'show it again after every change; a terminal shows only the newest' },
      { flags: '--until-filled', about: 'with --watch: end when the first sync of every entity has ended' },
    ],
    examples: ['ferrule sync status gong --format table', 'ferrule sync status gong --watch --until-filled --format ndjson'],
    record: async ({ output: { options } }) =>
      options.format === 'table' && options.jq === undefined
        ? describeMembers('entity', 'state', 'records', 'read', 'age', 'error')
        : (await import('../../wire/context-store.ts')).contextStoreStatus,
    load: async () => (await import('../actions/connectors.ts')).showSync,
  },
  {
    name: 'sync cancel',
    args: '<connector> [run]',
    about: 'cancel the run that is running or waiting, or the one that is named',
    examples: ['ferrule sync cancel gong', 'ferrule sync cancel gong 44444444-4444-4444-8444-444444444444'],
    record: async () => (await import('../../wire/syncs.ts')).syncRunRecord,
    load: async () => (await import('../actions/connectors.ts')).cancelSync,
  },
  {
    name: 'sync schedule',
    args: '<connector>',
    about: 'show the schedules, or set one',
    options: [
      { flags: '--every <seconds>', about: 'seconds between two runs; default restores the default' },
      { flags: '--pause', about: 'start no runs' },
      { flags: '--resume', about: 'start runs again' },
      entity,
    ],
    examples: ['ferrule sync schedule gong --every 3600', 'ferrule sync schedule gong --entity calls --every 600'],
    record: async () => (await import('../../wire/syncs.ts')).scheduleRecord,
    load: async () => (await import('../actions/connectors.ts')).scheduleSync,
  },
  {
    name: 'sync reset',
    args: '<connector>',
    about: 'empty the copy, which is filled again; nothing changes at the vendor',
    options: [entity, { flags: '-y, --yes', about: 'reset without a question' }],
    examples: ['ferrule sync reset gong --entity calls --yes', 'ferrule sync reset gong -y --quiet'],
    record: async () => (await import('../../wire/syncs.ts')).syncRunRecord,
    load: async () => (await import('../actions/connectors.ts')).resetSync,
  },
]

const local: OptionSpec = {
  flags: '--local <kind>',
  about: 'call the vendor with credentials of the environment; no service takes part',
}

/** Options that give parameters. */
export const params: readonly OptionSpec[] = [
  { flags: '--params <json>', about: 'parameters as JSON, as @file, or - for standard input' },
  {
    flags: '-p, --param <name=value>',
    about: 'one parameter, typed by its schema; name:=json gives JSON, a.b=value a member of an object',
    isList: true,
  },
]

const freshness: readonly OptionSpec[] = [
  { flags: '--max-age <seconds>', about: 'maximum age of the copy; an older copy is refreshed first' },
  { flags: '--allow-partial', about: 'a part of the records is enough while the first sync runs' },
]

const where: readonly OptionSpec[] = [
  { flags: '--where <filter>', about: 'filter as text, for example: title fuzzy "pricng" and started >= 2026-01-01' },
  { flags: '--filter <json>', about: 'filter as JSON, as @file, or - for standard input' },
]

const include: OptionSpec = {
  flags: '--include <field>',
  about: 'field of a related record, for example primaryUserId.firstName',
  isList: true,
}

const filter: readonly OptionSpec[] = [...where, { flags: '--sort <fields>', about: 'order, for example started:desc,title' }]

const localDetails =
  'With --local the words are the entity and the action. Credentials come from variables: the kind and the field in capitals, ' +
  'such as GONG_ACCESS_KEY or SHOPIFY_SHOP. KIND_ORIGIN, such as GONG_ORIGIN, sends the calls to another address.'

/** Names the words of a command; with `--local` there is no connector. */
const nameWords =
  (...words: readonly string[]) =>
  (options: CommandOptions): readonly string[] =>
    options['local'] === undefined ? ['connector', ...words] : words

/** Commands about records. */
export const recordCommands: readonly CommandSpec[] = [
  {
    name: 'execute',
    args: '[words...]',
    usage: '<connector> <entity> <action>',
    words: nameWords('entity', 'action'),
    about: 'run an action on an entity',
    details: `The connector is named by its id, its name, or its kind when there is one of it.\n${localDetails}`,
    options: [
      ...params,
      { flags: '--all', about: 'read every page of a list' },
      { flags: '--cursor <cursor>', about: 'continue where an earlier call stopped' },
      local,
    ],
    examples: [
      'ferrule execute gong calls list -p fromDateTime=2026-01-01T00:00:00Z --fields id,title',
      'ferrule execute gong users list --all --format ndjson',
    ],
    load: async () => (await import('../actions/execute.ts')).execute,
  },
  {
    name: 'search',
    args: '<connector> <entity>',
    about: 'search the copy of an entity',
    options: [
      ...filter,
      include,
      { flags: '--limit <number>', about: 'rows of a page' },
      { flags: '--all', about: 'read every page' },
      { flags: '--cursor <cursor>', about: 'continue where an earlier search stopped' },
      ...freshness,
    ],
    examples: [
      `ferrule search gong calls --where 'title fuzzy "enginer" and started >= 2020-01-01' --fields id,title`,
      'ferrule search gong calls --sort started:desc --limit 5 --format csv',
    ],
    load: async () => (await import('../actions/execute.ts')).search,
  },
  {
    name: 'aggregate',
    args: '<connector> <entity>',
    about: 'count and group the copy of an entity',
    details:
      'A group is a field, a time as month(started, Europe/Berlin), also year, quarter, week, day and hour, or numbers as ranges(duration, 60, 600). ' +
      'A measure is count, or sum, avg, min, max, distinct, median or percentile of a field. Without a name it is called like sum_duration.',
    options: [
      ...where,
      { flags: '--group-by <group>', about: 'group by this, for example direction', isList: true },
      {
        flags: '--measure <measure>',
        about: 'measure this, for example minutes=sum(duration); count alone if left out',
        isList: true,
      },
      include,
      { flags: '--having <filter>', about: 'only groups whose measures fulfil it, for example: count >= 10' },
      { flags: '--sort <names>', about: 'order by groups and measures, for example count:desc,direction' },
      { flags: '--limit <number>', about: 'groups of a page' },
      { flags: '--cursor <cursor>', about: 'continue where an earlier page ended' },
      ...freshness,
    ],
    examples: [
      `ferrule aggregate gong calls --group-by 'month(started, Europe/Berlin)' --measure count --measure 'sum(duration)'`,
      `ferrule aggregate gong calls --group-by direction --having 'count >= 10' --sort count:desc --format csv`,
    ],
    record: async (context) => (await import('../actions/reads.ts')).describeGroups(context),
    load: async () => (await import('../actions/reads.ts')).aggregate,
  },
  {
    name: 'find',
    args: '[words...]',
    about: 'find records of all connectors that the token reaches: by words, or by a filter',
    details:
      'Words are looked for in titles, summaries, names, other fields of prose, lists and objects. The best match comes first, then the newest. ' +
      'What was not searched is said on standard error.',
    options: [
      ...where,
      include,
      { flags: '--kind <kind>', about: 'only connectors of this kind', isList: true },
      { flags: '--entity <entity>', about: 'only this entity', isList: true },
      { flags: '--connector <connector>', about: 'only this connector, by its id or name', isList: true },
      { flags: '--limit <number>', about: 'rows of a page, up to 100; 20 by default' },
      { flags: '--all', about: 'read every page' },
      { flags: '--cursor <cursor>', about: 'continue where an earlier search stopped' },
    ],
    examples: ['ferrule find "acme renewal"', 'ferrule find pricing --kind gong --limit 5 --format ndjson --fields title,link'],
    record: async () => (await import('../../wire/overview/search.ts')).searchHit,
    load: async () => (await import('../actions/reads.ts')).find,
  },
  {
    name: 'export',
    args: '<connector> <entity> [file]',
    about: 'write the whole copy of an entity, or what a filter finds, to a file or standard output',
    details:
      'The format is ndjson, csv or parquet: by --format, else csv or parquet for a file whose name ends so, else ndjson. ' +
      'Columns have the order of --fields.',
    options: [...filter, ...freshness, { flags: '--force', about: 'overwrite the file' }],
    examples: ['ferrule export gong calls calls.parquet', `ferrule export gong users --where 'active = true' --fields id,emailAddress`],
    load: async () => (await import('../actions/files.ts')).exportEntity,
  },
  {
    name: 'changes',
    args: '<connector> [entity]',
    about: 'print what changes in the copy, of all entities or of one: all records first, then what was added, changed and removed',
    details:
      'It ends with the newest change. Changes are written down from the first request on. The file of --cursor-file is written after the ' +
      'entries were printed, and read at the start: so nothing is lost, and after an interruption entries of a page may come again. With --consumer the service keeps the cursor, in the same way. --jq runs over each entry.',
    options: [
      { flags: '--follow', about: 'wait for more changes until Ctrl+C' },
      { flags: '--after <cursor>', about: 'only changes after this cursor; now: only what changes from now on' },
      { flags: '--cursor-file <file>', about: 'file that keeps the cursor; --after is for the first time, when there is no such file' },
      { flags: '--consumer <name>', about: 'consumer whose cursor the service keeps, instead of a file; the first use registers it' },
    ],
    examples: [
      'ferrule changes gong calls --after now --cursor-file calls.cursor --format ndjson',
      'ferrule changes gong --consumer warehouse --format ndjson',
    ],
    record: async ({ args }) => {
      const { changeRecord, connectorChangeRecord } = await import('../../wire/feed/changes.ts')
      return args[1] === undefined ? connectorChangeRecord : changeRecord
    },
    load: async () => (await import('../actions/reads.ts')).printChanges,
  },
  {
    name: 'consumers list',
    args: '<connector>',
    about: 'list the consumers of changes, with how much each has not read',
    examples: ['ferrule consumers list gong', 'ferrule consumers list gong --fields name,unread_since --format csv'],
    record: async () => (await import('../../wire/feed/consumers.ts')).changeConsumer,
    load: async () => (await import('../actions/reads.ts')).listConsumers,
  },
  {
    name: 'consumers delete',
    args: '<connector> <consumer>',
    about: 'delete a consumer with its cursor; nothing is kept for it any more',
    options: [{ flags: '-y, --yes', about: 'delete without a question' }],
    examples: ['ferrule consumers delete gong warehouse --yes', 'ferrule consumers delete gong warehouse -y --quiet'],
    record: async () => (await import('../../wire/feed/consumers.ts')).changeConsumerRemoval,
    load: async () => (await import('../actions/reads.ts')).deleteConsumer,
  },
  {
    name: 'download',
    args: '[words...]',
    usage: '<connector> <entity>',
    words: nameWords('entity'),
    about: 'write a file of a record to a file or standard output',
    details:
      'The file is written as a part file and renamed at its end. A transfer that breaks off continues by range; run the command again ' +
      `after an interruption, and it continues too.\n${localDetails}`,
    options: [
      ...params,
      { flags: '-o, --output <file>', about: 'path of the file; - for standard output; else the name that the vendor suggests' },
      { flags: '--force', about: 'overwrite the file' },
      local,
    ],
    examples: [
      `ferrule download gong call_audio -o call.mp3 --params @media.json`,
      'ferrule download gong call_video --params @media.json -o - > call.mp4',
    ],
    load: async () => (await import('../actions/files.ts')).download,
  },
]

const json: OptionSpec = { flags: '--json', about: 'the same as --format json' }
const endpointRecord = async () => (await import('../../wire/webhooks.ts')).webhookEndpoint
const secretRecord = async () => (await import('../../wire/webhooks.ts')).webhookEndpointSecret
const named = 'An endpoint is named by its id or its name.'

/** Commands about endpoints of the organization, and about the events that they get. */
export const webhookCommands: readonly CommandSpec[] = [
  {
    name: 'webhooks list',
    about: 'list the endpoints',
    options: [json],
    examples: ['ferrule webhooks list', 'ferrule webhooks list --format csv --fields name,url,status'],
    record: endpointRecord,
    load: async () => (await import('../actions/webhooks.ts')).listEndpoints,
  },
  {
    name: 'webhooks create',
    args: '<name> <url>',
    about: 'create an endpoint and test it; its secret is printed this once',
    options: [
      { flags: '--type <type>', about: 'type of events that it gets, instead of all but records.changed', isList: true },
      { flags: '--workspace-id <id>', about: 'only events of this workspace', isList: true },
      { flags: '--connector-id <id>', about: 'only events of this connector', isList: true },
      { flags: '--ordered', about: 'one event at a time, in their order; one that fails holds back the later ones' },
      json,
    ],
    examples: [
      'ferrule webhooks create sales https://hooks.example.com/sales',
      'ferrule webhooks create alarms https://hooks.example.com/alarms --type connector.auth_failed --jq .secret',
    ],
    record: secretRecord,
    load: async () => (await import('../actions/webhooks.ts')).createEndpoint,
  },
  {
    name: 'webhooks get',
    args: '<endpoint>',
    about: 'show an endpoint',
    details: named,
    options: [json],
    examples: ['ferrule webhooks get sales', 'ferrule webhooks get sales --jq .status'],
    record: endpointRecord,
    load: async () => (await import('../actions/webhooks.ts')).showEndpoint,
  },
  {
    name: 'webhooks pause',
    args: '<endpoint>',
    about: 'let events wait; only an active endpoint can be paused',
    details: named,
    options: [json],
    examples: ['ferrule webhooks pause sales', 'ferrule webhooks pause sales --json'],
    record: endpointRecord,
    load: async () => (await import('../actions/webhooks.ts')).pauseEndpoint,
  },
  {
    name: 'webhooks resume',
    args: '<endpoint>',
    about: 'send events again to an endpoint that is paused or disabled',
    details: named,
    options: [json],
    examples: ['ferrule webhooks resume sales', 'ferrule webhooks resume sales --json'],
    record: endpointRecord,
    load: async () => (await import('../actions/webhooks.ts')).resumeEndpoint,
  },
  {
    name: 'webhooks test',
    args: '<endpoint>',
    about: 'send webhook.test; the newest delivery shows what became of it',
    details: named,
    options: [json],
    examples: ['ferrule webhooks test sales', 'ferrule webhooks test sales --json'],
    record: endpointRecord,
    load: async () => (await import('../actions/webhooks.ts')).testEndpoint,
  },
  {
    name: 'webhooks rotate-secret',
    args: '<endpoint>',
    about: 'replace the secret of an endpoint; the new one is printed this once',
    details: named,
    options: [
      { flags: '--overlap <seconds>', about: 'seconds for which the old secret signs too; a day by default' },
      { flags: '-y, --yes', about: 'replace without a question' },
      json,
    ],
    examples: ['ferrule webhooks rotate-secret sales --yes', 'ferrule webhooks rotate-secret sales --overlap 3600 -y --jq .secret'],
    record: secretRecord,
    load: async () => (await import('../actions/webhooks.ts')).rotateEndpointSecret,
  },
  {
    name: 'webhooks deliveries',
    args: '<endpoint>',
    about: 'list what was sent to an endpoint in the last 30 days, the newest first',
    details: named,
    options: [{ flags: '--status <status>', about: 'only deliveries with this status', choices: ['waiting', 'delivered', 'failed'] }, json],
    examples: ['ferrule webhooks deliveries sales', 'ferrule webhooks deliveries sales --status failed --format ndjson'],
    record: async () => (await import('../../wire/webhooks.ts')).webhookDelivery,
    load: async () => (await import('../actions/webhooks.ts')).listDeliveries,
  },
  {
    name: 'webhooks retry',
    args: '<endpoint> [delivery]',
    about: 'send again what was given up, or one delivery whatever became of it',
    details: named,
    options: [{ flags: '--since <time>', about: 'only what was queued since this time, for example 2026-01-01T00:00:00Z' }, json],
    examples: ['ferrule webhooks retry sales', 'ferrule webhooks retry sales --since 2026-01-01T00:00:00Z'],
    record: async ({ args }) =>
      args[1] === undefined ? describeMembers('endpoint_id', 'deliveries') : (await import('../../wire/webhooks.ts')).webhookDelivery,
    load: async () => (await import('../actions/webhooks.ts')).retryDeliveries,
  },
  {
    name: 'webhooks delete',
    args: '<endpoint>',
    about: 'delete an endpoint with its deliveries',
    details: named,
    options: [{ flags: '-y, --yes', about: 'delete without a question' }, json],
    examples: ['ferrule webhooks delete sales --yes', 'ferrule webhooks delete alarms -y --quiet'],
    record: async () => (await import('../../wire/webhooks.ts')).webhookEndpointRemoval,
    load: async () => (await import('../actions/webhooks.ts')).deleteEndpoint,
  },
  {
    name: 'webhooks listen',
    about: 'send events from now on to a program on this machine, while you develop it',
    details:
      'It asks the service for events and posts each to the address, signed as the service does, with a secret that is new each time. ' +
      'The secret is printed at the start, to standard error. A failure is not tried again. Ctrl+C ends it.',
    options: [{ flags: '--forward-to <url>', about: 'address that takes POST, for example http://localhost:3000/hook' }, json],
    examples: [
      'ferrule webhooks listen --forward-to http://localhost:3000/hook',
      'ferrule webhooks listen --forward-to http://localhost:3000/hook --format ndjson',
    ],
    record: async () => describeMembers('id', 'type', 'status', 'error'),
    load: async () => (await import('../actions/reads.ts')).listen,
  },
  {
    name: 'events',
    about: 'list events of the organization, the oldest first',
    details: 'Events are kept for 30 days.',
    options: [
      { flags: '--after <id>', about: 'only events after the one with this id' },
      { flags: '--type <type>', about: 'only events of this type' },
      { flags: '--follow', about: 'wait for more events until Ctrl+C' },
      json,
    ],
    examples: ['ferrule events', 'ferrule events --type connector.auth_failed --format ndjson'],
    record: async () => (await import('../../wire/events.ts')).platformEvent,
    load: async () => (await import('../actions/reads.ts')).printEvents,
  },
]
