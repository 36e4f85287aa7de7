/** Walks a list by the hosted client, and counts. A process of its own, as the command is. */
import { connect } from '../packages/ferrule/src/core.ts'

const gong = connect('gong')
let count = 0
for await (const _ of gong.calls.records()) count += 1
process.stdout.write(`${count}\n`)
