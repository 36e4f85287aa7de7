/** Random faults, and what a random client does. */
import type { Fault } from '../../packages/sandbox/src/index.ts'
import type { Random } from '../../packages/sandbox/src/random.ts'
import type { Endpoint } from './operations.ts'

type Body = Fault extends infer F ? (F extends Fault ? Omit<F, 'on' | 'path' | 'times'> : never) : never
type Make = (random: Random) => Body

const message = 'The sandbox was asked to fail'
const codes = [20001, 40001, 40002, 40007, 40011, 40050, 40067, 40100, 40105, 40133, 40202, 40300, 40700, 41000, 50000, 50002, 60001, 61000]
const refusal =
  (...statuses: number[]): Make =>
  (random) => ({
    kind: 'status',
    status: random.pick(statuses),
    message,
    ...(random.chance(0.3) ? { retryAfter: random.pick([0, 0, 1, 30, 7200]) } : {}),
  })
const cut =
  (most: number): Make =>
  (random) => ({ kind: 'cut', after: random.chance(0.2) ? 0 : random.int(1, most) })
const redirect: Make = (random) => ({
  kind: 'redirect',
  location: random.pick(['http://169.254.169.254/latest', '/elsewhere', 'nonsense:']),
})
const huge: Make = (random) => ({ kind: 'huge-body', bytes: random.pick([1_000_000, 34_000_000, 60_000_000]), chunked: random.chance(0.5) })
const plain =
  (
    kind:
      | 'html-502'
      | 'reset'
      | 'never-answer'
      | 'slow-body'
      | 'malformed-json'
      | 'truncated-json'
      | 'truncated-gzip'
      | 'empty-body'
      | 'wrong-shape',
  ): Make =>
  () => ({ kind })
const page =
  (kind: 'same-cursor' | 'expired-cursor' | 'private-page'): Make =>
  () => ({ kind })
const trickle =
  (longestMs: number): Make =>
  (random) => ({ kind: 'slow-body', intervalMs: random.int(1, longestMs) })

/** Codes of advertising come with HTTP 200: those that are known, a success that is not whole, and any other. */
const code: Make = (random) => ({ kind: 'code', code: random.chance(0.3) ? random.int(1, 65_000) : random.pick(codes), message })

/** Codes of the warehouse, which it sends with their own statuses. */
const warehouseCodes = [604, 606, 630, 709, 904, 2003, 3001, 90105, 100_038, 390_142, 390_189, 390_432, 390_505, 391_908, 391_918, 394_400]
const warehouseCode: Make = (random) => ({
  kind: 'code',
  code: random.chance(0.2) ? random.int(1, 999_999) : random.pick(warehouseCodes),
  message,
})
/** A request that was carried out, and whose answer is thrown away. */
const lost: Make = (random) =>
  random.pick<() => Body>([
    () => ({ kind: 'reset', moment: 'after' }),
    () => ({ kind: 'status', status: random.pick([500, 502, 503, 504]), moment: 'after' }),
    () => ({ kind: 'html-503', moment: 'after' }),
    () => ({ kind: 'delay', ms: random.int(1, 1_000), moment: 'after' }),
  ])()
/** Only where the request is no statement: the service waits for a statement after its caller's disconnect, to end it. */
const slowPart: Make = (random) =>
  random.pick<() => Body>([
    () => ({ kind: 'never-answer', method: 'GET' }),
    () => ({ kind: 'slow-body', method: 'GET' }),
    () => ({ kind: 'slow-body', intervalMs: random.int(1, 20), method: 'GET' }),
  ])()

const anywhere = [plain('html-502'), plain('reset'), redirect]
const unusable = [plain('malformed-json'), plain('truncated-json'), plain('empty-body'), plain('wrong-shape'), huge]
const silent = [plain('never-answer'), plain('slow-body')]
const pages = [page('same-cursor'), page('expired-cursor'), page('private-page')]

