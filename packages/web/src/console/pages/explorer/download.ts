/** Saves a file of a vendor through the browser. */
import { useMutation } from '@tanstack/react-query'
import type { Download } from 'ferrule/core'
import { type Hosted, isObject, readJson } from 'ferrule/internal'
import { useRef, useState } from 'react'
import { useConnector } from '../../data/connector.ts'
import type { ChosenOperation } from './operation.ts'

/** Bytes of a file that a page saves: it is held in memory before it is written. */
const mostBytes = 512 * 1024 * 1024

/** How far a transfer is. */
export interface Progress {
  readonly name: string
  readonly bytes: number
  /** null: the vendor does not say. */
  readonly length: number | null
}

/** Reads a stream whole; fails beyond what a page can hold. */
async function readWhole(stream: ReadableStream<Uint8Array>, onBytes: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.byteLength
    if (bytes > mostBytes)
      throw new Error('The file is larger than 512 MB, which is more than a page can hold. Save it with the command: see Copy as.')
    chunks.push(new Uint8Array(chunk))
    onBytes(bytes)
  }
  return chunks
}

/** Lets the browser save bytes as a file. */
function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

const isDownload = (answer: unknown): answer is Download => isObject(answer) && answer['stream'] instanceof ReadableStream

interface Transfer {
  readonly hosted: Hosted
  readonly operation: ChosenOperation
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** Downloads a file and saves it. The bytes never become a page: they are saved as what no browser opens. */
async function download({ hosted, operation, signal, onProgress }: Transfer): Promise<Progress> {
  const { entity, params } = operation
  const given = readJson(params)
  const file = await hosted.execute(entity, 'download', isObject(given) ? given : {}, { signal })
  if (!isDownload(file)) throw new Error('The service answered something else than a file.')
  const { name, length } = file
  let bytes = 0
  const chunks = await readWhole(file.stream, (read) => {
    bytes = read
    onProgress({ name, length, bytes })
  })
  saveFile(new Blob(chunks, { type: 'application/octet-stream' }), name)
  return { name, length, bytes }
}

/** Saves files: `save`, `cancel` and how far it is. */
export function useDownload(connectorId: string) {
  const hosted = useConnector(connectorId)
  const [progress, setProgress] = useState<Progress>()
  const abort = useRef<AbortController>(undefined)
  const mutation = useMutation({
    mutationFn: (operation: ChosenOperation) => {
      abort.current = new AbortController()
      setProgress(undefined)
      return download({ hosted, operation, signal: abort.current.signal, onProgress: setProgress })
    },
  })
  return { mutation, progress, cancel: () => abort.current?.abort() }
}
