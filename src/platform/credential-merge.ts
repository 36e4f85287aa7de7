/** Replacing stored credentials, as a whole or in part. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import type { CredentialValues } from '../engine/connection.ts'
import { type CheckedCredentials, checkCredentials } from '../engine/credentials.ts'
import type { Secret } from '../engine/secret.ts'
import { asFerruleError } from '../errors.ts'

/** Stored credentials and their scheme. `values` is undefined when they cannot be opened. */
export interface StoredScheme {
  readonly scheme: string
  readonly values: Secret<CredentialValues> | undefined
}

/**
 * Merges fields into stored credentials (RFC 7396: null removes). What an answer of the vendor's token endpoint carried belongs
 * together: with one such field given, or one that is good for one exchange, the stored others are dropped. Fields of another scheme replace everything.
 * @throws FerruleError `credentials_mismatch`, `validation_failed`
 */
export function mergeCredentials(
  definition: ConnectorDefinition,
  stored: StoredScheme,
  given: Record<string, unknown>,
): CheckedCredentials {
  if (stored.values === undefined) return checkCredentials(definition, given)
  const kept = without(stored.values.reveal(), supersededBy(definition, stored.scheme, given))
  try {
    return checkCredentials(definition, { ...kept, ...given })
  } catch (error) {
    if (asFerruleError(error).code !== 'credentials_mismatch') throw error
    return checkCredentials(definition, given)
  }
}

const without = (values: CredentialValues, names: readonly string[]): CredentialValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))

function supersededBy(definition: ConnectorDefinition, scheme: string, given: Record<string, unknown>): readonly string[] {
  const refresh = definition.credentials[scheme]?.refresh
  if (refresh === undefined) return []
  const answered = [...Object.keys(refresh.read), ...(refresh.expires === undefined ? [] : [refresh.expires.field])]
  return [...answered, ...(refresh.spent ?? [])].some((name) => name in given) ? answered : []
}
