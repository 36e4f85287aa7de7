/** Finds where temporary files cost least. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Linux keeps the files of this folder in memory. */
const shared = '/dev/shm'
/** Room for two servers of databases with their logs, and for the projects into which tests install packages. */
const neededBytes = 6 * 1_024 ** 3

/**
 * Finds a folder in memory for databases and other temporary files. They sync as they do on a disk, and nobody waits for a device: a test
 * over PostgreSQL takes 10 to 30 % less CPU there.
 * @returns undefined where the folder is missing, small, or starts no programs
 */
export function findMemoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(shared)
    const free = Math.min(bavail * bsize, process.availableMemory())
    return free >= neededBytes && startsPrograms(shared) ? shared : undefined
  } catch {
    return undefined // no such folder, or none to write to
  }
}

/** Tests whether programs of a folder start: containers often forbid it. */
function startsPrograms(folder: string): boolean {
  const probe = mkdtempSync(join(folder, 'ferrule-probe-'))
  try {
    const program = join(probe, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    return spawnSync(program).status === 0
  } finally {
    rmSync(probe, { recursive: true })
  }
}
