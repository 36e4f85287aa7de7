/** Asks a vendor for events, with the credentials of a connector. */
import { defaultDeadlineMs, type Engine } from 'ferrule/engine'
import { asFerruleError, buildSubscriptions, errorConsequences, failValidation } from 'ferrule/internal'
import type { ConnectorWebhooks } from 'ferrule/wire'
import { type CallServices, runMarked } from '../../connectors/access.ts'
import type { ConnectorAccess } from '../../values/access.ts'

/** Services that asking needs. */
export interface SubscribeServices extends Omit<CallServices, 'usage'> {
  readonly engine: Pick<Engine, 'request'>
}

type Answer = NonNullable<ConnectorWebhooks['subscriptions']>[number]

/**
 * Asks for the topics of the copied entities, one after the other. A topic that the credentials do not allow stops no other one.
 * @throws FerruleError `validation_failed` for a kind that does not say how; of the vendor, where every other topic would fail too
 */
export async function subscribe(
  services: SubscribeServices,
  access: ConnectorAccess,
  target: { readonly address: string; readonly entities: readonly string[] },
): Promise<readonly Answer[]> {
  const { definition } = access.connection.kind
  const requests = buildSubscriptions(definition, target)
  if (requests === undefined) {
    const message = `cannot be done: ask ${definition.title} itself, with the address and the topics`
    throw failValidation([{ field: '/subscribe', message, error_code: 'unsupported' }])
  }
  const answers: Answer[] = []
  for (const { topic, request } of requests) {
    const call = { entity: 'request', action: request.method, signal: undefined }
    const send = () => services.engine.request(access.connection, { request, deadlineMs: defaultDeadlineMs })
    try {
      await runMarked(services, { access, call }, send)
      answers.push({ topic, state: 'made', message: null })
    } catch (thrown) {
      const { code, message } = asFerruleError(thrown)
      if (errorConsequences[code].syncRun !== 'continue') throw thrown
      const isKnown = message.includes(definition.webhooks?.subscribe?.known ?? '')
      answers.push(isKnown ? { topic, state: 'known', message: null } : { topic, state: 'refused', message })
    }
  }
  return answers
}
