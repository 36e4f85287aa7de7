import { endpoints, nodeRecord, serviceRecord } from 'ferrule/wire'
import { callerRoute } from '../../route.ts'

/** What every client may know of the service. */
export const getService = callerRoute({
  ...endpoints.getService,
  auth: 'caller',
  document: {
    id: 'getService',
    tag: 'service',
    summary: 'Read what every client may know of the service',
    about: 'The version, and what the service offers to this client.',
    answer: { about: 'The service', schema: serviceRecord },
    problems: [],
  },
  answer: async ({ who }, { platform }) => ({ json: await platform.installation.describe(who) }),
})

/** What the answering node runs with. */
export const getNode = callerRoute({
  ...endpoints.getNode,
  auth: 'caller',
  document: {
    id: 'getNode',
    tag: 'service',
    summary: 'Read what the answering node runs with',
    about:
      'Versions, settings without secrets, databases with their sizes, and the nodes that run syncs. For the application of the first start, with a token that is not limited to a workspace: an organization of another application sees nothing of the installation.',
    answer: { about: 'The node', schema: nodeRecord },
    problems: ['operator_required'],
  },
  answer: async ({ who }, { platform }) => ({ json: await platform.installation.readNode(who) }),
})
