/** Exports what a search finds, with progress and a way to stop. */
import { Button, Group, Menu, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useConnector } from '../../data/connector.ts'
import { announce } from '../../parts/announcements.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printCounted, printSize } from '../../parts/print.ts'
import { type ExportFormat, type ExportProgress, exportFormats, openTarget, saveExport } from './export.ts'
import { buildOptions, buildParams, type RunnableSearch } from './use-search.ts'

/** Time between two drawings of the progress, in milliseconds. */
const drawMs = 200

/** Prints how far an export has come. */
const printProgress = ({ records, bytes }: ExportProgress): string => `${printCounted(records, 'record')}, ${printSize(bytes)}`

/** Returns a function that calls another at most once in a while. */
function slowDown(draw: (progress: ExportProgress) => void): (progress: ExportProgress) => void {
  let last = 0
  return (progress) => {
    if (performance.now() - last < drawMs) return
    last = performance.now()
    draw(progress)
  }
}

/** Runs one export at a time. */
function useExport(search: RunnableSearch) {
  const hosted = useConnector(search.connector)
  const [progress, setProgress] = useState<ExportProgress>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const run = async (format: ExportFormat, stop: AbortController) => {
    const target = await openTarget(`${search.entity}.${format}`, format)
    if (target === undefined) return
    setProgress({ bytes: 0, records: 0 })
    const { signal } = stop
    const download = await hosted
      .export(search.entity, { ...buildParams(search), format }, { ...buildOptions(search), signal })
      .catch(async (thrown) => {
        await target.abort()
        throw thrown
      })
    const all = await saveExport(download, target, { format, onProgress: slowDown(setProgress) })
    announce(`The export is saved: ${printProgress(all)}.`)
  }
  const start = (format: ExportFormat) => {
    const stop = new AbortController()
    running.current = stop
    setError(undefined)
    run(format, stop)
      .catch((thrown: unknown) => (stop.signal.aborted ? announce('The export was cancelled. No file was saved.') : setError(thrown)))
      .finally(() => setProgress(undefined))
  }
  return { progress, error, start, cancel: () => running.current?.abort() }
}

const labels: Readonly<Record<ExportFormat, string>> = { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, one record a line' }

/** Shows the menu, and the progress of an export. */
export function ExportMenu({ search }: { readonly search: RunnableSearch }) {
  const { progress, error, start, cancel } = useExport(search)
  if (progress !== undefined)
    return (
      <Group gap="xs">
        <Text size="sm" role="status">
          Exporting: {printProgress(progress)}
        </Text>
        <Button variant="default" onClick={cancel}>
          Cancel the export
        </Button>
      </Group>
    )
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button variant="default">Export</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {exportFormats.map((format) => (
            <Menu.Item key={format} onClick={() => start(format)}>
              {labels[format]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {error !== undefined && <ErrorBox error={error} title="The export was not saved" />}
    </>
  )
}
