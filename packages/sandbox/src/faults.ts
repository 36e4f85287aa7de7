import { isObject } from './http.ts'

/** The servers: three of Gong, one of Shopify, one of TikTok, one of Snowflake. */
export type OriginName = 'api' | 'oauth' | 'media' | 'shopify' | 'tiktok' | 'snowflake'

/** `after`: the request is carried out, then its answer is thrown away; default `before`: it never reaches the vendor. */
export type Moment = 'before' | 'after'

/** Which requests a fault meets. */
export interface FaultTarget {
  /** Only this server; left out: any. */
  readonly on?: OriginName
  /** Start of the path; left out: any. */
  readonly path?: string
  /** HTTP method in upper case; left out: any. */
  readonly method?: string
  /** How many requests it meets; default 1. */
  readonly times?: number
}

/** Faults of the wire: any vendor's server can have them. */
export type WireFault =
  | {
      readonly kind: 'status'
      readonly status: number
      /** Seconds. */
      readonly retryAfter?: number
      readonly message?: string
      readonly moment?: Moment
    }
  | { readonly kind: 'html-403' | 'html-502' | 'html-503'; readonly moment?: Moment }
  /** The answer comes so many milliseconds later. */
  | { readonly kind: 'delay'; readonly ms: number; readonly moment?: Moment }
  /** Headers at once, then one byte every `intervalMs`; left out: nothing more. */
  | { readonly kind: 'slow-body'; readonly intervalMs?: number }
  | { readonly kind: 'never-answer'; readonly moment?: Moment }
  /** The socket is destroyed after so many bytes of the body. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The socket is destroyed before any byte. */
  | { readonly kind: 'reset'; readonly moment?: Moment }
  | { readonly kind: 'redirect'; readonly location: string /** Default 302. */; readonly status?: number }
  | { readonly kind: 'malformed-json' }
  /** Half of the JSON, with the length that fits it. */
  | { readonly kind: 'truncated-json' }
  /** The answer, compressed with gzip if it was not, and of that the first half. */
  | { readonly kind: 'truncated-gzip' }
  /** JSON without the expected key. */
  | { readonly kind: 'wrong-shape' }
  | { readonly kind: 'empty-body' }
  /** Valid JSON of this many bytes; `chunked` leaves the length out. */
  | { readonly kind: 'huge-body'; readonly bytes: number; readonly chunked?: boolean }

/** Faults of a paged list; each waits for a request that it can spoil. */
export type PageFault =
  /** A page that was asked for with a cursor answers that cursor again. */
  | { readonly kind: 'same-cursor' }
  /** A page that is asked for with a cursor is refused. */
  | { readonly kind: 'expired-cursor' }
  /** Gong only: every call of the page is private and there is a cursor. */
  | { readonly kind: 'private-page' }
  /** Snowflake only: a part of a result lacks its last row, or has it twice; what the first part says of the rows stays. */
  | { readonly kind: 'short-part' | 'long-part' }

/** TikTok: HTTP 200 with this code in the body. Snowflake: this code with the HTTP status that belongs to it. */
export interface CodeFault {
  readonly kind: 'code'
  readonly code: number
  /** Snowflake only; TikTok: always before. */
  readonly moment?: Moment
  /** Left out: one that fits the code. */
  readonly message?: string
}

/** One fault: which requests, and what happens to them. */
export type Fault = FaultTarget & (WireFault | PageFault | CodeFault)

/** Adds and removes faults. */
export interface FaultControl {
  /** @throws RangeError when the fault is not one that this room knows */
  add(fault: Fault): void
  /** Removes the faults that have not happened yet. */
  clear(): void
  /** The faults that have not happened yet, `times` being what is left of them. */
  pending(): readonly Fault[]
}

/** The servers' side of the faults. */
export interface FaultSupply extends FaultControl {
  /** The wire fault that this request meets, counted as used. */
  takeWire(on: OriginName, path: string, method: string): WireFault | undefined
  /** True when this request meets the given fault of a page, counted as used. */
  takePage(kind: PageFault['kind'], on: OriginName, path: string, method?: string): boolean
  /** The refusal by code that this request meets, counted as used. */
  takeCode(on: OriginName, path: string, method?: string): CodeFault | undefined
}

type Kind = Fault['kind']
type FieldRule = 'number' | 'string' | 'boolean' | 'number?' | 'string?' | 'boolean?'

const targetFields: Readonly<Record<string, FieldRule>> = { on: 'string?', path: 'string?', method: 'string?', times: 'number?' }

