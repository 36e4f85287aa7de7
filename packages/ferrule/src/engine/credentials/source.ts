/** Where the engine gets credentials, what it keeps of them, and how they stay out of what is printed. */
import { isBasic } from '../../definition/templates.ts'

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
  /** Returns the current credentials. @throws FerruleError `credentials_unreadable` */
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

const shown = '[secret]'
/** The method that Node prints values by. Its registered name needs no import of Node, which projects for browsers have no types of. */
const inspectMethod: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/**
 * A value that prints as `[secret]` in strings, JSON and inspection. `MAY_REVEAL` in test/support/house-rules.ts lists the files that may
 * reveal it.
 */
export class Secret<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** Returns the value itself. Call it where the secret is used, and keep no copy. */
  reveal(): T {
    return this.#value
  }

  toString(): string {
    return shown
  }

  toJSON(): string {
    return shown
  }

  [inspectMethod](): string {
    return shown
  }
}

/** Removes secrets from a vendor's string. */
export type Redact = (text: string) => string

/** Lists the forms of a value: as it is, in a URL, in a form body and within JSON. */
const listForms = (value: string): string[] => [
  value,
  encodeURIComponent(value.toWellFormed()),
  new URLSearchParams({ '': value }).toString().slice(1),
  JSON.stringify(value).slice(1, -1),
]

/**
 * Makes a redactor of secret values. Ignores values below four characters, because they would redact ordinary words.
 * @param list returns the values; called at the first error only
 */
export function createRedactor(list: () => readonly string[]): Redact {
  let known: readonly string[] | undefined
  return (text) => {
    known ??= list()
      .filter((secret) => secret.length >= 4)
      .flatMap(listForms)
    return known.reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), text)
  }
}

const basic = 'Basic '
/** Encodes a header of HTTP Basic (RFC 7617); returns any other as it is. @param header for Basic: `Basic <user>:<password>` */
export const encodeHeader = (header: string): string =>
  isBasic(header) ? basic + Buffer.from(header.slice(basic.length)).toString('base64') : header
