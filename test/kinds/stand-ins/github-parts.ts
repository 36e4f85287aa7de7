/** What requests to GitHub hold, what its records show, and how it refuses: https://docs.github.com/en/rest (version 2022-11-28) */
import type { Call, Row } from './shared.ts'
import * as kit from './shared.ts'

export const documentation_url = 'https://docs.github.com/rest'
export const refuse = (status: number, message: string, more: Row = {}): kit.Refusal =>
  new kit.Refusal({ status, body: { message, ...more, documentation_url, status: String(status) } })
/** https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#validation-failed */
export const invalid = (field: string, code: string) => refuse(422, 'Validation Failed', { errors: [{ resource: 'Issue', field, code }] })
/** GitHub ignores unknown parameters; the stand-in refuses them. */
export const unknown = (name: string) => invalid(name, 'custom')

/** What lies below a repository. Each row has its page below https://docs.github.com/en/rest, for example /issues/issues. */
export const resources = kit.readTable(`
  path            | filters                                                                     | create                            | update                              | deletes | at            | order
  issues          | milestone state assignee type creator mentioned labels sort direction since | title body assignees labels       | title body state assignees labels   |         |               | created_at
  pulls           | state head base sort direction                                              | title head base body draft        | title body state base               |         |               | created_at
  issues/comments | sort direction since                                                        | body                              | body                                | yes     |               | id
  reviews         |                                                                             | body event comments commit_id     |                                     |         |               | id
  commits         | sha path author committer since until                                       |                                   |                                     |         |               | created_at
  releases        |                                                                             | tag_name name body draft          | tag_name name body draft prerelease | yes     |               | created_at
  actions/runs    | actor branch event status created head_sha exclude_pull_requests            |                                   |                                     | yes     | workflow_runs | created_at
  labels          |                                                                             | name color description            | new_name color description          | yes     |               | id`)

/** Names that are the stand-in's own: a commit has a hash instead of an id, and a label no times (/rest/commits/commits, /rest/issues/labels). */
const hidden = { reviews: ['number'], commits: ['id', 'created_at', 'updated_at'], labels: ['created_at', 'updated_at', 'html_url'] }
export const show = (path: string, row: Row): Row => {
  const names = Object.entries(hidden).find(([one]) => one === path)?.[1] ?? []
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
}

export function fits(row: Row, query: URLSearchParams, path: string): boolean {
  const changed = Date.parse(String(row[path === 'commits' ? 'created_at' : 'updated_at']))
  const state = query.get('state') ?? (path === 'issues' || path === 'pulls' ? 'open' : 'all')
  const [, sign, bound = ''] = /^(>=|<=|>|<)?(.+)$/.exec(query.get('created') ?? '') ?? []
  const day = String(row['created_at']).slice(0, bound.length)
  return [
    state === 'all' || row['state'] === state,
    changed > Date.parse(query.get('since') ?? '1970-01-01'), // "after the given time"
    changed <= Date.parse(query.get('until') ?? '2999-01-01'),
    query.get('status') === null || [row['status'], row['conclusion']].includes(query.get('status')),
    bound === '' || { '>=': day >= bound, '<=': day <= bound, '>': day > bound, '<': day < bound }[sign ?? ''] !== false,
    (query.get('labels') ?? '').split(',').every((name) => name === '' || (row['labels'] as Row[]).some((label) => label['name'] === name)),
  ].every(Boolean)
}

/** The newest first, but repositories by name and comments by id: the pages of the lists. */
export function orderOf(query: URLSearchParams, path: string): { by: string[]; isAscending: boolean } {
  const by = query.get('sort') ?? (path === 'repos' ? 'full_name' : (resources.get(path)?.['order'] ?? 'created_at'))
  const field = { created: 'created_at', updated: 'updated_at', pushed: 'pushed_at' }[by] ?? by
  const direction = query.get('direction') ?? query.get('order') ?? (field === 'full_name' || field === 'id' ? 'asc' : 'desc')
  return { by: [field, 'id'], isAscending: direction === 'asc' }
}

export function read({ body }: Call, allowed: readonly string[]): Row {
  const fields = kit.readObject(body)
  if (fields === undefined) throw refuse(400, 'Problems parsing JSON')
  kit.refuseUnknown(Object.keys(fields), allowed, unknown)
  return fields
}
