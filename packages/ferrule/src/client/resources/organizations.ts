import { endpoints } from '../../wire/endpoints.ts'
import type { OrganizationInput, OrganizationList, OrganizationRecord, OrganizationRemoval } from '../../wire/organizations.ts'
import { type RequestOptions, Transport } from '../transport.ts'

const slots = (id: string) => ({ organization_id: id })

/** Organizations that the client reaches. */
export class Organizations {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists all of them. */
  async list(options: RequestOptions = {}): Promise<readonly OrganizationRecord[]> {
    return (await this.#transport.json<OrganizationList>(endpoints.listOrganizations, options)).data
  }

  /** Creates an organization. Name it as `organizationId` of a client to work in it. */
  async create(body: OrganizationInput, options: RequestOptions = {}): Promise<OrganizationRecord> {
    const made = await this.#transport.json<OrganizationRecord>(endpoints.createOrganization, { body, ...options })
    this.#transport.renewToken()
    return made
  }

  /** Renames an organization: the one that the client names as `organizationId`, or any of a client that names none. */
  update(id: string, body: OrganizationInput, options: RequestOptions = {}): Promise<OrganizationRecord> {
    const headers = { 'x-organization-id': id }
    return this.#transport.json(endpoints.updateOrganization, { slots: slots(id), headers, body, ...options })
  }
  /** Deletes an organization with everything in it. It can be restored for 30 days. */
  async delete(id: string, options: RequestOptions = {}): Promise<OrganizationRemoval> {
    const removal = await this.#withoutOrganization().json<OrganizationRemoval>(endpoints.deleteOrganization, {
      slots: slots(id),
      ...options,
    })
    this.#transport.renewToken()
    return removal
  }

  /** Restores a deleted organization with its workspaces, and with their connectors. */
  async restore(id: string, options: RequestOptions = {}): Promise<OrganizationRecord> {
    const restored = await this.#withoutOrganization().json<OrganizationRecord>(endpoints.restoreOrganization, {
      slots: slots(id),
      ...options,
    })
    this.#transport.renewToken()
    return restored
  }

  /** Returns a transport whose token names no organization: the service gives none for a deleted one. */
  #withoutOrganization(): Transport {
    return new Transport({ ...this.#transport.settings, organizationId: undefined })
  }
}
