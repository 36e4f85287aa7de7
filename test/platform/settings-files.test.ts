/** Secrets from files: what Docker, Kubernetes and systemd mount. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Secret } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { settingsPage } from '../../packages/server/src/http/reference/printed-pages.ts'
import { readSettings, type Settings } from '../../packages/server/src/main/settings/settings.ts'
import { describeSettings } from '../../packages/server/src/main/settings/table.ts'
import { makeFolder } from '../support/folder.ts'
import { findRefusal } from '../support/refusal.ts'

const folder = makeFolder('secrets')

const read = (env: Record<string, string>): Settings => readSettings(env, { kinds: [] })
const refused = (env: Record<string, string>): string => findRefusal(() => read(env))?.message ?? 'accepted'

/** A value of each secret setting; a new one lacks here and fails the test below. */
const values: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://u:hidden-in-a-file@db/state',
  CONTEXT_DATABASE_URL: 'postgresql://u:hidden-in-a-file@db/copy',
  CONTEXT_READ_URLS: 'postgresql://u:hidden-in-a-file@replica/copy',
  FERRULE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  FERRULE_MASTER_KEY_PREVIOUS: Buffer.alloc(32, 8).toString('base64'),
  FERRULE_OPERATOR_CLIENT_SECRET: 'hidden-in-a-file',
  HTTP_PROXY: 'http://u:hidden-in-a-file@proxy:3128/',
  HTTPS_PROXY: 'http://u:hidden-in-a-file@proxy:3128/',
}
const plain = { FERRULE_OPERATOR_CLIENT_ID: 'me' }
const secretNames = describeSettings().flatMap(({ name, secret }) => (secret ? [name] : []))

const write = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Copies settings with their secrets as strings. */
const reveal = (value: unknown): unknown => {
  if (value instanceof Secret) return String(value.reveal())
  if (Array.isArray(value)) return value.map(reveal)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, reveal(each)]))
}

test.each(['', '\n', '\r\n'])('every secret setting can be in a file that ends with %j', (end) => {
  expect(Object.keys(values).sort()).toEqual([...secretNames].sort())
  const files = secretNames.map((name) => [`${name}_FILE`, write(name, `${values[name]}${end}`)])
  const settings = read({ ...plain, ...Object.fromEntries(files) })
  expect(reveal(settings)).toEqual(reveal(read({ ...plain, ...values })))
  expect(JSON.stringify(settings.shown)).not.toContain('hidden-in-a-file')
})

test('a final newline of a secret in the environment is no part of it', () => {
  const ended = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `${value}\n`]))
  expect(reveal(read({ ...plain, ...ended }))).toEqual(reveal(read({ ...plain, ...values })))
})

test('a file that is missing or empty, or a secret beside its file, is a sentence', () => {
  expect(refused({ DATABASE_URL_FILE: join(folder, 'nowhere') })).toBe(
    `The setting DATABASE_URL_FILE is not valid: the file ${join(folder, 'nowhere')} cannot be read (ENOENT).`,
  )
  expect(refused({ FERRULE_MASTER_KEY_FILE: write('empty', '\n') })).toContain('FERRULE_MASTER_KEY_FILE is not valid: the file')
  expect(refused({ DATABASE_URL: 'postgresql://u:p@db/x', DATABASE_URL_FILE: write('url', 'postgresql://u:p@db/y') })).toBe(
    'The setting DATABASE_URL_FILE is not valid: DATABASE_URL is set too; remove one of them.',
  )
  expect(refused({ FERRULE_MASTER_KEY_FILE: write('key', 'hidden-in-a-file') })).toMatch(/a key must be 32 bytes/)
  expect(refused({ FERRULE_MASTER_KEY_FILE: write('key', 'hidden-in-a-file') })).not.toContain('hidden-in-a-file')
})

test('only secrets have files', () => {
  expect(refused({ FERRULE_PORT_FILE: write('port', '1') })).toContain('there is no such setting')
  expect(settingsPage()).toContain('A secret can be in a file')
})
