import { endpoints } from '../../wire/endpoints.ts'
import type { OrganizationInput, OrganizationList, OrganizationRecord } from '../../wire/organizations.ts'
import type { RequestOptions, Transport } from '../transport.ts'

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
    return this.#transport.json(endpoints.updateOrganization, { slots: { organization_id: id }, headers, body, ...options })
  }
}
