// Names the packages whose code becomes part of the service's bundles.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withDependencies } from './licenses.mjs'
import { root } from './paths.mjs'

/** @type {{ dependencies: Record<string, string>, devDependencies: Record<string, string> }} */
const manifest = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'))

/** Packages inside: those that only the build needs, and what they need. Our dependencies stay outside, so that users can update them. */
export const inside = withDependencies(Object.keys(manifest.devDependencies)).filter((name) => !Object.hasOwn(manifest.dependencies, name))

/** Leaves the API of OpenTelemetry out of prom-client, which needs it for exemplars only: they are not used here, and it is fifty files at each start. */
export const leaveOutExemplars = {
  name: 'leave-out-exemplars',
  /**
   * @param {string} id
   * @param {string | undefined} importer
   */
  resolveId: (id, importer) => (id === '@opentelemetry/api' && importer?.includes('/prom-client/') ? '\0no-exemplars' : null),
  /** @param {string} id */
  load: (id) => (id === '\0no-exemplars' ? 'export {}' : null),
}

/**
 * Returns whether an import leads to a package outside.
 * @param {string} id specifier of an import
 * @param {readonly string[]} names packages inside
 */
export const isOutside = (id, names) =>
  /^[^./]/.test(id) && !/^[A-Za-z]:/.test(id) && !names.some((name) => id === name || id.startsWith(`${name}/`))
