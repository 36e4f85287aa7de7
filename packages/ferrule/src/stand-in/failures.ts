/** Builds refusals in the form of the vendor: as they were recorded, else as the definition reads them. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { parsePath, withAt } from '../engine/json/paths.ts'
import type { ErrorCode } from '../errors.ts'
import type { RecordedAnswer, Recording } from '../kind-recordings/recording.ts'

/** What statuses mean, for vendors that say it by codes. */
const meanings: Readonly<Record<number, ErrorCode>> = {
  401: 'upstream_auth_failed',
  403: 'upstream_permission_denied',
  404: 'record_not_found',
  409: 'upstream_conflict',
  422: 'upstream_invalid_request',
  429: 'upstream_rate_limited',
}

/** The refusals of a vendor. */
export class Failures {
  readonly #definition: ConnectorDefinition
  readonly #recorded: readonly RecordedAnswer[]

  constructor(definition: ConnectorDefinition, recordings: readonly Recording[]) {
    this.#definition = definition
    this.#recorded = recordings.flatMap(({ exchanges }) => exchanges.map(({ answer }) => answer)).filter(({ status }) => status >= 400)
  }

  /** Builds a refusal. @param message where no recording has this status */
  build(status: number, message: string): RecordedAnswer {
    const recorded = this.#recorded.find((answer) => answer.status === status)
    return recorded ?? { status, headers: { 'content-type': 'application/json' }, body: this.#buildBody(status, message) }
  }

  #buildBody(status: number, message: string): unknown {
    const { problem, errors } = this.#definition
    const isPath = (path: string): boolean => !path.startsWith('header:')
    const code = errors.find(({ is, codes }) => is === meanings[status] && codes !== undefined)?.codes?.[0]
    const [at = 'message'] = problem.message.filter(isPath)
    const said = withAt(undefined, parsePath(at), message)
    const coded =
      problem.code === undefined || code === undefined || !isPath(problem.code) ? said : withAt(said, parsePath(problem.code), code)
    const { failed } = problem
    return failed?.is === undefined ? coded : withAt(coded, parsePath(failed.at), failed.is)
  }
}
