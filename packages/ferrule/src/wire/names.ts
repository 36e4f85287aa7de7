/** Names that callers give: their rules, and the old names of `workspace_name`. */
import { opt, str, wellFormed } from '../definition/index.ts'

/** Characters of a display name at most. */
export const mostNameCharacters = 256

const rules = {
  minLength: 1,
  maxLength: mostNameCharacters,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  says: `must be 1 to ${mostNameCharacters} characters without control characters, and not begin with a space`,
} as const

/** Makes a display name. */
export const displayName = (about: string) => wellFormed(str(about, rules))

const oldName = 'Old name of workspace_name; another value beside workspace_name is refused.'

/** The name of a workspace, under its present name and its old names. */
export const workspaceNames = {
  workspace_name: opt(displayName('Name of the workspace.')),
  customer_name: opt(displayName(oldName)),
  external_user_id: opt(displayName(oldName)),
}
