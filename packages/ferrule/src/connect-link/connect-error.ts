/** Why a link could not be opened. */

/** Codes of `ConnectError`. */
export type ConnectErrorCode = 'popup_blocked' | 'address_invalid' | 'status_unavailable'

/** The link could not be opened, or not be followed. The link itself stays as it was. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  /** Stable code; branch on it. */
  readonly code: ConnectErrorCode
  /** What to do next. */
  readonly hint: string

  constructor(code: ConnectErrorCode, message: string, hint: string) {
    super(`${message} ${hint}`)
    this.code = code
    this.hint = hint
  }
}
