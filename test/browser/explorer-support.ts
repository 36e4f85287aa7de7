/** Runs the texts that the explorer prints, as a person does. */
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../scripts/paths.mjs'
import { cli } from '../command/support.ts'
import { buildSourceEnvironment } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'

const run = promisify(execFile)

/** Where texts run. */
export interface Terminal {
  /** Runs a text in a shell that knows the command `ferrule`. @returns what it prints @throws Error when it fails */
  runShell(text: string): Promise<string>
  /** Runs a program in TypeScript. */
  runProgram(text: string): Promise<string>
}

/** Opens a folder with the command `ferrule`, for the test file. @param variables the environment of the texts */
export function openTerminal(variables: Readonly<Record<string, string>>): Terminal {
  const folder = makeFolder('explorer')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules')) // where programs find the package
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/ferrule'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, { mode: 0o755 })
  const own = buildSourceEnvironment()
  const env = { ...own, FERRULE_CONFIG_DIR: folder, PATH: `${join(folder, 'bin')}:${own['PATH']}`, ...variables }
  return {
    runShell: async (text) => (await run('sh', ['-c', text], { env, cwd: folder })).stdout,
    runProgram: async (text) => {
      const file = join(folder, 'program.mts')
      writeFileSync(file, text)
      return (await run(process.execPath, [file], { env, cwd: folder })).stdout
    },
  }
}

/** Notes in the page, frame by frame, each row in sight that is missing, empty or another's. Read it by `readFrames`. */
export const watchFrames = (label: string, rowPx: number): string => `(() => {
  const scroller = document.querySelector('section[aria-label="${label}"]')
  const seen = { frames: 0, blank: [], rows: new Set() }
  const look = () => {
    const count = Number(scroller.querySelector('[role=table]').getAttribute('aria-rowcount')) - 1
    const rows = new Map([...scroller.querySelectorAll('[data-index]')].map((row) => [Number(row.dataset.index), row]))
    const end = Math.min(count, Math.floor((scroller.scrollTop + scroller.clientHeight - ${rowPx}) / ${rowPx}))
    for (let index = Math.floor(scroller.scrollTop / ${rowPx}); index < end; index += 1) {
      const cells = [...(rows.get(index)?.querySelectorAll('[role=cell]') ?? [])].map((cell) => cell.textContent)
      if (cells.length < 2 || cells[1] !== String(index) || cells.some((text) => text === '')) seen.blank.push([index, cells])
      seen.rows.add(index)
    }
    seen.frames += 1
    requestAnimationFrame(look)
  }
  window.seenFrames = seen
  requestAnimationFrame(look)
})()`

/** What `watchFrames` has seen. */
export interface SeenFrames {
  readonly frames: number
  readonly blank: readonly unknown[]
  readonly rows: number
}

/** Reads what `watchFrames` has seen. */
export const readFrames = '({ frames: seenFrames.frames, blank: seenFrames.blank.slice(0, 5), rows: seenFrames.rows.size })'
