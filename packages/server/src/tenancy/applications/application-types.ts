/** Interfaces to manage applications: for the operator's commands, and for the applications of an organization. */
import type { Secret } from 'ferrule/engine'
import type { ApplicationRemoval, ApplicationSecret, ApplicationRecord as OrganizationApplication } from 'ferrule/wire'
import type { Principal } from '../../values/access.ts'

/** An application: a client id with a hashed secret. */
export interface ApplicationRecord {
  readonly id: string
  readonly client_id: string
  readonly name: string
  readonly organization_ids: readonly string[]
  /** ISO 8601 in UTC. */
  readonly created_at: string
}

/** An organization and the applications that reach it. */
export interface OrganizationReach {
  readonly id: string
  readonly name: string
  /** Client ids of the granted applications. */
  readonly client_ids: readonly string[]
}

/** Manages applications for the operator's commands. The methods take no principal, so no route may call them. */
export interface Applications {
  list(): Promise<readonly ApplicationRecord[]>
  /** @throws FerruleError `organization_not_found`, `validation_failed` */
  create(input: {
    readonly name: string
    readonly organizationId: string
  }): Promise<{ readonly clientId: string; readonly clientSecret: Secret<string> }>
  /** @throws FerruleError `organization_not_found`, `validation_failed` (unknown client id) */
  grant(clientId: string, organizationId: string): Promise<void>
  /**
   * Deletes a grant. No new tokens are issued; existing tokens expire within 20 minutes.
   * @throws FerruleError `organization_not_found`, `validation_failed` (unknown client id, or no such grant)
   */
  revoke(clientId: string, organizationId: string): Promise<void>
  /**
   * Deletes an application with its grants; organizations, workspaces and connectors stay. Its tokens expire within 20 minutes.
   * @throws FerruleError `validation_failed` (unknown client id, or the first application, which the next start would create again)
   */
  delete(clientId: string): Promise<void>
  /** Lists all organizations, with or without applications. */
  organizations(): Promise<readonly OrganizationReach[]>
  /**
   * Replaces the secret. The old secret and the tokens for MCP fail at once. Bearer tokens issued with the old secret expire within 15
   * minutes, and workspace tokens issued with those within 35 minutes.
   * @param clientId if omitted, the first application, which gets the pair of the settings when they have one
   * @returns the new pair; without a secret when the pair is that of the settings
   * @throws FerruleError `validation_failed`, `setting_invalid` (another application has the client id of the settings)
   */
  rotate(clientId?: string): Promise<{ readonly clientId: string; readonly clientSecret?: Secret<string> }>
}

/**
 * Manages the applications of the principal's organization. A revoked grant ends all methods at once: `organization_forbidden`. A replaced
 * secret ends the methods that change something: `token_expired`.
 */
export interface OrganizationApplications {
  /** Lists the applications that reach the organization. Scope applications:read. */
  list(principal: Principal): Promise<readonly OrganizationApplication[]>
  /**
   * Creates an application that reaches the organization. Scope applications:write.
   * @param body `{ name }`
   * @throws FerruleError `validation_failed` also when the organization has 100 applications
   */
  create(principal: Principal, body: unknown): Promise<ApplicationSecret>
  /**
   * Renames an application. Scope applications:write.
   * @param body `{ name }`
   * @throws FerruleError `application_not_found`, `validation_failed` (also when it reaches other organizations)
   */
  update(principal: Principal, id: string, body: unknown): Promise<OrganizationApplication>
  /**
   * Replaces the secret. Tokens issued with the old secret expire as after `Applications.rotate`. Scope applications:write.
   * @throws FerruleError `application_not_found`, `validation_failed` (it reaches other organizations, or its secret is a setting)
   */
  rotateSecret(principal: Principal, id: string): Promise<ApplicationSecret>
  /**
   * Deletes an application. Scope applications:write.
   * @throws FerruleError `application_not_found`, `validation_failed` (the caller, the first application, or it reaches other organizations)
   */
  remove(principal: Principal, id: string): Promise<ApplicationRemoval>
}
