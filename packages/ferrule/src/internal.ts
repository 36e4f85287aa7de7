/** Exports for the server beside the documented entries. Undocumented and outside semantic versioning. */
export { toConnector } from './agent/sources/hosted.ts'
export { markUnreviewed } from './agent/unreviewed.ts'
export { Hosted } from './client/connector.ts'
export { findTransport } from './client/ferrule.ts'
export { type ConnectorMoves, type LeftConnector, moveConnectors } from './client/move-connectors.ts'
export { readProblem } from './client/problem.ts'
export { clientVariables } from './client/settings.ts'
export { formatWebhookSecret, signWebhook } from './client/webhook-signature.ts'
export { kinds } from './connectors/index.ts'
export { relatedName } from './definition/check-references.ts'
export { findSyncedOperation } from './definition/check-sync.ts'
export { compareKinds, type KindChange, kindChangeMeanings } from './definition/compare.ts'
export { readSlug } from './definition/connector.ts'
export { liveActions } from './definition/entity.ts'
export { isOptional } from './definition/fields.ts'
export { isObject } from './definition/object.ts'
export {
  type FieldOperator,
  type FilterOperator,
  fieldOperators,
  filterLimits,
  filterOperators,
  findUnsuited,
  isFieldOperator,
  type OperandForm,
  type OperatorOf,
  operandForms,
  operators,
  type SearchFieldType,
  searchOperators,
} from './definition/operators.ts'
export { findShape } from './definition/page.ts'
export {
  buildObjectSchema,
  type Comparison,
  findField,
  formatDocumentedType,
  formatPlainType,
  readComparison,
  toPlainSchema,
} from './definition/plain-schema.ts'
export { fillLink, findTitle, readRecordText } from './definition/record-texts.ts'
export { listEach, listParentNames, readLookback, readSetting } from './definition/sync.ts'
export {
  type Block,
  code,
  fieldRows,
  heading,
  paragraph,
  printBlocks,
  printRecordLink,
  standAlone,
  table,
} from './document/blocks.ts'
export { buildEntityDocument, toSchema } from './document/build-documents.ts'
export { describeInParts, describeKind, isCertified, type Section } from './document/describe-kind.ts'
export { buildExample } from './document/example.ts'
export { buildReference, joinPage, printKindPage } from './document/kind-page.ts'
export {
  buildCallExamples,
  type DocumentedOperation,
  listOperations,
  listSearchable,
  nameEntity,
  type SearchableEntity,
} from './document/operations.ts'
export {
  findReferenceEntries,
  findTrial,
  type InlinePiece,
  listReferenceEntries,
  type ReferenceEntry,
  type ReferenceExample,
  type ReferencePart,
  type ReferenceSection,
  readInline,
  readPlain,
  splitSection,
} from './document/reference.ts'
export { buildSandboxValues, type SandboxValues, sandboxValues } from './document/sandbox-values.ts'
export { readApart } from './engine/call/apart.ts'
export { fillParams } from './engine/call/operation.ts'
export { readBatches } from './engine/call/page-records.ts'
export { findMissingScopes } from './engine/call/vendor-scopes.ts'
export { awaitUnlessAborted, clocks } from './engine/http/deadline.ts'
export { Http } from './engine/http/http.ts'
export { type Proxies, parseProxyUrl, proxyRule } from './engine/http/proxies.ts'
export { isPublicUrl } from './engine/http/public-address.ts'
export { isNeverSent } from './engine/http/unsent.ts'
export { buildTest, buildTests, copyJson, getAt, type Path, parsePath, setAt } from './engine/json/paths.ts'
export { loadLineReader, splitRawJson } from './engine/json/raw-rows.ts'
export { compileFields, parseInteger, parseTimestamp } from './engine/json/validate.ts'
export { buildStart, buildTimeReader, parseTime, toParamPath, writeTime } from './engine/json/vendor-times.ts'
export { computeCredentialDigest } from './engine/limits/limits.ts'
export { RecentTimes } from './engine/limits/windows.ts'
export {
  buildSubscriptions,
  listWebhookAccounts,
  readWebhook,
  type SubscriptionRequest,
  type WebhookEvent,
  type WebhookReading,
  type WebhookRequest,
  webhookLimits,
} from './engine/webhooks/read-webhook.ts'
export { normaliseRequestId } from './engine/writes/claims.ts'
export { errorConsequences } from './error-consequences.ts'
export { asFerruleError, errorTable, fail, failValidation, fillHint, isErrorCode, moveProblem } from './errors.ts'
export { type McpMessage, type MessageId, type MessageRefusal, messageCodes, readMessage } from './mcp/message.ts'
export { createMcpServer, type McpSdk, type ToolReport } from './mcp/server.ts'
export { parseRetryAfter } from './retry.ts'
export { describeExecute, getTracing, inSpan, type Span, type SpanStart } from './tracing.ts'
export {
  aggregateLimits,
  countMeasure,
  isMeasureFunction,
  isTimeUnit,
  type MeasureFunction,
  measureFunctions,
  type TimeUnit,
  timeUnits,
} from './values/aggregates.ts'
export { BoundedMap } from './values/bounded-map.ts'
export { type FormulaMode, formatCsvText } from './values/csv.ts'
export { findRounded } from './values/filter/lexer.ts'
export { findPosition } from './values/filter/refusals.ts'
export { operatorWords } from './values/filter/syntax.ts'
export { fitsDouble, readDigits, readExactJson } from './values/json/exact.ts'
export { formatJson, readJson, readJsonNumbers, TooDeep, tryReadJson, writeBody, writeJson } from './values/json/json.ts'
export { pointTo } from './values/json/pointer.ts'
export {
  findRecordingsPath,
  isKindPackage,
  kindFile,
  lockName,
  manifestName,
  nameBeside,
  type Pin,
  parsePins,
  readKindManifest,
} from './values/kind-files.ts'
export { writeKindTemplate } from './values/kind-template.ts'
export { isReading } from './values/methods.ts'
export { countEdits, findNearNames } from './values/near-names.ts'
export { countNoun, cutFinalNewline, foldKindName, isLoopback, uuid } from './values/texts.ts'
