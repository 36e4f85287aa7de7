/** Commands about MCP: the server on this machine, and its entry in the files of clients. */
import { clientNames, editedClientNames } from '../clients/names.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

const shared: readonly OptionSpec[] = [
  { flags: '--name <name>', about: 'name of the entry; ferrule by default' },
  { flags: '--project', about: "change the file of the project in this folder, in place of the user's own" },
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
      { flags: '--remote', about: 'let the client call the service itself, with a token for MCP' },
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
