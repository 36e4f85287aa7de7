import type { ScopedTokenRequest } from '../../wire/tokens.ts'
import type { Transport } from '../transport.ts'

/** Adds the client's workspace to a body that names no workspace, under none of the names that the service knows. */
export const addWorkspaceName = <B extends ScopedTokenRequest>({ settings }: Transport, body: B): B =>
  (body.workspace_name ?? body.customer_name ?? body.external_user_id) === undefined
    ? { ...body, workspace_name: settings.workspace }
    : body
