/** Reads requests as they arrive at a stand-in. */

import { getAt, parsePath } from '../engine/json/paths.ts'
import type { ComparedRequest } from '../kind-recordings/compare-requests.ts'
import type { Pairs } from '../kind-recordings/recording.ts'
import { tryReadJson } from '../values/json/json.ts'

/** A request as it arrives. */
export interface SentRequest extends ComparedRequest {
  /** The body as JSON; undefined without such a body. */
  readonly json: unknown
  readonly form: Pairs
}

/** Reads a request. A body that is neither JSON nor a form counts as none. */
export function readRequest(request: ComparedRequest): SentRequest {
  const { headers, body = '' } = request
  const type = headers['content-type'] ?? ''
  const form = type.startsWith('application/x-www-form-urlencoded') ? [...new URLSearchParams(body)] : []
  return { ...request, json: type.includes('json') ? tryReadJson(body) : undefined, form }
}

const toText = (value: unknown): string | undefined =>
  value === undefined || value === null || typeof value === 'object' ? undefined : String(value)

/** Reads a value that a request carries under a name: in the query, in a form, in the body, or as a variable of GraphQL. */
export const readSent = ({ url, form, json }: SentRequest, name: string): string | undefined =>
  url.searchParams.get(name) ??
  form.find(([each]) => each === name)?.[1] ??
  toText(getAt(json, parsePath(name))) ??
  toText(getAt(json, parsePath(`variables.${name}`)))
