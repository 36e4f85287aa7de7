/** Documentation pages that are printed from tables and definitions: errors, settings, and one reference page per kind. */

import type { Kind } from 'ferrule/definition'
import { errorTable } from 'ferrule/internal'
import { describeSettings } from '../../main/settings/table.ts'
import { printBlocks, table } from './blocks.ts'
import { describeKind } from './kind.ts'

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
export function referencePage({ definition }: Kind): string {
  const [overview, ...sections] = describeKind(definition)
  return page(
    `# ${overview.title}`,
    printBlocks(overview.blocks),
    ...sections.flatMap(({ title, blocks }) => [`## ${title}`, printBlocks(blocks)]),
  )
}
