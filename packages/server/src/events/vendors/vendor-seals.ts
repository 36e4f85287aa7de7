/** Seals and opens what is stored of vendors' webhooks: secrets that verify, and what events say. */
import { type CredentialValues, readJson, Secret, writeJson } from 'ferrule/engine'
import type { WebhookEvent } from 'ferrule/internal'
import type { Parts } from '../../main/parts.ts'
import type { MasterSealedBytes, SourceRow } from '../sql/vendor-events.ts'

type SealParts = Pick<Parts, 'masterSeals'>
type Owner = Pick<SourceRow, 'organization_id' | 'id'>

const toRef = ({ organization_id: organizationId, id: sourceId }: Owner, part: 'secret' | 'event') => ({ organizationId, sourceId, part })

/** Seals the secret of an address. Call it in the transaction that stores it. @param name of the kind's secret of webhooks */
export function sealSourceSecret(
  { masterSeals }: SealParts,
  owner: Owner,
  { name, text }: { name: string; text: string },
): MasterSealedBytes {
  const { masterKeyId, sealed } = masterSeals.seal(toRef(owner, 'secret'), new Secret({ [name]: text }))
  return { sealed, master_key_id: masterKeyId }
}

/** Opens the secret of an address; undefined without one of its own. @throws FerruleError `credentials_unreadable` */
export function openSourceSecret({ masterSeals }: SealParts, row: SourceRow): Secret<CredentialValues> | undefined {
  const { sealed, master_key_id: masterKeyId } = row
  return sealed === null || masterKeyId === null ? undefined : masterSeals.open(toRef(row, 'secret'), { masterKeyId, sealed })
}

/** Names a secret that a request has stated, and nobody has confirmed. It is not the kind's name, so it verifies nothing. */
const nameOffered = (name: string): string => `offered ${name}`

/** Opens the secret that a request has stated; undefined without one. @throws FerruleError `credentials_unreadable` */
export const openOfferedSecret = (parts: SealParts, row: SourceRow, name: string): string | undefined =>
  openSourceSecret(parts, row)?.reveal()[nameOffered(name)]

/** Seals a secret that a request states; undefined where the address has it already. */
export function sealOfferedSecret(
  parts: SealParts,
  row: SourceRow,
  { name, secret }: { readonly name: string; readonly secret: Secret<CredentialValues> },
): MasterSealedBytes | undefined {
  const { [name]: text = '' } = secret.reveal()
  return openOfferedSecret(parts, row, name) === text ? undefined : sealSourceSecret(parts, row, { name: nameOffered(name), text })
}

/** Seals what an event says. Call it in the transaction that stores it. */
export function sealVendorEvent({ masterSeals }: SealParts, owner: Owner, event: WebhookEvent): MasterSealedBytes {
  const { masterKeyId, sealed } = masterSeals.seal(toRef(owner, 'event'), new Secret({ event: writeJson(event) }))
  return { sealed, master_key_id: masterKeyId }
}

/** Opens what an event says. @throws FerruleError `credentials_unreadable` */
export function openVendorEvent(
  { masterSeals }: SealParts,
  row: MasterSealedBytes & { readonly organization_id: string; readonly source_id: string },
): WebhookEvent {
  const { sealed, master_key_id: masterKeyId, organization_id, source_id: id } = row
  const { event = '' } = masterSeals.open(toRef({ organization_id, id }, 'event'), { masterKeyId, sealed }).reveal()
  return readJson(event) as WebhookEvent // authenticated bytes that `sealVendorEvent` wrote
}
