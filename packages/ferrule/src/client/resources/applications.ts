import type {
  ApplicationInput,
  ApplicationList,
  ApplicationRecord,
  ApplicationRemoval,
  ApplicationSecret,
} from '../../wire/applications.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { RequestOptions, Transport } from '../transport.ts'

const slots = (id: string) => ({ application_id: id })

/** Applications of the organization: client ids with secrets. */
export class Applications {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the applications that reach the organization, without secrets. */
  async list(options: RequestOptions = {}): Promise<readonly ApplicationRecord[]> {
    return (await this.#transport.json<ApplicationList>(endpoints.listApplications, options)).data
  }

  /** Creates an application. Its secret is in this answer only. */
  create(body: ApplicationInput, options: RequestOptions = {}): Promise<ApplicationSecret> {
    return this.#transport.json(endpoints.createApplication, { body, ...options })
  }

  /** Renames an application. Its client id and its secret stay. */
  update(id: string, body: ApplicationInput, options: RequestOptions = {}): Promise<ApplicationRecord> {
    return this.#transport.json(endpoints.updateApplication, { slots: slots(id), body, ...options })
  }

  /** Replaces the secret of an application. The old one fails at once; the new one is in this answer only. */
  rotateSecret(id: string, options: RequestOptions = {}): Promise<ApplicationSecret> {
    return this.#transport.json(endpoints.rotateApplicationSecret, { slots: slots(id), ...options })
  }

  /** Deletes an application, but not the one that asks. */
  delete(id: string, options: RequestOptions = {}): Promise<ApplicationRemoval> {
    return this.#transport.json(endpoints.deleteApplication, { slots: slots(id), ...options })
  }
}
