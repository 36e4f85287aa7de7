/** Commands about MCP: the server on this machine, its entry in the files of clients, and tokens. */
import { clientNames, editedClientNames } from '../clients/names.ts'
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

/** Commands about kinds. */
export const describeCommand: CommandSpec = {
  name: 'describe',
  args: '<kind> [entity] [action]',
  about: 'show entities, actions, parameters, records and searchable fields of a kind, with examples',
  details: 'It asks the service when one is set, else it reads the definitions of this package.',
  examples: ['ferrule describe gong calls list', 'ferrule describe shopify --format csv --fields entity,actions'],
  record: async ({ args }) => (args.length === 1 ? describeMembers('entity', 'actions', 'searchable', 'description') : {}),
  load: async () => (await import('../actions/reads.ts')).describe,
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

const shared: readonly OptionSpec[] = [
  { flags: '--name <name>', about: 'name of the entry; ferrule by default' },
  { flags: '--project', about: "change the file of the project in this folder, instead of the user's own" },
  { flags: '-y, --yes', about: 'write without a question' },
]

/** Commands about MCP. */
export const mcpCommands: readonly CommandSpec[] = [
  {
    name: 'mcp',
    about: 'serve the tools of agents over standard input and output, for MCP clients on this machine',
    details:
      'It uses the service of the profile. With --local it calls the vendors itself, with credentials from variables such as GONG_ACCESS_KEY. ' +
      'Tools only read unless --write is given.',
    options: [
      { flags: '--local <kind>', about: 'connect to this kind in this process; no service takes part', isList: true },
      { flags: '--write', about: 'offer the tool write too: create, update, delete' },
    ],
    examples: ['ferrule mcp', 'ferrule mcp --workspace default --write'],
    load: async () => (await import('../actions/mcp.ts')).serveMcp,
  },
  {
    name: 'mcp install',
    args: '<client>',
    usage: `<${clientNames.join('|')}>`,
    about: 'add Ferrule to an MCP client: it starts `ferrule mcp` with the profile, or calls the service',
    details: [
      'It shows the difference, asks, and keeps the old content beside the file. Comments and other entries stay as they are.',
      'For Codex it prints the entry, and says where to paste it.',
      'No secret is written. With --remote the entry names a variable that holds a token of `ferrule tokens create`.',
    ].join('\n'),
    options: [
      { flags: '--remote', about: 'let the client call the service itself, with an MCP token' },
      { flags: '--token-variable <name>', about: 'variable that holds the token; FERRULE_MCP_TOKEN by default' },
      { flags: '--write', about: 'offer the tool write too: create, update, delete' },
      { flags: '--print', about: 'print the entry only' },
      ...shared,
    ],
    examples: ['ferrule mcp install cursor --print', 'ferrule mcp install vscode --project --yes'],
    load: async () => (await import('../actions/mcp-clients.ts')).installClient,
  },
  {
    name: 'mcp uninstall',
    args: '<client>',
    usage: `<${editedClientNames.join('|')}>`,
    about: 'take Ferrule out of an MCP client',
    options: shared,
    examples: ['ferrule mcp uninstall vscode --project --yes', 'ferrule mcp uninstall cursor --project --yes'],
    load: async () => (await import('../actions/mcp-clients.ts')).uninstallClient,
  },
]

/** Commands about MCP tokens. */
export const tokenCommands: readonly CommandSpec[] = [
  {
    name: 'tokens create',
    args: '<name>',
    about: 'create an MCP token; it is printed this once',
    details: [
      'The token reads the connectors of one workspace, also later ones, for 90 days. The options say otherwise.',
      'A connector is named by its id, its name, or its kind when a workspace has one of it.',
      'The token ends with the application that creates it, and with a replacement of its secret.',
    ].join('\n'),
    options: [
      { flags: '--in <workspace>', about: 'workspace that the token reaches, instead of the workspace of the profile', isList: true },
      { flags: '--connector <connector>', about: 'connector that the token reaches, instead of all', isList: true },
      { flags: '--write', about: 'let it create, update and delete records too' },
      { flags: '--days <days>', about: 'days until it expires, 365 at most' },
    ],
    examples: ['ferrule tokens create laptop', 'ferrule tokens create desk --in default --connector gong --write --days 7 --jq .token'],
    record: async () => (await import('../../wire/mcp-tokens.ts')).mcpTokenSecret,
    load: async () => (await import('../actions/tenancy.ts')).createToken,
  },
  {
    name: 'tokens list',
    about: 'list the MCP tokens of the organization, without their texts',
    examples: ['ferrule tokens list', 'ferrule tokens list --format csv --fields name,expires_at,last_used_at'],
    record: async () => (await import('../../wire/mcp-tokens.ts')).mcpTokenRecord,
    load: async () => (await import('../actions/tenancy.ts')).listTokens,
  },
  {
    name: 'tokens revoke',
    args: '<token>',
    about: 'revoke an MCP token, which is named by its name or its id; its next call is refused',
    options: [{ flags: '-y, --yes', about: 'revoke without a question' }],
    examples: ['ferrule tokens revoke laptop --yes', 'ferrule tokens revoke desk -y --quiet'],
    record: async () => (await import('../../wire/mcp-tokens.ts')).mcpTokenRemoval,
    load: async () => (await import('../actions/tenancy.ts')).revokeToken,
  },
]