/** A file host's 200 is the file: what its bytes are nobody but the vendor can tell, so the faults of JSON are left out there. */
const everywhere: Readonly<Record<'api' | 'oauth' | 'media' | 'tiktok' | 'snowflake', readonly Make[]>> = {
  api: [
    ...anywhere,
    ...unusable,
    ...silent,
    ...pages,
    trickle(20),
    cut(3_000),
    refusal(400, 401, 403, 404, 405, 409, 415),
    refusal(429, 429, 500, 502, 503, 504),
  ],
  oauth: [...anywhere, ...unusable, trickle(1), cut(500), refusal(400, 401, 403, 429, 500, 503)],
  media: [...anywhere, plain('never-answer'), cut(60_000), cut(1_000_000), refusal(403, 403, 404, 416, 429, 500, 503)],
  tiktok: [
    ...anywhere,
    ...unusable,
    ...silent,
    page('same-cursor'),
    page('expired-cursor'),
    trickle(20),
    cut(3_000),
    refusal(400, 403, 404, 405, 500, 502, 503, 504),
    ...Array<Make>(8).fill(code),
  ],
  snowflake: [
    ...anywhere,
    ...unusable,
    plain('truncated-gzip'),
    slowPart,
    cut(3_000),
    refusal(400, 401, 403, 404, 405, 408, 415),
    refusal(429, 429, 500, 502, 503, 504),
    ...Array<Make>(5).fill(warehouseCode),
    ...Array<Make>(5).fill(lost),
  ],
}
/** Faults that last for half a minute, the limit of silence that is not the call's own. */
const lasting: typeof everywhere = { api: [], oauth: silent, media: [plain('slow-body')], tiktok: [], snowflake: silent }

const isKnown = (on: string): on is keyof typeof everywhere => on in everywhere
const originOf = ({ on }: Endpoint): keyof typeof everywhere => (isKnown(on) ? on : 'api')

/**
 * Draws a fault for one of some endpoints.
 * @param isPatient whether faults may take half a minute
 */
export function drawFault(random: Random, endpoints: readonly Endpoint[], isPatient: boolean): Fault {
  const endpoint = random.pick(endpoints)
  const name = originOf(endpoint)
  const lasts = isPatient && lasting[name].length > 0 && random.chance(0.1)
  const body = random.pick(lasts ? lasting[name] : everywhere[name])(random)
  return { ...body, ...endpoint, times: lasts ? 1 : random.pick([1, 1, 1, 1, 1, 3]) }
}

/** When a client goes away: after some bytes, after some milliseconds, or never. */
export interface Leaving {
  readonly bytes?: number
  readonly milliseconds?: number
}

/** @param size bytes of the file; undefined for JSON */
export function drawLeaving(random: Random, size: number | undefined): Leaving {
  if (!random.chance(0.25)) return {}
  if (size !== undefined && random.chance(0.7)) return { bytes: random.int(1, Math.max(1, size)) }
  return { milliseconds: random.chance(0.7) ? random.int(0, 60) : random.int(0, 1_200) }
}

/** A byte range: its header, and the bytes that it asks for; `undefined` bytes lie outside of the file. */
export interface DrawnRange {
  readonly header?: string
  readonly bytes: Buffer | undefined
}

/** Whole files, parts from either end, single bytes, and parts that begin behind the end. */
export function drawRange(random: Random, file: Buffer): DrawnRange {
  const size = file.length
  const from = random.int(0, size - 1)
  const to = random.int(from, size - 1)
  return random.pick<() => DrawnRange>([
    () => ({ bytes: file }),
    () => ({ header: `bytes=${from}-${to}`, bytes: file.subarray(from, to + 1) }),
    () => ({ header: `bytes=${from}-`, bytes: file.subarray(from) }),
    () => ({ header: `bytes=-${to + 1}`, bytes: file.subarray(size - to - 1) }),
    () => ({ header: `bytes=${from}-${from}`, bytes: file.subarray(from, from + 1) }),
    () => ({ header: `bytes=${size}-${size + from}`, bytes: undefined }),
  ])()
}
