/** For hosts that run operations of a kind with their own credentials. */

export { JsonText, parseJson, readJson, writeJson } from '../values/json/json.ts'
export { type ListPage, type WalkOptions, walkPages } from '../values/walks/walk.ts'
export type { Apart } from './call/apart-answer.ts'
export type { ApartJob, ApartResult } from './call/apart-job.ts'
export { type CheckOptions, createEngine, type Engine, type EngineOptions } from './call/execute.ts'
export { admitParams, type CompiledOperation, findOperation, nameOperation, type Params } from './call/operation.ts'
export type { Call, FileAnswer, Outcome, RecordKey } from './call/outcome.ts'
export { takesVendorRequests } from './call/vendor-request.ts'
export type { Connection, VendorNotice } from './connection.ts'
export type { ConsentAccount } from './consent/accounts.ts'
export { type AccountIdentity, isSameAccount, keepsAccount } from './consent/accounts.ts'
export {
  buildConsentUrl,
  type ConsentReturn,
  type ConsentScheme,
  type ConsentUrlOptions,
  describeReadable,
  findConsent,
  type ReadableEntity,
  readConsentReturn,
} from './consent/consent-page.ts'
export type { ConsentCode } from './consent/exchange.ts'
export { type CheckedCredentials, checkConfiguration, checkCredentials, normaliseConfiguration } from './credentials/check-credentials.ts'
export type { BareConnection } from './credentials/exchange.ts'
export type { CredentialSource, CredentialValues, KeptProof, OpenedCredentials } from './credentials/source.ts'
export { Secret } from './credentials/source.ts'
export { defaultDeadlineMs } from './http/deadline.ts'
export { BodyMemory, type MemoryLease, type MemoryOptions } from './http/memory.ts'
export { findWholeHost, type OriginOverride } from './http/origin.ts'
export { RawJson, RawRows } from './json/raw-rows.ts'
export { Costs } from './limits/bucket.ts'
export { createMemoryBudget, MemoryLimiter } from './limits/in-memory.ts'
export type { Asker, Budget, Level, Limiter, Reservation, Turn, Wish } from './limits/limits.ts'
export { type Claim, claimLifeMs, createMemoryClaims, type Hold, type WriteClaims } from './writes/claims.ts'
