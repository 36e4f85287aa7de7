/** A registry of npm packages on this machine, and archives as authors and attackers make them. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'
import { listen } from '../support/listen.ts'

/** A published version. */
export interface Published {
  readonly name: string
  readonly version: string
  readonly archive: Buffer
  /** What the registry lists; left out: what is right. */
  readonly integrity?: string
  readonly description?: string
}

/** Returns the text of a kind that passes the check without doubts. */
export const writeKind = (kind: string, title = 'Acme'): string => `kind: ${kind}
title: ${title}
category: my systems
about: Records of ${title}
docs: https://api.acme.example
api: https://api.acme.example
auth:
  token:
    title: API token
    fields: { token: secret Token of an account }
    find: Settings > API
    send: { authorization: 'Bearer {token}' }
limits: { per: token, rates: [60/m] }
errors:
  message: message
check: things.list
pages:
  cursor: { next: next_cursor, send: cursor, size: limit=100 }
lists: { at: data, pages: cursor }
entities:
  things:
    about: Things
    fields:
      id: string Id
      name: string? Name
    list: GET /things
    get: GET /things/{id}
`

/** Makes an entry that is a file. */
export const file = (name: string, text: string): TarEntry => ({
  header: { name, size: Buffer.byteLength(text), type: 'file' },
  body: text,
})

/** Makes the manifest of a package. */
export const manifest = (name: string, version: string, ferrule: unknown = { kind: './acme.kind.yaml' }): TarEntry =>
  file('package/package.json', JSON.stringify({ name, version, ferrule, scripts: { install: 'touch installed' } }))

/** Packs entries as npm does. */
export const pack = async (entries: readonly TarEntry[]): Promise<Buffer> => gzipSync(await packTar(entries))

/** Makes a version with a kind, and with further entries. */
export async function buildPackage(name: string, version: string, entries?: readonly TarEntry[]): Promise<Published> {
  const archive = await pack([manifest(name, version), ...(entries ?? [file('package/acme.kind.yaml', writeKind('acme'))])])
  return { name, version, archive }
}

/** A registry. */
export interface KindRegistry {
  readonly url: string
  /** Paths that were asked for, with their queries. */
  readonly asked: string[]
  /** Adds a version; the last one is the latest. */
  publish(published: Published): void
  close(): Promise<void>
}

const digest = (archive: Buffer): string => `sha512-${createHash('sha512').update(archive).digest('base64')}`

/** Starts an empty registry. */
export async function startKindRegistry(): Promise<KindRegistry> {
  const published = new Map<string, Published>()
  const asked: string[] = []
  let url = ''
  const find = (path: string): Published | undefined => {
    const [, name = '', version = ''] = /^\/(.+)\/([^/]+)$/.exec(decodeURIComponent(path)) ?? []
    return [...published.values()].findLast((each) => each.name === name && (version === 'latest' || each.version === version))
  }
  const search = () => ({
    objects: [...published.values()].map(({ name, version, description }) => ({
      package: { name, version, description, date: '2026-01-05T10:00:00.000Z', keywords: ['ferrule-kind'] },
    })),
  })
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', url)
    asked.push(request.url ?? '')
    if (pathname === '/-/v1/search') return void response.end(JSON.stringify(search()))
    const archive = published.get(pathname)
    if (archive !== undefined) return void response.end(archive.archive)
    const found = find(pathname)
    if (found === undefined) return void response.writeHead(404).end('{}')
    const tarball = `${url}/-/${found.name}-${found.version}.tgz`
    const dist = { tarball, integrity: found.integrity ?? digest(found.archive) }
    response.end(JSON.stringify({ name: found.name, version: found.version, dist }))
  })
  const listening = await listen(server)
  url = listening.origin
  return {
    url,
    asked,
    publish: (each) => void published.set(`/-/${each.name}-${each.version}.tgz`, each),
    close: listening.close,
  }
}
