import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

const file = join(root, 'package.json')
const original = join(root, '.package.json.original')

/**
 * Before packing: takes the Node binaries, which only development needs, out of package.json.
 * @returns {number} 0
 */
export function trimPackage() {
  // A pack that was interrupted left the original behind; it is the one to trim.
  putPackageBack()
  const text = readFileSync(file, 'utf8')
  const { optionalDependencies, ...manifest } = JSON.parse(text)
  writeFileSync(original, text)
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  return 0
}

/**
 * After packing: package.json as it was.
 * @returns {number} 0
 */
export function putPackageBack() {
  if (existsSync(original)) renameSync(original, file)
  return 0
}

/**
 * `npm publish` in a folder sends the registry the package.json that is there after `postpack`, so users would be given the
 * Node binaries; only a packed file is published as it is.
 * @returns {number} 1
 */
export function refuseFolderPublish() {
  console.error('Publish the packed file, not the folder: npm pack && npm publish ./ferrule-<version>.tgz')
  return 1
}
