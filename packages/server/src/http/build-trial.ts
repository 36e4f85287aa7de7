/** Checks of new credentials at the vendor, within the organization's limits. */
import type { ErrorCode } from 'ferrule'
import { errorConsequences } from 'ferrule/internal'
import { writeAccount } from '../connectors/account.ts'
import type { CredentialTrial } from '../connectors/trial-types.ts'
import type { Principal } from '../values/access.ts'
import { limited } from './limited.ts'
import type { ProblemDocument } from './openapi/types.ts'
import type { Exchange, Services } from './route.ts'

const trialCodes: readonly ErrorCode[] = [
  ...(['rate_limited', 'overloaded', 'upstream_auth_failed', 'upstream_permission_denied', 'upstream_account_unavailable'] as const),
  ...(['upstream_rate_limited', 'upstream_error', 'upstream_unreachable', 'upstream_timeout', 'upstream_answer_invalid'] as const),
]

/** Errors of a trial. Refused credentials and a wrong address came with the request, so their status is 422. */
export const trialProblems: readonly ProblemDocument[] = [
  ...trialCodes.map((code) => (errorConsequences[code].credentials === 'refused' ? { code, status: 422 } : code)),
  { code: 'record_not_found', status: 422 },
]

/** Builds the trial of a creation or of new credentials. */
export const buildTrial = (exchange: Exchange<Principal>, services: Services): CredentialTrial => ({
  check: async (connection) => {
    const deadlineMs = services.settings.operationSeconds * 1_000
    let account: string | undefined
    await limited(exchange, services, async () => {
      account = writeAccount(await services.platform.engine.checkAccount(connection, { signal: exchange.signal, deadlineMs }))
      return { json: null }
    })
    return account
  },
  idempotencyKey: exchange.header('idempotency-key'),
  replayed: () => exchange.setHeader('idempotent-replayed', 'true'),
})
