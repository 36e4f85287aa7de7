/** Commands about who you are to which service. */
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec } from '../spec.ts'

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
    load: async () => (await import('../actions/login.ts')).login,
  },
  {
    name: 'logout',
    about: 'delete the identity of a profile',
    options: [{ flags: '--all', about: 'delete every profile' }],
    examples: ['ferrule logout', 'ferrule logout --profile staging'],
    load: async () => (await import('../actions/profiles.ts')).logout,
  },
  {
    name: 'whoami',
    about: 'show the service, the identity and the organizations that it reaches',
    examples: ['ferrule whoami', 'ferrule whoami --format json'],
    record: async () => describeMembers('url', 'profile', 'identity', 'organization', 'workspace', 'organizations'),
    load: async () => (await import('../actions/login.ts')).whoami,
  },
  {
    name: 'use',
    args: '[profile]',
    about: 'choose the profile, and its default organization and workspace',
    details: 'Without arguments it lists the profiles.',
    examples: ['ferrule use --organization 11111111-1111-4111-8111-111111111111', 'ferrule use --workspace default'],
    record: async () => describeMembers('profile', 'current', 'url', 'organization', 'workspace'),
    load: async () => (await import('../actions/profiles.ts')).use,
  },
  {
    name: 'config',
    args: '[name] [value]',
    about: 'show the settings with their sources, or set one in the profile',
    details: 'Names: url, organization, workspace. An empty value removes the setting. Secrets are set by `ferrule login` only.',
    examples: ['ferrule config', 'ferrule config workspace default'],
    record: async () => describeMembers('setting', 'value', 'source'),
    load: async () => (await import('../actions/profiles.ts')).config,
  },
]