const kindFields: Readonly<Record<Kind, Readonly<Record<string, FieldRule>>>> = {
  status: { status: 'number', retryAfter: 'number?', message: 'string?', moment: 'string?' },
  'html-403': { moment: 'string?' },
  'html-502': { moment: 'string?' },
  'html-503': { moment: 'string?' },
  delay: { ms: 'number', moment: 'string?' },
  'slow-body': { intervalMs: 'number?' },
  'never-answer': { moment: 'string?' },
  cut: { after: 'number' },
  reset: { moment: 'string?' },
  redirect: { location: 'string', status: 'number?' },
  'malformed-json': {},
  'truncated-json': {},
  'truncated-gzip': {},
  'wrong-shape': {},
  'empty-body': {},
  'huge-body': { bytes: 'number', chunked: 'boolean?' },
  'same-cursor': {},
  'expired-cursor': {},
  'private-page': {},
  'short-part': {},
  'long-part': {},
  code: { code: 'number', message: 'string?', moment: 'string?' },
}

const choices: Readonly<Record<string, readonly string[]>> = {
  on: ['api', 'oauth', 'media', 'shopify', 'tiktok', 'snowflake'] satisfies readonly OriginName[],
  moment: ['before', 'after'] satisfies readonly Moment[],
}
/** Kinds that only a stand-in can bring about that knows what is asked. */
const innerKinds: readonly string[] = ['same-cursor', 'expired-cursor', 'private-page', 'short-part', 'long-part', 'code']

function fits(value: unknown, rule: FieldRule): boolean {
  if (value === undefined) return rule.endsWith('?')
  const type = rule.replace('?', '')
  return typeof value === type && (type !== 'number' || (Number.isInteger(value) && Number(value) >= 0))
}

/** Returns what is wrong with a value that should be a fault; undefined when nothing is. */
export function faultProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'A fault is a JSON object'
  const own = Object.entries(kindFields).find(([kind]) => kind === value['kind'])
  if (!own) return `kind must be one of ${Object.keys(kindFields).join(', ')}`
  const rules: Readonly<Record<string, FieldRule>> = { ...targetFields, ...own[1] }
  const unknown = Object.keys(value).find((key) => key !== 'kind' && !(key in rules))
  if (unknown) return `${unknown} is not a field of the fault ${own[0]}`
  const wrong = Object.entries(rules).find(([field, rule]) => !fits(value[field], rule))
  if (wrong) return `${wrong[0]} must be a ${wrong[1].replace('?', '')}, numbers being integers from 0 on`
  const { status = 200 } = value
  if (Number(status) < 200 || Number(status) > 599) return 'status must be from 200 to 599'
  const strange = Object.entries(choices).find(([field, allowed]) => !allowed.some((choice) => choice === (value[field] ?? choice)))
  return strange && `${strange[0]} must be one of ${strange[1].join(', ')}`
}

/** Returns true for a value that is a fault. */
export const isFault = (value: unknown): value is Fault => faultProblem(value) === undefined

const isWire = (fault: Fault): fault is FaultTarget & WireFault => !innerKinds.includes(fault.kind)

interface FaultRequest {
  readonly on: OriginName
  readonly path: string
  readonly method?: string | undefined
}

const meetsTarget = (fault: Fault, { on, path, method }: FaultRequest): boolean =>
  (fault.on ?? on) === on && path.startsWith(fault.path ?? '') && (fault.method ?? method) === method

/** Returns an empty supply of faults. */
export function createFaults(): FaultSupply {
  let entries: { fault: Fault; left: number }[] = []
  const take = <F extends Fault>(wanted: (fault: Fault) => fault is F, asked: FaultRequest): F | undefined => {
    for (const entry of entries) {
      const { fault } = entry
      const meets = meetsTarget(fault, asked)
      if (!meets || entry.left === 0 || !wanted(fault)) continue
      entry.left -= 1
      entries = entries.filter((other) => other.left > 0)
      return fault
    }
    return undefined
  }
  return {
    add(fault) {
      const problem = faultProblem(fault)
      if (problem) throw new RangeError(problem)
      entries = [...entries, { fault, left: fault.times ?? 1 }].slice(-1000)
    },
    clear() {
      entries = []
    },
    pending: () => entries.map(({ fault, left }) => ({ ...fault, times: left })),
    takeWire: (on, path, method) => take(isWire, { on, path, method }),
    takePage: (kind, on, path, method) => take((fault): fault is Fault => fault.kind === kind, { on, path, method }) !== undefined,
    takeCode: (on, path, method) => take((fault): fault is FaultTarget & CodeFault => fault.kind === 'code', { on, path, method }),
  }
}
