import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const canRun = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the path of Helm on this machine; undefined without it. Then the chart is rendered by the tests' own reader only. */
export function findHelm(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'helm')).find(canRun)
}
