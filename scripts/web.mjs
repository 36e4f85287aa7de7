// Keeps the pages of this checkout built: packages/web, as static files that the service serves.
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cache, root } from './paths.mjs'
import { runNode } from './run-node.mjs'

/** Where the service of a checkout looks for the files. */
export const webFolder = join(cache, 'web')
/** Names the sources of a build with their digests; a checkout only. */
export const sourcesFile = 'sources.json'

/**
 * Builds the pages for this checkout when their sources have changed. A process of its own does it: Vite takes NODE_ENV from its process,
 * and a test's would build React for developers.
 * @returns {Promise<number>} the exit code
 */
export function ensureWeb() {
  return isFresh() ? Promise.resolve(0) : runNode(['scripts/build-web.mjs'])
}

/** Returns whether the last build has the content of all its sources. */
export function isFresh() {
  try {
    /** @type {Record<string, string>} */
    const sources = JSON.parse(readFileSync(join(webFolder, sourcesFile), 'utf8'))
    return Object.entries(sources).every(([file, digest]) => digestOf(file) === digest)
  } catch {
    return false
  }
}

/**
 * Returns the digest of a file.
 * @param {string} file below the project's folder
 */
export function digestOf(file) {
  return createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('base64url')
}

/**
 * Digests the sources of a build. One that changed since the build began has an empty digest, so that the build counts as old.
 * @param {readonly string[]} files below the project's folder
 * @param {number} began milliseconds since 1970
 * @returns {Record<string, string>} by file
 */
export const digestSources = (files, began) =>
  Object.fromEntries(files.map((file) => [file, statSync(join(root, file)).mtimeMs > began ? '' : digestOf(file)]))
