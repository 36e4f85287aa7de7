/** All commands, in the order of the help. */
import type { CommandSpec, GroupSpec } from '../spec.ts'
import { connectorCommands, linkCommands } from './connectors.ts'
import { kindCommands, ownKindCommands } from './kinds.ts'
import { describeCommand, mcpCommands, tokenCommands, toolCommands } from './mcp.ts'
import { recordCommands, syncCommands, webhookCommands } from './records.ts'
import { identityCommands, tenancyCommands } from './tenancy.ts'

/** Groups of commands. */
export const groups: readonly GroupSpec[] = [
  { name: 'organizations', about: 'organizations that you reach' },
  { name: 'applications', about: 'applications of the organization' },
  { name: 'workspaces', about: 'workspaces of the organization' },
  { name: 'connectors', about: 'connectors of a workspace' },
  { name: 'kind', about: 'files that describe kinds of your own, and kinds of the organization' },
  { name: 'links', about: 'connect links: end users authorize connectors' },
  { name: 'tokens', about: 'MCP tokens: for the settings of agents' },
  { name: 'webhooks', about: 'endpoints of your own that get events of the organization' },
  { name: 'consumers', about: 'consumers of changes, whose cursors the service keeps' },
  { name: 'sync', about: 'copies of records that searches read' },
]

/** Every command. */
export const commands: readonly CommandSpec[] = [
  ...identityCommands,
  ...tenancyCommands,
  ...connectorCommands,
  describeCommand,
  ...kindCommands,
  ...ownKindCommands,
  ...recordCommands,
  ...syncCommands,
  ...linkCommands,
  ...tokenCommands,
  ...webhookCommands,
  ...mcpCommands,
  ...toolCommands,
]
