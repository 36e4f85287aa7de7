/** What the operator's own commands ask of applications. */
import type { Secret } from '../engine/secret.ts'
import type { ApplicationRecord, OrganizationReach } from './records.ts'

/** Administration of applications, for the operator's own commands: these take no principal and belong behind no route. */
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
   * Takes back a grant. No token is issued for it from then on; those that are out end within 20 minutes.
   * @throws FerruleError `organization_not_found`, `validation_failed` (unknown client id, or there is no such grant)
   */
  revoke(clientId: string, organizationId: string): Promise<void>
  /**
   * Removes an application with its grants; organizations, workspaces and connectors stay. Its tokens end within 20 minutes.
   * @throws FerruleError `validation_failed` (unknown client id, or the first application, which a start would make anew)
   */
  delete(clientId: string): Promise<void>
  /** All organizations, those too that no application reaches. */
  organizations(): Promise<readonly OrganizationReach[]>
  /** Replaces the secret; the old one ends at once, its tokens end within 15 minutes. @throws FerruleError `validation_failed`, `setting_invalid` */
  rotateSecret(clientId: string): Promise<Secret<string>>
}
