import { endpoints } from '../../wire/endpoints.ts'
import type { JobRecord } from '../../wire/jobs.ts'
import type { RequestOptions, Transport } from '../transport.ts'

/** Jobs that the service does after its answer. */
export class Jobs {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Reads a job. Jobs are kept for 30 days. */
  get(id: string, options: RequestOptions = {}): Promise<JobRecord> {
    return this.#transport.json(endpoints.getJob, { slots: { job_id: id }, ...options })
  }
}
