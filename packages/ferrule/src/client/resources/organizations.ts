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
  create(body: OrganizationInput, options: RequestOptions = {}): Promise<OrganizationRecord> {
    return this.#transport.json(endpoints.createOrganization, { body, ...options })
  }
}
