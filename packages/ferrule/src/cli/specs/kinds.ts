/** Commands about kind files, and about the kinds that an organization has in the service. */
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'
import { params } from './records.ts'

const json: OptionSpec = { flags: '--json', about: 'the same as --format json' }

/** Commands about kinds in files of your own. */
export const kindCommands: readonly CommandSpec[] = [
  {
    name: 'kind new',
    args: '<file>',
    about: 'write a kind file to begin with, or that of a document',
    options: [
      { flags: '--manifest <source>', about: 'a manifest: a file, or an https address' },
      { flags: '--title <title>', about: 'name of the system, as people write it' },
      { flags: '--api <address>', about: 'address of its API, without a path' },
      { flags: '--graphql <file>', about: 'schema of a GraphQL API: the answer of an introspection query, or the schema language' },
      { flags: '--openapi <source>', about: 'OpenAPI document to make it of: a file, or an address with https' },
      { flags: '--only <names>', about: 'entities, or tags of the document, with commas between them; all by default' },
    ],
    details:
      'A manifest is the declarative YAML of a low-code connector. ' +
      'A document gives the calls, fields, paging and ways to sign in. What was guessed, and what the document does not say, stands in unsure of ' +
      'the file, and ferrule kind check lists it. Calls that fit no entity are left out, each with the reason.',
    examples: [
      'ferrule kind new acme.kind.yaml --title Acme --api https://api.acme.example',
      'ferrule kind new crm.kind.yaml --title CRM --api https://crm.example --jq .file',
    ],
    record: async () => describeMembers('file', 'kind', 'entities', 'unsure', 'left_out'),
    load: async () => (await import('../actions/kinds.ts')).createKind,
  },
  {
    name: 'kind check',
    args: '<files...>',
    about: 'find the mistakes and doubts of kind files, and what is left unsure, each with its place',
    options: [json],
    details:
      'A mistake makes the file unusable. A doubt may be right: a list without paging, a field without a sentence. ' +
      'Recordings beside the file show two more: a path that names nothing in their answers, a key that stands twice. ' +
      'What is unsure was guessed by an importer, or its document did not say it.',
    examples: ['ferrule kind check acme.kind.yaml', 'ferrule kind check acme.kind.yaml --format json'],
    record: async () => describeMembers('file', 'line', 'column', 'is', 'path', 'message', 'example'),
    load: async () => (await import('../actions/kinds.ts')).checkKinds,
  },
  {
    name: 'kind types',
    args: '<file>',
    about: 'print TypeScript declarations of a kind file: parameters, records and searchable fields',
    details: 'Give the printed kind to loadKind, and the compiler knows the file.',
    examples: ['ferrule kind types acme.kind.yaml > acme.types.ts', 'ferrule kind types acme.kind.yaml | head'],
    load: async () => (await import('../actions/kinds.ts')).printKindTypes,
  },
  {
    name: 'kind docs',
    args: '<file>',
    about: 'print the reference page of a kind file as Markdown',
    examples: ['ferrule kind docs acme.kind.yaml > acme.md', 'ferrule kind docs acme.kind.yaml | head'],
    load: async () => (await import('../actions/kinds.ts')).printKindDocs,
  },
  {
    name: 'kind try',
    args: '<file> <entity> <action>',
    about: 'call the vendor of a kind file, and record the call if wanted',
    details:
      'Credentials come from variables: the kind and the field in capitals, such as ACME_TOKEN. ACME_ORIGIN sends the calls to another address. ' +
      'A recording has no credentials; tokens, addresses, names and prose are replaced, each value by the same everywhere. The list of what is ' +
      'replaced is shown before the file is written, and the recording is replayed once.',
    options: [
      ...params,
      { flags: '--pages <count>', about: 'pages of a list at most; 2 by default' },
      { flags: '--record <path>', about: 'add the call to this file of recordings' },
      { flags: '--answers <path>', about: 'answers of a HAR file, or one pasted answer, instead of the vendor' },
      { flags: '--page <address>', about: 'page of the vendor that shows the pasted answer' },
      { flags: '--name <text>', about: 'what the recording shows, where there are several of one call' },
      { flags: '-y, --yes', about: 'save without a question' },
    ],
    examples: [
      'ferrule kind try acme.kind.yaml things list -p limit=1 --record tried.recordings.json --yes',
      'ferrule kind try acme.kind.yaml things get -p id=t1',
    ],
    load: async () => (await import('../actions/recordings.ts')).tryKind,
  },
  {
    name: 'kind test',
    args: '<file>',
    about: 'test a kind file against its recordings, without a network',
    details:
      'The recordings stand beside it: acme.recordings.json for acme.kind.yaml. A failure makes the exit code 1. An equal request counts as ' +
      'regression only: the kind does what it did, and nobody asked the vendor.',
    options: [json],
    examples: ['ferrule kind test acme.kind.yaml', 'ferrule kind test acme.kind.yaml --json'],
    record: async () => describeMembers('file', 'line', 'column', 'is', 'call', 'message'),
    load: async () => (await import('../actions/recordings.ts')).testRecordings,
  },
  {
    name: 'kind sandbox',
    args: '<file>',
    about: 'play the vendor of a kind file from its recordings, on this machine',
    details:
      'The recordings stand beside it. It runs until Ctrl+C, or for the seconds of --timeout. Any credentials are taken, ' +
      'and the consent page leads to addresses of this machine. The header x-sandbox-status: 429, or sandbox-status-429 ' +
      'within any value, asks for a refusal with this status.',
    options: [
      { flags: '--port <number>', about: 'port to listen on; a free one by default' },
      { flags: '--limits', about: 'refuse calls above the rates of the kind' },
    ],
    examples: ['ferrule kind sandbox acme.kind.yaml --timeout 5', 'ferrule kind sandbox acme.kind.yaml --limits --timeout 5'],
    record: async () => describeMembers('kind', 'origin'),
    load: async () => (await import('../actions/kinds.ts')).serveSandbox,
  },
  {
    name: 'kind add',
    args: '<package>',
    about: 'add the kind of an npm package to a folder, and pin its version',
    details:
      'Packages with kinds are named ferrule-kind-acme; @1.2.0 behind the name asks for a version. Only data is read: no script runs, and packages ' +
      'with rules are refused. The kind is checked before it is written. ferrule-kinds.lock.json in the folder pins the version and the bytes. ' +
      'The registry is that of npm_config_registry, else the public one.',
    options: [{ flags: '--to <folder>', about: 'folder for the file; this one by default' }, json],
    examples: ['ferrule kind add ferrule-kind-acme --to kinds', 'ferrule kind add ferrule-kind-acme@1.0.0 --to kinds --jq .file'],
    record: async () => describeMembers('package', 'version', 'before', 'kind', 'file'),
    load: async () => (await import('../actions/kind-sharing.ts')).addKind,
  },
  {
    name: 'kind search',
    args: '<words...>',
    about: 'search an npm registry for packages with kinds',
    details: 'Packages have the keyword ferrule-kind. The registry is that of npm_config_registry, else the public one.',
    options: [json],
    examples: ['ferrule kind search crm', 'ferrule kind search support tickets --json'],
    record: async () => describeMembers('name', 'version', 'description', 'date'),
    load: async () => (await import('../actions/kind-sharing.ts')).searchKinds,
  },
]

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
