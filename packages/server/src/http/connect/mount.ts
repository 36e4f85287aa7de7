/** Mounts the connect page's routes, and ends tokens of deleted connectors in the background. */
import type { FastifyInstance } from 'fastify'
import { type Registration, register } from '../register.ts'
import { buildConnectRoutes } from './routes.ts'

/** Interval of trying again to end tokens, in milliseconds. */
const revokeMs = 5 * 60_000

/** Mounts the routes. */
export function mountConnect(app: FastifyInstance, registration: Registration): void {
  const { services } = registration
  for (const route of buildConnectRoutes(services)) register(app, route, registration)
  const timer = setInterval(() => services.platform.consentRevocations.start(), revokeMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
