// A process that writes to a platform until it is killed. Its argument is JSON of `WriterOptions`; standard output gets one line
// of JSON (`Line`) before each write and one after the write was acknowledged.
import { randomBytes, randomInt } from 'node:crypto'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { openPlatform } from '../../packages/server/src/main/platform.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { type Principal, scopes } from '../../packages/server/src/values/access.ts'
import { notes } from '../platform/kinds.ts'
import { createStubEngine } from './engines.ts'

/** What the writer is told. */
export interface WriterOptions {
  readonly env: Readonly<Record<string, string>>
  /** Concurrent writers, each on its own connectors. */
  readonly lanes: number
  /** Added to the clock, so that leases of killed writers have run out. */
  readonly clockOffset: number
}
/** A write: `token` is the credential that must be found afterwards, null for a removal. */
export interface Write {
  readonly name: string
  readonly token: string | null
}
/** What the writer says. */
export type Line = { readonly ready: true } | { readonly begin: Write } | { readonly done: Write } | { readonly rotated: number }

/** Connectors that a lane keeps at most. */
const most = 12
const say = (line: Line): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** The principal of an installation, without asking for a token. */
export const principalOf = (platform: Platform): Principal => ({
  kind: 'application',
  applicationId: '00000000-0000-4000-8000-000000000000',
  organizationId: platform.first.organizationId,
  workspaceIds: null,
  connectorIds: null,
  scopes: new Set(scopes),
  token: { id: null, expiresAt: Number.MAX_SAFE_INTEGER, secretMark: null },
})

interface Held {
  readonly id: string
  readonly name: string
}

/** One lane: creates, replaces, renews and removes, in a random order. */
class Lane {
  readonly #platform: Platform
  readonly #principal: Principal
  readonly #held: Held[]

  constructor(platform: Platform, held: readonly Held[]) {
    this.#platform = platform
    this.#principal = principalOf(platform)
    this.#held = [...held]
  }

  async write(): Promise<void> {
    const [first, ...rest] = this.#held
    if (first === undefined || (rest.length < most && randomInt(3) === 0)) return this.#create()
    const kind = randomInt(rest.length >= most ? 2 : 8)
    if (kind === 0) return this.#remove(first)
    this.#held.push(...this.#held.splice(0, 1))
    return kind % 2 === 0 ? this.#replace(first) : this.#renew(first)
  }

  async #acknowledged(write: Write, work: () => Promise<unknown>): Promise<void> {
    say({ begin: write })
    await work()
    say({ done: write })
  }

  async #create(): Promise<void> {
    const write = { name: randomBytes(8).toString('hex'), token: randomBytes(8).toString('hex') }
    const workspace = `workspace-${randomInt(4)}`
    const credentials = { refresh_token: write.token }
    const body = { workspace_name: workspace, create_workspace: true, name: write.name, connector_type: 'notes', credentials }
    await this.#acknowledged(write, async () => {
      const { id } = await this.#platform.connectors.create(this.#principal, body)
      this.#held.push({ id, name: write.name })
    })
  }

  #replace({ id, name }: Held): Promise<void> {
    const token = randomBytes(8).toString('hex')
    const body = { credentials: { refresh_token: token } }
    return this.#acknowledged({ name, token }, () => this.#platform.connectors.patch(this.#principal, id, body))
  }

  async #renew({ id, name }: Held): Promise<void> {
    const token = randomBytes(8).toString('hex')
    const { connection } = await this.#platform.connectors.readAccess(this.#principal, id)
    const { version } = await connection.credentials.open()
    await this.#acknowledged({ name, token }, () => connection.credentials.renew(version, async () => new Secret({ refresh_token: token })))
  }

  async #remove({ id, name }: Held): Promise<void> {
    this.#held.shift()
    await this.#acknowledged({ name, token: null }, () => this.#platform.connectors.remove(this.#principal, id))
  }
}

async function all(platform: Platform): Promise<Held[]> {
  const { data } = await platform.connectors.list(principalOf(platform), { limit: 100 })
  return data.map(({ id, name }) => ({ id, name }))
}

async function run({ env, lanes, clockOffset }: WriterOptions): Promise<void> {
  const settings = readSettings(env, { kinds: ['notes'] })
  const platform = await openPlatform({ settings, kinds: [notes], engine: () => createStubEngine(), clock: () => Date.now() + clockOffset })
  const held = await all(platform)
  say({ ready: true })
  const work = Array.from({ length: lanes }, async (_, lane) => {
    const mine = new Lane(
      platform,
      held.filter((_each, index) => index % lanes === lane),
    )
    for (;;) {
      await mine.write()
      if (lane === 0 && randomInt(15) === 0) say({ rotated: (await platform.vault.rotateDataKeys()).resealed })
      // A turn of the event loop, so that the database of the embedded form does not keep signals and timers out.
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  await Promise.all(work)
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}'))
