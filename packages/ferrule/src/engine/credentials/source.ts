/** Where the engine gets credentials, and what it keeps of them. */
import type { Secret } from './secret.ts'

/** Credential fields by name, as the kind's schemes declare them. */
export type CredentialValues = Readonly<Record<string, string>>

/** Credentials with their version. */
export interface OpenedCredentials {
  readonly values: Secret<CredentialValues>
  /** Changes with every replacement of the credentials. */
  readonly version: string
}

/** The source of credentials: the vault of the platform, or the memory of the library. */
export interface CredentialSource {
  /**
   * Returns the current credentials.
   * @throws FerruleError `credentials_unreadable`
   */
  open(): Promise<OpenedCredentials>
  /**
   * Replaces credentials that the vendor refuses. One exchange runs at a time for a connector, across all nodes. If the current version is
   * no longer `stale`, returns the current credentials and does not call `exchange`. Stores the result of `exchange` durably before it
   * resolves.
   * @throws what `exchange` throws; after `upstream_auth_failed` the connector is marked
   */
  renew(stale: string, exchange: (current: Secret<CredentialValues>) => Promise<Secret<CredentialValues>>): Promise<OpenedCredentials>
}

/** Stored proofs that the vendor accepted credentials: a keyed digest of the credentials and of their shared budget. */
export interface KeptProof {
  /** Returns whether the vendor accepted these credentials for the budget with this key. */
  holds(budget: string, values: Secret<CredentialValues>): boolean
  /** Stores that the vendor accepted the credentials, or deletes the proof. Runs in the background and never throws. */
  keep(budget: string, values: Secret<CredentialValues>, taken: boolean): void
}
