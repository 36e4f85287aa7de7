/** Names that callers give: their rules, and the old names of `workspace_name`. */
import type { Problem } from 'ferrule'
import { opt, str } from 'ferrule/definition'
import { failValidation } from 'ferrule/internal'
import Type from 'typebox'

const rules = {
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  says: 'must be 1 to 256 characters without control characters, and not begin with a space',
} as const

/** Refuses half of a surrogate pair: it is no character, and a database would store another name than the given one. */
export const wellFormed = (schema: ReturnType<typeof str>) =>
  Type.Refine(
    Type.Unsafe<string>(schema),
    (value) => typeof value !== 'string' || value.isWellFormed(),
    () => 'must not hold half of a surrogate pair',
  )

/** Makes a display name. */
export const displayName = (about: string) => wellFormed(str(about, rules))

/** The name of a workspace, under its present name and its old names. */
export const workspaceNames = {
  workspace_name: opt(displayName('Name of the workspace.')),
  customer_name: opt(displayName('Old name of workspace_name.')),
  external_user_id: opt(displayName('Old name of workspace_name.')),
}

interface GivenNames {
  readonly workspace_name?: string
  readonly customer_name?: string
  readonly external_user_id?: string
}

/** Finds the workspace's name under its present or an old name. @throws FerruleError `validation_failed` when two differ */
export function findWorkspaceName(body: GivenNames): string | undefined {
  const given = [body.workspace_name, body.customer_name, body.external_user_id].filter((each) => each !== undefined)
  if (new Set(given).size > 1)
    throw failValidation([{ field: '/workspace_name', message: 'differs from its old name that was given too', error_code: 'conflict' }])
  return given[0]
}

const required = (field: string): Problem => ({ field, message: 'is required', error_code: 'required' })

/** Finds the workspace's name. @throws FerruleError `validation_failed` when the name is missing, or when two names differ */
export function requireWorkspaceName(body: GivenNames): string {
  const found = findWorkspaceName(body)
  if (found === undefined) throw failValidation([required('/workspace_name')])
  return found
}
