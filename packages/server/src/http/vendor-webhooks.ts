/** Mounts the addresses that vendors send webhooks to. They take any bytes, and need no token: the signature of the vendor counts. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { webhookLimits } from 'ferrule/internal'
import type { ArrivedRequest, Received } from '../events/vendors/receiver.ts'
import { RefusalLimits } from './address-limits.ts'
import type { Services } from './route.ts'

/** Time after which a vendor may send again what was too much, in seconds. */
const retrySeconds = 60
const noBody = Buffer.alloc(0)

interface Slots {
  readonly id: string
}

const toArrived = (of: ArrivedRequest['of'], request: FastifyRequest<{ Params: Slots }>): ArrivedRequest => {
  const { originalUrl, method, headers, body, params } = request
  const mark = originalUrl.indexOf('?')
  return {
    of,
    id: params.id,
    query: mark < 0 ? '' : originalUrl.slice(mark),
    method,
    headers,
    body: Buffer.isBuffer(body) ? body : noBody,
  }
}

/** An unknown address and a wrong signature get the same answer. */
function send(reply: FastifyReply, received: Received): FastifyReply {
  switch (received.outcome) {
    case 'taken':
      return reply.code(200).send()
    case 'challenge':
      return reply
        .code(received.answer.status)
        .headers({ ...received.answer.headers })
        .send(received.answer.body)
    case 'refused':
      return reply.code(401).send()
    case 'full':
      return reply.code(503).header('retry-after', String(retrySeconds)).send()
  }
}

/** Mounts the routes. */
export function mountVendorWebhooks(
  app: FastifyInstance,
  { platform, metrics, steady }: Pick<Services, 'platform' | 'metrics' | 'steady'>,
): void {
  const { vendorEvents } = platform
  const refusals = new RefusalLimits(steady)
  metrics.counters({
    name: 'ferrule_vendor_webhooks_total',
    help: 'Requests of vendors to addresses of webhooks, by what became of them',
    label: 'outcome',
    read: () => vendorEvents.counts,
  })
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, read) => read(null, body))
    for (const owner of ['connectors', 'apps'] as const)
      scope.post<{ Params: Slots }>(
        `/webhooks/${owner}/:id`,
        { bodyLimit: webhookLimits.bytes, config: { path: `/webhooks/${owner}/{id}` } },
        async (request, reply) => {
          const to = `${owner}/${request.params.id}`
          if (refusals.isOver(request.ip, to)) return reply.code(429).header('retry-after', String(retrySeconds)).send()
          const received = await vendorEvents.receive(toArrived(owner, request))
          refusals.note(request.ip, to, received.outcome === 'refused')
          return send(reply, received)
        },
      )
    done()
  })
}
