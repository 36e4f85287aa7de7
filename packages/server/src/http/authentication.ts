/** Finds out who sends a request: by its token, or by the session of the console where it has no token. */
import type { FastifyRequest } from 'fastify'
import { isObject } from 'ferrule/internal'
import type { Caller, Principal } from '../values/access.ts'
import { createAddressFinder, createSessionFinder } from './console/own-address.ts'
import type { PrincipalRoute, Route, Services } from './route.ts'

const bearer = /^bearer +(\S+) *$/i

const readBearer = ({ headers }: FastifyRequest): string | undefined => bearer.exec(headers.authorization ?? '')?.[1]

/** Reads the organization that a request names. */
function readOrganization({ headers, query }: FastifyRequest, { takesOrganizationQuery }: PrincipalRoute): string | undefined {
  const header = headers['x-organization-id']
  if (header !== undefined) return typeof header === 'string' ? header : header[0]
  const named = takesOrganizationQuery === true && isObject(query) ? query['organization_id'] : undefined
  return typeof named === 'string' ? named : undefined
}

/** Authentication for all routes of a service. */
export interface Authentication {
  /** @throws FerruleError as `Tokens.authenticateCaller` and `ConsoleSessions.authenticateCaller` */
  readCaller(request: FastifyRequest, route: Route): Promise<Caller>
  /** @throws FerruleError as `Tokens.authenticate` and `ConsoleSessions.authenticate` */
  readPrincipal(request: FastifyRequest, route: PrincipalRoute): Promise<Principal>
}

/** Builds the authentication. */
export function createAuthentication({ platform, settings }: Pick<Services, 'platform' | 'settings'>): Authentication {
  const { tokens, consoleSessions } = platform
  const findSession = createSessionFinder(createAddressFinder(settings))
  /** Finds the session of a request; one with an Authorization is judged by that alone. */
  const sessionOf = ({ headers }: FastifyRequest, { takesSessions }: Route): string | undefined =>
    headers.authorization === undefined && takesSessions !== false ? findSession(headers) : undefined
  return {
    readCaller: (request, route) => {
      const session = sessionOf(request, route)
      return session === undefined ? tokens.authenticateCaller(readBearer(request)) : consoleSessions.authenticateCaller(session)
    },
    readPrincipal: (request, route) => {
      const header = readOrganization(request, route)
      const session = sessionOf(request, route)
      if (session !== undefined) return consoleSessions.authenticate(session, header)
      return tokens.authenticate(readBearer(request), header, route.provesOrganization)
    },
  }
}
