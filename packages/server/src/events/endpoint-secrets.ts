/** Makes, seals and opens the secrets that sign the events of an endpoint. */
import { Secret } from 'ferrule/engine'
import { asFerruleError, formatWebhookSecret } from 'ferrule/internal'
import type { Parts } from '../main/parts.ts'
import type { EndpointRow } from './sql/webhooks.ts'

type SecretParts = Pick<Parts, 'source' | 'masterSeals'>
type EndpointSecrets = Pick<EndpointRow, 'sealed' | 'master_key_id' | 'previous_until'>

/** A new secret, with the columns that keep it. */
export interface NewEndpointSecret {
  /** Shown to its maker, once. */
  readonly secret: string
  readonly columns: EndpointSecrets
}

function seal({ masterSeals }: SecretParts, row: Pick<EndpointRow, 'organization_id' | 'id'>, values: Readonly<Record<string, string>>) {
  const ref = { organizationId: row.organization_id, endpointId: row.id }
  const { masterKeyId, sealed } = masterSeals.seal(ref, new Secret(values))
  return { sealed, master_key_id: masterKeyId }
}

const open = ({ masterSeals }: Pick<Parts, 'masterSeals'>, row: EndpointRow) =>
  masterSeals
    .open({ organizationId: row.organization_id, endpointId: row.id }, { masterKeyId: row.master_key_id, sealed: row.sealed })
    .reveal()

/** Makes the first secret of an endpoint. Call it in the transaction that stores it. */
export function makeSecret(parts: SecretParts, row: Pick<EndpointRow, 'organization_id' | 'id'>): NewEndpointSecret {
  const secret = formatWebhookSecret(parts.source.randomBytes(32))
  return { secret, columns: { ...seal(parts, row, { current: secret }), previous_until: null } }
}

/** Opens the secret that signs now; empty if it cannot be opened: then a new one replaces it at once. */
function openCurrent(parts: SecretParts, row: EndpointRow): string {
  try {
    return open(parts, row).current ?? ''
  } catch (thrown) {
    if (asFerruleError(thrown).code === 'credentials_unreadable') return ''
    throw thrown
  }
}

/** Makes another secret; the one before signs too until a time. Call it in the transaction that stores it. */
export function replaceSecret(parts: SecretParts, row: EndpointRow, previousUntil: number): NewEndpointSecret {
  const secret = formatWebhookSecret(parts.source.randomBytes(32))
  const previous = openCurrent(parts, row)
  return { secret, columns: { ...seal(parts, row, { current: secret, previous }), previous_until: previousUntil } }
}

/** Opens the secrets that sign now, the newest first. @throws FerruleError `credentials_unreadable` */
export function openSecrets(parts: Pick<Parts, 'masterSeals'>, row: EndpointRow, now: number): readonly string[] {
  const { current = '', previous = '' } = open(parts, row)
  return previous !== '' && now < (row.previous_until ?? 0) ? [current, previous] : [current]
}
