/** Replaces stored credentials, in full or in part. */
import type { ConnectorDefinition } from 'ferrule/definition'
import { type CheckedCredentials, type CredentialValues, checkCredentials, type Secret } from 'ferrule/engine'
import { asFerruleError } from 'ferrule/internal'

/** Stored credentials and their scheme. `values` is undefined when they cannot be opened. */
export interface StoredScheme {
  readonly scheme: string
  readonly values: Secret<CredentialValues> | undefined
}

/**
 * Merges fields into stored credentials (RFC 7396: null removes). The fields of a token answer belong together. A new one of them, or a
 * single-use field, removes the other stored ones. Fields of another scheme replace everything.
 * @throws FerruleError `credentials_mismatch`, `validation_failed`
 */
export function mergeCredentials(
  definition: ConnectorDefinition,
  stored: StoredScheme,
  given: Record<string, unknown>,
): CheckedCredentials {
  if (stored.values === undefined) return checkCredentials(definition, given)
  const kept = omitFields(stored.values.reveal(), listSuperseded(definition, stored.scheme, given))
  try {
    return checkCredentials(definition, { ...kept, ...given })
  } catch (error) {
    if (asFerruleError(error).code !== 'credentials_mismatch') throw error
    return checkCredentials(definition, given)
  }
}

const omitFields = (values: CredentialValues, names: readonly string[]): CredentialValues =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))

function listSuperseded(definition: ConnectorDefinition, scheme: string, given: Record<string, unknown>): readonly string[] {
  const exchange = definition.credentials[scheme]?.exchange
  if (exchange === undefined) return []
  const { read, expires, code } = exchange
  const answered = [...Object.keys(read), ...(expires === undefined ? [] : [expires.field])]
  return [...answered, ...(code?.field === undefined ? [] : [code.field])].some((name) => name in given) ? answered : []
}
