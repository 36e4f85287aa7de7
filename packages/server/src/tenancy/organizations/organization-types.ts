/** The interface of organizations, the tenants. */
import type { OrganizationRecord, OrganizationRemoval } from 'ferrule/wire'
import type { Caller, Principal } from '../../values/access.ts'

/** Organizations of an application. */
export interface Organizations {
  /** Lists the organizations of the application, at most 1,000. Scope organizations:read. */
  list(caller: Caller): Promise<readonly OrganizationRecord[]>
  /**
   * Creates an organization with its workspace `default`, and grants the calling application access. Scope organizations:write.
   * @param body `{ name }`
   * @throws FerruleError `validation_failed`
   */
  create(caller: Caller, body: unknown): Promise<OrganizationRecord>
  /**
   * Renames the principal's organization by a body `{ name }`. Scope organizations:write.
   * @throws FerruleError `organization_not_found` for the id of another organization, `organization_forbidden`, `validation_failed`
   */
  update(principal: Principal, id: string, body: unknown): Promise<OrganizationRecord>
  /**
   * Deletes an organization of the caller with its workspaces; it can be restored for 30 days. Nobody reaches it from then on, its runs end
   * and its copies are emptied. A repeat answers the same. Scope organizations:write.
   * @throws FerruleError `organization_not_found`; `validation_failed` for the only organization of the first application
   */
  remove(caller: Caller, id: string): Promise<OrganizationRemoval>
  /**
   * Restores a deleted organization with the workspaces that it had then. Scope organizations:write.
   * @throws FerruleError `organization_not_found`, `validation_failed`
   */
  restore(caller: Caller, id: string): Promise<OrganizationRecord>
  /**
   * Destroys organizations 30 days after their deletion, with the applications that were made for them only. Destroy workspaces first.
   * @param now milliseconds since 1970.
   * @returns the number
   */
  purgeExpired(now: number): Promise<number>
}
