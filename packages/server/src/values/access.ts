/** Who asks: the scopes and the view of a principal; and what it reaches: connectors. */
import type { ConnectorDefinition } from 'ferrule/definition'
import type { Connection } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import type { ConnectorStatus } from 'ferrule/wire'

/** All scopes. */
export const scopes = [
  'connectors:read',
  'connectors:write',
  'connectors:request', // requests of the caller's own to the vendor
  'execute:read',
  'execute:write',
  'workspaces:read',
  'workspaces:write',
  'organizations:read',
  'organizations:write',
  'webhooks:read',
  'webhooks:write',
  'applications:read',
  'applications:write', // it can create an application with all scopes
] as const
/** One permission of a token. */
export type Scope = (typeof scopes)[number]

/** Scopes that a token for one workspace can have. */
export const scopedTokenScopes: readonly Scope[] = [
  'connectors:read',
  'connectors:write',
  'execute:read',
  'execute:write',
  'workspaces:read',
]

const writes: readonly string[] = ['create', 'update', 'delete']

/** Returns whether an action of `execute` writes at the vendor. */
export const isWrite = (action: string): boolean => writes.includes(action)

/** Returns the scope that an action of `execute` needs. */
export const getActionScope = (action: string): Scope => (isWrite(action) ? 'execute:write' : 'execute:read')

/** Checks a scope. @throws FerruleError `insufficient_scope` */
export function requireScope(holder: { readonly scopes: ReadonlySet<Scope> }, scope: Scope): void {
  if (!holder.scopes.has(scope)) throw fail('insufficient_scope', { scope })
}

/**
 * Checks a scope of something that belongs to a whole organization, so that no token of a workspace reaches it.
 * @throws FerruleError `insufficient_scope`, `organization_forbidden`
 */
export function requireWholeScope(principal: Principal, scope: Scope): void {
  requireScope(principal, scope)
  if (principal.workspaceIds !== null) throw fail('organization_forbidden', {})
}

/** Parses space-separated scopes. @returns undefined when a word is no scope */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const words = text.split(' ').filter((word) => word !== '')
  const found = scopes.filter((scope) => words.includes(scope))
  return words.every((word) => scopes.some((scope) => scope === word)) && found.length > 0 ? found : undefined
}

/** The token of a caller. */
export interface TokenFacts {
  /** Id of an MCP token; null for a bearer token of the token endpoint. */
  readonly id: string | null
  readonly expiresAt: number
  /** Mark of the client secret that the token goes back to; null: the token creates nothing that outlives it. */
  readonly secretMark: string | null
  /** Digest of the session of the console; undefined for a token. */
  readonly sessionDigest?: string
}

/** The authenticated client, before an organization is chosen. */
export interface Caller {
  readonly kind: 'application' | 'scoped'
  readonly applicationId: string
  /** The only organization of the token; null when it reaches all organizations of the application. */
  readonly organizationId: string | null
  readonly scopes: ReadonlySet<Scope>
  readonly token: TokenFacts
}

/** View of a principal: an organization, or a part of it. Nothing outside a view exists for its principal. */
export interface PrincipalView {
  readonly organizationId: string
  /** The workspaces of a scoped token, at least one; null for all workspaces. */
  readonly workspaceIds: readonly string[] | null
  /** The connectors of a token that names them, at least one; null for all connectors of the workspaces. */
  readonly connectorIds: readonly string[] | null
}

/** The authenticated client in an organization. */
export interface Principal extends Caller, PrincipalView {
  readonly organizationId: string
}

/** An id as a client gives it, with the client. */
export interface RequestedId {
  readonly principal: Principal
  readonly id: string
}

/** Returns the view of a whole organization. */
export const viewOrganization = (organizationId: string): PrincipalView => ({ organizationId, workspaceIds: null, connectorIds: null })

/** Ids of a connector. */
export interface ConnectorRef {
  readonly organizationId: string
  readonly workspaceId: string
  readonly connectorId: string
}

/** Reads the ids of a connector's row. */
export const toConnectorRef = (row: {
  readonly id: string
  readonly organization_id: string
  readonly workspace_id: string
}): ConnectorRef => ({ organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id })

/** A version of a kind that an organization brought. One object stands for one version: what is built of it is remembered by the object. */
export interface OwnKind {
  readonly organizationId: string
  /** UUID of the kind, the same in all of its versions. */
  readonly id: string
  readonly entities: ConnectorDefinition['entities']
  /** True: an operator gave the entities of this version tables of their own. */
  readonly isPromoted?: boolean | undefined
}

/** A connector that is ready to execute. */
export interface ConnectorAccess {
  readonly ref: ConnectorRef
  readonly status: ConnectorStatus
  readonly unchecked?: boolean // no call has succeeded with its credentials yet
  readonly connection: Connection
  readonly own?: OwnKind | undefined // set where the kind is an organization's: its records are in the table of such kinds
}
