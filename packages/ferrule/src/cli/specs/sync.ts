/** Commands about copies. */
import { describeMembers } from '../known-fields.ts'
import type { CommandSpec, OptionSpec } from '../spec.ts'

const entity: OptionSpec = { flags: '--entity <name>', about: 'only this entity', isList: true }

/** Commands about copies. */
export const syncCommands: readonly CommandSpec[] = [
  {
    name: 'sync start',
    args: '<connector>',
    about: 'bring the copy up to date',
    options: [
      { flags: '--full', about: 'read everything and remove deleted records; else what has changed' },
      entity,
      { flags: '--wait', about: 'wait for the end' },
    ],
    examples: ['ferrule sync start gong --entity calls', 'ferrule sync start gong --full --wait'],
    record: async () => (await import('../../wire/syncs.ts')).syncRunRecord,
    load: async () => (await import('../actions/sync.ts')).startSync,
  },
  {
    name: 'sync status',
    args: '<connector>',
    about: 'show the copy by entity',
    options: [
      { flags: '--watch', about: 'show it again after every change; on a terminal in its place' },
      { flags: '--until-filled', about: 'with --watch: end when the first sync of every entity has ended' },
    ],
    examples: ['ferrule sync status gong --format table', 'ferrule sync status gong --watch --until-filled --format ndjson'],
    record: async ({ output: { options } }) =>
      options.format === 'table' && options.jq === undefined
        ? describeMembers('entity', 'state', 'records', 'read', 'age', 'error')
        : (await import('../../wire/context-store.ts')).contextStoreStatus,
    load: async () => (await import('../actions/sync.ts')).showSync,
  },
  {
    name: 'sync cancel',
    args: '<connector> [run]',
    about: 'cancel the run that is running or waiting, or the one that is named',
    examples: ['ferrule sync cancel gong', 'ferrule sync cancel gong 44444444-4444-4444-8444-444444444444'],
    record: async () => (await import('../../wire/syncs.ts')).syncRunRecord,
    load: async () => (await import('../actions/sync.ts')).cancelSync,
  },
  {
    name: 'sync schedule',
    args: '<connector>',
    about: 'show the schedules, or set one',
    options: [
      { flags: '--every <seconds>', about: 'seconds between two runs; default restores the default' },
      { flags: '--pause', about: 'start no runs' },
      { flags: '--resume', about: 'start runs again' },
      entity,
    ],
    examples: ['ferrule sync schedule gong --every 3600', 'ferrule sync schedule gong --entity calls --every 600'],
    record: async () => (await import('../../wire/syncs.ts')).scheduleRecord,
    load: async () => (await import('../actions/sync.ts')).scheduleSync,
  },
  {
    name: 'sync reset',
    args: '<connector>',
    about: 'empty the copy, which is filled again; nothing changes at the vendor',
    options: [entity, { flags: '-y, --yes', about: 'reset without a question' }],
    examples: ['ferrule sync reset gong --entity calls --yes', 'ferrule sync reset gong -y --quiet'],
    record: async () => (await import('../../wire/syncs.ts')).syncRunRecord,
    load: async () => (await import('../actions/sync.ts')).resetSync,
  },
]
