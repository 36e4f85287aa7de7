/** Engines for tests of the platform. */
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'

const refuse = () => Promise.reject(new Error('this test has no vendor'))

/** Builds an engine that has no vendor, but for the given methods. */
export const createStubEngine = (more: Partial<Engine> = {}): Engine => ({
  ...{ run: refuse, check: refuse, scopes: refuse, exchangeConsent: refuse, listConsentAccounts: refuse },
  ...{ revokeConsent: refuse, readAccount: refuse, checkAccount: refuse, close: async () => undefined },
  ...more,
})
