/** Documentation pages that are printed from tables and definitions: errors, settings, HTTP routes, and one reference page per kind. */

import type { Kind } from 'ferrule/definition'
import { errorTable } from 'ferrule/internal'
import { describeSettings } from '../../main/settings/table.ts'
import { executeExamples } from '../openapi/execute.ts'
import type { JsonObject } from '../openapi/types.ts'
import { type Block, code, printBlocks, table } from './blocks.ts'
import { describeKind } from './kind.ts'
import { describeRoutes } from './routes.ts'

const printed = '<!-- Printed by `npm run gen`; do not edit. -->'

const page = (...parts: readonly string[]): string => `${[printed, ...parts].join('\n\n')}\n`

/** docs/errors.md */
export function errorsPage(): string {
  const rows = Object.entries(errorTable).map(([code, { status, fault, retryable, message, hint }]) => [
    `\`${code}\``,
    String(status),
    fault,
    retryable ? 'yes' : 'no',
    message,
    hint,
  ])
  return page(
    '# Errors',
    'Every error is a problem (RFC 9457, `application/problem+json`) with these codes; the library throws them as `FerruleError`. Branch on `code`. ' +
      '`fault` says whose turn it is: the caller changes the request, the credentials are replaced or granted more, the vendor or the service needs time. ' +
      '`retryable` says whether the same request can succeed later; writes whose outcome is not known say no. `errors` names each place of a request that is wrong.',
    printBlocks([table(['Code', 'Status', 'Fault', 'Retryable', 'Sentence', 'Next step'], rows)]),
  )
}

/** docs/settings.md */
export function settingsPage(): string {
  const rows = describeSettings().map(({ name, type, default: standard, about, secret }) => [
    `\`${name}\``,
    about,
    type,
    standard,
    secret ? 'yes' : 'no',
  ])
  return page(
    '# Settings',
    'Environment variables, checked at start: a wrong value or a misspelt name ends the start with one sentence and exit code 78. `ferrule-server settings` prints the same. ' +
      'A secret can be in a file: `DATABASE_URL_FILE`, for example, is its path. A newline at the end of a secret is cut.',
    printBlocks([table(['Name', 'Meaning', 'Value', 'Default', 'Secret'], rows)]),
  )
}

/** docs/reference/<kind>.md */
export function referencePage(kind: Kind): string {
  const [overview, ...sections] = describeKind(kind.definition)
  const examples = Object.values(executeExamples([kind])).map(({ value }) => value)
  /** Puts the example of an operation at the end of its part. */
  const addExamples = (blocks: readonly Block[]): readonly Block[] => {
    let part = ''
    return blocks.flatMap((block, at) => {
      if (block.type === 'heading') part = block.text ?? ''
      if (blocks[at + 1] !== undefined && blocks[at + 1]?.type !== 'heading') return [block]
      const own = examples.filter(({ entity, action }) => part === `${entity} ${action}`)
      return [block, ...own.map((example) => code('json', JSON.stringify(example, null, 2)))]
    })
  }
  return page(
    `# ${overview.title}`,
    printBlocks(overview.blocks),
    ...sections.flatMap(({ title, blocks }) => [`## ${title}`, printBlocks(addExamples(blocks))]),
  )
}

/** docs/reference/http.md @param document of the API, without kinds */
export const routesPage = (document: JsonObject, kinds: readonly Kind[]): string =>
  page(
    '# HTTP routes',
    'Every route of the service. `/openapi.json` is the same for machines, with all operations of all kinds. The examples take `FERRULE_URL`, ' +
      '`FERRULE_TOKEN` and the ids of paths from variables of the shell. Errors are problem details (RFC 9457): branch on `code`, and see ' +
      '[Errors](../errors.md) for the next step of each.',
    printBlocks(describeRoutes(document, kinds)),
  )
