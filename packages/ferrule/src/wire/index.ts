/** Records, bodies, queries and events of the HTTP interface, each stated once. Types, validation and documents follow from them. */
export {
  type ApplicationInput,
  type ApplicationList,
  type ApplicationRecord,
  type ApplicationRemoval,
  type ApplicationSecret,
  applicationInput,
  applicationList,
  applicationRecord,
  applicationRemoval,
  applicationSecret,
} from './applications.ts'
export { type CheckResult, checkResult, checkStatuses, entityCheckStatuses } from './checks.ts'
export {
  type ConnectorInput,
  type ConnectorPatch,
  type ConnectorQuery,
  type ConnectorUpdate,
  connectorInput,
  connectorPatch,
  connectorQuery,
  connectorUpdate,
} from './connector-inputs.ts'
export {
  type ConnectorCommon,
  type ConnectorNotice,
  type ConnectorRecord,
  type ConnectorStatus,
  type ConnectorSummary,
  connectorNotice,
  connectorPage,
  connectorRecord,
  connectorStatuses,
  connectorSummary,
  type EntitySelection,
  entityModes,
  entitySelection,
  noticeTypes,
  type StoredConnectorStatus,
  storedConnectorStatuses,
} from './connectors.ts'
export {
  contextStoreStatus,
  copyState,
  copyStates,
  indexRecord,
  indexStates,
  resetQuery,
  type SyncEntityStatus,
  type SyncFreshness,
  type SyncIncremental,
  type SyncIndexRecord,
  type SyncState,
  type SyncStatusRecord,
  type WatchQuery,
  watchQuery,
  wordStates,
} from './context-store.ts'
export {
  type ActionDocument,
  actionDocument,
  type DefinitionList,
  type DefinitionQuery,
  type DefinitionRecord,
  type DefinitionSummary,
  definitionList,
  definitionQuery,
  definitionRecord,
  definitionSummary,
  type EntityDocument,
  entityDocument,
  supportLevels,
} from './definitions.ts'
export { type Endpoint, endpoints } from './endpoints.ts'
export { type EventSchema, runEvent, statusEvent } from './events.ts'
export { type ExecuteRequest, executeFields } from './execute-request.ts'
export { type ExportFormatName, exportFormatNames, exportQuery } from './export-query.ts'
export { type Health, health } from './health.ts'
export { type InspectedEntity, type Inspection, inspection } from './inspection.ts'
export { type JobRecord, type JobReference, type JobStatus, type JobType, jobRecord, jobReference, jobStatuses, jobTypes } from './jobs.ts'
export { displayName, wellFormed, workspaceNames } from './names.ts'
export {
  type OrganizationInput,
  type OrganizationList,
  type OrganizationRecord,
  type OrganizationRemoval,
  organizationInput,
  organizationList,
  organizationRecord,
  organizationRemoval,
  roles,
} from './organizations.ts'
export { type Page, page, pageQuery } from './paging.ts'
export { errorCode, errorCodes, faults, type ProblemRecord, problemDetails } from './problem.ts'
export { type Freshness, freshness, type SearchMeta, searchMeta } from './search-answer.ts'
export {
  type EntityOutcome,
  entityOutcomes,
  type ResetInput,
  type RunCause,
  type RunMode,
  type RunState,
  resetInput,
  runCauses,
  runModes,
  runStates,
  type ScheduleInput,
  type ScheduleList,
  type SyncCounts,
  type SyncEntityProgress,
  type SyncEntityResult,
  type SyncError,
  type SyncInput,
  type SyncProgress,
  type SyncQuery,
  type SyncRunRecord,
  type SyncScheduleRecord,
  scheduleInput,
  scheduleList,
  scheduleRecord,
  syncEntityProgress,
  syncError,
  syncInput,
  syncQuery,
  syncRunPage,
  syncRunRecord,
} from './syncs.ts'
export {
  grantTypes,
  type ScopedToken,
  type ScopedTokenInfo,
  type ScopedTokenRequest,
  scopedToken,
  scopedTokenInfo,
  scopedTokenRequest,
  type TokenAnswer,
  tokenAnswer,
  tokenRequest,
} from './tokens.ts'
export { body, componentName, jsonSchema, jsonSchemaOrNull, named, part, query, record, recordOrNull, uuid, type Wire } from './words.ts'
export {
  type WorkspaceChange,
  type WorkspaceInput,
  type WorkspaceQuery,
  type WorkspaceRecord,
  type WorkspaceRemoval,
  type WorkspaceStats,
  type WorkspaceStatus,
  workspaceChange,
  workspaceInput,
  workspacePage,
  workspaceQuery,
  workspaceRecord,
  workspaceRemoval,
  workspaceStats,
  workspaceStatuses,
} from './workspaces.ts'
