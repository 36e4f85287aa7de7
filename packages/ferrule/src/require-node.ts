/** Refuses an old Node. The built entries import it before everything else (`scripts/bundle.mjs`). */
import { describeOldNode } from './node-version.ts'

const problem = describeOldNode()
if (problem !== undefined) throw new Error(problem)
