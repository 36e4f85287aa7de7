/**
 * Keeps the API's documents of a service: one for everybody, and one for each organization with kinds of its own. They are printed in slices,
 * between which the loop serves others, and kept compressed: a twentieth of their text.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { BoundedMap, fail } from 'ferrule/internal'
import type { ServedKind } from '../../connectors/connector-types.ts'
import { longestSliceMs, workInSlices } from '../../values/slices.ts'
import { type Frame, joinDocument, type KindTexts, type OpenApiSource, printFrame, printKinds } from './openapi.ts'
import type { OpenApiDocuments, PackedDocument } from './types.ts'

/** Most characters of a document. */
const mostCharacters = 32 * 1024 * 1024
/** Most bytes of documents that are kept. */
const mostKeptBytes = 16 * 1024 * 1024

/** Joins texts to larger ones, in slices. */
async function* slice(texts: Iterable<string>, onText: (text: string) => void): AsyncGenerator<string> {
  let [joined, began] = ['', performance.now()]
  for (const text of texts) {
    joined += text
    if (joined.length < 65_536 && performance.now() - began < longestSliceMs) continue
    onText(joined)
    yield joined
    await yieldToEventLoop()
    joined = ''
    began = performance.now()
  }
  onText(joined)
  yield joined
}

/** Compresses texts, outside of the loop. */
async function pack(texts: Iterable<string>): Promise<PackedDocument> {
  const digest = createHash('sha256')
  const parts = Readable.from(slice(texts, (text) => digest.update(text)))
  const packed = await pipeline(parts, createGzip(), (zipped) => buffer(zipped))
  // The same text is compressed or not, so the tag is a weak one (RFC 9110 section 8.8.1).
  return { packed, etag: `W/"${digest.digest('base64url').slice(0, 22)}"` }
}

const countCharacters = ({ examples, schemas }: KindTexts): number => [...examples, ...schemas].reduce((sum, text) => sum + text.length, 0)

/** What all documents begin with. */
interface Shared {
  readonly frame: Frame
  readonly texts: KindTexts
}

class Documents implements OpenApiDocuments {
  readonly #source: OpenApiSource
  #shared: Promise<Shared> | undefined
  /** Documents by the versions of the kinds in them. */
  readonly #kept = new BoundedMap<string, PackedDocument>(mostKeptBytes, ({ packed }) => packed.length)
  /** Documents that are printed now. */
  readonly #printed = new Map<string, Promise<PackedDocument>>()

  constructor(source: OpenApiSource) {
    this.#source = source
  }

  async read(own: readonly ServedKind[]): Promise<PackedDocument> {
    const key = own.map((kind) => `${kind.own?.id} ${kind.own?.version}`).join()
    const known = this.#kept.get(key) ?? this.#printed.get(key)
    if (known !== undefined) return known
    const printed = this.#print(own)
    this.#printed.set(key, printed)
    try {
      this.#kept.set(key, await printed)
      return await printed
    } finally {
      this.#printed.delete(key)
    }
  }

  async #print(own: readonly ServedKind[]): Promise<PackedDocument> {
    const { frame, texts } = await this.#readShared()
    const ours = await workInSlices(printKinds(own))
    if (countCharacters(texts) + countCharacters(ours) > mostCharacters) throw fail('result_too_large', { limit: mostCharacters })
    return pack(joinDocument(frame, [texts, ours]))
  }

  /** Prints what all documents begin with once; again after a failure, such as a file of the operator that cannot be read now. */
  #readShared(): Promise<Shared> {
    this.#shared ??= this.#printShared().catch((thrown: unknown) => {
      this.#shared = undefined
      throw thrown
    })
    return this.#shared
  }

  async #printShared(): Promise<Shared> {
    const { kinds, ...source } = this.#source
    return { frame: await workInSlices(printFrame(source)), texts: await workInSlices(printKinds(kinds)) }
  }
}

/** Builds the documents. Each is printed when it is first read. */
export const createOpenApiDocuments = (source: OpenApiSource): OpenApiDocuments => new Documents(source)
