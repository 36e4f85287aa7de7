/** Commands about organizations, applications and workspaces, and about who you are to which service. */
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

const yes: OptionSpec = { flags: '-y, --yes', about: 'delete without a question' }

/** Commands about where connectors live. */
export const tenancyCommands: readonly CommandSpec[] = [
  {
    name: 'organizations list',
    about: 'list the organizations that you reach',
    examples: ['ferrule organizations list', 'ferrule organizations list --jq ".[].id"'],
    record: async () => (await import('../../wire/organizations.ts')).organizationRecord,
    load: async () => (await import('../actions/tenancy.ts')).listOrganizations,
  },
  {
    name: 'organizations create',
    args: '<name>',
    about: 'create an organization',
    examples: ['ferrule organizations create "Team North"', 'ferrule organizations create "Team South" --fields id --format csv'],
    record: async () => (await import('../../wire/organizations.ts')).organizationRecord,
    load: async () => (await import('../actions/tenancy.ts')).createOrganization,
  },
  {
    name: 'organizations rename',
    args: '<organization> <name>',
    about: 'rename an organization, which is named by its name or its id',
    examples: [
      'ferrule organizations rename 11111111-1111-4111-8111-111111111111 Main',
      'ferrule organizations rename Main Default --format json',
    ],
    record: async () => (await import('../../wire/organizations.ts')).organizationRecord,
    load: async () => (await import('../actions/tenancy.ts')).renameOrganization,
  },
  {
    name: 'organizations delete',
    args: '<organization>',
    about: 'delete an organization with its workspaces, connectors and copies; it can be restored for 30 days',
    options: [yes],
    examples: ['ferrule organizations delete "Team North" --yes', 'ferrule organizations delete "Team South" -y --quiet'],
    record: async () => (await import('../../wire/organizations.ts')).organizationRemoval,
    load: async () => (await import('../actions/tenancy.ts')).deleteOrganization,
  },
  {
    name: 'organizations restore',
    args: '<id>',
    about: 'restore a deleted organization',
    examples: [
      'ferrule organizations restore 66666666-6666-4666-8666-666666666666',
      'ferrule organizations restore 77777777-7777-4777-8777-777777777777 --format json',
    ],
    record: async () => (await import('../../wire/organizations.ts')).organizationRecord,
    load: async () => (await import('../actions/tenancy.ts')).restoreOrganization,
  },
  {
    name: 'applications list',
    about: 'list the applications that reach the organization: client ids with secrets, which are never shown again',
    examples: ['ferrule applications list', 'ferrule applications list --format csv --fields name,client_id'],
    record: async () => (await import('../../wire/applications.ts')).applicationRecord,
    load: async () => (await import('../actions/tenancy.ts')).listApplications,
  },
  {
    name: 'applications create',
    args: '<name>',
    about: 'create an application; its secret is printed this once',
    examples: ['ferrule applications create reporting', 'ferrule applications create "nightly export" --jq .client_id'],
    record: async () => (await import('../../wire/applications.ts')).applicationSecret,
    load: async () => (await import('../actions/tenancy.ts')).createApplication,
  },
  {
    name: 'applications rename',
    args: '<application> <name>',
    about: 'rename an application, which is named by its name or its id; its client id and its secret stay',
    examples: [
      'ferrule applications rename reporting reports',
      'ferrule applications rename "nightly export" "nightly exports" --format json',
    ],
    record: async () => (await import('../../wire/applications.ts')).applicationRecord,
    load: async () => (await import('../actions/tenancy.ts')).renameApplication,
  },
  {
    name: 'applications rotate-secret',
    args: '<application>',
    about: 'replace the secret of an application, which is named by its name or its id; the old secret fails at once',
    options: [{ flags: '-y, --yes', about: 'replace without a question' }],
    examples: [
      'ferrule applications rotate-secret reports --yes',
      'ferrule applications rotate-secret "nightly exports" -y --fields client_id,client_secret',
    ],
    record: async () => (await import('../../wire/applications.ts')).applicationSecret,
    load: async () => (await import('../actions/tenancy.ts')).rotateApplicationSecret,
  },
  {
    name: 'applications delete',
    args: '<application>',
    about: 'delete an application, but not the one that asks',
    options: [yes],
    examples: ['ferrule applications delete reports --yes', 'ferrule applications delete "nightly exports" -y --quiet'],
    record: async () => (await import('../../wire/applications.ts')).applicationRemoval,
    load: async () => (await import('../actions/tenancy.ts')).deleteApplication,
  },
  {
    name: 'workspaces list',
    about: 'list the workspaces',
    examples: ['ferrule workspaces list', 'ferrule workspaces list --format csv --fields id,name'],
    record: async () => (await import('../../wire/workspaces.ts')).workspaceRecord,
    load: async () => (await import('../actions/tenancy.ts')).listWorkspaces,
  },
  {
    name: 'workspaces create',
    args: '<name>',
    about: 'create a workspace',
    examples: ['ferrule workspaces create research', 'ferrule workspaces create "field trial" --jq .id'],
    record: async () => (await import('../../wire/workspaces.ts')).workspaceRecord,
    load: async () => (await import('../actions/tenancy.ts')).createWorkspace,
  },
  {
    name: 'workspaces rename',
    args: '<workspace> <name>',
    about: 'rename a workspace, which is named by its name or its id',
    examples: ['ferrule workspaces rename research studies', 'ferrule workspaces rename "field trial" trial --format json'],
    record: async () => (await import('../../wire/workspaces.ts')).workspaceRecord,
    load: async () => (await import('../actions/tenancy.ts')).renameWorkspace,
  },
  {
    name: 'workspaces delete',
    args: '<workspace>',
    about: 'delete a workspace with its connectors; it can be restored for 30 days',
    options: [yes],
    examples: ['ferrule workspaces delete trial --yes', 'ferrule workspaces delete studies -y --quiet'],
    record: async () => (await import('../../wire/workspaces.ts')).workspaceRemoval,
    load: async () => (await import('../actions/tenancy.ts')).deleteWorkspace,
  },
  {
    name: 'workspaces restore',
    args: '<id>',
    about: 'restore a deleted workspace',
    examples: [
      'ferrule workspaces restore 22222222-2222-4222-8222-222222222222',
      'ferrule workspaces restore 33333333-3333-4333-8333-333333333333 --format json',
    ],
    record: async () => (await import('../../wire/workspaces.ts')).workspaceRecord,
    load: async () => (await import('../actions/tenancy.ts')).restoreWorkspace,
  },
]

