// Reads the licenses of packages whose code becomes part of our files.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

/**
 * Reads the manifest of an installed package.
 * @param {string} name
 * @returns {{ version: string, license?: string, author?: string | { name: string }, dependencies?: Record<string, string> }}
 */
export function readManifest(name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
}

/**
 * Adds the packages that packages need.
 * @param {string[]} names
 * @returns {string[]}
 */
export function withDependencies(names) {
  const all = new Set(names)
  for (const name of all) for (const needed of Object.keys(readManifest(name).dependencies ?? {})) all.add(needed)
  return [...all]
}

/**
 * Prints the licenses of packages, which must accompany their code.
 * @param {string[]} names
 * @throws when a package has no license
 */
export function printLicenses(names) {
  return `Code of these packages is part of the files in this folder.\n\n${names.map(readLicense).join('\n')}`
}

/** @param {string} name of a package */
function readLicense(name) {
  const folder = join(root, 'node_modules', name)
  const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry))
  const { version, license, author = 'its authors' } = readManifest(name)
  if (file === undefined && license === undefined) throw new Error(`${name} has no license; it cannot be bundled.`)
  const short = `License: ${license}. Copyright: ${typeof author === 'string' ? author : author.name}. The package has no license file.`
  return `## ${name} ${version}\n\n${file === undefined ? short : readFileSync(join(folder, file), 'utf8').trim()}\n`
}
