/** Commands about kind files. */
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

const json: OptionSpec = { flags: '--json', about: 'the same as --format json' }

/** Commands about kinds in files of your own. */
export const kindCommands: readonly CommandSpec[] = [
  {
    name: 'kind new',
    args: '<file>',
    about: 'write a kind file to begin with',
    options: [
      { flags: '--title <title>', about: 'name of the system, as people write it' },
      { flags: '--api <address>', about: 'address of its API, without a path' },
    ],
    examples: [
      'ferrule kind new acme.kind.yaml --title Acme --api https://api.acme.example',
      'ferrule kind new crm.kind.yaml --title CRM --api https://crm.example --jq .file',
    ],
    record: async () => describeMembers('file', 'kind'),
    load: async () => (await import('../actions/kinds.ts')).createKind,
  },
  {
    name: 'kind check',
    args: '<files...>',
    about: 'find the mistakes and doubts of kind files, each with its place',
    options: [json],
    details: 'A mistake makes the file unusable. A doubt may be right: a list without paging, a field without a sentence.',
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
    load: async () => (await import('../actions/kind-pages.ts')).printKindTypes,
  },
  {
    name: 'kind docs',
    args: '<file>',
    about: 'print the reference page of a kind file as Markdown',
    examples: ['ferrule kind docs acme.kind.yaml > acme.md', 'ferrule kind docs acme.kind.yaml | head'],
    load: async () => (await import('../actions/kind-pages.ts')).printKindDocs,
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
]
