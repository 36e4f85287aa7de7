/** Stores a keyed digest of credentials that the vendor has accepted, until they are refused or replaced. */
import type { KeptProof } from 'ferrule/engine'
import { computeCredentialDigest } from 'ferrule/internal'
import type { Parts } from '../main/parts.ts'
import { type CredentialsVersion, type SealedConnectorRow, setProof } from './sql/connectors.ts'

/**
 * Builds the proof of one access. Writes on change only: for new credentials, and after a refusal.
 * @param current version of the credentials in use
 */
export function createProof(parts: Parts, row: SealedConnectorRow, current: () => CredentialsVersion): KeptProof {
  let stored = row.proof
  const digest = (...[budget, values]: Parameters<KeptProof['holds']>) =>
    computeCredentialDigest(budget, values.reveal(), parts.masterKeys.current().proofs)
  const store = (proof: string | null): void => {
    stored = proof
    void parts.unfinished.add(setProof(parts.database.db, current(), proof).catch(parts.onBackgroundError))
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
