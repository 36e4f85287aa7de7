/** Commands about webhooks and events. */
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

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
    load: async () => (await import('../actions/events.ts')).listen,
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
    load: async () => (await import('../actions/events.ts')).printEvents,
  },
]
