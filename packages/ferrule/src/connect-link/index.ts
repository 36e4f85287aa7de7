/**
 * The entry `ferrule/connect-link`, for pages of your own application that send end users to a connect link. It loads nothing else of the
 * library.
 */
export {
  ConnectError,
  type ConnectErrorCode,
  type ConnectResult,
  connectResult,
  type OpenConnectOptions,
  openConnect,
  type UnconnectedStatus,
} from './open-connect.ts'
