/** Remembers pages of live reads whose records the copy has. The same page again then needs neither hashes nor probes. */

import { hash } from 'node:crypto'
import { type Call, writeJson } from 'ferrule/engine'
import { BoundedMap } from 'ferrule/internal'
import type { ConnectorAccess } from '../values/access.ts'

/** Maximum number of remembered pages; each takes about 200 bytes. */
const mostPages = 10_000
/** Longest time in milliseconds that a page is remembered. It bounds the trust in a count after a database was restored. */
const rememberedMs = 600_000

/** Maximum number of kept bodies, and the largest one in bytes: 8 MiB together. */
const mostBodies = 64
const longestBody = 131_072

/** Digests a vendor's body. */
export const digestBody = (body: Buffer): string => hash('sha256', body, 'base64url')

/** A body that was read; its bytes only after it was read twice, so that lists that change copy nothing. */
interface ReadBody {
  readonly digest: string
  readonly bytes?: Uint8Array
}

/** Digests bodies, and compares them with the latest ones first: 60 kB are compared in 2 µs and digested in 40. */
export class BodyDigests {
  readonly #bodies = new BoundedMap<string, ReadBody>(mostBodies)
  #clearing: NodeJS.Timeout | undefined

  /**
   * Returns what `digestBody` returns.
   * @param list name of the connector and the entity; bodies are compared with those of the same list only
   */
  digest(list: string, body: Buffer): string {
    if (body.length > longestBody) return digestBody(body)
    const name = `${list} ${body.length}`
    const last = this.#bodies.get(name)
    if (last?.bytes !== undefined && body.equals(last.bytes)) return last.digest
    const digest = digestBody(body)
    // A copy, because the engine frees the memory of the body.
    this.#bodies.set(name, last?.digest === digest ? { digest, bytes: new Uint8Array(body) } : { digest })
    this.#clearing ??= setTimeout(() => this.clear(), rememberedMs).unref()
    return digest
  }

  /** Drops all bodies. It happens by itself too, so that no body of a removed connector stays. */
  clear(): void {
    clearTimeout(this.#clearing)
    this.#clearing = undefined
    this.#bodies.clear()
  }
}

/**
 * Names a page by all that makes its records: the connector with its configuration, the call, and the vendor's body.
 * @param digest result of `digestBody`
 */
export function namePage({ place, connection }: ConnectorAccess, { entity, action, params }: Call, digest: string): string {
  const made = [place.connectorId, connection.configuration, entity, action, params ?? {}, digest]
  return hash('sha256', writeJson(made), 'base64url')
}

/** Pages with the counts of changes at which the copy had their records. */
export class FoldedPages {
  readonly #pages = new BoundedMap<string, { readonly storedAt: bigint; readonly until: number }>(mostPages)

  /**
   * Remembers a page.
   * @param storedAt count of changes of the rows, when each record was stored as it is
   */
  add(page: string, storedAt: bigint): void {
    this.#pages.set(page, { storedAt, until: performance.now() + rememberedMs })
  }

  /** Returns the count of changes at which the copy had the page; undefined for an unknown page. */
  find(page: string): bigint | undefined {
    const known = this.#pages.get(page)
    return known === undefined || known.until < performance.now() ? undefined : known.storedAt
  }
}
