import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { root } from '../../scripts/paths.mjs'
import { chartFolder, type KubernetesObject, type Values } from './chart.ts'

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const folder = join(root, 'test/deploy/schemas')
const ajv = new Ajv({ strict: false, allErrors: true })

const compose = ajv.compile(read(join(folder, 'compose.json')))
const values = ajv.compile(read(join(chartFolder, 'values.schema.json')))
const kubernetes = read(join(folder, 'kubernetes.json'))
ajv.addSchema({ definitions: kubernetes.definitions }, 'kubernetes')

const listMistakes = (validate: ValidateFunction, value: unknown): string[] =>
  validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)

/** What the Compose Specification does not take in a file. */
export const findComposeMistakes = (file: unknown): string[] => listMistakes(compose, file)

/** What values.schema.json does not take in values of the chart. */
export const findValueMistakes = (given: Values): string[] => listMistakes(values, given)

/** What Kubernetes does not know or take in an object; unknown names count too. */
export function findViolations(object: KubernetesObject): string[] {
  const definition = kubernetes.kinds[`${object.apiVersion}/${object.kind}`]
  if (definition === undefined) return [`${object.apiVersion}/${object.kind} is not in the excerpt of the schemas`]
  const validate = ajv.getSchema(`kubernetes#/definitions/${definition}`)
  if (validate === undefined) return [`${definition} lacks`]
  return validate(object) === true
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${object.kind}${instancePath} ${message} ${JSON.stringify(params)}`,
      )
}
