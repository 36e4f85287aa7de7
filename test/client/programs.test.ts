/** Runs one table of programs in both modes: what they print must be the same. `test/pack/packages.test.ts` runs it on each runtime. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildSourceEnvironment } from '../support/commands.ts'
import { share } from '../support/share.ts'
import { buildProgramEnvironment, expectHosted, expectLocal, type Mode, runPrograms, startProgramWorld } from './programs/world.ts'

const file = join(import.meta.dirname, 'programs/programs.mjs')

const world = await share(startProgramWorld())

test('programs print the same in both modes', async () => {
  const env = { ...buildSourceEnvironment(), ...buildProgramEnvironment(world) }
  const print = (mode: Mode) => runPrograms({ executable: process.execPath, args: [file], env }, mode)
  const [local, hosted] = await Promise.all([print('local'), print('hosted')])
  expectLocal(local)
  expectHosted(hosted)
  const { search: _needsService, ...same } = local
  expect(hosted).toMatchObject(same)
})
