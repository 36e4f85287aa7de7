import { readFileSync } from 'node:fs'

function read(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const version: unknown = Reflect.get(Object(JSON.parse(text)), 'version')
  return typeof version === 'string' ? version : '0.0.0'
}

/** Version of this package. `package.json` is at the same relative path for sources and for the built program. */
export const version = read()
