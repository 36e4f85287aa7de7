import { endpoints, mediaAddress, mediaInput, mediaQuery } from 'ferrule/wire'
import { createMediaAddress, openMedia } from '../../../calls/media.ts'
import { limited } from '../../limited.ts'
import { type PrincipalRoute, principalRoute, slot } from '../../route.ts'
import { lookWhileTransferred } from '../../streams/look-while-sent.ts'

/** Makes an address that a browser plays a download from. */
export const createMedia = principalRoute({
  ...endpoints.createMediaAddress,
  auth: 'principal',
  provesOrganization: true,
  document: {
    id: 'createMediaAddress',
    tag: 'execute',
    summary: 'Make an address that a browser plays a download from',
    about:
      'For audio and video, for five minutes, and only for the session or application that asks. The address names nothing of the file. The file is opened once, so a missing, private or other file is refused here.',
    scope: 'execute:read',
    body: mediaInput,
    answer: { about: 'The address', schema: mediaAddress },
    problems: [
      ...(['connector_not_found', 'workspace_inactive', 'validation_failed', 'not_playable', 'rate_limited', 'overloaded'] as const),
      ...(['entity_not_found', 'action_not_supported', 'missing_parameter', 'invalid_parameter', 'media_selector_required'] as const),
      ...(['record_not_found', 'private_call', 'upstream_auth_failed', 'upstream_permission_denied', 'upstream_error'] as const),
      ...(['upstream_rate_limited', 'upstream_unreachable', 'upstream_timeout', 'upstream_answer_invalid'] as const),
    ],
  },
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      const asked = { connectorId: slot(exchange, 'connector_id'), body: exchange.body, ...bounds }
      return { json: await createMediaAddress(services, exchange.who, asked) }
    }),
})

/** The file behind such an address. */
export const getMedia: PrincipalRoute = {
  ...endpoints.getMedia,
  auth: 'principal',
  takesOrganizationQuery: true,
  document: {
    id: 'getMedia',
    tag: 'execute',
    summary: 'Play a download',
    about: 'Answers `Range`. The address comes from the route above.',
    scope: 'execute:read',
    query: mediaQuery,
    answer: { about: 'The file, or the asked part of it', types: ['application/octet-stream', '*/*'], isPartial: true },
    problems: [
      ...(['record_not_found', 'private_call', 'connector_not_found', 'workspace_inactive', 'not_playable'] as const),
      ...(['range_not_satisfiable', 'rate_limited', 'overloaded', 'upstream_auth_failed', 'upstream_permission_denied'] as const),
      ...(['upstream_error', 'upstream_rate_limited', 'upstream_unreachable', 'upstream_timeout', 'upstream_answer_invalid'] as const),
    ],
  },
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      exchange.setHeader('cross-origin-resource-policy', 'same-origin')
      const asked = { id: slot(exchange, 'media_id'), header: exchange.header('range'), ...bounds }
      const { file, connectorId } = await openMedia(services, exchange.who, asked)
      lookWhileTransferred(exchange, services, connectorId)
      return { file }
    }),
}
