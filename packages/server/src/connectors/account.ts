/** Writes the account behind credentials as a connector stores it. */
import type { AccountIdentity } from 'ferrule/engine'

/** Writes an account as JSON. @returns undefined for one that nothing proves: it is not remembered, so a later try can prove it */
export const writeAccount = (account: AccountIdentity | undefined): string | undefined =>
  account === undefined || account.unproven !== undefined ? undefined : JSON.stringify(account)
