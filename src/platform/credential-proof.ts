/** Whether a connector's credentials have proven themselves to the vendor: kept beside them as a keyed digest, and over with them. */
import type { KeptProof } from '../engine/connection.ts'
import { credentialDigest } from '../engine/limits.ts'
import { type CredentialsVersion, type SealedConnectorRow, setProof } from './db/queries-connectors.ts'
import type { Parts } from './parts.ts'

/**
 * What is kept for one access. It is written on change only: once for new credentials, and when the vendor refuses them.
 * @param current the version of the credentials that was handed out last
 */
export function createProof(parts: Parts, row: SealedConnectorRow, current: () => CredentialsVersion): KeptProof {
  let stored = row.proof
  const digest = (...[budget, values]: Parameters<KeptProof['holds']>) =>
    credentialDigest(budget, values.reveal(), parts.masterKeys.current().proofs)
  const store = (proof: string | null): void => {
    stored = proof
    const written = setProof(parts.database.db, current(), proof)
      .catch(parts.onBackgroundError)
      .finally(() => parts.unfinished.delete(written))
    parts.unfinished.add(written)
  }
  return {
    holds: (budget, values) => stored !== null && stored === digest(budget, values),
    keep: (budget, values, taken) => {
      if (!taken && stored === null) return
      const proof = digest(budget, values)
      if (taken !== (stored === proof)) store(taken ? proof : null)
    },
  }
}
