import { type Endpoint, endpoints } from '../../wire/endpoints.ts'
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
  delete(id: string, options: RequestOptions = {}): Promise<OrganizationRemoval> {
    return this.#sendWithout(endpoints.deleteOrganization, id, options)
  }

  /** Restores a deleted organization with its workspaces, and with their connectors. */
  restore(id: string, options: RequestOptions = {}): Promise<OrganizationRecord> {
    return this.#sendWithout(endpoints.restoreOrganization, id, options)
  }

  /** Sends a request with a token that names no organization, because the service gives none for a deleted one. */
  async #sendWithout<T>(endpoint: Endpoint, id: string, options: RequestOptions): Promise<T> {
    const whole = new Transport({ ...this.#transport.settings, organizationId: undefined })
    const answer = await whole.json<T>(endpoint, { slots: slots(id), ...options })
    for (const each of [whole, this.#transport]) each.renewToken() // they may name the organization
    return answer
  }
}
