import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { listen } from './listen.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'
import type { PostgresCluster } from './postgres-cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * Where a test file asks for the server (GET / answers its URL) and for an empty embedded database (GET /embedded answers its folder),
     * and how the run's databases begin.
     */
    postgres: { door: string; prefix: string }
    /** Installations that may run the project's server; the first that works does. Undefined: all that this machine has. */
    installations: readonly PostgresBinaries[] | undefined
    /** Whether the run has another project that tests what needs no server: this one has only what its version can change. */
    isFurtherVersion: boolean
  }
}

/**
 * Once per project of a run: opens a door on 127.0.0.1 through which test files get the URL of a PostgreSQL server, or an empty embedded
 * database. The first to ask starts the server, so a run without database tests pays nothing. `TEST_DATABASE_URL` names a server to use instead. The function that is
 * returned takes everything away again.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL']
  const prefix = `ferrule_test_${randomBytes(4).toString('hex')}`
  let cluster: Promise<PostgresCluster> | undefined
  const url = async () => {
    if (given) return given
    cluster ??= openCluster(project.getProvidedContext().installations)
    return (await cluster).url
  }
  let template: Promise<string> | undefined
  const folder = () => (template ??= findTemplate())
  const door = createServer((request, response) => {
    // A test that computes for seconds would ask again over a connection that has timed out meanwhile.
    response.setHeader('connection', 'close')
    const asked = request.url === '/embedded' ? folder() : url()
    asked.then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  project.provide('postgres', { door: (await listen(door)).origin, prefix })
  return async () => {
    door.closeAllConnections()
    door.close()
    if (given) await dropLeftOvers(given, prefix)
    await (await cluster?.catch(() => undefined))?.stop()
  }
}

/** Loads the code only when a test asks: a run without database tests starts sooner. */
async function openCluster(installations: readonly PostgresBinaries[] | undefined): Promise<PostgresCluster> {
  const { startCluster } = await import('./postgres-cluster.ts')
  return startCluster(installations)
}

/** Loads the code only when a test asks. */
async function findTemplate(): Promise<string> {
  const { ensureTemplate } = await import('./embedded-template.ts')
  return ensureTemplate()
}

/** On a server that outlives the run, databases of failed tests are dropped here. */
async function dropLeftOvers(url: string, prefix: string): Promise<void> {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [prefix])
    for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`)
  } finally {
    await client.end()
  }
}
