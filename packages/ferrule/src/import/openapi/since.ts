/** Lists that can be asked for what changed: a parameter for the start, and a time of the record. */
import type { FileFields, FileSince } from '../../kind-file/file.ts'

const changed =
  /^(since|(updated|modified|changed)_?(since|after|from|min|at_?(min|from|gte|after|since))|(min|start|from)_?(updated|modified)(_?(at|date|time))?|last_?(updated|modified)_?(since|after|min)|updatedMin|(updated|modified|updated_at|modified_at)\[(gte|gt|after|from|min)\])$/i
const created = /^((created|created_at)\[(gte|gt|after|from|min)\]|created_?(after|since|min|from|at_?(min|from)))$/i
const changedFields = [
  'updated_at',
  'updatedAt',
  'updated',
  'modified_at',
  'modifiedAt',
  'modified',
  'last_modified',
  'lastModified',
  'last_updated',
  'lastUpdated',
  'changed_at',
]
const createdFields = ['created_at', 'createdAt', 'created', 'created_on', 'createdOn']

const isTime = (field: unknown): boolean =>
  typeof field === 'string' && /^(date-time|date|unix-time|unix-time-ms|integer|string)\b/.test(field)

/** Finds the filter by the time of a change. @returns undefined if the list has none that a record can answer */
export function findSince(fields: FileFields, params: FileFields): FileSince | undefined {
  const find = (names: readonly string[]): string | undefined =>
    names.find((name) => isTime(fields[name]) && !/^(integer|string)\b/.test(String(fields[name])))
  const sent = Object.keys(params).filter((name) => isTime(params[name]))
  const change = sent.find((name) => changed.test(name))
  const field = find(changedFields)
  if (change !== undefined && field !== undefined) return { [field]: change }
  const creation = sent.find((name) => created.test(name))
  const made = find(createdFields)
  // A number cannot say since when a record is deleted, which a fixed time must.
  if (creation === undefined || made === undefined || field !== undefined || /^unix/.test(String(fields[made]))) return undefined
  return { field: made, send: creation, fixed: true }
}
