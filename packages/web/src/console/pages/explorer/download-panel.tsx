/** Saves files of a vendor. */
import { Progress as Bar, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Download } from 'ferrule/core'
import { type Hosted, isObject } from 'ferrule/internal'
import { useRef, useState } from 'react'
import { useConnector } from '../../data/connector.ts'
import { parseParams } from '../../data/params.ts'
import { useWrite } from '../../data/write.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { PlainButton } from '../../parts/looks.tsx'
import { printSize } from '../../parts/print.ts'
import { Time } from '../../parts/time.tsx'
import { type Chosen, useCall } from './address.ts'
import type { ChosenOperation } from './operation.ts'
import { ParamsForm } from './params-form.tsx'

/** An address that the browser plays. */
interface Playable {
  readonly url: string
  readonly content_type: string
  readonly expires_at: string
}

/** Shows the browser's own player. */
function Media({ media, label }: { readonly media: Playable; readonly label: string }) {
  const [hasFailed, setHasFailed] = useState(false)
  const shared = { src: media.url, controls: true, 'aria-label': label, onError: () => setHasFailed(true), style: { width: '100%' } }
  return (
    <Stack gap={4}>
      {media.content_type.startsWith('video/') ? <video {...shared} style={{ width: '100%', maxHeight: 480 }} /> : <audio {...shared} />}
      <Text size="sm" role="status">
        {hasFailed ? (
          'The player has stopped: its address has ended, or the vendor does not answer. Play it again.'
        ) : (
          <>
            The player's address ends <Time value={media.expires_at} />.
          </>
        )}
      </Text>
    </Stack>
  )
}

/** Shows the button and, once there is an address, the player. @param props `operation`: the download */
function Player({ operation }: { readonly operation: ChosenOperation }) {
  const mutation = useWrite((ferrule, { connector, entity, params }: ChosenOperation) =>
    ferrule.connectors.media(connector, { entity, params: { ...parseParams(params) } }),
  )
  return (
    <Stack gap="sm">
      <PlainButton w="fit-content" loading={mutation.isPending} onClick={() => mutation.mutate(operation)}>
        Play
      </PlainButton>
      <ErrorBox error={mutation.error} />
      {mutation.data !== undefined && <Media key={mutation.data.url} media={mutation.data} label={operation.entity} />}
    </Stack>
  )
}

function Transfer({ progress, isDone }: { readonly progress: Progress; readonly isDone: boolean }) {
  const { name, bytes, length } = progress
  const percent = length === null || length === 0 ? 100 : (bytes / length) * 100
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        {isDone
          ? `Saved ${name}, ${printSize(bytes)}.`
          : `${name}: ${printSize(bytes)}${length === null ? '' : ` of ${printSize(length)}`}`}
      </Text>
      {!isDone && <Bar value={percent} aria-label={`Transfer of ${name}`} animated={length === null} />}
    </Stack>
  )
}

/** Shows the panel. */
export function DownloadPanel({ chosen }: { readonly chosen: Chosen }) {
  const call = useCall(chosen)
  const { mutation, progress, cancel } = useDownload(chosen.connector.id)
  const save = () => {
    call.run()
    mutation.mutate(call.current)
  }
  const isCancelled = mutation.error instanceof DOMException && mutation.error.name === 'AbortError'
  const shown = mutation.data ?? progress
  return (
    <Stack gap="md">
      <ParamsForm
        chosen={chosen}
        call={call}
        error={mutation.error}
        action="Save the file"
        isBusy={mutation.isPending}
        onSubmit={save}
        onCancel={cancel}
      />
      <Player operation={call.current} />
      {isCancelled && <Text size="sm">The transfer was cancelled; nothing was saved.</Text>}
      {mutation.error !== null && !isCancelled && <ErrorBox error={mutation.error} />}
      {mutation.error === null && shown !== undefined && <Transfer progress={shown} isDone={mutation.isSuccess} />}
    </Stack>
  )
}

/** Bytes of a file that a page saves: it is held in memory before it is written. */
const mostBytes = 512 * 1024 * 1024

/** How far a transfer is. */
interface Progress {
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

interface DownloadRequest {
  readonly hosted: Hosted
  readonly operation: ChosenOperation
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** Downloads a file and saves it. The bytes never become a page: they are saved as what no browser opens. */
async function download({ hosted, operation, signal, onProgress }: DownloadRequest): Promise<Progress> {
  const { entity, params } = operation
  const file = await hosted.execute(entity, 'download', parseParams(params), { signal })
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
function useDownload(connectorId: string) {
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
