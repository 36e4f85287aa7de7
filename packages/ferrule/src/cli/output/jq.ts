/**
 * Runs jq over JSON text. The text is never parsed here, so every digit stays. The package hands each byte to jq by copying the rest of
 * the text, which takes seconds for 200 kB, so this file puts its own reading and writing into the WebAssembly module.
 */
import { failUsage } from '../failure.ts'

/** Runs a program of jq over JSON texts and returns what it prints. */
export type Jq = (documents: readonly string[]) => string

type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>
type Instantiate = (binary: unknown, imports?: Imports) => Promise<{ readonly instance: { readonly exports: object } }>

/** The global object `WebAssembly`, which the types of Node lack. */
const webAssembly: { instantiate: Instantiate } = Reflect.get(globalThis, 'WebAssembly')

interface Runtime {
  callMain(args: string[]): number
}

const inputFile = '/dev/stdin'
/** Exit code of jq, and result of WASI, without an error. */
const success = 0

/** Arguments of WASI's reading and writing: the file, the buffers with their number, and where the number of bytes is put. */
type Transfer = readonly [file: number, vectors: number, count: number, result: number]

class Streams {
  #input: Uint8Array = new Uint8Array()
  #at = 0
  readonly #written: Record<'1' | '2', Uint8Array[]> = { 1: [], 2: [] }
  /** The module's memory; it grows, so its buffer is read for each transfer. */
  memory: { readonly buffer: ArrayBuffer } | undefined

  begin(text: string): void {
    this.#input = new TextEncoder().encode(text)
    this.#at = 0
    this.#written[1] = []
    this.#written[2] = []
  }

  /** Returns what was written to standard output (1) or standard error (2). */
  read(file: '1' | '2'): string {
    return Buffer.concat(this.#written[file]).toString('utf8')
  }

  /** WASI's `fd_read`. Jq opens no file but its input. */
  readonly fd_read = (...transfer: Transfer): number =>
    this.#each(transfer, (target) => {
      const part = this.#input.subarray(this.#at, this.#at + target.length)
      target.set(part)
      this.#at += part.length
      return part.length
    })

  /** WASI's `fd_write`. */
  readonly fd_write = (...transfer: Transfer): number =>
    this.#each(transfer, (source) => {
      this.#written[transfer[0] === 2 ? 2 : 1].push(source.slice())
      return source.length
    })

  #each([, vectors, count, result]: Transfer, move: (bytes: Uint8Array) => number): number {
    const buffer = this.memory?.buffer ?? new ArrayBuffer(0)
    const view = new DataView(buffer)
    let moved = 0
    for (let index = 0; index < count; index += 1) {
      const at = vectors + index * 8
      moved += move(new Uint8Array(buffer, view.getUint32(at, true), view.getUint32(at + 4, true)))
    }
    view.setUint32(result, moved, true)
    return success
  }
}

/** Replaces the imports for reading and writing. Their names in the module are shortened, so they are found by their functions' names. */
function replaceImports(imports: Imports, streams: Streams): Imports {
  const replacements: Readonly<Record<string, unknown>> = { _fd_read: streams.fd_read, _fd_write: streams.fd_write }
  const replace = (values: Imports[string]): Imports[string] =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, (typeof value === 'function' ? replacements[value.name] : undefined) ?? value]),
    )
  return Object.fromEntries(Object.entries(imports).map(([name, values]) => [name, replace(values)]))
}

const isMemory = (value: unknown): value is { readonly buffer: ArrayBuffer } =>
  typeof value === 'object' && value !== null && 'buffer' in value && value.buffer instanceof ArrayBuffer

/** Starts the module. It is instantiated by a global function, which stands replaced meanwhile. */
async function startRuntime(streams: Streams): Promise<Runtime> {
  const { default: createModule } = await import('jq-wasm/dist/build/jq.js')
  const { instantiate } = webAssembly
  webAssembly.instantiate = async (binary, imports = {}) => {
    const made = await instantiate(binary, replaceImports(imports, streams))
    streams.memory = Object.values(made.instance.exports).find(isMemory)
    return made
  }
  try {
    const runtime: Runtime = await createModule()
    return runtime
  } finally {
    webAssembly.instantiate = instantiate
  }
}

/** Loads jq. @param program for example `.data[].id` @param isCompact true: each result is one line; false: results are indented */
export async function loadJq(program: string, isCompact: boolean): Promise<Jq> {
  const streams = new Streams()
  const runtime = await startRuntime(streams)
  const flags = ['-M', '-r', ...(isCompact ? ['-c'] : [])]
  return (documents) => {
    if (documents.length === 0) return ''
    streams.begin(documents.join('\n'))
    const before = process.exitCode
    const status = runtime.callMain([...flags, program, inputFile])
    process.exitCode = before // the module sets its own
    if (status === success) return streams.read('1')
    throw failUsage(`jq refused --jq: ${streams.read('2').trim()}`, 'Correct the program; the manual of jq 1.7 describes its language.')
  }
}
