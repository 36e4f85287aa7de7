/** Reads the built files of the console, the connect page and the documentation. */
import { createHash } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pageType } from '../html/frame.ts'
import { acceptsEncoding } from '../unchanged.ts'

/** Pages that are completed for each answer. */
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

/** A page of the documentation. */
export interface WebDocument {
  readonly content: Buffer
  /** Tag of the content in this form. */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** Media types by ending. */
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** Encodings that the build prepares, the smaller first, with the endings of their files. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const nameForm = /^[\w-]+(?:\.[\w-]+)*\.(js|css|json|svg|woff2)$/
/** Path of a document: two names at most, so that nothing leads out of the folder. */
const documentForm = /^(?:[\w-]+\/)?[\w-]+$/

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
    const found = type === undefined ? undefined : await this.#find(join('assets', name), type, accepted)
    return found === undefined ? undefined : { content: createReadStream(found.file), headers: found.headers }
  }

  /**
   * Reads a page of the documentation in the smallest form that the browser takes. Packed files have no times, so its tag is a digest.
   * @param name such as `search` or `reference/gong`
   * @returns undefined: there is no such page
   */
  async readDocument(name: string, accepted: string): Promise<WebDocument | undefined> {
    const found = documentForm.test(name) ? await this.#find(join('docs', `${name}.html`), pageType, accepted) : undefined
    if (found === undefined) return undefined
    const content = await readFile(found.file)
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    return { content, etag, headers: found.headers }
  }

  /** Reads the list of pages for agents. @returns undefined when the pages are not built */
  async readList(): Promise<string | undefined> {
    return readFile(join(this.#folder, 'llms.txt'), 'utf8').catch((thrown: unknown) => {
      if (isMissing(thrown)) return undefined
      throw thrown
    })
  }

  /** Finds the smallest form of a file. */
  async #find(path: string, type: string, accepted: string) {
    for (const [encoding, ending] of [...encodings.filter(([each]) => acceptsEncoding(accepted, each)), ['identity', ''] as const]) {
      const file = join(this.#folder, `${path}${ending}`)
      const found = await stat(file).catch(() => undefined)
      if (found?.isFile() !== true) continue
      const headers = {
        'content-type': type,
        'content-length': String(found.size),
        vary: 'accept-encoding',
        ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      }
      return { file, headers }
    }
    return undefined
  }
}
