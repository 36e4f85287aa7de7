/** Engines for tests of the platform. */
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'

const refuse = () => Promise.reject(new Error('this test has no vendor'))

/** Builds an engine that has no vendor, but for the given methods. It takes all credentials, and knows no account. */
export const createStubEngine = (more: Partial<Engine> = {}): Engine => ({
  ...{ run: refuse, check: refuse, scopes: refuse, exchangeConsent: refuse, listConsentAccounts: refuse },
  ...{ revokeConsent: refuse, readAccount: refuse, request: refuse, checkAccount: async () => undefined, close: async () => undefined },
  ...more,
})
