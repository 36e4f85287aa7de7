/** Reads the name of a workspace under its present name and its old names, and refuses an inactive workspace. */
import type { FerruleError, Problem } from 'ferrule'
import { fail, failValidation, fillHint } from 'ferrule/internal'

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

/** Makes the error of an inactive workspace; its hint has the id for the request that activates it. The caller throws it. */
export const failInactive = ({ id, name }: { readonly id: string; readonly name: string }): FerruleError =>
  fillHint(fail('workspace_inactive', { name }), { workspace_id: id })
