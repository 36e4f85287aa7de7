/** The attack of bodies that never end, at full count against a service of its own process: its memory, and its health meanwhile. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../engine/support.ts'
import { makeFolder } from '../support/folder.ts'
import { createTestDatabase } from '../support/postgres.ts'

const calls = 60
const attackMs = 40_000
/** Of the attack before the one that is measured. */
const warmMs = 5_000
const restMs = 60_000
const env = {
  FERRULE_BODY_MEMORY: '128',
  FERRULE_LOG_LEVEL: 'warn',
  FERRULE_OPERATOR_CLIENT_ID: 'soak',
  FERRULE_OPERATOR_CLIENT_SECRET: 'a secret of the soak test',
}

const chunk = Buffer.alloc(65_536, 'x')
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"calls":["')
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', more)
  }
  more()
}

/** Resident memory, in megabytes. */
const residentMb = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

async function listening(service: ChildProcess): Promise<string> {
  let text = ''
  for await (const part of service.stdout ?? []) {
    text += String(part)
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? []
    if (url !== undefined) return url
  }
  throw new Error(`the service ended: ${text}`)
}

async function post(url: string, body: unknown, token?: string): Promise<{ status: number; json: Record<string, unknown> }> {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
}

test('60 calls whose bodies never end', async () => {
  const database = await createTestDatabase('memory_soak')
  const folder = makeFolder('memory', onTestFinished)
  let isEndless = false
  await using vendor = await serve(() => (isEndless ? endless : { body: { requestId: 'r', records: {}, calls: [], users: [] } }))
  const service = spawn(process.execPath, ['packages/server/src/main.ts'], {
    env: {
      ...{ PATH: process.env['PATH'], ...env, FERRULE_PORT: '0', FERRULE_DATA: folder, FERRULE_SANDBOX: 'off' },
      ...{ CONTEXT_DATABASE_URL: database.url, FERRULE_ORIGINS: JSON.stringify({ gong: vendor.origin }), FERRULE_RATE_LIMIT: '0' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await listening(service)
    const { json } = await post(`${url}/api/v1/account/applications/token`, {
      client_id: env.FERRULE_OPERATOR_CLIENT_ID,
      client_secret: env.FERRULE_OPERATOR_CLIENT_SECRET,
    })
    const token = String(json['access_token'])
    const credentials = { access_key: 'key', access_key_secret: 'secret' }
    const made = await post(
      `${url}/api/v1/integrations/connectors`,
      { workspace_name: 'default', name: 'soak', connector_type: 'gong', credentials },
      token,
    )
    const execute = () =>
      post(`${url}/api/v1/integrations/connectors/${made.json['id']}/execute`, { entity: 'calls', action: 'list' }, token)
    expect((await execute()).status).toBe(200)
    const codes: Record<string, number> = {}
    const attack = async (forMs: number): Promise<unknown> => {
      isEndless = true
      const end = performance.now() + forMs
      const run = async () => {
        while (performance.now() < end) {
          const code = String((await execute()).json['code'])
          codes[code] = (codes[code] ?? 0) + 1
          await sleep(100)
        }
      }
      await Promise.all(Array.from({ length: calls }, run))
      isEndless = false // for the syncs
      return undefined
    }
    // What a service that has worked holds for good, such as compiled code, is no outcome of the attack that is measured.
    await attack(warmMs)
    await sleep(restMs)
    const idle = residentMb(service)
    const attacked = attack(attackMs)
    const end = performance.now() + attackMs
    const health: number[] = []
    let most = 0
    while (performance.now() < end) {
      const begin = performance.now()
      expect((await fetch(`${url}/health/live`)).status).toBe(200)
      health.push(performance.now() - begin)
      most = Math.max(most, residentMb(service))
      await sleep(50)
    }
    await attacked
    await sleep(restMs)
    const after = residentMb(service)
    const sorted = health.toSorted((one, other) => one - other)
    const figures = {
      idle,
      most,
      after,
      p50: sorted[sorted.length >> 1],
      p99: sorted[Math.floor(sorted.length * 0.99)],
      worst: sorted.at(-1),
      codes,
    }
    console.log(JSON.stringify(figures))
    expect(Object.keys(codes).filter((code) => !['overloaded', 'result_too_large', 'upstream_timeout'].includes(code))).toEqual([])
    expect(most).toBeLessThan(512)
    expect(after).toBeLessThan(idle + 32)
  } finally {
    service.kill()
  }
})
