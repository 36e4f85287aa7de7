/** Prints the reference page of kind files from their table. */
import type { KeyGroup, KeyRow, Shape } from '../packages/ferrule/src/kind-file/shape.ts'
import { groups } from '../packages/ferrule/src/kind-file/table.ts'
import { errorMeanings, fieldTypes } from '../packages/ferrule/src/kind-file/vocabulary.ts'
import { recordingGroups } from '../packages/ferrule/src/kind-recordings/read-recordings.ts'

const allGroups = { ...groups, ...recordingGroups }

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')
const capital = (title: string): string => (/^an? /.test(title) ? `${title[0]?.toUpperCase()}${title.slice(1)}` : title)
const titleOf = (group: string): string => capital(allGroups[group]?.title ?? group)
const linkTo = (group: string): string => `[${titleOf(group).replaceAll(/[<>]/g, '\\$&')}](#${anchor(titleOf(group))})`

/** Names what a key may hold. */
function nameShape(shape: Shape): string {
  switch (shape.is) {
    case 'text':
      return 'text'
    case 'word':
      return shape.words.map(code).join(', ')
    case 'flag':
      return 'true or false'
    case 'number':
      return 'whole number'
    case 'scalar':
      return 'text, number, true or false'
    case 'value':
      return 'anything'
    case 'list':
      return `list of: ${nameShape(shape.of)}`
    case 'map':
      return `names with: ${nameShape(shape.of)}`
    case 'keys':
      return linkTo(shape.group)
    case 'pair':
      return `one name with: ${nameShape(shape.of)}; or ${linkTo(shape.group)}`
    case 'either':
      return shape.of.map(nameShape).join('; or ')
    case 'fields':
      return shape.use === 'any' ? 'fields' : `fields (${shape.use})`
  }
}

const printRow = ({ key, holds, about, example, required, without }: KeyRow): string => {
  const rest = required ? ' Required.' : without === undefined ? '' : ` Without it: ${without}.`
  return `| ${code(key)} | ${about.replaceAll('|', '\\|').replaceAll(/[<>]/g, '\\$&')}.${rest.replaceAll(/[<>]/g, '\\$&')} | ${nameShape(holds)} | ${code(example)} |`
}

const printGroup = ({ title, keys }: KeyGroup): string =>
  [
    `## ${capital(title).replaceAll(/[<>]/g, '\\$&')}`,
    '',
    '| Key | What it says | Holds | Example |',
    '| --- | --- | --- | --- |',
    ...keys.map(printRow),
    '',
  ].join('\n')

/** Prints the page. */
export function kindFilesPage(): string {
  const types = Object.entries(fieldTypes).map(([name, row]) => {
    const uses: readonly string[] = 'uses' in row ? row.uses.filter((use) => use !== 'any') : []
    return `| ${code(name)} | ${row.about} | ${uses.length === 0 ? 'everywhere' : `${uses.join(', ')} only`} |`
  })
  return `${[
    '# Kind files',
    '',
    'The keys of the files that describe a vendor. `npm run gen` prints this page from the table that the reader checks files against.',
    '[Writing kinds](../writing-kinds.md) explains the language by examples.',
    '',
    '## Types of fields',
    '',
    '| Type | What it is | Where |',
    '| --- | --- | --- |',
    ...types,
    '',
    '`[]` behind a type makes a list. `?` says that a value can be null, or left out by people. `!` makes a parameter required.',
    '',
    '## Meanings of errors',
    '',
    '| Word | Error code |',
    '| --- | --- |',
    ...Object.entries(errorMeanings).map(
      ([name, is]) =>
        `| ${code(name)} | ${is === 'empty' ? 'none: the list has no records' : code(is)}${name === 'gone' ? ', and the copy deletes the record' : ''} |`,
    ),
    '',
    ...Object.values(allGroups).map(printGroup),
  ]
    .join('\n')
    .trimEnd()}\n`
}
