#!/usr/bin/env node
/** The executable `ferrule-server`. It loads the command only on a Node that can read it. */
import { describeOldNode } from 'ferrule/node-version'

const problem = describeOldNode()
if (problem === undefined) await import('./main/operator/operator.ts')
else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
