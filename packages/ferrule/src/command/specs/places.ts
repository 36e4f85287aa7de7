/** Commands about organizations and workspaces. */
import type { CommandSpec, OptionSpec } from '../spec.ts'

const yes: OptionSpec = { flags: '-y, --yes', about: 'delete without a question' }

/** Commands about where connectors live. */
export const placeCommands: readonly CommandSpec[] = [
  {
    name: 'organizations list',
    about: 'list the organizations that you reach',
    examples: ['ferrule organizations list', 'ferrule organizations list --jq ".[].id"'],
    load: async () => (await import('../actions/places.ts')).listOrganizations,
  },
  {
    name: 'organizations create',
    args: '<name>',
    about: 'create an organization',
    examples: ['ferrule organizations create "Team North"', 'ferrule organizations create "Team South" --fields id --format csv'],
    load: async () => (await import('../actions/places.ts')).createOrganization,
  },
  {
    name: 'workspaces list',
    about: 'list the workspaces',
    examples: ['ferrule workspaces list', 'ferrule workspaces list --format csv --fields id,name'],
    load: async () => (await import('../actions/places.ts')).listWorkspaces,
  },
  {
    name: 'workspaces create',
    args: '<name>',
    about: 'create a workspace',
    examples: ['ferrule workspaces create research', 'ferrule workspaces create "field trial" --jq .id'],
    load: async () => (await import('../actions/places.ts')).createWorkspace,
  },
  {
    name: 'workspaces rename',
    args: '<workspace> <name>',
    about: 'rename a workspace, which is named by its name or its id',
    examples: ['ferrule workspaces rename research studies', 'ferrule workspaces rename "field trial" trial --format json'],
    load: async () => (await import('../actions/places.ts')).renameWorkspace,
  },
  {
    name: 'workspaces delete',
    args: '<workspace>',
    about: 'delete a workspace with its connectors; it can be restored for 30 days',
    options: [yes],
    examples: ['ferrule workspaces delete trial --yes', 'ferrule workspaces delete studies -y --quiet'],
    load: async () => (await import('../actions/places.ts')).deleteWorkspace,
  },
  {
    name: 'workspaces restore',
    args: '<id>',
    about: 'restore a deleted workspace',
    examples: [
      'ferrule workspaces restore 22222222-2222-4222-8222-222222222222',
      'ferrule workspaces restore 33333333-3333-4333-8333-333333333333 --format json',
    ],
    load: async () => (await import('../actions/places.ts')).restoreWorkspace,
  },
]
