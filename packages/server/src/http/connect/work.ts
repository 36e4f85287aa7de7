/** Calls to vendors that authorizations need, within the limits of the organization that made the link. */
import { writeAccount } from '../../connectors/account.ts'
import type { VendorWork } from '../../connectors/links/connect-types.ts'
import type { Services } from '../route.ts'

/** Builds the work. A request that its browser leaves is carried out all the same: a code is spent by its exchange. */
export function createVendorWork(services: Pick<Services, 'platform' | 'admission' | 'settings'>): VendorWork {
  const { engine } = services.platform
  const options = { deadlineMs: services.settings.operationSeconds * 1_000 }
  const within = async <T>(organizationId: string, run: () => Promise<T>): Promise<T> => {
    const { leave } = services.admission.enter(organizationId)
    try {
      return await run()
    } finally {
      leave()
    }
  }
  return {
    check: (organizationId, connection) => within(organizationId, () => engine.check(connection, options)),
    exchange: (organizationId, { connection, ...consented }) => within(organizationId, () => engine.exchangeConsent(connection, consented)),
    listAccounts: async (organizationId, connection) =>
      (await within(organizationId, () => engine.listConsentAccounts(connection, options))) ?? [],
    readAccount: async (organizationId, connection) =>
      writeAccount(await within(organizationId, () => engine.readAccount(connection, options))),
  }
}
