/**
 * The entry `ferrule/connect-link`, for pages of your own application that send end users to a connect link. It loads nothing else of the
 * library.
 */
export { ConnectError, type ConnectErrorCode } from './connect-error.ts'
export { connectResult } from './connect-result.ts'
export { type OpenConnectOptions, openConnect } from './open-connect.ts'
export type { ConnectResult, UnconnectedStatus } from './result.ts'
