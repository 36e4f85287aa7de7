/** What a kind in a literal infers. Compiled by the type check, never run. */
import { connect } from '../../packages/ferrule/src/core.ts'
import type { ParamsOf, RecordOf } from '../../packages/ferrule/src/engine/types.ts'
import { defineKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { type Same, yes } from './same.ts'

const notes = defineKind({
  kind: 'notes',
  title: 'Notes',
  category: 'notes',
  about: 'Notes and folders',
  docs: 'https://notes.example/docs',
  api: 'https://{site}.notes.example',
  configuration: { site: 'label Name of the account' },
  auth: {
    key: {
      title: 'Key',
      fields: { key: 'secret Key', team: 'string? Team' },
      find: 'Settings > Keys',
      send: { authorization: 'Bearer {key}' },
    },
  },
  check: 'account.get',
  pages: { cursor: { next: 'next', send: 'cursor', size: 'size=100' } },
  lists: { at: 'items', pages: 'cursor' },
  types: { base: { id: 'integer Id', changed_at: 'date-time When it changed' } },
  entities: {
    account: { about: 'The account', fields: { id: 'string Id' }, get: 'GET /account' },
    notes: {
      about: 'Notes',
      fields: {
        '+': 'base',
        title: 'string Title',
        text: 'string? Text',
        tags: 'string[] Tags',
        state: 'open|closed State',
        owner: { id: 'integer Id', name: 'string? Name' },
        labels: [{ name: 'string Name' }],
        size: { $type: 'number?', $about: 'Size' },
      },
      list: { call: 'GET /notes', params: { state: 'open|closed State', since: 'date-time Changed since' } },
      get: 'GET /notes/{id}',
      create: { call: 'POST /notes', body: { title: 'string! Title', tags: 'string[] Tags' } },
      sync: { since: { changed_at: 'since' } },
    },
    folders: {
      about: 'Folders',
      fields: { id: 'string Id' },
      list: { call: 'GET /folders/{parent}/folders', pages: 'none', because: 'The vendor returns all of them at once.' },
    },
  },
})

type Entities = (typeof notes)['definition']['entities']
yes<
  Same<
    RecordOf<Entities['notes']>,
    {
      id: number | bigint
      changed_at: string
      title: string
      text: string | null
      tags: string[]
      state: string
      owner: { id: number | bigint; name: string | null }
      labels: { name: string }[]
      size: number | null
    }
  >
>()
yes<
  Same<
    ParamsOf<Entities['notes'], 'list'>,
    { state?: 'open' | 'closed' | null; since?: string | Date | null; cursor?: string | null; limit?: number | null }
  >
>()
yes<Same<ParamsOf<Entities['notes'], 'get'>, { id: number | bigint }>>()
yes<Same<ParamsOf<Entities['notes'], 'create'>, { title: string; tags?: string[] | null }>>()
yes<Same<ParamsOf<Entities['folders'], 'list'>, { parent: string }>>()

const local = connect(notes, { credentials: { key: 'k' }, config: { site: 'acme' } })
const hosted = connect(notes, { url: 'https://ferrule.example' })
const page = await local.notes.list({ state: 'open' })
yes<Same<(typeof page.data)[number]['owner']['name'], string | null>>()
yes<Same<typeof page.meta.cursor, string | null>>()
const found = await hosted.notes.search({ filter: { eq: { title: 'a' } } })
yes<Same<(typeof found.data)[number]['title'], string>>()

// @ts-expect-error the parameter has no such value
export const wrongState = local.notes.list({ state: 'other' })
// @ts-expect-error the title is required
export const wrongCreate = local.notes.create({ tags: [] })
// @ts-expect-error the entity has no such action
export const wrongAction = local.folders.get({ id: 'a' })
// @ts-expect-error the configuration is required
export const wrongConfig = connect(notes, { credentials: { key: 'k' } })
