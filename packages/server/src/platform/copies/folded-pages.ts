/** Remembers pages of live reads whose records the copy has. The same page again then needs neither hashes nor probes. */
import { hash } from 'node:crypto'
import { type Call, writeJson } from 'ferrule/engine'
import { BoundedMap } from '../bounded-map.ts'
import type { ConnectorAccess } from '../model/access.ts'

/** Maximum number of remembered pages; each takes about 200 bytes. */
const mostPages = 10_000
/** Longest time in milliseconds that a page is remembered. It bounds the trust in a count after a database was restored. */
const rememberedMs = 600_000

/** Digests a vendor's body. */
export const digestBody = (body: Buffer): string => hash('sha256', body, 'base64url')

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
