// Builds the pages: into the folder that is given, else for this checkout when their sources have changed.
import { resolve } from 'node:path'
import { buildWeb, ensureWeb } from './web.mjs'

const [target] = process.argv.slice(2)
await (target === undefined ? ensureWeb() : buildWeb(resolve(target)))
