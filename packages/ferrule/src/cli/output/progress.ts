/** One line on the terminal that shows how far the work is. It is drawn on standard error, a few times a second. */
import { cutText } from './table.ts'
import { showInLine } from './terminal.ts'

const intervalMs = 100

/** The line. */
export interface Progress {
  show(text: string): void
  /** Removes the line. */
  end(): void
}

/** Shows nothing: without a terminal, or with `--quiet`. */
export const noProgress: Progress = { show: () => undefined, end: () => undefined }

/** Draws on a terminal. The last text is always drawn, if late. */
export function drawProgress(stream: NodeJS.WriteStream): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY
  let isDrawn = false
  let later: NodeJS.Timeout | undefined
  let latest = ''
  const draw = (): void => {
    clearTimeout(later)
    later = undefined
    drawnAt = performance.now()
    isDrawn = true
    stream.write(`\r\u001b[K${cutText(showInLine(latest), Math.max(1, stream.columns - 1))}`)
  }
  return {
    show: (text) => {
      latest = text
      const wait = drawnAt + intervalMs - performance.now()
      if (wait <= 0) draw()
      else later ??= setTimeout(draw, wait).unref()
    },
    end: () => {
      clearTimeout(later)
      if (isDrawn) stream.write('\r\u001b[K')
      isDrawn = false
    },
  }
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats a number of bytes: `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** Formats a time: `45 s`, `2 min 5 s`, `1 h 2 min`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}