/** Commands about profiles. */
export const identityCommands: readonly CommandSpec[] = [
  {
    name: 'login',
    about: 'store a client id and secret in a profile',
    details: [
      'The secret comes from a prompt, or from a file or standard input: JSON with client_id and client_secret, or token.',
      'It is tried at the service before it is stored, and it is never an option: options stand in the history of the shell.',
    ].join('\n'),
    options: [
      { flags: '--from-file <path>', about: 'read the identity from a file of JSON; - reads standard input' },
      { flags: '--client-id <id>', about: 'client id; only the secret is asked for' },
    ],
    examples: [
      'ferrule login --url https://ferrule.example.com --from-file identity.json',
      'ferrule login --profile staging --url https://ferrule.example.com --from-file - < identity.json',
    ],
    load: async () => (await import('../actions/tenancy.ts')).login,
  },
  {
    name: 'logout',
    about: 'delete the identity of a profile',
    options: [{ flags: '--all', about: 'delete every profile' }],
    examples: ['ferrule logout', 'ferrule logout --profile staging'],
    load: async () => (await import('../actions/tenancy.ts')).logout,
  },
  {
    name: 'whoami',
    about: 'show the service, the identity and the organizations that it reaches',
    examples: ['ferrule whoami', 'ferrule whoami --format json'],
    record: async () => describeMembers('url', 'profile', 'identity', 'organization', 'workspace', 'organizations'),
    load: async () => (await import('../actions/tenancy.ts')).whoami,
  },
  {
    name: 'use',
    args: '[profile]',
    about: 'choose the profile, and its default organization and workspace',
    details: 'Without arguments it lists the profiles.',
    examples: ['ferrule use --organization 11111111-1111-4111-8111-111111111111', 'ferrule use --workspace default'],
    record: async () => describeMembers('profile', 'current', 'url', 'organization', 'workspace'),
    load: async () => (await import('../actions/tenancy.ts')).use,
  },
  {
    name: 'config',
    args: '[name] [value]',
    about: 'show the settings with their sources, or set one in the profile',
    details: 'Names: url, organization, workspace. An empty value removes the setting. Secrets are set by `ferrule login` only.',
    examples: ['ferrule config', 'ferrule config workspace default'],
    record: async () => describeMembers('setting', 'value', 'source'),
    load: async () => (await import('../actions/tenancy.ts')).config,
  },
]
