/** Commands about tokens for MCP. */
import type { CommandSpec } from '../spec.ts'

/** Commands about tokens for MCP. */
export const tokenCommands: readonly CommandSpec[] = [
  {
    name: 'tokens create',
    args: '<name>',
    about: 'create a token for MCP; it is printed this once',
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
    load: async () => (await import('../actions/tokens.ts')).createToken,
  },
  {
    name: 'tokens list',
    about: 'list the tokens for MCP of the organization, without their texts',
    examples: ['ferrule tokens list', 'ferrule tokens list --format csv --fields name,expires_at,last_used_at'],
    record: async () => (await import('../../wire/mcp-tokens.ts')).mcpTokenRecord,
    load: async () => (await import('../actions/tokens.ts')).listTokens,
  },
  {
    name: 'tokens revoke',
    args: '<token>',
    about: 'revoke a token for MCP, which is named by its name or its id; its next call is refused',
    options: [{ flags: '-y, --yes', about: 'revoke without a question' }],
    examples: ['ferrule tokens revoke laptop --yes', 'ferrule tokens revoke desk -y --quiet'],
    record: async () => (await import('../../wire/mcp-tokens.ts')).mcpTokenRemoval,
    load: async () => (await import('../actions/tokens.ts')).revokeToken,
  },
]
