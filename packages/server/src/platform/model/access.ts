/** Types of who asks, and of what they reach. */

import type { Connection } from 'ferrule/engine'
import type { ConnectorStatus } from 'ferrule/wire'
import type { Scope } from './scopes.ts'

/** The authenticated client, before an organization is chosen. */
export interface Caller {
  readonly kind: 'application' | 'scoped'
  readonly applicationId: string
  readonly scopes: ReadonlySet<Scope>
}
/** The authenticated client in an organization. */
export interface Principal extends Caller {
  readonly organizationId: string
  /** The only workspace of a scoped token; null for an application token. */
  readonly workspaceId: string | null
}

/** View of a principal: an organization, or one of its workspaces. */
export type PrincipalView = Pick<Principal, 'organizationId' | 'workspaceId'>

/** Ids of a connector. */
export interface ConnectorPlace {
  readonly organizationId: string
  readonly workspaceId: string
  readonly connectorId: string
}
/** A connector that is ready to execute. */
export interface ConnectorAccess {
  readonly place: ConnectorPlace
  readonly status: ConnectorStatus
  readonly unchecked?: boolean // no call has succeeded with its credentials yet
  readonly connection: Connection
}
