/** The connector of the service and the one in this process, as commands use them. */

/** What runs the operations of one connector, at the service or in this process. */
export interface Executor {
  execute(entity: string, action: string, params: Readonly<Record<string, unknown>>, options: ExecuteOptions): Promise<unknown>
  close(): Promise<void>
}

/** Options of one operation. */
export interface ExecuteOptions {
  readonly signal: AbortSignal
  readonly deadlineMs?: number | undefined
  readonly resume?: boolean | undefined
}
