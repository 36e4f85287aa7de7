import { isObject } from './http.ts'

/** The servers: three of Gong, one of Shopify, one of TikTok. */
export type OriginName = 'api' | 'oauth' | 'media' | 'shopify' | 'tiktok'

/** Which requests a fault meets. */
export interface FaultTarget {
  /** Only this server; left out: any. */
  readonly on?: OriginName
  /** Start of the path; left out: any. */
  readonly path?: string
  /** How many requests it meets; default 1. */
  readonly times?: number
}

/** Faults of the wire: any vendor's server can have them. */
export type WireFault =
  | { readonly kind: 'status'; readonly status: number /** Seconds. */; readonly retryAfter?: number; readonly message?: string }
  | { readonly kind: 'html-502' }
  /** Headers at once, then one byte every `intervalMs`; left out: nothing more. */
  | { readonly kind: 'slow-body'; readonly intervalMs?: number }
  | { readonly kind: 'never-answer' }
  /** The socket is destroyed after so many bytes of the body. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The socket is destroyed before any byte. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'redirect'; readonly location: string /** Default 302. */; readonly status?: number }
  | { readonly kind: 'malformed-json' }
  /** Half of the JSON, with the length that fits it. */
  | { readonly kind: 'truncated-json' }
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

/** TikTok only: HTTP 200 with this code in the body. */
export interface CodeFault {
  readonly kind: 'code'
  readonly code: number
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
  takeWire(on: OriginName, path: string): WireFault | undefined
  /** True when this request meets the given fault of a page, counted as used. */
  takePage(kind: PageFault['kind'], on: OriginName, path: string): boolean
  /** The refusal by code that this request meets, counted as used. */
  takeCode(on: OriginName, path: string): CodeFault | undefined
}

type Kind = Fault['kind']
type FieldRule = 'number' | 'string' | 'boolean' | 'number?' | 'string?' | 'boolean?'

const targetFields: Readonly<Record<string, FieldRule>> = { on: 'string?', path: 'string?', times: 'number?' }

const kindFields: Readonly<Record<Kind, Readonly<Record<string, FieldRule>>>> = {
  status: { status: 'number', retryAfter: 'number?', message: 'string?' },
  'html-502': {},
  'slow-body': { intervalMs: 'number?' },
  'never-answer': {},
  cut: { after: 'number' },
  reset: {},
  redirect: { location: 'string', status: 'number?' },
  'malformed-json': {},
  'truncated-json': {},
  'wrong-shape': {},
  'empty-body': {},
  'huge-body': { bytes: 'number', chunked: 'boolean?' },
  'same-cursor': {},
  'expired-cursor': {},
  'private-page': {},
  code: { code: 'number', message: 'string?' },
}

const origins: readonly OriginName[] = ['api', 'oauth', 'media', 'shopify', 'tiktok']
/** Kinds that only a stand-in can bring about that knows what is asked. */
const innerKinds: readonly string[] = ['same-cursor', 'expired-cursor', 'private-page', 'code']

function fits(value: unknown, rule: FieldRule): boolean {
  if (value === undefined) return rule.endsWith('?')
  const type = rule.replace('?', '')
  return typeof value === type && (type !== 'number' || (Number.isInteger(value) && Number(value) >= 0))
}

/**
 * What is wrong with a value that should be a fault; undefined when nothing is.
 *
 * @param value - anything, for example the JSON body of a control request
 */
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
  const { on } = value
  return on === undefined || origins.some((origin) => origin === on) ? undefined : `on must be one of ${origins.join(', ')}`
}

/** True for a value that is a fault. */
export function isFault(value: unknown): value is Fault {
  return faultProblem(value) === undefined
}

function isWire(fault: Fault): fault is FaultTarget & WireFault {
  return !innerKinds.includes(fault.kind)
}

/** An empty supply of faults. */
export function createFaults(): FaultSupply {
  let entries: { fault: Fault; left: number }[] = []
  const take = <F extends Fault>(wanted: (fault: Fault) => fault is F, on: OriginName, path: string): F | undefined => {
    for (const entry of entries) {
      const { fault } = entry
      const meets = (fault.on ?? on) === on && path.startsWith(fault.path ?? '')
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
    takeWire: (on, path) => take(isWire, on, path),
    takePage: (kind, on, path) => take((fault): fault is Fault => fault.kind === kind, on, path) !== undefined,
    takeCode: (on, path) => take((fault): fault is FaultTarget & CodeFault => fault.kind === 'code', on, path),
  }
}
