/** Commands that help to use the others. */
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec } from '../spec.ts'

/** Commands about kinds. */
export const describeCommand: CommandSpec = {
  name: 'describe',
  args: '<kind> [entity] [action]',
  about: 'show entities, actions, parameters, records and searchable fields of a kind, with examples',
  details: 'It asks the service when one is set, else it reads the definitions of this package.',
  examples: ['ferrule describe gong calls list', 'ferrule describe shopify --format csv --fields entity,actions'],
  record: async ({ args }) => (args.length === 1 ? describeMembers('entity', 'actions', 'searchable', 'description') : {}),
  load: async () => (await import('../actions/describe.ts')).describe,
}

/** Commands about the service and the command itself. */
export const toolCommands: readonly CommandSpec[] = [
  {
    name: 'api',
    args: '<method> <path>',
    about: 'send a request to any route of the service, or to the vendor of a connector',
    details:
      "With --connector the path stands below the address of the vendor's API, and the request has the credentials of the connector. " +
      'The token needs the scope connectors:request. HEAD goes with --connector only.',
    options: [
      { flags: '--connector <connector>', about: 'name or id of the connector whose vendor gets the request' },
      { flags: '--form', about: 'send the body as a form; with --connector' },
      { flags: '--data <json>', about: 'body as JSON, as @file, or - for standard input; the query of a GET or a HEAD' },
      { flags: '--field <name=value>', about: 'one member of the body or the query; name:=json gives JSON', isList: true },
      { flags: '-y, --yes', about: 'send a DELETE without a question' },
    ],
    examples: [
      'ferrule api POST /api/v1/workspaces --field name=drafts --jq .id',
      'ferrule api GET /shop.json --connector Shop --jq .data.shop.name',
    ],
    load: async () => (await import('../actions/api.ts')).api,
  },
  {
    name: 'open',
    about: 'open the console of the service in a browser, and print its address and that of the documentation',
    options: [{ flags: '--print', about: 'print the addresses only' }],
    examples: ['ferrule open --print', 'ferrule open --print --jq .console'],
    record: async () => describeMembers('console', 'reference'),
    load: async () => (await import('../actions/api.ts')).openPages,
  },
  {
    name: 'doctor',
    about: 'look at settings, service, clock, token and connectors, and say what to do',
    examples: ['ferrule doctor', 'ferrule doctor --format json'],
    record: async () => describeMembers('check', 'status', 'detail', 'advice'),
    load: async () => (await import('../actions/doctor.ts')).doctor,
  },
  {
    name: 'complete',
    args: '<shell>',
    usage: '<bash|zsh|fish|powershell>',
    about: 'print the completion script of a shell',
    details:
      'It completes commands, options, kinds, entities, actions, parameters and connectors. Its script goes into the start file of the shell; in zsh, after `compinit`.',
    examples: ['ferrule complete bash', 'ferrule complete zsh'],
    load: async () => (await import('../actions/api.ts')).complete,
  },
]
