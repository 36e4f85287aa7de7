/** Saves files of a vendor. */
import { Progress as Bar, Stack, Text } from '@mantine/core'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printSize } from '../../parts/print.ts'
import { type Chosen, useCall } from './address.ts'
import { type Progress, useDownload } from './download.ts'
import { ParamsForm } from './params-form.tsx'
import { Player } from './player.tsx'

/** Shows how far a transfer is. */
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
        {...{ chosen, call }}
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
