/** One call as the page and its address name it. */
/** A call of a connector. Parameters are JSON text, which keeps every digit and compares by its characters. */
export interface ChosenOperation {
  readonly connector: string
  readonly entity: string
  readonly action: string
  readonly params: string
  /** Counts the clicks on "Run": an earlier answer to the same call is not shown for a new one. */
  readonly attempt?: number
}

/** Actions that change something at the vendor. */
export const isWrite = (action: string): boolean => ['create', 'update', 'delete'].includes(action)
/** Actions that an address may run when it is opened: they read, and answer JSON. */
export const isRead = (action: string): boolean => ['list', 'get'].includes(action)

/** Returns whether two calls are of the same operation, whatever their parameters. */
export const isSameOperation = (one: ChosenOperation, other: ChosenOperation): boolean =>
  one.connector === other.connector && one.entity === other.entity && one.action === other.action

/** Returns whether two calls are the same. */
export const isSameCall = (one: ChosenOperation | undefined, other: ChosenOperation | undefined): boolean =>
  one !== undefined && other !== undefined && isSameOperation(one, other) && one.params === other.params
