/** Runs a call of an answer file against the scripted vendor, through both doors of the engine. */
import { text } from 'node:stream/consumers'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { readApart } from '../../packages/ferrule/src/engine/call/apart.ts'
import type { Apart } from '../../packages/ferrule/src/engine/call/apart-answer.ts'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { FileAnswer, Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { type CredentialValues, Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { splitRawJson } from '../../packages/ferrule/src/engine/json/raw-rows.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import type { CallOptions, Download } from '../../packages/ferrule/src/engine/types.ts'
import { parseJson, writeJson } from '../../packages/ferrule/src/values/json/json.ts'

type Values = Readonly<Record<string, unknown>>

/** One result, of either door. */
export type Result = { readonly data: unknown; readonly meta: Values } | { readonly file: Values }

/** An operation, with the parameters of its first page. */
export interface Run {
  readonly entity: string
  readonly action: string
  readonly params: Values
}

/** A door: runs one operation. */
export type Door = (run: Run) => Promise<Result>

const engineFile = async ({ body, ...about }: FileAnswer): Promise<Result> => ({ file: { ...about, text: await text(body) } })

/** The library names fewer things of a file, and names some otherwise. */
const libraryFile = async ({ stream, status, type, length, range, name }: Download, expected: Values): Promise<Result> => ({
  file: { ...expected, status, contentType: type, contentLength: length, contentRange: range, name, text: await text(stream) },
})

/** The JSON of data that was read apart from the loop, and any other as it is. */
export function readable(data: unknown): unknown {
  const raw = splitRawJson(data)
  return raw === undefined ? data : parseJson(Buffer.concat(raw.parts).toString())
}

/** Reads every body apart, as a thread does: nothing but what a thread can be sent goes to and fro. */
export const everythingApart = (kinds: Readonly<Record<string, Kind>>): Apart => ({
  from: 0,
  read: async (job) => {
    const kind = kinds[job.kind]
    if (kind === undefined) throw new Error(`there is no kind ${job.kind}`)
    return structuredClone(readApart(kind, structuredClone(job), Number.POSITIVE_INFINITY))
  },
})

/** The data of an outcome, which its text repeats letter by letter: the recorded answers have no number in another form. */
function dataOf(outcome: Exclude<Outcome, { readonly type: 'file' }>): unknown {
  const data = readable(outcome.data)
  const text = outcome.type === 'list' ? outcome.text?.bytes.toString() : undefined
  if (text !== undefined && text !== writeJson(data)) throw new Error(`the text of the records is ${text}`)
  return data
}

/** The untyped engine. */
export const engineDoor =
  (engine: Engine, connection: Connection): Door =>
  async (run) => {
    const outcome = await engine.run(connection, { ...run, keepsText: true })
    return outcome.type === 'file' ? engineFile(outcome.file) : { data: dataOf(outcome), meta: outcome.meta }
  }

type Method = (params: Values, options?: CallOptions) => Promise<unknown>
type Methods = Readonly<Record<string, Readonly<Record<string, Method>>>>

/** The methods of the library: `connector.<entity>.<action>(params)`. Close what it returns. */
export function libraryDoor(
  kind: Kind,
  options: { credentials: CredentialValues; config: Values; origin: string },
): { door: (expected: Values) => Door; close: () => Promise<void> } {
  const { credentials, config, origin } = options
  // A kind as a value has no static credentials; the untyped view is what the test walks.
  const connector = connectLocally(kind, { credentials, config, origin: { api: origin, media: origin }, limits: false } as Parameters<
    typeof connectLocally
  >[1])
  const methods = connector as unknown as Methods
  const door =
    (expected: Values): Door =>
    async ({ entity, action, params }) => {
      const result = await methods[entity]?.[action]?.(params)
      return action === 'download' ? libraryFile(result as Download, expected) : (result as Result)
    }
  return { door, close: () => connector.close() }
}

/** A connection of the engine whose API and files are at this origin. */
export function connectionTo(
  kind: Kind,
  { origin, credentials, configuration }: { origin: string; credentials: CredentialValues; configuration: Values },
): Connection {
  const opened = { values: new Secret(credentials), version: '0' }
  return {
    kind,
    configuration,
    credentials: { open: async () => opened, renew: async () => opened },
    origin: { api: origin, media: origin },
  }
}
