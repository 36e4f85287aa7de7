import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as pass } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { FaultSupply, OriginName, WireFault } from './faults.ts'
import {
  type ByteSource,
  bytesOf,
  type ListeningServer,
  listen,
  type ReceivedRequest,
  type Reply,
  sendBody,
  sendHead,
  sendReply,
  sourceOf,
  writeBytes,
} from './http.ts'

/** One request as a stand-in saw it. */
export interface RecordedRequest {
  /** Epoch milliseconds by the sandbox's clock. */
  readonly at: number
  readonly origin: OriginName
  readonly method: string
  readonly path: string
  /** Query parameters; of a repeated one, the last. */
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  /** The first 65,536 characters of the body. */
  readonly body: string
}

/** The newest requests. */
export interface Journal {
  add(origin: OriginName, request: ReceivedRequest): void
  /** Oldest first, 1,000 at most. */
  list(): readonly RecordedRequest[]
  clear(): void
}

/** How one server of a stand-in answers. */
export interface StandIn {
  readonly name: OriginName
  readonly faults: FaultSupply
  readonly journal: Journal
  /** The answer when nothing is to go wrong. */
  answer(request: ReceivedRequest): Reply | Promise<Reply>
  /** A refusal in the vendor's own shape. */
  refuse(status: number, message?: string): Reply
  /** Seconds as the vendor writes them in Retry-After; left out: an integer. */
  waitText?(seconds: number): string
  /** Answers a control request; undefined for any other request. Control requests are neither recorded nor spoiled. */
  control?(request: ReceivedRequest): Reply | Promise<Reply> | undefined
}

const journalSize = 1000
const recordedBody = 65_536

/** Returns an empty journal. */
export function createJournal(clock: () => number): Journal {
  let entries: RecordedRequest[] = []
  return {
    add(origin, { method, path, query, headers, body }) {
      entries.push({ at: clock(), origin, method, path, query: Object.fromEntries(query), headers, body: body.slice(0, recordedBody) })
      if (entries.length > journalSize) entries = entries.slice(-journalSize)
    },
    list: () => entries.slice(),
    clear() {
      entries = []
    },
  }
}

type Delivery =
  | { readonly as: 'whole'; readonly reply: Reply }
  | { readonly as: 'cut'; readonly reply: Reply; readonly after: number }
  | { readonly as: 'trickle'; readonly reply: Reply; readonly intervalMs: number | undefined }
  | { readonly as: 'held' }
  | { readonly as: 'destroyed' }

function textOf(body: string | ByteSource): string {
  if (typeof body === 'string') return body
  return Buffer.from(body.read(0, Math.min(body.size, 65_536))).toString('latin1')
}

const whole = (status: number, type: string, body: string): Delivery => ({
  as: 'whole',
  reply: { status, headers: { 'content-type': type }, body },
})

function hugeBody(bytes: number): ByteSource {
  const head = Buffer.from('{"padding":"')
  const tail = Buffer.from('"}')
  const size = Math.max(bytes, head.length + tail.length)
  return {
    size,
    read(offset, length) {
      const part = Buffer.alloc(length, 'x')
      if (offset < head.length) head.copy(part, 0, offset)
      const tailAt = size - tail.length - offset
      if (tailAt < length) tail.copy(part, Math.max(tailAt, 0), Math.max(-tailAt, 0))
      return part
    },
  }
}

function refusal(fault: Extract<WireFault, { kind: 'status' }>, standIn: StandIn): Delivery {
  const reply = standIn.refuse(fault.status, fault.message)
  const wait = fault.retryAfter === undefined ? {} : { 'retry-after': (standIn.waitText ?? String)(fault.retryAfter) }
  return { as: 'whole', reply: { ...reply, headers: { ...reply.headers, ...wait } } }
}

const gatewayPage = (status: number, text: string): Delivery =>
  whole(status, 'text/html', `<html><head><title>${status} ${text}</title></head><body><h1>${status} ${text}</h1></body></html>`)

function halved({ status, headers, body }: Reply): Delivery {
  const source = sourceOf(body)
  const bytes = source.read(0, source.size)
  const packed = 'content-encoding' in headers ? bytes : gzipSync(bytes)
  const half = bytesOf(packed.subarray(0, Math.floor(packed.length / 2)))
  return { as: 'whole', reply: { status, headers: { ...headers, 'content-encoding': 'gzip' }, body: half } }
}

