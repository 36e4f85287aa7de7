/** All routes, in the order of the API's document. */
import { protectedResource } from '../mcp/metadata.ts'
import { authorizationServer } from '../oauth/metadata.ts'
import type { Route } from '../route.ts'
import { createApplication, deleteApplication, listApplications, rotateApplicationSecret, updateApplication } from './applications.ts'
import { checkNew, checkStored } from './checks.ts'
import { deleteOAuthCredentials, listOAuthCredentials, saveOAuthCredentials } from './connect/credentials.ts'
import { createConnectLink, getConnectLink, initiateOAuth, listConnectLinks, revokeConnectLink } from './connect/links.ts'
import { createConnector, deleteConnector, getConnector, listConnectors, patchConnector, updateConnector } from './connectors.ts'
import { getContextStore, resetContextStore, setSchedule, watchContextStore } from './context-store.ts'
import { getDefinition, getDefinitionReference, listDefinitions } from './definitions.ts'
import { home, openApi } from './documents.ts'
import { execute } from './execute/execute.ts'
import { createMedia, getMedia } from './execute/media.ts'
import { validate } from './execute/validate.ts'
import { exportEntity } from './export.ts'
import { live, metrics, ready } from './health.ts'
import { inspect } from './inspect.ts'
import { getJob } from './jobs.ts'
import { createOrganization, deleteOrganization, listOrganizations, restoreOrganization, updateOrganization } from './organizations.ts'
import { getNode, getService, getUsage, listConnectorOverviews, listUnfinishedSyncs } from './overview.ts'
import { getSkillDocs, listSkills } from './skills.ts'
import { cancelSync, getSync, listSyncs, requestSync, watchSync } from './syncs.ts'
import { createMcpToken, createScopedToken, createToken, getScopedTokenInfo, listMcpTokens, revokeMcpToken } from './tokens.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  getWorkspaceStats,
  listWorkspaces,
  restoreWorkspace,
  updateWorkspace,
} from './workspaces.ts'

/** Every route of the service. */
export const routes: readonly Route[] = [
  createToken,
  createScopedToken,
  getScopedTokenInfo,
  createMcpToken,
  listMcpTokens,
  revokeMcpToken,
  listApplications,
  createApplication,
  updateApplication,
  rotateApplicationSecret,
  deleteApplication,
  listOrganizations,
  createOrganization,
  updateOrganization,
  deleteOrganization,
  restoreOrganization,
  listWorkspaces,
  createWorkspace,
  getWorkspaceStats,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  restoreWorkspace,
  listDefinitions,
  getDefinition,
  getDefinitionReference,
  listSkills,
  getSkillDocs,
  createConnector,
  listConnectors,
  checkNew,
  getConnector,
  updateConnector,
  patchConnector,
  deleteConnector,
  checkStored,
  createConnectLink,
  listConnectLinks,
  getConnectLink,
  revokeConnectLink,
  initiateOAuth,
  saveOAuthCredentials,
  listOAuthCredentials,
  deleteOAuthCredentials,
  execute,
  validate,
  createMedia,
  getMedia,
  exportEntity,
  inspect,
  getContextStore,
  watchContextStore,
  setSchedule,
  resetContextStore,
  requestSync,
  listSyncs,
  getSync,
  cancelSync,
  watchSync,
  listConnectorOverviews,
  listUnfinishedSyncs,
  getUsage,
  getService,
  getNode,
  getJob,
  live,
  ready,
  metrics,
  openApi,
  home,
  ...protectedResource,
  authorizationServer,
]
