/** Trials of credentials for tests that are about something else. */
import type { CredentialTrial } from '../../packages/server/src/connectors/trial-types.ts'

/** A trial that takes all credentials: they count as checked, and no account is known. */
export const taken = { check: () => Promise.resolve(undefined) } satisfies CredentialTrial
