#!/usr/bin/env node
/** The executable `ferrule`. It loads the command only when there is something to do. */
import { readFileSync } from 'node:fs'
import { describeOldNode } from './node-version.ts'

/** Reads the version; `package.json` is at the same relative path for sources and for the built program. */
function readVersion(): string {
  const version: unknown = Reflect.get(Object(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))), 'version')
  return typeof version === 'string' ? version : '0.0.0'
}

const args = process.argv.slice(2)
const problem = describeOldNode()
if (args[0] === '--version' || args[0] === '-V') process.stdout.write(`${readVersion()}\n`)
else if (problem !== undefined) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
} else process.exitCode = await import('./cli/main.ts').then(({ main }) => main(args, readVersion()))
