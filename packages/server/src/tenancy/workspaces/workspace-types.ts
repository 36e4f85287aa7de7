/** Interface of workspaces. */

import type { Page, WorkspaceRecord, WorkspaceRemoval, WorkspaceStats } from 'ferrule/wire'
import type { Principal } from '../../values/access.ts'

/**
 * Workspaces of the principal's organization. All methods throw `validation_failed` and `insufficient_scope`; methods with an id also throw
 * `workspace_not_found`.
 */
export interface Workspaces {
  /**
   * Lists workspaces.
   * @param query `{ name_contains?, status?, deleted? ('only'), limit? (1..100, default 20), cursor? }`, values as strings or numbers
   * @throws FerruleError `invalid_cursor`
   */
  list(principal: Principal, query: unknown): Promise<Page<WorkspaceRecord>>
  stats(principal: Principal): Promise<WorkspaceStats>
  get(principal: Principal, id: string): Promise<WorkspaceRecord>
  /** Creates a workspace. @param body `{ name }`. @throws FerruleError `workspace_name_conflict` */
  create(principal: Principal, body: unknown): Promise<WorkspaceRecord>
  /** Updates a workspace. @param body any of `{ name, status, cache_enabled }`. @throws FerruleError `workspace_name_conflict` */
  update(principal: Principal, id: string, body: unknown): Promise<WorkspaceRecord>
  /** Deletes the workspace with its connectors; it can be restored for 30 days. */
  remove(principal: Principal, id: string): Promise<WorkspaceRemoval>
  /** Restores a deleted workspace. @throws FerruleError `workspace_name_conflict` when another workspace took its name */
  restore(principal: Principal, id: string): Promise<WorkspaceRecord>
  /**
   * Deletes workspaces for good, with keys and connectors, 30 days after their deletion.
   * @param now milliseconds since 1970.
   * @returns the number
   */
  purgeExpired(now: number): Promise<number>
}
