/**
 * The longest time that the loop of a service serves nobody, against small requests: while kind files of harm are uploaded, while the OpenAPI
 * document with a large right one is printed, and while such a one is described. Files are read in a thread.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { acme } from '../test/kind-file/acme.ts'
import { hostile } from '../test/kind-file/hostile.ts'
import { large } from '../test/kind-file/large.ts'
import { type Child, start } from './child.ts'
import { type Result, time } from './result.ts'
import { alternate, type Effort, median } from './rounds.ts'

const client = { FERRULE_OPERATOR_CLIENT_ID: 'bench', FERRULE_OPERATOR_CLIENT_SECRET: 'a-secret-for-the-benchmark' }
/** The service looks at its loop so often, in milliseconds: a loop that is free is late by this. */
const resolution = 10

const files = Object.values(hostile)
  .flat()
  .map(([, from, to]) => acme.replace(from, () => to))

type Ask = (path: string, sent?: { readonly method?: string; readonly body?: object }) => Promise<string>

async function connect({ origin }: Child): Promise<Ask> {
  const ask = async (path: string, { method = 'GET', body }: { method?: string; body?: object } = {}, token = ''): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${origin}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    return answer.text()
  }
  const body = { client_id: client.FERRULE_OPERATOR_CLIENT_ID, client_secret: client.FERRULE_OPERATOR_CLIENT_SECRET }
  const { access_token } = JSON.parse(await ask('/api/v1/account/applications/token', { method: 'POST', body }))
  return (path, sent) => ask(path, sent, access_token)
}

/** Requests at once. */
const width = 4

/** Does something with each of some values, a few at once. */
async function eachOf<T>(values: readonly T[], act: (value: T) => Promise<unknown>): Promise<void> {
  const left = values.values()
  const work = async (): Promise<void> => {
    for (const value of left) await act(value)
  }
  await Promise.all(Array.from({ length: width }, work))
}

/** Returns the longest time that the loop was held since the question before, in milliseconds. */
const readLongest = async (ask: Ask): Promise<number> => {
  const seconds = Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await ask('/metrics'))?.[1])
  return seconds * 1_000 - resolution
}

/** Runs the benchmark. */
export async function* uploads(effort: Effort): AsyncGenerator<Result> {
  await using service = await start('uploads-service.ts', client)
  const ask = await connect(service)
  let version = 0
  const sides: Readonly<Record<string, () => Promise<unknown>>> = {
    harm: () => eachOf(files, (file) => ask('/api/v1/kinds/acme', { method: 'PUT', body: { file } })),
    openapi: () => ask('/api/v1/openapi.json'),
    definition: () => ask('/api/v1/integrations/definitions/sources/acme'),
    reference: () => ask('/api/v1/integrations/definitions/sources/acme/reference'),
    small: () => eachOf(files, () => ask('/api/v1/kinds')),
  }
  for (const name of ['harm', 'openapi', 'definition', 'reference']) {
    const { ours, baseline } = await alternate({ ours: name, baseline: 'small' }, effort, async (side) => {
      version += 1
      await ask('/api/v1/kinds/acme', {
        method: 'PUT',
        body: { file: large.replace('about: Things of Acme', `about: Version ${version}`) },
      })
      await readLongest(ask)
      // After it was read, the service looks at its loop once before it measures again.
      await pause(3 * resolution)
      await sides[side]?.()
      return readLongest(ask)
    })
    yield time({
      name: `uploads-${name}`,
      unit: 'ms',
      ours: median(ours),
      baseline: median(baseline),
      worst: Math.max(...ours),
      files: name === 'harm' ? files.length : 1,
    })
  }
}
