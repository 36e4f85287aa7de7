/** Keeps decrypted credentials for seconds, so that the calls of a busy connector decrypt them once. */

import type { CredentialValues, Secret } from 'ferrule/engine'
import { BoundedMap } from 'ferrule/internal'

/** Maximum number of connectors whose credentials are kept. */
const mostConnectors = 1_000
/** Longest time in milliseconds that credentials are kept, of deleted connectors too. */
const longestMs = 10_000

interface Opened {
  readonly identity: Buffer
  readonly sealed: Buffer
  readonly values: Secret<CredentialValues>
}

/** What credentials are sealed with. */
export interface SealedBytes {
  readonly connectorId: string
  /** The identity that the bytes are bound to. */
  readonly identity: Buffer
  readonly sealed: Uint8Array
}

/**
 * Credentials that were decrypted within the last seconds. They are found by the encrypted bytes, which the caller reads from the database
 * at each call: credentials that were replaced, re-encrypted or deleted, on whatever node, are never found.
 */
export class RecentlyOpened {
  readonly #opened = new BoundedMap<string, Opened>(mostConnectors)
  #timer: NodeJS.Timeout | undefined

  /** Returns the credentials of the same bytes and identity. */
  find({ connectorId, identity, sealed }: SealedBytes): Secret<CredentialValues> | undefined {
    const known = this.#opened.get(connectorId)
    return known?.identity.equals(identity) && known.sealed.equals(sealed) ? known.values : undefined
  }

  /** Keeps credentials until the next sweep. */
  add({ connectorId, identity, sealed }: SealedBytes, values: Secret<CredentialValues>): void {
    this.#opened.set(connectorId, { identity, sealed: Buffer.from(sealed), values })
    this.#timer ??= setTimeout(() => this.#sweep(), longestMs).unref()
  }

  #sweep(): void {
    this.#opened.clear()
    this.#timer = undefined
  }
}
