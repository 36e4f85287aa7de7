/** Assembles links, their page, and the operator's applications at vendors (docs/decisions/connect-links.md). */
import { fail } from 'ferrule/internal'
import { connectConnectorInput } from 'ferrule/wire'
import type { Parts } from '../../main/parts.ts'
import { readBody } from '../../values/read.ts'
import type { Connectors } from '../connector-types.ts'
import { chooseAccounts, listChoices } from './accounts.ts'
import { authorizeConnector, beginAuthorization, requireKind } from './authorization.ts'
import type { ConnectPages } from './connect-types.ts'
import { beginConsent } from './consent.ts'
import { takeReturn } from './consent-return.ts'
import { getLinkStatus, requireOpen } from './link-record.ts'
import { buildConnectPage } from './page.ts'
import { buildConfiguration } from './page-values.ts'
import { findAnyLink, openSession, requireVisit } from './visits.ts'

/** Builds the page's methods. @param connectors reads stored connectors, to compare accounts */
export function createConnectPages(parts: Parts, connectors: Pick<Connectors, 'readAccess'>): ConnectPages {
  const own = { ...parts, connectors }
  return {
    open: async (body) => {
      const { cookie, ...visit } = await openSession(parts, body)
      return { page: await buildConnectPage(parts, visit), cookie }
    },
    read: async (given) => {
      const visit = await requireVisit(parts, given)
      const now = parts.source.clock()
      if (getLinkStatus(visit.link, now) !== 'used') requireOpen(visit.link, now)
      return buildConnectPage(parts, visit)
    },
    authorize: async (given, body) => {
      const visit = await requireVisit(parts, given)
      const wanted = readBody(connectConnectorInput, body)
      const kind = requireKind(parts, visit, wanted.kind)
      const configuration = await buildConfiguration(parts, visit, { kind, given: wanted.configuration })
      await beginAuthorization(parts, visit)
      const { credentials, name } = wanted
      return authorizeConnector(own, visit, { kind, configuration, name, credentials })
    },
    begin: async (given, body) => beginConsent(parts, await requireVisit(parts, given), body),
    takeReturn: (given) => parts.unfinished.add(takeReturn(own, given)),
    listAccounts: (visit) => listChoices(parts, visit),
    choose: (given, body) => chooseAccounts(own, given, body),
    readStatus: async (linkId, origin) => {
      const link = await findAnyLink(parts, linkId)
      if (link === undefined || link.allowed_origin === null || link.allowed_origin !== origin) throw fail('connect_link_not_found', {})
      return { status: getLinkStatus(link, parts.source.clock()), connector_id: link.connector_id }
    },
  }
}
