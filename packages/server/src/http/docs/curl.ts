/** Prints requests as commands of a shell. Addresses and tokens are variables of the environment. */
import { isObject } from 'ferrule/internal'

/** A request of an example. */
export interface ExampleRequest {
  readonly method: string
  /** Path with slots such as `{connector_id}`. */
  readonly path: string
  readonly hasToken: boolean
  /** Media type of the answer, when it is no JSON. */
  readonly accepts?: string | undefined
  /** Name of the file that gets the answer. */
  readonly output?: string | undefined
  /** undefined: no body. */
  readonly body?: unknown
}

/** Fills the slots of a path with variables: `{connector_id}` becomes `$CONNECTOR_ID`. */
const fillSlots = (path: string): string => path.replaceAll(/\{(\w+)\}/g, (_slot, name: string) => `$${name.toUpperCase()}`)

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Prints the example as a call of curl. */
export function printCurl({ method, path, hasToken, accepts, output, body }: ExampleRequest): string {
  const isUsual = method === (body === undefined ? 'GET' : 'POST')
  const lines = [
    `curl ${isUsual ? '' : `-X ${method} `}"$FERRULE_URL${fillSlots(path)}"`,
    ...(hasToken ? ['-H "Authorization: Bearer $FERRULE_TOKEN"'] : []),
    ...(accepts === undefined ? [] : [`-H 'Accept: ${accepts}'`]),
    output === undefined ? "-w '\\n'" : `--output ${output}`,
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body, null, 2))}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Returns whether a value is an object with members. */
export const hasMembers = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0
