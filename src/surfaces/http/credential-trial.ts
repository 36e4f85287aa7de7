/** Trying credentials of a request at the vendor, within the organization's limits. */
import type { CredentialTrial } from '../../platform/trial-types.ts'
import type { Principal } from '../../platform/types.ts'
import { limited } from './limited.ts'
import type { Exchange, Services } from './route.ts'

/** What a trial can end with. */
export const trialProblems = [
  ...(['rate_limited', 'overloaded', 'upstream_auth_failed', 'upstream_permission_denied', 'upstream_account_unavailable'] as const),
  ...(['upstream_rate_limited', 'upstream_error', 'upstream_unreachable', 'upstream_timeout', 'upstream_answer_invalid'] as const),
] as const

/** The trial of a creation or of new credentials. */
export const trialOf = (exchange: Exchange<Principal>, services: Services): CredentialTrial => ({
  check: async (connection) => {
    const deadlineMs = services.settings.operationSeconds * 1_000
    await limited(exchange, services, async () => {
      await services.engine.check(connection, { signal: exchange.signal, deadlineMs })
      return { json: null }
    })
  },
  idempotencyKey: exchange.header('idempotency-key'),
  replayed: () => exchange.setHeader('idempotent-replayed', 'true'),
})
