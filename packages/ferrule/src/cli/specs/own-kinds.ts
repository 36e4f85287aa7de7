/** Commands about the kinds that an organization has in the service. */
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

const json: OptionSpec = { flags: '--json', about: 'the same as --format json' }

/** Commands about kinds of the organization. */
export const ownKindCommands: readonly CommandSpec[] = [
  {
    name: 'kind publish',
    args: '<file>',
    about: 'bring a kind file to the service, as the newest version of its kind',
    details:
      'First the service checks the file, and says what it changes for connectors that move. Connectors stay with their versions, unless --move is ' +
      'given. A question comes before changes that read records again, empty a copy or ask for credentials. Who publishes in between is not overwritten, ' +
      'nor a version that is newer than the one that the file was pulled as. ' +
      'Recordings beside the file go with it, and the sandbox plays the kind from them.',
    options: [
      { flags: '--dry-run', about: 'only say what the file changes' },
      { flags: '--move', about: 'move the connectors of older versions to the newest one' },
      { flags: '-y, --yes', about: 'publish without a question' },
      json,
    ],
    examples: ['ferrule kind publish acme.kind.yaml --dry-run', 'ferrule kind publish acme.kind.yaml --move --yes'],
    record: async () => (await import('../actions/own-kinds.ts')).publicationMembers,
    load: async () => (await import('../actions/own-kinds.ts')).publishKind,
  },
  {
    name: 'kind list',
    about: 'list the kinds of the organization',
    options: [json],
    examples: ['ferrule kind list', 'ferrule kind list --jq ".[].slug"'],
    record: async () => (await import('../../wire/kinds.ts')).kindSummary,
    load: async () => (await import('../actions/own-kinds.ts')).listKinds,
  },
  {
    name: 'kind versions',
    args: '<kind>',
    about: 'list the versions of a kind of the organization with what each changed, the newest first',
    options: [json],
    examples: ['ferrule kind versions acme', 'ferrule kind versions acme --jq ".[0].changes"'],
    record: async () => describeMembers('version', 'connectors', 'created_at', 'class', 'changes'),
    load: async () => (await import('../actions/own-kinds.ts')).listKindVersions,
  },
  {
    name: 'kind pull',
    args: '<kind>',
    about: 'write the file of a kind of the organization to this machine',
    details:
      '@3 behind the kind asks for version 3; without it the newest is written. The first line of a YAML file says which version it is: kind publish ' +
      'compares it with the service, and leaves it out.',
    options: [
      { flags: '--to <folder>', about: 'folder for the file; this one by default' },
      { flags: '-y, --yes', about: 'replace a file with another content without a question' },
      json,
    ],
    examples: ['ferrule kind pull acme --to pulled', 'ferrule kind pull acme@1 --to pulled --yes'],
    record: async () => describeMembers('file', 'kind', 'version'),
    load: async () => (await import('../actions/own-kinds.ts')).pullKind,
  },
  {
    name: 'kind delete',
    args: '<kind>',
    about: 'delete a kind of the organization with all its versions; connectors must not use it',
    options: [{ flags: '-y, --yes', about: 'delete without a question' }],
    examples: ['ferrule kind delete acme --yes', 'ferrule kind delete acme -y --quiet'],
    record: async () => (await import('../../wire/kinds.ts')).kindRemoval,
    load: async () => (await import('../actions/own-kinds.ts')).deleteKind,
  },
]
