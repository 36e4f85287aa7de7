import { endpoints } from '../../wire/endpoints.ts'
import type { Page } from '../../wire/paging.ts'
import type {
  WorkspaceChange,
  WorkspaceInput,
  WorkspaceQuery,
  WorkspaceRecord,
  WorkspaceRemoval,
  WorkspaceStats,
} from '../../wire/workspaces.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { readPage, walkPages } from './pages.ts'

const address = { endpoint: endpoints.listWorkspaces } as const
const slots = (id: string) => ({ workspace_id: id })

/** Workspaces of the organization. */
export class Workspaces {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Yields all workspaces, page by page. */
  list(query: WorkspaceQuery = {}, options: RequestOptions = {}): AsyncGenerator<WorkspaceRecord, void, undefined> {
    return walkPages(this.#transport, { address, query }, options)
  }

  /** Reads one page. @param from a query, or `next` of the page before */
  page(from: WorkspaceQuery | string = {}, options: RequestOptions = {}): Promise<Page<WorkspaceRecord>> {
    return readPage(this.#transport, { address, from }, options)
  }

  /** Reads a workspace. */
  get(id: string, options: RequestOptions = {}): Promise<WorkspaceRecord> {
    return this.#transport.json(endpoints.getWorkspace, { slots: slots(id), ...options })
  }

  /** Creates a workspace. */
  create(body: WorkspaceInput, options: RequestOptions = {}): Promise<WorkspaceRecord> {
    return this.#transport.json(endpoints.createWorkspace, { body, ...options })
  }

  /** Changes the given members. */
  update(id: string, body: WorkspaceChange, options: RequestOptions = {}): Promise<WorkspaceRecord> {
    return this.#transport.json(endpoints.updateWorkspace, { slots: slots(id), body, ...options })
  }

  /** Deletes a workspace and its connectors. It can be restored for 30 days. */
  delete(id: string, options: RequestOptions = {}): Promise<WorkspaceRemoval> {
    return this.#transport.json(endpoints.deleteWorkspace, { slots: slots(id), ...options })
  }

  /** Restores a deleted workspace. */
  restore(id: string, options: RequestOptions = {}): Promise<WorkspaceRecord> {
    return this.#transport.json(endpoints.restoreWorkspace, { slots: slots(id), ...options })
  }

  /** Counts workspaces. */
  stats(options: RequestOptions = {}): Promise<WorkspaceStats> {
    return this.#transport.json(endpoints.getWorkspaceStats, options)
  }
}