function huge({ bytes, chunked }: Extract<WireFault, { kind: 'huge-body' }>): Delivery {
  const headers = { 'content-type': 'application/json', ...(chunked ? { 'transfer-encoding': 'chunked' } : {}) }
  return { as: 'whole', reply: { status: 200, headers, body: hugeBody(bytes) } }
}

async function spoil(fault: WireFault, answer: () => Promise<Reply>, standIn: StandIn): Promise<Delivery> {
  switch (fault.kind) {
    case 'status':
      return refusal(fault, standIn)
    case 'html-403':
      return gatewayPage(403, 'Forbidden')
    case 'html-502':
      return gatewayPage(502, 'Bad Gateway')
    case 'html-503':
      return gatewayPage(503, 'Service Unavailable')
    case 'delay':
      await pass(fault.ms, undefined, { ref: false })
      return { as: 'whole', reply: await answer() }
    case 'slow-body':
      return { as: 'trickle', reply: await answer(), intervalMs: fault.intervalMs }
    case 'never-answer':
      return { as: 'held' }
    case 'cut':
      return { as: 'cut', reply: await answer(), after: fault.after }
    case 'reset':
      return { as: 'destroyed' }
    case 'redirect':
      return { as: 'whole', reply: { status: fault.status ?? 302, headers: { location: fault.location }, body: '' } }
    case 'malformed-json':
      return whole(200, 'application/json', '{"requestId":"malformed","records":{"totalRecords":1,},"calls":[{]}')
    case 'truncated-json': {
      const text = textOf((await answer()).body)
      return whole(200, 'application/json', text.slice(0, Math.floor(text.length / 2)))
    }
    case 'truncated-gzip':
      return halved(await answer())
    case 'wrong-shape':
      return whole(200, 'application/json', '{"requestId":"wrongshape","status":"ok"}')
    case 'empty-body':
      return whole(200, 'application/json', '')
    case 'huge-body':
      return huge(fault)
  }
}

/** Holds the answer until the client or the sandbox closes the socket. */
const held = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) resolve()
    else response.once('close', () => resolve())
  })

async function trickle(response: ServerResponse, reply: Reply, intervalMs: number | undefined): Promise<void> {
  sendHead(response, reply)
  const source = sourceOf(reply.body)
  let offset = 0
  const timer =
    intervalMs === undefined
      ? undefined
      : setInterval(() => {
          if (offset < source.size) void writeBytes(response, source.read(offset, 1))
          else response.end()
          offset += 1
        }, intervalMs)
  await held(response)
  clearInterval(timer)
}

async function deliver(response: ServerResponse, delivery: Delivery): Promise<void> {
  switch (delivery.as) {
    case 'whole':
      return sendReply(response, delivery.reply)
    case 'cut':
      sendHead(response, delivery.reply)
      await sendBody(response, delivery.reply.body, delivery.after)
      response.destroy()
      return
    case 'trickle':
      return trickle(response, delivery.reply, delivery.intervalMs)
    case 'held':
      return held(response)
    case 'destroyed':
      response.destroy()
  }
}

/**
 * Opens one server of a stand-in: records each request, lets a waiting fault spoil it, answers. Port 0 is a free one. @throws the listen
 * error of Node
 */
export const openStandIn = (standIn: StandIn, address: { host: string; port: number }): Promise<ListeningServer> =>
  listen(async (request, response) => {
    const control = await standIn.control?.(request)
    if (control) return sendReply(response, control)
    standIn.journal.add(standIn.name, request)
    const fault = standIn.faults.takeWire(standIn.name, request.path, request.method)
    await deliver(response, fault ? await spoiled(fault, request, standIn) : { as: 'whole', reply: await standIn.answer(request) })
  }, address)

/** Returns what a fault makes of an answer; a request is carried out once, also when the fault throws its answer away. */
async function spoiled(fault: WireFault, request: ReceivedRequest, standIn: StandIn): Promise<Delivery> {
  const carriedOut = 'moment' in fault && fault.moment === 'after' ? await standIn.answer(request) : undefined
  return spoil(fault, async () => carriedOut ?? standIn.answer(request), standIn)
}
