/** Checks whether a principal would still be let in, while an answer to it is sent. */
import { fail } from 'ferrule/internal'
import { findConnector } from '../../connectors/sql/connectors.ts'
import type { Stored } from '../../main/parts.ts'
import { asId } from '../../values/ids.ts'
import type { ConsoleSessions } from '../sessions/session-types.ts'
import { isGranted } from '../sql/applications.ts'
import type { Liveness } from './token-types.ts'

/** Builds the service. */
export const createLiveness = ({ database: { db }, source }: Stored, { isHeld }: Pick<ConsoleSessions, 'isHeld'>): Liveness => ({
  check: async (principal, { connectorId, countsToken }) => {
    const { applicationId, organizationId, token } = principal
    const isSession = token.sessionDigest !== undefined
    if (countsToken && !isSession && token.expiresAt <= source.clock()) throw fail('token_expired', {})
    if (countsToken && isSession && !(await isHeld(token.sessionDigest))) throw fail('session_ended', {})
    if (!(await isGranted(db, applicationId, organizationId))) throw fail('organization_forbidden', {})
    const id = asId(connectorId)
    if (id === undefined || (await findConnector(db, principal, id)) === undefined) throw fail('connector_not_found', {})
  },
})
