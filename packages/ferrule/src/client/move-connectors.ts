/** Moves connectors to a version of a kind of the organization, for the command and the console. */
import { asFerruleError } from '../errors.ts'
import type { Connectors } from './resources/connectors.ts'
import type { RequestOptions } from './transport.ts'

/** A connector that has moved. */
export interface MovedConnector {
  readonly id: string
  readonly name: string
}

/** A connector that stays with its version, and why: it needs credentials again or other values, or was deleted meanwhile. */
export interface LeftConnector extends MovedConnector {
  readonly version: number
  readonly reason: string
}

/** What became of the connectors of older versions. */
export interface ConnectorMoves {
  readonly moved: readonly MovedConnector[]
  readonly left: readonly LeftConnector[]
}

/**
 * Moves the connectors of all older versions. One that is refused is no failure: it stays, with the reason, and the next one is moved.
 * @throws FerruleError of a service that cannot be used now; a repeat moves the rest
 */
export async function moveConnectors(
  connectors: Connectors,
  { slug, version }: { readonly slug: string; readonly version: number },
  options: RequestOptions = {},
): Promise<ConnectorMoves> {
  const older: (MovedConnector & { readonly version: number })[] = []
  for await (const { id, name, kind_version } of connectors.list({ connector_type: slug }, options))
    if (kind_version !== undefined && kind_version < version) older.push({ id, name, version: kind_version })
  const moved: MovedConnector[] = []
  const left: LeftConnector[] = []
  for (const { id, name, version: before } of older) {
    try {
      await connectors.patch(id, { kind_version: version }, options)
      moved.push({ id, name })
    } catch (thrown) {
      const { message, retryable } = asFerruleError(thrown)
      if (retryable) throw thrown // the service, not this connector
      left.push({ id, name, version: before, reason: message })
    }
  }
  return { moved, left }
}
