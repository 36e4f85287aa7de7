/** Reads the built files of the console and the connect page. */
import { createReadStream, type ReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Pages that a browser opens. */
export type WebPage = 'console' | 'connect'

/** Usual folder of the build: beside the compiled service, and in a checkout where `scripts/web.mjs` puts it. */
const usualFolder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../../../node_modules/.cache/ferrule/web/' : '../../web/', import.meta.url),
)

/** What a page is completed with. */
export interface PageParts {
  /** Allows the style elements of this answer. */
  readonly nonce: string
  /** Path of a proxy in front of the service. */
  readonly basePath: string
}

const isMissing = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'

const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** A file of a page. */
export interface WebAsset {
  readonly content: ReadStream
  readonly headers: Readonly<Record<string, string>>
}

/** Media types by ending. */
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** Encodings that the build prepares, the smaller first, with the endings of their files. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Returns whether Accept-Encoding has an encoding, and does not refuse it with `q=0`. */
const isAccepted = (encoding: string, accepted: string): boolean =>
  accepted.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim())
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })

const nameForm = /^[\w-]+(?:\.[\w-]+)*\.(js|css|svg|woff2)$/

/** The built files. */
export class WebFiles {
  readonly #folder: string

  /** @param folder default: the one of this build, or of this checkout */
  constructor(folder: string = usualFolder) {
    this.#folder = folder
  }

  /** Reads a page and completes it. @returns undefined when the pages are not built */
  async readPage(page: WebPage, { nonce, basePath }: PageParts): Promise<string | undefined> {
    const text = await readFile(join(this.#folder, `${page}.html`), 'utf8').catch((thrown: unknown) => {
      if (isMissing(thrown)) return undefined
      throw thrown
    })
    const base = escapeAttribute(basePath)
    return text?.replaceAll('="./assets/', `="${base}/${page}/assets/`).replaceAll('__NONCE__', nonce).replaceAll('__BASE_PATH__', base)
  }

  /**
   * Opens a file in the smallest form that the browser takes. Its name holds the hash of its content, so it never changes.
   * @param accepted value of Accept-Encoding
   * @returns undefined: there is no such file
   */
  async openAsset(name: string, accepted: string): Promise<WebAsset | undefined> {
    const type = types[nameForm.exec(name)?.[1] ?? '']
    if (type === undefined) return undefined
    for (const [encoding, ending] of [...encodings.filter(([each]) => isAccepted(each, accepted)), ['identity', ''] as const]) {
      const file = join(this.#folder, 'assets', `${name}${ending}`)
      const found = await stat(file).catch(() => undefined)
      if (found?.isFile() !== true) continue
      const headers = {
        ...{ 'content-type': type, 'content-length': String(found.size), vary: 'accept-encoding' },
        ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      }
      return { content: createReadStream(file), headers }
    }
    return undefined
  }
}
